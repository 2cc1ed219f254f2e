"""Wrong inputs: valid records with one error each, and the types to which a decoder may coerce it.

Work classes are derived from the first of `WRONG`, which uses only features that every library supports.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from serbench.model.fidelity import with_each
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import BOOL, BYTES, DATE, DATETIME, DECIMAL, FLOAT, INT, STR, TIME, TIMEDELTA, UUID

FieldPath = tuple[tuple[str, str | int], ...]
MISSING = object()


@dataclass(frozen=True)
class WrongInput:
    """One wrong input.

    Attributes:
        name: description of the error, unique within its test.
        path: path of the error from the record: (name, key in the bytes) pairs; an int is an index in a list.
        value: wrong value to put there; MISSING removes the key.
        right: names of the types to which a decoder may coerce it.
        more: key → value of further wrong fields.
    """

    name: str
    path: FieldPath
    value: Any
    right: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def names(self) -> list[str]:
        """Fields that an error message should name."""
        return [*([str(self.path[-1][1])] if isinstance(self.path[-1][1], str) else []), *self.more]

    def document(self, good: Any) -> Any:
        """Return a copy of a valid document with this error."""
        document = with_each(good)  # whose scalars may not support copying
        holder = document
        for _, key in self.path[:-1]:
            holder = holder[key]
        if self.value is MISSING:
            del holder[self.path[-1][1]]
        else:
            holder[self.path[-1][1]] = self.value
        if self.more:
            document.update(self.more)
        return document


@dataclass(frozen=True)
class StrictnessTest:
    """A valid record as a neutral value, and errors to put into it; `of_user` is True for the user's own class."""

    name: str
    schema: Schema
    good: Any
    wrong: tuple[WrongInput, ...]
    of_user: bool = False

    @property
    def tells(self) -> bool:
        """True if it has more than missing fields, so that its outcome tells how types are checked."""
        return any(one.value is not MISSING for one in self.wrong)

    def in_list(self) -> StrictnessTest:
        """Return the same test with its record as the only one of a list."""
        wrong = tuple(replace(one, path=(("", 0), *one.path)) for one in self.wrong)
        return replace(self, schema=Schema(List(self.schema.root), self.schema.records), good=[self.good], wrong=wrong)


def wrong_at(key: str, name: str, value: Any, *right: str, more: Mapping[str, Any] | None = None) -> WrongInput:
    """Make a wrong input; `key` is a key or a dotted path."""
    return WrongInput(name, tuple((part, part) for part in key.split(".")), value, right, more or {})


_OWNER = Record("Owner", (Field("surname", STR),))
BASICS = StrictnessTest(
    "basics",
    Schema(
        Ref("Basics"),
        (
            _OWNER,
            Record(
                "Basics",
                (
                    Field("fullname", STR),
                    Field("quantity", INT),
                    Field("ratio", FLOAT),
                    Field("enabled", BOOL),
                    Field("owner", Ref("Owner")),
                    Field("numbers", List(INT)),
                ),
            ),
        ),
    ),
    {"fullname": "a", "quantity": 1, "ratio": 1.5, "enabled": True, "owner": {"surname": "b"}, "numbers": [1, 2]},
    (
        wrong_at("fullname", "number for text", 12, "str"),
        wrong_at("fullname", "null for text", None, "str"),
        wrong_at("fullname", "field missing", MISSING),
        wrong_at("quantity", "text for int", "x", "int"),
        wrong_at("quantity", "digits in a text for int", "12", "int"),
        wrong_at("quantity", "fraction for int", 1.5, "int"),
        wrong_at("ratio", "text for float", "x", "float"),
        wrong_at("enabled", "text for bool", "maybe", "bool"),
        wrong_at("owner", "text for record", "x", "Owner", "dict"),
        wrong_at("owner", "list for record", [1, 2], "Owner", "dict"),
        wrong_at("owner.surname", "number for text, one level down", 12, "str"),
        wrong_at("numbers", "text for list", "ab", "list"),
        wrong_at("numbers", "number for list", 5, "list"),
    ),
)


def _one(name: str, type_: Type, good: Any, *inputs: WrongInput, records: tuple[Record, ...] = ()) -> StrictnessTest:
    title = "".join(word.capitalize() for word in name.split()) + "Trial"
    return StrictnessTest(
        name, Schema(Ref(title), (*records, Record(title, (Field("subject", type_),)))), {"subject": good}, inputs
    )


def _bad(name: str, value: Any, *right: str) -> WrongInput:
    return wrong_at("subject", name, value, *right)


_CAT = Record("Tom", (Field("lives", INT),), tag_value="tom")
_DOG = Record("Rex", (Field("lives", INT),), tag_value="rex")
_MOMENT = datetime(2024, 6, 15, 9, 41, 23, tzinfo=UTC)

