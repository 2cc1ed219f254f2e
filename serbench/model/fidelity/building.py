"""Builds objects of a module's classes from neutral values."""

import collections
import itertools
from typing import Any, Callable, Dict, List, Optional, Set

from .kinds import CLASSES, KINDS
from .parts import Spec, Type


def builder(spec: Spec, type_: Type, module: Any) -> Optional[Callable[[Any], Any]]:
    """Return a function that builds objects of `module`'s classes from neutral values of `type_`.

    Return None if neutral values need no conversion. Records are built by calling their class with keyword arguments
    or with one mapping; a TypedDict is its neutral value with converted items.
    """
    known: Dict[str, Callable[[Any], Any]] = {}
    return _builder(spec, type_, module, known)


def _builder(
    spec: Spec, type_: Type, module: Any, known: Dict[str, Callable[[Any], Any]]
) -> Optional[Callable[[Any], Any]]:
    kind = type_[0]
    if kind == "enum":
        return getattr(module, type_[1])  # type: ignore[no-any-return]  # a class of a module that mypy cannot see
    if kind == "ref":
        return _record_builder(spec, type_[1], module, known)
    if kind == "union" and type_[2] is not None:
        tag = type_[2]
        makers = {spec["records"][m[1]]["tag"][1]: _record_builder(spec, m[1], module, known) for m in type_[1]}
        return lambda value: makers[value[tag]](value)
    if kind == "union":
        if not spec.get("json") and any(member[0] in _ANY for member in type_[1]):  # a document has it as any JSON
            return _member_builder(dict(spec, json=True), type_[1], module, {})
        return _member_builder(spec, type_[1], module, known)
    row = KINDS.get(kind)
    if row and row.read and spec.get("json"):
        read = row.read
        return lambda value: read(value) if isinstance(value, (str, int, float)) else value
    if row:
        return row.cls if row.of_user else None  # which makes it of the neutral value
    if kind == "tuple":
        parts = [_builder(spec, item, module, known) for item in type_[1]]
        if not any(parts) and not spec.get("json"):
            return None
        return lambda value: tuple(make(v) if make else v for make, v in zip(parts, value))
    make = _builder(spec, type_[1], module, known)
    if kind == "set" and spec.get("json"):
        make = make or (lambda value: value)
    if len(type_) == 3:
        return _user_container(spec, type_, module, known, make or (lambda value: value))
    if make is None:
        return None
    inner: Callable[[Any], Any] = make
    if kind == "optional":
        return lambda value: None if value is None else inner(value)
    if kind == "map":
        return lambda value: {key: inner(item) for key, item in value.items()}
    if kind == "set":
        return lambda value: {inner(item) for item in value}
    return lambda value: [inner(item) for item in value]


