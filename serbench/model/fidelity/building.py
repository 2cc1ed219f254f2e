"""Builds objects of a module's classes from neutral values."""

import collections
import itertools
import keyword
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from .kinds import CLASSES, KINDS
from .parts import Spec, Type


def builder(spec: Spec, type_: Type, module: Any) -> Optional[Callable[[Any], Any]]:
    """Return a function that builds objects of `module`'s classes from neutral values of `type_`.

    Return None if neutral values need no conversion. Records are built by calling their class with keyword arguments
    or with one mapping; a TypedDict is its neutral value with converted items. The function is compiled for the type,
    since it makes the arguments of timed calls, which may take less time than it. If the spec is `slim`, the values
    are those of `slim`.
    """
    return _Source(spec, module).function(type_)


def slim(spec: Spec, type_: Type, value: Any) -> Any:
    """Return a neutral value with a tuple of values for each record, which takes half the time to copy.

    Raises:
        ValueError: a record has not just its fields in their order, or may be one of several.
    """
    if value is None or not _has_records(type_):
        return value
    kind = type_[0]
    if kind == "optional":
        return slim(spec, type_[1], value)
    if kind == "list" and type(value) is list:
        return [slim(spec, type_[1], item) for item in value]
    if kind == "map" and type(value) is dict:
        return {key: slim(spec, type_[1], item) for key, item in value.items()}
    record = spec["records"][type_[1]] if kind == "ref" else {"fields": (), "root": kind}
    fields = _types(record["fields"])
    if record.get("root") or record.get("absent") or type(value) is not dict or list(value) != list(fields):
        raise ValueError("{} is not a record that is known by its fields".format(kind))
    return tuple([slim(spec, fields[key], item) for key, item in value.items()])


