"""Draws values for a user's class within the limits that its fields declare."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property
from importlib import import_module
from random import Random
from typing import Any
from uuid import UUID

from serbench.model.classes.documents import hidden
from serbench.model.classes.read import FOREIGN, OPAQUE, ParsedClass, is_of_pydantic1, path_start
from serbench.model.data.values import MOST_RECORDS, WORDS, Drawing, letters, pick, random_int
from serbench.model.records import (
    REQUIRED,
    SETS,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Path,
    Record,
    Ref,
    Set,
    Tuple,
    Type,
    Union,
    at,
    replaced,
    walk,
)
from serbench.model.scalars import INTEGERS, JSON_KINDS, STR, Scalar

TEXTS = {  # word in the name of a type or field class → a text of that form; `UserDrawing._formed` fills it in
    "url": "https://{}.example.com/{}",
    "dsn": "postgresql://{}@example.com:5432/{}",
    "email": "{}.{}@example.com",
    "ipv4": "192.0.2.[]",
    "ipv6network": "2001:db8:[]::/48",
    "ipv6": "2001:db8::[]",
    "ip": "192.0.2.[]",
    "slug": "{}-{}",
    "path": "{}/{}.txt",
    "fraction": "[]/251",
    "complex": "([]+2j)",
    "color": "#0a0b0c",
    "uuid": "0b5a4c1e-0000-4000-8000-0000000000[]",
    "pastdatetime": "2001-05-1()T10:30:00Z",
    "pastdate": "2001-05-1()",
    "futuredatetime": "2095-05-1()T10:30:00Z",
    "futuredate": "2095-05-1()",
}
_NAMES = {  # limit → the attributes that hold it, in any library
    "low": ("ge", "min_value", "min_inclusive_value"),
    "above": ("gt",),
    "high": ("le", "max_value"),
    "below": ("lt",),
    "least": ("min_length", "min_items"),
    "most": ("max_length", "max_items"),
    "pattern": ("pattern", "regex"),
    "choices": ("options", "choices"),
    "step": ("multiple_of",),
    "digits": ("max_digits",),
    "places": ("decimal_places",),
    "examples": ("examples",),
}
FORMS = (  # of texts that classes ask for without saying so
    "{}",
    "https://{}.example.com/{}",
    "2024-05-1()",
    "2024-05-1()T10:30:00Z",
    "10:30:1()",
    "[]",
    "0b5a4c1e-0000-4000-8000-0000000000[]",
    "{}.{}@example.com",
    "1.[].0",
    "{}/{}",
    "a",
    "aGFyYm91cjEy",
    "urn:{}:{}",
    "text/plain",
    "en",
    "US",
    "EUR",
    "+4930123456[]",
    "#0a0b[]",
    "192.0.2.[]",
    "P[]D",
    "0.[]",
    "EPSG:4326",
    "{}",
)
_MOST_REPEATS = 4


def limits_of(constraints: Iterable[Any]) -> dict[str, Any]:
    """The limits in constraint objects of annotated-types, pydantic, msgspec, attrs, marshmallow and Django."""
    limits: dict[str, Any] = {}
    for one in _flat(constraints):
        name = getattr(one, "__name__", type(one).__name__).lower()
        own = isinstance(one, type) and not is_of_pydantic1(one, object)  # whose attributes are no limits
        for limit, attributes in () if own else _NAMES.items():
            value = next((v for a in attributes if (v := getattr(one, a, None)) is not None and not callable(v)), None)
            if value is not None:
                limits[limit] = value
        if name in ("length", "range"):  # of marshmallow
            low, high = ("least", "most") if name == "length" else ("low", "high")
            bounds = (
                {low: one.min, high: one.max}
                if getattr(one, "equal", None) is None
                else dict.fromkeys((low, high), one.equal)
            )
            limits |= {key: value for key, value in bounds.items() if value is not None}
        if hasattr(one, "compare_op"):  # of attrs
            limits[{">=": "low", ">": "above", "<=": "high", "<": "below"}[one.compare_op]] = one.bound
        if "%" in str(getattr(one, "format", "")):
            limits["strftime"] = one.format
        form = next((text for word, text in TEXTS.items() if word in name), None)
        if form is not None:
            limits["form"] = form
    return limits


def _flat(constraints: Iterable[Any]) -> Iterator[Any]:
    for constraint in constraints:
        inner = getattr(constraint, "_validators", None) or getattr(constraint, "validators", None)
        yield constraint
        if isinstance(inner, list | tuple):
            yield from _flat(inner)
        if isinstance(metadata := getattr(constraint, "metadata", None), list):  # of a FieldInfo of pydantic
            yield from _flat(metadata)


@cache
def _parsed(pattern: str) -> Any:
    parser: Any = import_module("re._parser")
    return parser.parse(pattern)


_DIGITS, _LETTERS = string.digits, string.ascii_letters
_CATEGORIES = {"CATEGORY_DIGIT": _DIGITS, "CATEGORY_WORD": _LETTERS + _DIGITS, "CATEGORY_SPACE": " "}


def _drawn(parts: Any, random: Random) -> str:
    """A text that a parsed regular expression matches; without look-around and back references."""
    made = []
    for code, argument in parts:
        match str(code):
            case "LITERAL":
                made.append(chr(argument))
            case "ANY" | "NOT_LITERAL":
                made.append(random.choice([letter for letter in _LETTERS if letter != chr(argument or 0)]))
            case "IN":
                made.append(random.choice(sorted(_members(argument))))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, inner = argument
                times = random.randint(low, min(int(high), low + _MOST_REPEATS))
                made += [_drawn(inner, random) for _ in range(times)]
            case "SUBPATTERN":
                made.append(_drawn(argument[-1], random))
            case "BRANCH":
                made.append(_drawn(random.choice(argument[1]), random))
            case "CATEGORY":
                made.append(random.choice(_CATEGORIES.get(str(argument), _LETTERS)))
    return "".join(made)


def _members(parts: Any) -> set[str]:
    characters: set[str] = set()
    outside = False
    for code, value in parts:
        match str(code):
            case "NEGATE":
                outside = True
            case "LITERAL":
                characters.add(chr(value))
            case "RANGE":
                characters |= {chr(number) for number in range(value[0], value[1] + 1)}
            case "CATEGORY":
                characters |= set(_CATEGORIES.get(str(value), _LETTERS))
    return set(_LETTERS + _DIGITS) - characters if outside else characters


EMPTY = (Optional, List, Map, Set)  # types that have an empty value
_PLAIN = JSON_KINDS | {"any", "path", "foreign", "opaque"}  # whose defaults are JSON


def empty_of(type_: Type) -> Any:
    """The empty value of one of these types."""
    return {Optional: None, List: [], Map: {}, Set: set()}[type(type_)]


def least_of(field: Field) -> Any:
    """The least value of a field: none, an empty one, or its default; `REQUIRED` if it must have another."""
    plain = isinstance(field.type, Optional) and getattr(field.type.item, "kind", "") in _PLAIN
    if plain and field.default not in (REQUIRED, None):
        return field.default
    if isinstance(field.type, EMPTY):
        return empty_of(field.type)
    if not isinstance(field.type, Enum) and getattr(field.type, "kind", "") not in _PLAIN:
        return REQUIRED
    return field.default if not field.required else field.fill


def fitting(type_: Type, examples: Any) -> list[Any]:
    """The examples of a field that are values of its type as it stands in a document."""
    class_ = _CLASSES.get(type_.kind) if isinstance(type_, Scalar) else None
    return [example for example in examples if type(example) is class_] if isinstance(examples, list | tuple) else []


_CLASSES = {"str": str, "float": float, **dict.fromkeys((integer.kind for integer in INTEGERS), int)}


def _named_by_validators(class_: Any) -> Iterator[tuple[str, list[str]]]:
    """Each field of a model of pydantic, and the texts in the code of its validators: it may take no others."""
    decorators = getattr(class_, "__pydantic_decorators__", None)
    if decorators is not None:
        validators = decorators.field_validators.values()
        found = [(name, one.func) for one in validators for name in one.info.fields]
    else:
        fields = getattr(class_, "__fields__", {})  # of pydantic 1
        found = [(name, one.func) for name in fields for one in (fields[name].class_validators or {}).values()]
    for name, function in found:
        held = getattr(getattr(function, "__code__", None), "co_consts", ())
        flat = [text for one in held for text in (one if isinstance(one, tuple | frozenset) else [one])]
        texts = [text for text in flat if isinstance(text, str) and text != function.__doc__ and text.count(" ") < 3]
        if texts:
            yield name, sorted(set(texts))


_MOST_ITEMS = 4
_ANY_JSON: list[Any] = ["amber", 7, 2.5, True, [], {}, [1], ["amber"], {"amber": 1}, {"amber": "delta"}]
_MOST_TURNS = 2 * len(FORMS)  # refusals of a value, before it is left out again


@dataclass
class Learned:
    """What the refusals of a class have told of the places of its values: how many forms of them were refused (`turns`).

    No value is drawn for the places in `left`; those in `needed` have one; those in `accepted` had one in a record that
    was accepted. `values` have been drawn in all.
    """

    turns: dict[str, int] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    accepted: set[str] = field(default_factory=set)
    values: int = 0


class UserDrawing(Drawing):
    """Draws values of a class's types; the place of each value has its limits and, if it was refused, another form.

    Items are smaller than those of other schemas, so that a class of thousands of fields is asked about each soon.
    With `nests`, each item has records within one another down to `depth` exactly, in the first field that can hold them.

    `drawn_at` has the place and the type of each value of the present item by its path in the document.
    """

    many = 500

    def __init__(
        self,
        parsed: ParsedClass,
        random: Random,
        depth: int,
        learned: Learned | None = None,
        *,
        nests: bool = False,
    ) -> None:
        super().__init__(parsed.user_schema, random, depth)
        self.nests, self.levels = nests, parsed.user_schema.levels
        self.deep = False  # whether the present value is the one that nests down to the depth
        self.limits = {
            where: limits for where, constraints in parsed.limits.items() if (limits := limits_of(constraints))
        }
        self.classes = parsed.classes
        for name, class_ in self.classes.items():
            for key, info in getattr(class_, "model_fields", {}).items():
                if examples := getattr(info, "examples", None):
                    self.limits.setdefault(f"{path_start(class_, name)}.{key}", {})["examples"] = examples
            for key, texts in _named_by_validators(class_):
                for where in (key, f"{key}[]"):
                    self.limits.setdefault(f"{path_start(class_, name)}.{where}", {})["named"] = texts
        self.learned = learned or Learned()
        self.hidden = hidden(parsed.schema, parsed.user_schema)
        self._starts = {
            record.name: path_start(self.classes[record.name], record.name) for record in self.schema.records
        }
        self.where = ""
        self.path: list[str | int] = []
        self.drawn_at: dict[Path, tuple[str, Type]] = {}
        self.full = False  # whether no optional value is absent

    @cached_property
    def optional(self) -> list[str]:
        """The places of the fields that may have no value, an empty one or a default; those of outer records first."""
        names, optional = [one.record for one in walk(self.schema.root) if isinstance(one, Ref)], list[str]()
        for name in names:
            record = self.schema.record(name)
            for f in record.fields:
                if not record.root and (f.wire in record.absent or least_of(f) is not REQUIRED):
                    optional.append(self._path_of(record, f))
                names += [one.record for one in walk(f.type) if isinstance(one, Ref) and one.record not in names]
        return list(dict.fromkeys(optional))

    def item(self, type_: Type) -> Any:
        """Draw one item of the document."""
        self.drawn_at.clear()
        self.where, self.path, self.inside = "", [], []
        self.deep = self.nests
        item = super().item(type_)
        self.learned.values += self.drawn
        return item

    def settled(self, type_: Type) -> Any:
        """Draw one item that is taken as accepted."""
        item = self.item(type_)
        self.settle(item)
        return item

    def mended(self, value: Any, refused: Iterable[Path]) -> Any:
        """Return the present item with values of other forms where its class refuses it."""
        paths: dict[Path, str] = {}
        for path in refused:
            self._refused(self._drawn(path), paths)
        above = {path[:length] for path in paths for length in range(len(path))}
        inner = [path for path in paths if path not in above]
        for path in inner if len(inner) < len(paths) else paths:
            value = replaced(value, path, self._again(path))
        return value

    def _drawn(self, path: Path) -> Path:
        """The path, or the nearest one above it that was drawn as a value."""
        while path not in self.drawn_at:
            path = path[:-1]
        return path

    def _refused(self, path: Path, paths: dict[Path, str]) -> None:
        """Learn from one refusal of each place once, however many values are there."""
        where = self._inside(*self.drawn_at[path])
        if where not in paths.values():
            if where in self.learned.left:  # the class asks for it
                self.learned.left.discard(where)
                self.learned.needed.add(where)
            turn = self.learned.turns[where] = self.learned.turns.get(where, 0) + 1
            items = f"{where}[]"  # of a list, which every second turn has: one that is refused may be meant
            self.learned.turns[items] = max(self.learned.turns.get(items, 0), turn // 2)
            if self.learned.turns[where] >= _MOST_TURNS and where in self.learned.needed & set(self.optional):
                self.learned.needed.discard(where)
                self.learned.left.add(where)
        paths[path] = where

    def _inside(self, where: str, type_: Type) -> str:
        """The place of the only value in a record that is that value in a document; others as they are."""
        while isinstance(type_, Ref) and self.schema.record(type_.record).root:
            record = self.schema.record(type_.record)
            where, type_ = self._path_of(record, record.fields[0]), record.fields[0].type
        return where

    def settle(self, value: Any) -> None:
        """Learn which optional values an accepted item has."""
        open_ = set(self.optional) - self.learned.accepted
        for path, (where, _) in self.drawn_at.items() if open_ else ():
            if where in open_ and at(value, path):
                self.learned.accepted.add(where)

    def never(self) -> list[str]:
        """The places of optional fields that were refused, and had a value in no accepted item."""
        known = self.learned.turns.keys() | self.learned.left
        return [where for where in self.optional if where in known - self.learned.accepted]

    def _again(self, path: Path) -> Any:
        self.where, type_ = self.drawn_at[path]
        self.path, self.inside, self.deep = list(path), [], self.nests
        self.made = self.drawn = 0
        value = self.value(type_)
        self.learned.values += self.drawn
        return value

    def value(self, type_: Type) -> Any:
        """Draw one value of a type, within the limits of its place."""
        self.drawn_at.setdefault(tuple(self.path), (self.where, type_))
        leads = self.deep and self._leads(type_)  # the first part that can goes on down to the depth
        limits = self.limits.get(self.where, {})
        turn = self.learned.turns.get(self.where, 0)
        named = [self._matching(text) for text in fitting(type_, limits.get("named"))]  # which every second turn tries
        choices = limits.get("choices") or (named if turn % 2 else fitting(type_, limits.get("examples")))
        turn = turn // 2 if named else turn
        if isinstance(type_, Enum):
            choices = [value for _, value in type_.members if value in choices]
        if choices and isinstance(type_, Enum | Scalar):
            return pick(self.random, list(choices))
        if isinstance(type_, Scalar):
            return self._scalar(type_, limits, turn)
        if self.where in self.learned.left and isinstance(type_, EMPTY) and not leads:
            return empty_of(type_)
        match type_:
            case Union(members) if leads:
                return self.value(next(filter(self._leads, members)))
            case Optional(item):
                return self.value(item) if leads or not self._is_absent(item, turn) else None
            case List(item) | Set(item):
                count = max(self._number(item, limits, turn), leads)
                hidden = isinstance(type_, Set) and self.hidden & set(self.inside[-1:])
                if hidden or (isinstance(type_, List) and type_.held in SETS):  # a list there, whose order varies
                    count = min(count, 1)
                made = [self._inner(item, "[]", index) for index in range(count)]
                return made if isinstance(type_, List) else set(made)
            case Map(item, key):
                keys = [self._key(key, index) for index in range(max(self._number(item, limits, turn), leads))]
                return {key: self._inner(item, "[]", key) for key in keys}
            case Tuple(items):
                return tuple(self._inner(item, f"[{index}]", index) for index, item in enumerate(items))
            case Union(members, None) if OPAQUE in members and not turn:  # such as a mark that says a value is absent
                return self.value(
                    pick(self.random, [m for m in members if m != OPAQUE and not self._full(m)] or [OPAQUE])
                )
            case Union(members, None) if turn and not self._full(type_):
                return self.value(members[turn % len(members)])
            case Union(members, None) if any(isinstance(m, Enum | Scalar) for m in members):
                return self.value(pick(self.random, [m for m in members if not self._full(m)] or list(members)))
        return super().value(type_)

    def _scalar(self, type_: Scalar, limits: dict[str, Any], turn: int) -> Any:
        match type_.kind:
            case "str" | "path" | "fraction" | "complex" | "foreign" as kind:
                return self._text(kind, limits, turn)
            case "bytearray":
                return super().value(Scalar("bytes"))
            case "opaque" | "any" if turn:
                return _ANY_JSON[turn % len(_ANY_JSON) - 1]
            case "opaque":
                return pick(self.random, _ANY_JSON)
            case "uuid" if turn:
                return UUID(int=super().value(type_).int, version=(1, 3, 5, 4)[turn % 4 - 1])
            case "float" | "decimal" as kind if limits:
                return self._real(kind, limits)
        if (limits or self.learned.turns.get("")) and type_ in INTEGERS:
            return self._integer(limits, self.learned.turns.get("", 0))
        return super().value(type_)

    def _is_absent(self, item: Type, turn: int) -> bool:
        tried = len(FORMS) if item in (FOREIGN, STR) else 3  # texts of all forms come first
        absent = turn % tried == 0 if turn else not self.full and self.random.random() < 0.5
        return self._full(item) or (absent and self.where not in self.learned.needed)

    def _leads(self, type_: Type) -> bool:
        """Tell if a value of the type can hold a record that goes on down to the depth."""
        return any(
            self._holds_itself(one.record) and not self._is_full(one) for one in walk(type_) if isinstance(one, Ref)
        )

    def _holds_itself(self, name: str) -> bool:
        record = self.schema.record(name)
        return any(
            one in self.schema.reachable(self.schema.record(one)) for one in {name, *self.schema.reachable(record)}
        )

    def _full(self, type_: Type) -> bool:
        """Return whether a value of the type would exceed the limits; with `nests`, records may nest to the depth in all."""
        if not self.nests or not isinstance(type_, Ref):
            return super()._full(type_)
        return self.drawn > self.many or self._is_full(type_) or (bool(self.inside) and self.made >= MOST_RECORDS)

    def _is_full(self, ref: Ref) -> bool:
        return len(self.inside) + self.levels[ref.record] > self.depth

    def _record(self, name: str) -> Any:
        record, before = self.schema.record(name), self.where
        if len(self.inside) > 50 + self.depth:
            return super()._record(name)  # which says that it is endless
        self.inside.append(name)
        self.made += 1
        drawn = {self.schema.tags[name]: record.tag_value} if name in self.schema.tags else {}
        down = next((f for f in record.fields if self._leads(f.type)), None) if self.deep else None
        for f in record.fields:
            self.deep = f is down
            left = f is not down and not record.root and self._path_of(record, f) in self.learned.left
            may_lack = f is not down and f.wire in record.absent and (left or not self.full)
            lacks = may_lack and (left or self._full(f.type) or self.random.random() < 0.5)
            drawn[f.wire] = None if lacks else self._part(record, f, bool(record.root), left=left)
        self.inside.pop()
        self.deep = False
        self.where = before
        return drawn[record.fields[0].wire] if record.root else drawn

    def _part(self, record: Record, field: Field, root: bool, *, left: bool) -> Any:
        """Draw the value of a field; the least that it may be if it is to be left out."""
        self.path += [] if root else [field.wire]
        try:
            least = least_of(field) if left else REQUIRED
            if least is REQUIRED:
                return self.field(record, field)
            self.drawn_at.setdefault(tuple(self.path), (self._path_of(record, field), field.type))
            return least
        finally:
            self.path = self.path[: None if root else -1]

    def field(self, record: Record, field: Field) -> Any:
        """Draw the value of a field, within its limits."""
        self.where = self._path_of(record, field)
        opaque = field.type in (OPAQUE, Optional(OPAQUE))
        if opaque and self.where not in self.learned.turns:
            known = field.default if not field.required else field.fill
            if known is not REQUIRED:
                self.drawn_at.setdefault(tuple(self.path), (self.where, field.type))
                return known
        return self.value(field.type)

    def _path_of(self, record: Record, field: Field) -> str:
        return f"{self._starts[record.name]}.{field.name}"

    def _inner(self, type_: Type, step: str, key: str | int) -> Any:
        self.where, before = self.where + step, self.where
        self.path.append(key)
        value = self.value(type_)
        self.path.pop()
        self.where = before
        return value

    def _number(self, item: Type, limits: dict[str, Any], turn: int) -> int:
        least = limits.get("least") or 0
        most = min(limits.get("most") or least + _MOST_ITEMS, least + _MOST_ITEMS)
        if turn:
            return min(least + (turn + 1) % 2, most)
        some = most and (self.full or self.where in self.learned.needed)
        return least if self._full(item) else random_int(self.random, max(least, 1) if some else least, most)

    def _key(self, key: Type, index: int) -> str:
        match key:
            case Enum(_, members):
                return str(members[index % len(members)][1])
            case Scalar("str" | "any"):
                return f"{pick(self.random, WORDS)}_{index}"
        value = self.value(key)
        return value.isoformat() if hasattr(value, "isoformat") else str(value)

    def _matching(self, text: str) -> str:
        """A text that matches one that is a whole pattern; any other itself."""
        if text.startswith("^"):
            with suppress(Exception):  # what it does not know, such as looking ahead
                return _drawn(_parsed(text), self.random)
        return text

    def _text(self, kind: str, limits: dict[str, Any], turn: int) -> str:
        form = TEXTS.get(kind) or limits.get("form")
        if turn and "pattern" not in limits and "strftime" not in limits:
            form = FORMS[turn % len(FORMS) - 1]
        if form is not None:
            return self._formed(str(form))
        if "strftime" in limits:
            return str(super().value(Scalar("datetime")).strftime(limits["strftime"]))
        if pattern := limits.get("pattern"):
            with suppress(Exception):  # what it does not know, such as looking ahead
                return _drawn(_parsed(getattr(pattern, "pattern", pattern)), self.random)
        text = str(super().value(Scalar("str")))
        least, most = limits.get("least") or 0, limits.get("most")
        text += letters(self.random, least - len(text))
        return text if most is None else text[:most].strip().ljust(min(least, most), "x")

    def _formed(self, form: str) -> str:
        """A text of a form: {} is a word, [] a number of two digits, () one of one digit."""
        fillers: dict[str, Callable[[], str]] = {
            "{}": lambda: pick(self.random, WORDS),
            "[]": lambda: str(random_int(self.random, 10, 99)),
            "()": lambda: str(random_int(self.random, 0, 9)),
        }
        return re.sub(r"\{\}|\[\]|\(\)", lambda match: fillers[match[0]](), form)

    def _integer(self, limits: dict[str, Any], refused: int) -> int:
        """An integer of five digits at most, and of fewer ones in turn if whole records were refused."""
        step = int(limits.get("step") or 1)
        low, high = self._bounds(limits, 1, 10 ** (5 - refused % 5))
        low, high = -(-int(low) // step), int(high) // step
        return random_int(self.random, low, max(low, high)) * step

    def _real(self, kind: str, limits: dict[str, Any]) -> Any:
        places = limits.get("places")
        places = 2 if places is None else int(places)
        digits = limits.get("digits")
        most = 10 ** (int(digits) - places) - 1 if digits else 1000
        unit = 10.0**-places
        low, high = self._bounds(limits, unit, most)
        number = random_int(self.random, round(low / unit), round(min(high, low + most) / unit))
        return Decimal(number).scaleb(-places) if kind == "decimal" else number * unit

    def _bounds(self, limits: dict[str, Any], unit: float, span: float) -> tuple[float, float]:
        low = float(limits["low"]) if "low" in limits else float(limits["above"]) + unit if "above" in limits else None
        high = (
            float(limits["high"]) if "high" in limits else float(limits["below"]) - unit if "below" in limits else None
        )
        if low is None:
            low = min(0.0, high - span) if high is not None and high < 0 else 0.0
        return low, low + span if high is None else high