def _user_container(
    spec: Spec, type_: Type, module: Any, known: Dict[str, Callable[[Any], Any]], inner: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """Return a builder for a list held as a tuple, a set held as a frozenset, or a map with keys that are no strings."""
    if type_[0] != "map":
        held: Any = {"tuple": tuple, "set": set, "frozenset": frozenset, "deque": collections.deque}[type_[2]]
        return lambda value: held(map(inner, value))
    key: Any = _builder(spec, type_[2], module, known)
    if type_[2][0] == "enum":
        members = {str(one.value): one for one in key}
        key = members.__getitem__
    elif key is None:
        row = KINDS[type_[2][0]]
        key = row.read or {int: int, float: float}.get(row.cls, str)
    return lambda value: {key(name): inner(item) for name, item in value.items()}


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
    if cls not in _READY:
        cls = next((base for base in cls.__mro__ if base in _READY), str)
    ready = _READY[cls]
    return ready(value) if ready else value


_READY: Dict[Any, Any] = {row.cls: row.ready for kind, row in KINDS.items() if kind in CLASSES}


def _member_builder(
    spec: Spec, members: List[Type], module: Any, known: Dict[str, Callable[[Any], Any]]
) -> Optional[Callable[[Any], Any]]:
    """Return a builder for an untagged union: a value of an enum is of that, others of the member of the value's class."""
    enums = [getattr(module, member[1]) for member in members if member[0] == "enum"]
    values = {(str if isinstance(one.value, str) else int, one.value): one for enum in reversed(enums) for one in enum}
    others = [member for member in members if member[0] not in ("enum", *_ANY)]
    made = {cls: _builder(spec, other, module, known) for other in others for cls in _classes(spec, other)}
    makers = {cls: make for cls, make in made.items() if make and not (cls is str and ["str"] in members)}
    tuples = {len(member[1]): _builder(spec, member, module, known) for member in members if member[0] == "tuple"}
    names = [member[1] for member in others if member[0] == "ref" and _classes(spec, member)[0] is dict]
    records = {
        frozenset(f[1] for f in spec["records"][n]["fields"]): _builder(spec, ["ref", n], module, known) for n in names
    }
    several = len(records) + len(members) - len(others) - len(enums) > 1
    if not makers and not values:
        return None

    def build(value: Any) -> Any:
        if type(value) in (str, int) and (type(value), value) in values:
            return values[type(value), value]
        make = makers.get(type(value))
        if type(value) is dict and several and records:
            make = records.get(frozenset(value))
        elif type(value) is tuple and len(tuples) > 1:
            make = tuples.get(len(value))
        return make(value) if make else value

    return build


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


_ANY = ("any", "opaque")


def _record_builder(spec: Spec, name: str, module: Any, known: Dict[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    if name in known:
        return lambda value: known[name](value)  # noqa: PLW0108  # recursive: looked up when it is called
    known[name] = dict  # placeholder for recursive records
    record = spec["records"][name]
    if record.get("root"):
        known[name] = _root_builder(spec, name, module, known)
        return known[name]
    cls = getattr(module, name)
    fields = [(f[0], f[1], _builder(spec, f[2], module, known)) for f in record["fields"]]
    origin = getattr(cls, "__origin__", cls)  # of a parametrised generic
    if hasattr(origin, "__struct_fields__"):  # a Struct, whose tag is no argument
        fields = [f for f in fields if f[0] in origin.__struct_fields__]
    arguments = {one.name: getattr(one, "alias", one.name) for one in getattr(origin, "__attrs_attrs__", ())}
    fields = [(arguments.get(name, name), wire, make) for name, wire, make in fields]
    if record.get("tag_argument"):
        fields.append((record["tag_argument"], record["tag"][0], None))
    if record.get("absent"):
        known[name] = _lacking(record["absent"], cls, fields)
    elif hasattr(cls, "__total__"):  # a TypedDict
        made = [(wire, make) for _, wire, make in fields if make]
        known[name] = lambda value: {**value, **{wire: make(value[wire]) for wire, make in made}}
    elif callable(getattr(cls, "import_data", None)):  # a Model of schematics, which takes one mapping
        known[name] = lambda value: cls({n: make(value[w]) if make else value[w] for n, w, make in fields})
    else:
        known[name] = lambda value: cls(**{n: make(value[w]) if make else value[w] for n, w, make in fields})
    return known[name]


def _root_builder(spec: Spec, name: str, module: Any, known: Dict[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return a builder for what is one value in a document: an alias, or a class made of that value or of its items."""
    record, cls = spec["records"][name], getattr(module, name, None)
    make: Any = _builder(spec, record["fields"][0][2], module, known) or (lambda value: value)
    if record["root"] == "alias":
        return make  # type: ignore[no-any-return]  # a function
    if record["root"] == "items":
        return lambda value: cls(*make(value))  # type: ignore[misc]  # the user's class
    return lambda value: cls(make(value))  # type: ignore[misc]  # the user's class


def _lacking(absent: List[str], cls: Any, fields: List[Any]) -> Callable[[Any], Any]:
    """Return a builder for a TypedDict or Struct that has nothing for keys that are absent and never null."""
    typed_dict = hasattr(cls, "__total__")

    def build(value: Any) -> Any:
        there = [field for field in fields if value[field[1]] is not None or field[1] not in absent]
        made = {wire if typed_dict else name: make(value[wire]) if make else value[wire] for name, wire, make in there}
        if typed_dict:
            tag = {key: item for key, item in value.items() if key not in [wire for _, wire, _ in fields]}
            return {**tag, **made}
        return cls(**made)

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
            member = _member(spec, type_, value)
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
    """Return True if values of a type hold records."""
    if type_[0] in ("tuple", "union"):
        return any(map(_has_records, type_[1]))
    return type_[0] == "ref" or (type_[0] in ("optional", "list", "set", "map") and _has_records(type_[1]))


def _member(spec: Spec, union: Type, value: Any) -> Optional[Type]:
    """Return the member of a union that a value is of: by its tag, by its keys, or by its class; None if there is none."""
    _, members, tag = union
    if not isinstance(value, dict):
        return next((member for member in members if _classes(spec, member)[0] is type(value)), None)
    records = {member[1]: spec["records"][member[1]] for member in members if member[0] == "ref"}
    if tag is not None:
        return next((["ref", name] for name in records if value.get(tag) == records[name]["tag"][1]), None)
    keys = {name: set() if record.get("root") else {f[1] for f in record["fields"]} for name, record in records.items()}
    fitting = [name for name in keys if keys[name] <= set(value)]
    return ["ref", max(fitting, key=lambda name: len(keys[name]))] if fitting else None