class _Source:
    """The source of functions that build objects: an expression for each type, and a function for each record.

    Texts of the schema are literals in it, or names of keyword arguments; all else it finds in `names`.
    """

    def __init__(self, spec: Spec, module: Any) -> None:
        self.spec, self.module = spec, module
        self.names: Dict[str, Any] = {}
        self.lines: List[str] = []
        self.records: Dict[str, str] = {}
        self.tables: List[Tuple[Dict[Any, Any], Dict[Any, str]]] = []

    def function(self, type_: Type) -> Optional[Callable[[Any], Any]]:
        """Compile the function of a type; None if its values stay as they are."""
        text = self.expression(type_, "value")
        if text is None:
            return None
        name = self.define(text)
        exec(compile("\n".join(self.lines), "<objects of serbench>", "exec"), self.names)  # noqa: S102 (see the class)
        for table, functions in self.tables:
            table.update({key: self.names[function] for key, function in functions.items()})
        return self.names[name]  # type: ignore[no-any-return]  # a function

    def name(self, thing: Any = None) -> str:
        """Return a new name, under which the source finds a thing."""
        name = "_{}".format(len(self.names))
        self.names[name] = thing
        return name

    def define(self, text: str, name: str = "") -> str:
        """Add a function that returns an expression of its argument `value`; its name."""
        name = name or self.name()
        self.lines += ["def {}(value):".format(name), "    return " + text]
        return name

    def table(self, types: Dict[Any, Type]) -> Dict[Any, Any]:
        """Return a table that will have the function of each type whose values are converted."""
        texts = {key: self.expression(type_, "value") for key, type_ in types.items()}
        functions = {key: self.define(text) for key, text in texts.items() if text is not None}
        table: Dict[Any, Any] = dict.fromkeys(functions)
        self.tables.append((table, functions))
        return table

    def expression(self, type_: Type, value: str) -> Optional[str]:
        """Return the expression that converts what another gives; None if it stays as it is."""
        kind, json = type_[0], self.spec.get("json")
        if kind == "enum":
            return "{}({})".format(self.name(getattr(self.module, type_[1])), value)
        if kind == "ref":
            return "{}({})".format(self.record(type_[1]), value)
        if kind == "union":
            made = self.of_union(type_)
            return None if made is None else "{}({})".format(self.name(made), value)
        row = KINDS.get(kind)
        if row and row.read and json:
            read = row.read
            read_text = self.name(lambda value: read(value) if isinstance(value, (str, int, float)) else value)
            return "{}({})".format(read_text, value)
        if row:
            return "{}({})".format(self.name(row.cls), value) if row.of_user and row.cls else None
        if kind == "tuple":
            places = ["value[{}]".format(number) for number in range(len(type_[1]))]
            parts = list(map(self.expression, type_[1], places))
            if not any(parts) and not json:
                return None
            items = "".join("{}, ".format(part or place) for part, place in zip(parts, places))
            return "{}({})".format(self.define("({})".format(items)), value)
        item = self.name()
        inner = self.expression(type_[1], value if kind == "optional" else item)
        if len(type_) == 3:
            return self.of_container(type_, value, item, inner or item)
        if kind == "set" and json:
            inner = inner or item
        if inner is None:
            return None
        if kind == "optional":
            return "(None if {} is None else {})".format(value, inner)
        if kind == "map":
            return "{{key: {} for key, {} in {}.items()}}".format(inner, item, value)
        return ("{{{} for {} in {}}}" if kind == "set" else "[{} for {} in {}]").format(inner, item, value)

    def of_container(self, type_: Type, value: str, item: str, inner: str) -> str:
        """Return the expression of a list held as a tuple, a set held as a frozenset, or a map with keys that are no strings."""
        if type_[0] != "map":
            held: Any = {"tuple": tuple, "set": set, "frozenset": frozenset, "deque": collections.deque}[type_[2]]
            return "{}([{} for {} in {}])".format(self.name(held), inner, item, value)
        key = self.expression(type_[2], "key")
        if type_[2][0] == "enum":
            members = {str(one.value): one for one in getattr(self.module, type_[2][1])}
            key = "{}[key]".format(self.name(members))
        elif key is None:
            row = KINDS[type_[2][0]]
            key = "{}(key)".format(self.name(row.read or {int: int, float: float}.get(row.cls, str)))
        return "{{{}: {} for key, {} in {}.items()}}".format(key, inner, item, value)

    def of_union(self, type_: Type) -> Optional[Callable[[Any], Any]]:
        """Return a builder for a union, by its tag; or by the value's class, but for a value of an enum, which is of that."""
        spec, members, tag = self.spec, type_[1], type_[2]
        if tag is not None:
            of_tag = self.table({spec["records"][member[1]]["tag"][1]: member for member in members})
            return lambda value: of_tag[value[tag]](value)
        if not spec.get("json") and any(member[0] in _ANY for member in members):  # a document has it as any JSON
            return _Source(dict(spec, json=True), self.module).function(type_)
        enums = [getattr(self.module, member[1]) for member in members if member[0] == "enum"]
        values = {
            (str if isinstance(one.value, str) else int, one.value): one for enum in reversed(enums) for one in enum
        }
        others = [member for member in members if member[0] not in ("enum", *_ANY)]
        by_class = {cls: other for other in others for cls in _classes(spec, other)}
        makers = self.table({cls: t for cls, t in by_class.items() if not (cls is str and ["str"] in members)})
        of_length = {len(member[1]): member for member in members if member[0] == "tuple"}
        tuples = self.table(of_length)
        names = [member[1] for member in others if member[0] == "ref" and _classes(spec, member)[0] is dict]
        fields = {n: spec["records"][n]["fields"] for n in names}
        records = self.table({frozenset(f[1] for f in fields[n]): ["ref", n] for n in names})
        needed = {frozenset(f[1] for f in fields[n]): {f[1] for f in fields[n] if f[2][0] != "optional"} for n in names}
        absent = {frozenset(f[1] for f in fields[n]): frozenset(spec["records"][n].get("absent", ())) for n in names}
        several = bool(records) and len(records) + len(members) - len(others) - len(enums) > 1
        if not makers and not values:
            return None

        def build(value: Any) -> Any:
            if type(value) in (str, int) and (type(value), value) in values:
                return values[type(value), value]
            make = makers.get(type(value))
            if type(value) is dict and several:
                there = frozenset(value)  # without what is null in any JSON
                fit = (keys for keys, least in needed.items() if least <= there <= keys)
                lacking = {
                    keys: (len(keys - there - absent[keys]), len(keys)) for keys in fit
                }  # what may not be absent
                make = records.get(there if there in records else min(lacking, key=lacking.__getitem__, default=there))
            elif type(value) is tuple and len(of_length) > 1:
                make = tuples.get(len(value))
            return make(value) if make else value

        return build

    def record(self, name: str) -> str:
        """Return the name of the function that builds a record."""
        if name not in self.records:
            self.records[name] = self.name()
            record = self.spec["records"][name]
            self.define((self.of_root if record.get("root") else self.of_fields)(record, name), self.records[name])
        return self.records[name]

    def of_root(self, record: Any, name: str) -> str:
        """Return the expression of what is one value in a document: an alias, or a class made of that value or of its items."""
        made = self.expression(record["fields"][0][2], "value") or "value"
        cls = self.name(getattr(self.module, name, None))
        return {"alias": "{1}", "items": "{0}(*{1})"}.get(record["root"], "{0}({1})").format(cls, made)

    def of_fields(self, record: Any, name: str) -> str:
        """Return the expression of a record with fields."""
        cls, fields = getattr(self.module, name), record["fields"]
        origin = getattr(cls, "__origin__", cls)  # of a parametrised generic
        if hasattr(origin, "__struct_fields__"):  # a Struct, whose tag is no argument
            fields = [f for f in fields if f[0] in origin.__struct_fields__]
        names = {one.name: getattr(one, "alias", one.name) for one in getattr(origin, "__attrs_attrs__", ())}
        arguments = {f[1]: names.get(f[0], f[0]) for f in fields}
        if record.get("tag_argument"):
            arguments[record["tag"][0]] = record["tag_argument"]
        if record.get("absent"):
            return "{}(value)".format(self.name(_lacking(record, cls, arguments, self.table(_types(fields)))))
        class_ = self.name(cls)
        places = {wire: "value[{!r}]".format(wire) for wire in arguments}
        if self.spec.get("slim"):
            places.update((f[1], "value[{}]".format(place)) for place, f in enumerate(record["fields"]))
        made = {f[1]: self.expression(f[2], places[f[1]]) for f in fields}
        if hasattr(cls, "__total__"):  # a TypedDict
            whole = [] if self.spec.get("slim") else ["**value"]
            items = ["{!r}: {}".format(wire, text or places[wire]) for wire, text in made.items() if text or not whole]
            return "{{{}}}".format(", ".join(whole + items))
        given = {name: made.get(wire) or places[wire] for wire, name in arguments.items()}
        mapping = "{{{}}}".format(", ".join("{!r}: {}".format(*one) for one in given.items()))
        if callable(getattr(cls, "import_data", None)):  # a Model of schematics, which takes one mapping
            return "{}({})".format(class_, mapping)
        if len(given) > MOST_NAMED or not all(map(_is_name, given)):
            return "{}(**{})".format(class_, mapping)
        return "{}({})".format(class_, ", ".join("{}={}".format(*one) for one in given.items()))