STRUCTURE = StrictnessTest(
    "structure",
    BASICS.schema,
    BASICS.good,
    (
        wrong_at("surplus", "unknown key", 1),
        wrong_at("owner", "one level too many", {"surname": {"surname": "b"}}),
        wrong_at("numbers", "list in a list", [[1, 2]]),
        wrong_at("numbers", "digits in a text for list", "12", "list"),
        wrong_at("numbers", "record for list", {"surname": "b"}, "list"),
        wrong_at("quantity", "list for int", [1], "int"),
        wrong_at("quantity", "true for int", True, "int"),
        wrong_at("quantity", "null for int", None, "int"),
        wrong_at("quantity", "2^70 for an int of 64 bits", 2**70),
        wrong_at("quantity", "whole float for int", 100.0, "int"),
        wrong_at("ratio", "int for float", 2, "float"),
        wrong_at("ratio", "true for float", True, "float"),
        wrong_at("enabled", "1 for bool", 1, "bool"),
        wrong_at("numbers", "text in a list of int", [1, "x"]),
        wrong_at("quantity", "two fields wrong at once", "x", "int", more={"ratio": "x"}),
    ),
)
"""What is wrong in the structure of a record; first a key that no field has."""
WRONG = (
    BASICS,
    STRUCTURE,
    _one(
        "enum",
        Enum("Mode", (("ON", "on"), ("OFF", "off"))),
        "on",
        _bad("text that is no member", "nobody", "Mode"),
        _bad("name in place of the value", "ON", "Mode"),
        _bad("number for enum of text", 12, "Mode"),
    ),
    _one(
        "datetime",
        DATETIME,
        _MOMENT,
        _bad("text that is no datetime", "tomorrow", "datetime"),
        _bad("month 13", "2024-13-15T09:41:23+00:00", "datetime"),
        _bad("number for datetime", 12, "datetime"),
        _bad("datetime without an offset", "2024-06-15T09:41:23", "datetime"),
        _bad("seven digits of a second", "2024-06-15T09:41:23.1234569+00:00", "datetime"),
        _bad("offset without a colon", "2024-06-15T09:41:23+0000", "datetime"),
        _bad("blank in place of T", "2024-06-15 09:41:23+00:00", "datetime"),
        _bad("small t and z", "2024-06-15t09:41:23z", "datetime"),
        _bad("24 o'clock", "2024-06-15T24:00:00+00:00", "datetime"),
        _bad("second 60", "2024-06-15T09:41:60+00:00", "datetime"),
        _bad("year 10000", "10000-06-15T09:41:23+00:00", "datetime"),
    ),
    _one(
        "date",
        DATE,
        date(2024, 6, 15),
        _bad("text that is no date", "tomorrow", "date"),
        _bad("30 February", "2024-02-30", "date"),
        _bad("number for date", 12, "date"),
        _bad("datetime for date", "2024-06-15T09:41:23", "date"),
    ),
    _one(
        "time",
        TIME,
        time(9, 41, 23),
        _bad("text that is no time", "noon", "time"),
        _bad("25 o'clock", "25:00:00", "time"),
    ),
    _one("timedelta", TIMEDELTA, timedelta(seconds=90), _bad("text that is no timedelta", "long", "timedelta")),
    _one(
        "decimal",
        DECIMAL,
        Decimal("1.10"),
        _bad("text that is no decimal", "x", "Decimal"),
        _bad("list for decimal", [1], "Decimal"),
        _bad("number for decimal", 1.1, "Decimal"),
    ),
    _one(
        "uuid", UUID, uuid.UUID(int=77), _bad("text that is no UUID", "x", "UUID"), _bad("number for UUID", 12, "UUID")
    ),
    _one("bytes", BYTES, b"ab", _bad("number for bytes", 12, "bytes"), _bad("list for bytes", [1], "bytes")),
    _one(
        "tuple",
        Tuple((INT, STR)),
        (1, "a"),
        _bad("tuple too short", [1], "tuple"),
        _bad("tuple too long", [1, "a", 2], "tuple"),
        _bad("tuple in the wrong order", ["a", 1], "tuple"),
    ),
    _one("set", Set(STR), {"a"}, _bad("number in a set of text", [1], "set"), _bad("text for set", "ab", "set")),
    _one("map", Map(INT), {"a": 1}, _bad("list for map", [1], "dict"), _bad("text in a map of int", {"a": "x"})),
    _one("optional", Optional(INT), 1, _bad("text for optional int", "x", "int")),
    _one(
        "tagged union",
        Union((Ref("Tom"), Ref("Rex")), tag="kind"),
        {"kind": "tom", "lives": 9},
        _bad("unknown tag", {"kind": "bird", "lives": 1}, "Tom", "Rex", "dict"),
        _bad("tag missing", {"lives": 1}, "Tom", "Rex", "dict"),
        records=(_CAT, _DOG),
    ),
    _one("untagged union", Union((INT, STR)), 1, _bad("list for a union of int and text", [1], "int", "str")),
)
"""All tests with one wrong record."""

_ROW = Record("Row", (Field("fullname", STR), Field("quantity", INT)))
ROWS = StrictnessTest(
    "bytes", Schema(List(Ref("Row")), (_ROW,)), [{"fullname": "a", "quantity": 1}, {"fullname": "b", "quantity": 2}], ()
)
CUTS: dict[str, Callable[[bytes], bytes]] = {
    "a third of the bytes missing": lambda blob: blob[: len(blob) * 2 // 3],
    "last byte missing": lambda blob: blob[:-1],
    "trailing byte": lambda blob: blob + b"\0",
    "trailing blank": lambda blob: blob + b" ",
    "another document behind it": lambda blob: blob + blob,
}
"""Description → function that corrupts the encoded `ROWS`."""
