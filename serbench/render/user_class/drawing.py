"""Draws values for a class of the user's within the limits of its fields, as far as these can be read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from random import Random
from typing import Any
from uuid import UUID

from serbench.model.classes.declared import hidden
from serbench.model.classes.names import path_start
from serbench.model.classes.read import FOREIGN, OPAQUE, ParsedClass
from serbench.model.records import REQUIRED, Field, Record
from serbench.model.scalars import INTEGERS, STR, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union, walk
from serbench.render.user_class.learned import Learned
from serbench.render.user_class.limits import FORMS, limits_of
from serbench.render.user_class.messages import Path
from serbench.render.user_class.records import EMPTY, at, equal, fitting, least_of, replaced
from serbench.render.user_class.refusals import Complaint
from serbench.render.user_class.single import WORDS, YEARS, SingleDrawing

_MOST_ITEMS = 4
_ANY_JSON: list[Any] = ["amber", 7, 2.5, True, [], {}, [1], ["amber"], {"amber": 1}, {"amber": "delta"}]
_MODES = ("", "bare", "full", "equal")  # of a record that is refused as a whole, in turn
_MOST_TURNS = 2 * len(FORMS)  # refusals of a value, before it is left out again
_COUNTS = ((0, 1), (1, 10), (0, 999), (1_600_000_000, 1_700_000_000), (-1, -1))  # of integers without known limits
_SHARES = ((0, 1), (1, 1), (0, 0), (-1, 1))


class UserDrawing(SingleDrawing):
    """Draws values of a class's types; the place of each value has its limits, which refusals add to.

    Items are smaller than those of other schemas, so that a class of thousands of fields is asked about each soon.

    `drawn_at` has the place and the type of each value of the present item by its path in the document.
    """

    many = 500

    def __init__(self, parsed: ParsedClass, random: Random, depth: int, learned: Learned | None = None) -> None:
        super().__init__(parsed.user_schema, random, depth)
        self.limits = {
            where: limits for where, constraints in parsed.limits.items() if (limits := limits_of(constraints))
        }
        self.classes = parsed.classes
        for name, class_ in self.classes.items():
            for key, info in getattr(class_, "model_fields", {}).items():
                if examples := getattr(info, "examples", None):
                    self.limits.setdefault(f"{path_start(class_, name)}.{key}", {})["examples"] = examples
        self.learned = learned or Learned()
        self.hidden = hidden(parsed.schema, parsed.user_schema)
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
        item = super().item(type_)
        self.learned.values += self.drawn
        return item

    def mended(self, value: Any, complaints: Iterable[Complaint]) -> Any:
        """Return the present item with other values where its class complains; what it says of them is kept."""
        paths: dict[Path, str] = {}
        for one in complaints:
            path = self._drawn(one.path)
            if not self._refused(path, one, paths):
                continue
            turn, mentions = self.learned.turns.get(paths[path], 0), [self._drawn(other) for other in one.mentions]
            mentions = [other for other in mentions if other[: len(path)] == path] or mentions
            if not self._chooses(mentions, turn) and turn >= len(_MODES):  # records of all modes were refused
                for other in mentions:
                    self._refused(other, Complaint(other), paths)
        above = {path[:length] for path in paths for length in range(len(path))}
        inner = [path for path in paths if path not in above]
        for path in inner if len(inner) < len(paths) else paths:
            value = replaced(value, path, self._again(path))
        return value

    def _chooses(self, mentions: Iterable[Path], turn: int) -> bool:
        """If fields are left out, have a value of one of those that a record's refusal mentions, in turn; True if so."""
        places = [where for other in mentions if (where := self.drawn_at[other][0]) in self.optional]
        if not places or not self.learned.left:
            return False
        self.learned.left.update(places)
        self.learned.needed.difference_update(places)
        self._needs(places[turn % len(places)])
        return True

    def _needs(self, where: str) -> None:
        """Have a value at a place."""
        self.learned.left.discard(where)
        self.learned.needed.add(where)

    def _drawn(self, path: Path) -> Path:
        """The path, or the nearest one above it that was drawn as a value."""
        while path not in self.drawn_at:
            path = path[:-1]
        return path

    def _refused(self, path: Path, complaint: Complaint, paths: dict[Path, str]) -> bool:
        """Learn from one refusal of each place once, however many values are there; True if it is the first of its place."""
        where, type_ = self._inside(*self.drawn_at[path])
        first = where not in set(paths.values())
        if first:
            if where in self.learned.left:  # the class asks for it
                self._needs(where)
            self.learned.refused(where, complaint.limits)
            if self.learned.turns.get(where, 0) >= _MOST_TURNS and where in self.learned.needed & set(self.optional):
                self.learned.needed.discard(where)
                self.learned.left.add(where)
            self._wants(type_, where, complaint.text)
        paths[path] = where
        return first

    def _inside(self, where: str, type_: Type) -> tuple[str, Type]:
        """The place and the type of the only value in a record that is that value in a document; others as they are."""
        while isinstance(type_, Ref) and self.schema.record(type_.record).root:
            record = self.schema.record(type_.record)
            where, type_ = self._path_of(record, record.fields[0]), record.fields[0].type
        return where, type_

    def _wants(self, type_: Type, where: str, text: str) -> None:
        """Learn of the members of enums, in a refused value or below it, that a message names."""
        words = set(re.findall(r"\w+", text))
        for places, enum in self._enums(type_, (where,), ()) if words else ():
            named = [value for name, value in enum.members if {name, *re.findall(r"\w+$", str(value))} & words]
            if named and len(named) < len(enum.members):
                self.learned.limits.setdefault(places[-1], {})["choices"] = named
                for one in places:
                    self._needs(one)

    def _enums(
        self, type_: Type, places: tuple[str, ...], inside: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, ...], Enum]]:
        """The enums in a type, each with the places that lead to it."""
        match type_:
            case Enum():
                yield places, type_
            case Optional(item):
                yield from self._enums(item, places, inside)
            case List(item) | Set(item):
                yield from self._enums(item, (*places, f"{places[-1]}[]"), inside)
            case Union(members):
                for member in members:
                    yield from self._enums(member, places, inside)
            case Ref(name) if name not in inside:
                record = self.schema.record(name)
                for f in record.fields:
                    yield from self._enums(f.type, (*places, self._path_of(record, f)), (*inside, name))

    def settle(self, value: Any) -> None:
        """Learn that an item was accepted, and forget the turns of records: the next may be accepted as it is drawn."""
        optional = set(self.optional) - self.learned.accepted
        for path, (where, type_) in self.drawn_at.items():
            if isinstance(type_, Ref):
                self.learned.turns.pop(where, None)
            if where in optional and at(value, path):
                self.learned.accepted.add(where)

    def never(self) -> list[str]:
        """The places of optional fields that were refused, and had a value in no accepted item."""
        known = self.learned.turns.keys() | self.learned.limits.keys() | self.learned.left
        return [where for where in self.optional if where in known - self.learned.accepted]

    def _again(self, path: Path) -> Any:
        self.where, type_ = self.drawn_at[path]
        self.path, self.inside = list(path), []
        self.made = self.drawn = 0
        value = self.value(type_)
        self.learned.values += self.drawn
        return value

    def value(self, type_: Type) -> Any:
        """Draw one value of a type, within the limits of its place."""
        self.drawn_at.setdefault(tuple(self.path), (self.where, type_))
        limits = {**self.limits.get(self.where, {}), **self.learned.limits.get(self.where, {})}
        turn = self.learned.turns.get(self.where, 0)
        choices = limits.get("choices") or fitting(type_, limits.get("examples") if turn % 2 == 0 else ())
        choices = choices or (fitting(type_, limits.get("said", ())) if turn % 2 == 0 else [])
        if isinstance(type_, Enum):
            choices = [value for _, value in type_.members if value in choices]
        if choices and isinstance(type_, Enum | Scalar):
            return self._pick(list(choices))
        if self.where in self.learned.left and isinstance(type_, EMPTY):
            return {Optional: None, List: [], Map: {}, Set: set()}[type(type_)]
        if (
            "as_text" in limits
            and not self.learned.typed
            and isinstance(type_, Scalar)
            and type_ not in (OPAQUE, Scalar("any"))
        ):
            self.learned.untyped = True
            return self._text("str", limits, turn)
        match type_:
            case Optional(item):
                tried = len(FORMS) if item in (FOREIGN, STR) else 3  # texts of all forms come first
                absent = turn % tried == 0 if turn else not self.full and self.random.random() < 0.5
                absent = absent and self.where not in self.learned.needed
                return None if self._full(item) or absent else self.value(item)
            case List(item) | Set(item):
                count = self._number(item, limits, turn)
                if isinstance(type_, Set) and self.hidden & set(self.inside[-1:]):  # a list there, whose order varies
                    count = min(count, 1)
                made = [self._inner(item, "[]", index) for index in range(count)]
                return made if isinstance(type_, List) else set(made)
            case Map(item, key):
                keys = [self._key(key, index) for index in range(self._number(item, limits, turn))]
                return {one: self._inner(item, "[]", one) for one in keys}
            case Tuple(items):
                return tuple(self._inner(item, f"[{index}]", index) for index, item in enumerate(items))
            case Scalar("str" | "path" | "fraction" | "complex" | "foreign" as kind):
                return self._text(kind, limits, turn)
            case Scalar("bytearray"):
                return super().value(Scalar("bytes"))
            case Scalar("opaque" | "any") if limits:
                return self._json(limits, turn)
            case Scalar("opaque"):
                return _ANY_JSON[turn % len(_ANY_JSON) - 1] if turn else self._pick(_ANY_JSON)
            case Scalar("datetime" | "naive_datetime" | "date") if "when" in limits:
                moment = super().value(type_)
                return moment.replace(year=int(YEARS[limits["when"]]), day=min(moment.day, 28))
            case Scalar("uuid") if turn:
                return UUID(int=super().value(type_).int, version=(1, 3, 5, 4)[turn % 4 - 1])
            case Scalar("float") if turn and not limits:
                low, high = _SHARES[turn % len(_SHARES) - 1]
                return low + self.random.random() * (high - low)
            case Scalar() if turn and not limits and type_ in INTEGERS:
                return self._between(*_COUNTS[turn % len(_COUNTS) - 1])
            case Scalar("float" | "decimal" as kind) if limits:
                return self._real(kind, limits)
            case Scalar() if type_ in INTEGERS and limits:
                return self._integer(limits)
            case Union(members, None) if OPAQUE in members and not turn:  # such as a mark that says a value is absent
                return self.value(self._pick([m for m in members if m != OPAQUE and not self._full(m)] or [OPAQUE]))
            case Union(members, None) if turn and not self._full(type_):
                return self.value(members[turn % len(members)])
            case Union(members, None) if any(isinstance(m, Enum | Scalar) for m in members):
                return self.value(self._pick([m for m in members if not self._full(m)] or list(members)))
        return super().value(type_)

    def _json(self, limits: dict[str, Any], turn: int) -> Any:
        """Draw any JSON of the type that a class has asked for, with the keys that it has missed."""
        if "keys" in limits:
            return {key: self._inner(OPAQUE, f".{key}", key) for key in limits["keys"]}
        if {"as_text", "hint"} & limits.keys() and "json" not in limits:
            return self._text("str", limits, turn)
        if turn or "json" not in limits:
            return _ANY_JSON[turn % len(_ANY_JSON) - 1]
        kinds = {"int": Scalar("int"), "float": Scalar("float"), "bool": Scalar("bool"), "text": Scalar("str")}
        empty: dict[str, Any] = {"array": [], "object": {}}
        return empty[limits["json"]] if limits["json"] in empty else self.value(kinds[limits["json"]])

    def _record(self, name: str) -> Any:
        record, before = self.schema.record(name), self.where
        if len(self.inside) > 50 + self.depth:
            return super()._record(name)  # which says that it is endless
        self.inside.append(name)
        self.made += 1
        drawn = {self.schema.tags[name]: record.tag_value} if name in self.schema.tags else {}
        mode, full = _MODES[self.learned.turns.get(before, 0) % len(_MODES)], self.full
        self.full = full or mode == "full"
        for f in record.fields:
            left = not record.root and self._path_of(record, f) in self.learned.left
            may_lack = f.wire in record.absent and (left or not self.full)
            lacks = may_lack and (left or mode == "bare" or self._full(f.type) or self.random.random() < 0.5)
            bare = left or (mode == "bare" and self._path_of(record, f) not in self.learned.needed)
            drawn[f.wire] = None if lacks else self._part(record, f, bool(record.root), bare=bare)
        self.inside.pop()
        self.where, self.full = before, full
        if mode == "equal":
            drawn = equal(drawn)
        return drawn[record.fields[0].wire] if record.root else drawn

    def _part(self, record: Record, field: Field, root: bool, *, bare: bool) -> Any:
        """Draw the value of a field; the least that it may be if the record is to be bare."""
        self.path += [] if root else [field.wire]
        try:
            least = least_of(field) if bare else REQUIRED
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
        if opaque and self.where not in self.learned.turns and self.where not in self.learned.limits:
            known = field.default if not field.required else field.fill
            if known is not REQUIRED:
                self.drawn_at.setdefault(tuple(self.path), (self.where, field.type))
                return known
        return self.value(field.type)

    def _path_of(self, record: Record, field: Field) -> str:
        return f"{path_start(self.classes[record.name], record.name)}.{field.name}"

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
        return least if self._full(item) else self._between(max(least, 1) if some else least, most)

    def _key(self, key: Type, index: int) -> str:
        match key:
            case Enum(_, members):
                return str(members[index % len(members)][1])
            case Scalar("str" | "any"):
                return f"{self._pick(list(WORDS))}_{index}"
        value = self.value(key)
        return value.isoformat() if hasattr(value, "isoformat") else str(value)