MOST_NAMED = 255  # arguments of a call on Python 3.6
_ANY = ("any", "opaque")


def _is_name(text: str) -> bool:
    return text.isidentifier() and max(text) < "\x80" and not keyword.iskeyword(text)


def _types(fields: List[Any]) -> Dict[Any, Type]:
    return {f[1]: f[2] for f in fields}


def complete(held: Dict[str, Any], beside: Dict[str, Any]) -> None:
    """Add to a dict, and to the dicts in it, what each has beside."""
    for key, value in beside.items():
        inside = held.get(key)
        if isinstance(inside, dict):
            complete(inside, value)
        elif isinstance(inside, list):
            for one, more in zip(inside, value):
                complete(one, more)
        else:
            held[key] = value


def json_ready(value: Any) -> Any:
    """Return a neutral value as JSON has it: texts for what has no type there, seconds for a timedelta."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [json_ready(item) for item in value]
    cls = type(value)
    if cls in _READY:
        ready = _READY[cls]
    else:
        base = next((base for base in cls.__mro__ if base in _READY), None)
        ready = _READY.get(base) or _BASES.get(base)
    return ready(value) if ready else value


_BASES: Dict[Any, Any] = {int: int.__int__, float: float.__float__, str: str.__str__}
_READY: Dict[Any, Any] = {row.cls: row.ready for kind, row in KINDS.items() if kind in CLASSES}


def _classes(spec: Spec, type_: Type) -> List[Any]:
    """Return the class of a member's neutral value, and that of what JSON has for it if the union's value may be JSON."""
    kind = type_[0]
    if kind == "ref" and spec["records"][type_[1]].get("root"):
        return _classes(spec, spec["records"][type_[1]]["fields"][0][2])
    row = KINDS.get(kind)
    if row is None:
        neutral = {"list": list, "tuple": tuple, "set": set}.get(kind, dict)
        of_json = dict if neutral is dict else list
    else:
        neutral = CLASSES.get(row.of_user or kind, dict)
        of_json = CLASSES.get(row.builtin, neutral)
    return [neutral, of_json] if spec.get("json") else [neutral]


def _lacking(record: Any, cls: Any, arguments: Dict[str, str], makers: Dict[str, Any]) -> Callable[[Any], Any]:
    """Return a builder for a TypedDict or another class that has nothing for keys that are absent and never null."""
    typed_dict, absent = hasattr(cls, "__total__"), record["absent"]

    def build(value: Any) -> Any:
        there = [wire for wire in arguments if wire not in absent or value.get(wire) is not None]
        made = {wire: makers[wire](value[wire]) if wire in makers else value[wire] for wire in there}
        if typed_dict:
            return {**{key: item for key, item in value.items() if key not in arguments}, **made}
        return cls(**{arguments[wire]: item for wire, item in made.items()})

    return build


def holders(spec: Spec, module: Any) -> Set[str]:
    """Return the kinds of a module's records: "objects" or "dicts"; empty if the schema has no records."""
    classes = [getattr(module, name, None) for name in spec["records"]]
    return {"dicts" if hasattr(cls, "__total__") else "objects" for cls in classes}


def user_maker(module: Any, spec: Spec, *, ready: bool) -> Callable[[Any], Any]:
    """Return the function that makes objects of a user's class: the module's `build`, or by the class's schema.

    With `ready`, it takes values as JSON has them.
    """
    build = getattr(module, "build", None)
    if build is not None and any(record.get("absent") for record in spec["records"].values()):
        return lambda value: build(without_absent(spec, json_ready(value) if ready else with_each(value)))
    if ready or build is None:
        make = build or builder(spec, spec["root"], module) or (lambda value: value)
        return (lambda value: make(json_ready(value))) if ready else make
    return lambda value: build(with_each(value))


def with_each(value: Any, change: Callable[[Any], Any] = lambda value: value) -> Any:
    """Return a value with containers of its own, which may be changed, and what `change` makes of each other value in it."""
    if isinstance(value, dict):
        return type(value)((key, with_each(item, change)) for key, item in value.items())
    if type(value) in (list, tuple):
        return type(value)(with_each(item, change) for item in value)
    return change(value)


def without_further(spec: Spec, value: Any) -> Any:
    """Return a value without the keys that no field of its records has."""

    def known(name: str, _value: Any, written: Any) -> Any:
        record = spec["records"][name]
        keys = [f[1] for f in record["fields"]] + (record["tag"] or [])[:1]
        return {key: item for key, item in written.items() if key in keys}

    return change_records(spec, value, value, known)


def without_absent(spec: Spec, value: Any) -> Any:
    """Return a value without the keys that are absent and never null, which a class's own method would take as null."""

    def there(name: str, _value: Any, written: Any) -> Any:
        absent = spec["records"][name].get("absent", ())
        return {key: item for key, item in written.items() if item is not None or key not in absent}

    return change_records(spec, value, value, there)


def change_records(spec: Spec, value: Any, written: Any, change: Callable[[str, Any, Any], Any]) -> Any:
    """Return what is written of a value of the schema, with each record changed.

    `change` takes the name of a record, its value and what is written of it.
    """
    fields = {
        name: {f[1]: f[2] for f in record["fields"] if _has_records(f[2])} for name, record in spec["records"].items()
    }

    def inner(type_: Type, value: Any, written: Any) -> Any:
        kind = type_[0]
        if value is None or not _has_records(type_):
            return written
        if kind == "optional":
            return inner(type_[1], value, written)
        if kind == "union":
            member = member_of(spec, type_, value)
            return written if member is None else inner(member, value, written)
        if kind in ("list", "set", "tuple"):
            if not (
                isinstance(value, (list, tuple)) and isinstance(written, (list, tuple)) and len(value) == len(written)
            ):
                return written
            items = type_[1] if kind == "tuple" else itertools.repeat(type_[1])
            made = [inner(item, v, w) for item, v, w in zip(items, value, written)]
            return tuple(made) if isinstance(written, tuple) else made
        if kind == "ref" and spec["records"][type_[1]].get("root"):
            return inner(spec["records"][type_[1]]["fields"][0][2], value, written)
        if not isinstance(value, dict) or not isinstance(written, dict):
            return written
        if kind == "map":
            return {key: inner(type_[1], value[key], item) if key in value else item for key, item in written.items()}
        whole = change(type_[1], value, written)
        there = {key: item for key, item in fields[type_[1]].items() if key in whole and key in written}
        return {**whole, **{key: inner(item, value[key], whole[key]) for key, item in there.items()}}

    return inner(spec["root"], value, written)


def _has_records(type_: Type) -> bool:
    if type_[0] in ("tuple", "union"):
        return any(map(_has_records, type_[1]))
    return type_[0] == "ref" or (type_[0] in ("optional", "list", "set", "map") and _has_records(type_[1]))


def member_of(spec: Spec, union: Type, value: Any) -> Optional[Type]:
    """Return the member of a union that a value is of: by its tag, by its keys, or by its class; None if there is none."""
    _, members, tag = union
    if not isinstance(value, dict):
        return next((member for member in members if _classes(spec, member)[0] is type(value)), None)
    records = {member[1]: spec["records"][member[1]] for member in members if member[0] == "ref"}
    if tag is not None:
        return next((["ref", name] for name in records if value.get(tag) == records[name]["tag"][1]), None)
    count = {name: 0 if record.get("root") else len(record["fields"]) for name, record in records.items()}
    fitting = [name for name in records if _has_all_keys(spec, ["ref", name], value)]
    if fitting:
        return ["ref", max(fitting, key=count.__getitem__)]
    return next((member for member in members if member[0] in ("map", "union")), None)


def _has_all_keys(spec: Spec, type_: Type, value: Any) -> bool:
    """Return whether a value has the keys of a record, and so have the values of its fields that are records."""
    if type_[0] == "optional":
        return value is None or _has_all_keys(spec, type_[1], value)
    if type_[0] != "ref" or spec["records"][type_[1]].get("root"):
        return True
    if not isinstance(value, dict):
        return False
    return all(f[1] in value and _has_all_keys(spec, f[2], value[f[1]]) for f in spec["records"][type_[1]]["fields"])
