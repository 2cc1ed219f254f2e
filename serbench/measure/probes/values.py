"""Awkward values that a library or codec may preserve, change or refuse.

`GROUPS` has record types with the values to try. To add a probe, add an entry there. `wrong.py` has invalid inputs, which
decoders should reject.
"""

from __future__ import annotations

import math
import random
import struct
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cached_property
from typing import Any

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import (
    ANY,
    BIGINT,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    NAIVE_DATETIME,
    STR,
    TIME,
    TIMEDELTA,
    UINT64,
    UUID,
)

COMMON_FEATURES = frozenset({"list", "record"})  # of every probe's document


@dataclass(frozen=True)
class Probe:
    """One awkward value.

    Attributes:
        name: unique description.
        value: neutral value of the group's record, by wire name.
        edge: True if ordinary data has no such value, or if the formats' standards do not guarantee it.
        make: how the worker creates the value of the record's only field, and its size: ("repeat", 10) is a text of
            ten characters, ("nest", 10) ten nested lists, ("Text", 10) a text of a subclass of `str`.
        ordered: True if the order of keys matters, in the bytes and in the decoded value.
        subclass: name of the record whose objects are instances of a subclass.
        without: keys removed from the encoded document before decoding.
        beside: items added to the encoded document before decoding.
        raw: format → bytes to decode in place of the encoded ones.
    """

    name: str
    value: Mapping[str, Any] = field(default_factory=dict, hash=False)
    edge: bool = False
    make: tuple[str, int] | None = None
    ordered: bool = False
    subclass: str = ""
    without: tuple[str, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict, hash=False)
    raw: Mapping[str, bytes] = field(default_factory=dict, hash=False)

    @property
    def rewritten(self) -> bool:
        """True if the decoded bytes differ from the encoded ones."""
        return bool(self.without or self.beside or self.raw)


@dataclass(frozen=True)
class Group:
    """A record type with the values to try, each in a document of one record."""

    name: str
    fields: tuple[Field, ...]
    probes: tuple[Probe, ...]
    records: tuple[Record, ...] = ()

    @cached_property
    def schema(self) -> Schema:
        """Schema of a list of the record, whose name is unique among groups."""
        name = "".join(word.capitalize() for word in self.name.split()) + "Probe"
        return Schema(List(Ref(name)), (*self.records, Record(name, self.fields)))

    @cached_property
    def features(self) -> frozenset[str]:
        """Schema features that these probes concern."""
        return self.schema.features - COMMON_FEATURES


def group_of(
    name: str, type_: Type, *values: tuple[str, Any], records: tuple[Record, ...] = (), edge: bool = False
) -> Group:
    """Make a group whose record has one field, `subject`, with named values."""
    probes = tuple(Probe(label, {"subject": value}, edge) for label, value in values)
    return Group(name, (Field("subject", type_),), probes, records)


def edges(*values: tuple[str, Any]) -> tuple[Probe, ...]:
    """Make probes of a field `subject` that ordinary data has not."""
    return tuple(Probe(label, {"subject": value}, edge=True) for label, value in values)


def with_more(group: Group, *probes: Probe) -> Group:
    """Return a group with more probes of its type, so that one module serves them all."""
    return replace(group, probes=(*group.probes, *probes))


# Containers: tuples, sets, maps and lists, including empty ones, and the order of keys.

_CONTAINERS = (
    group_of("tuple", Tuple((INT, STR)), ("tuple", (1, "a"))),
    group_of("set", Set(STR), ("set", {"a", "b"}), ("set empty", set())),
    with_more(
        group_of("list", List(INT), ("list empty", []), ("list of int", [1, 2, 3])),
        Probe("list of a subclass", make=("Items", 2), edge=True),
    ),
    group_of("list with None", List(Optional(INT)), ("list with None in it", [None, 1])),
    group_of("nested list", List(List(INT)), ("list of empty lists", [[], [1], []])),
    with_more(
        group_of(
            "map",
            Map(INT),
            ("dict empty", {}),
            ("dict with awkward keys", {"": 1, "a.b": 2, "$c": 3, "ä": 4, "1": 5, "a b": 6, "__class__": 7}),
            ("dict with keys that differ in case", {"a": 1, "A": 2}),
            ("dict with keys that look like other types", {"null": 1, "true": 2, "1.5": 3, "~": 4, "no": 5}),
        ),
        Probe("dict keeps the order of its keys", {"subject": {"b": 1, "c": 2, "a": 3}}, ordered=True),
        Probe("dict of a subclass", make=("Table", 2), edge=True),
    ),
)


# Numbers: integers at the limits of their representations, exact floats, exact decimals.

_TOO_LARGE = {
    "json": b'[{"subject": 1e400}]',
    "yaml": b"- subject: 1.0e+400\n",
    "toml": b"[[items]]\nsubject = 1e400\n",
}


def _doubles(seed: int, count: int) -> list[float]:
    """Return finite doubles with random bits, which cover all magnitudes."""
    rng = random.Random(seed)
    doubles = (struct.unpack("<d", rng.randbytes(8))[0] for _ in range(2 * count))
    return [value for value in doubles if math.isfinite(value)][:count]


_NUMBERS = (
    with_more(
        group_of(
            "integer",
            INT,
            ("int 0", 0),
            ("int -1", -1),
            ("int 2^31", 2**31),
            ("int 2^53 - 1", 2**53 - 1),
            ("int 2^53 + 1", 2**53 + 1),
            ("int 2^63 - 1", 2**63 - 1),
            ("int -2^63", -(2**63)),
        ),
        Probe("int of a subclass", make=("Number", 7), edge=True),
    ),
    group_of("unsigned integer", UINT64, ("int 2^63", 2**63), ("int 2^64 - 1", 2**64 - 1)),
    group_of("big integer", BIGINT, ("int 2^64", 2**64), ("int 10^40", 10**40), ("int -10^40", -(10**40))),
    with_more(
        group_of(
            "float",
            FLOAT,
            ("float 0.1", 0.1),
            ("float 1.0", 1.0),
            ("float 1e16", 1e16),
            ("float 1e22", 1e22),
            ("float 2^53 + 2", float(2**53 + 2)),
            ("float 5e-324", 5e-324),
            ("float 1.7976931348623157e308", 1.7976931348623157e308),
            ("float -0.0", -0.0),
        ),
        *edges(("float nan", math.nan), ("float inf", math.inf), ("float -inf", -math.inf)),
        Probe("float that is written as 1e400", {"subject": math.inf}, edge=True, raw=_TOO_LARGE),
        Probe("float of a subclass", make=("Ratio", 7), edge=True),
    ),
    group_of(
        "float list",
        List(FLOAT),
        ("list of whole floats", [1.0, 2.0]),
        ("float 0.0 beside -0.0", [0.0, -0.0]),
        ("float -0.0 beside 0.0", [-0.0, 0.0]),
        ("float of 1,000 random bit patterns", _doubles(9, 1000)),
    ),
    group_of("int or float", Union((INT, FLOAT)), ("int 1 of int | float", 1), ("float 1.0 of int | float", 1.0)),
    group_of("float or int", Union((FLOAT, INT)), ("int 1 of float | int", 1), ("float 1.0 of float | int", 1.0)),
    with_more(
        group_of(
            "decimal",
            DECIMAL,
            ("Decimal 1.10", Decimal("1.10")),
            ("Decimal 0.1", Decimal("0.1")),
            ("Decimal 1E+2", Decimal("1E+2")),
            ("Decimal of 40 digits", Decimal("1234567890123456789012345678.901234567890")),
        ),
        *edges(("Decimal -0.00", Decimal("-0.00"))),
    ),
    group_of(
        "decimals", List(DECIMAL), ("Decimal 1.5 beside 1.25 and 100", [Decimal(d) for d in ("1.5", "1.25", "100")])
    ),
)


# Records: optional, default and absent fields, unions, subclasses, recursion, order, duplicate and unknown keys.

_CAT = Record("Cat", (Field("name", STR), Field("lives", INT)), tag_value="cat")
_DOG = Record("Dog", (Field("name", STR), Field("lives", INT)), tag_value="dog")
_CIRCLE = Record("Circle", (Field("radius", INT),))
_SQUARE = Record("Square", (Field("side", INT),))
_NODE = Record("Branch", (Field("name", STR), Field("children", List(Ref("Branch")))))
_INNER = Record("Inner", (Field("name", STR),))
_LEAF = {"name": "leaf", "children": []}
_TWICE = {
    "json": b'[{"subject": 1, "subject": 2}]',
    "yaml": b"- subject: 1\n  subject: 2\n",
    "toml": b"[[items]]\nsubject = 1\nsubject = 2\n",
    "msgpack": b"\x91\x82\xa7subject\x01\xa7subject\x02",
    "cbor": b"\x81\xa2\x67subject\x01\x67subject\x02",
}

_RECORDS = (
    Group(
        "default",
        (Field("subject", STR), Field("maybe", Optional(INT), default=None), Field("count", Optional(INT), default=5)),
        (
            Probe("None in place of a default", {"subject": "a", "maybe": None, "count": None}),
            Probe("a default that is given", {"subject": "a", "maybe": None, "count": 5}),
            Probe(
                "absent fields get their defaults",
                edge=True,
                value={"subject": "a", "maybe": None, "count": 5},
                without=("maybe", "count"),
            ),
        ),
    ),
    Group(
        "absent",
        (Field("subject", STR), Field("maybe", Optional(INT))),
        (Probe("an absent optional field is None", {"subject": "a", "maybe": None}, edge=True, without=("maybe",)),),
    ),
    Group(
        "alias",
        (Field("subject", STR, alias="Sub-ject"), Field("class_", INT, alias="class")),
        (Probe("keys that are no Python names", {"Sub-ject": "a", "class": 1}),),
    ),
    group_of(
        "tagged union",
        Union((Ref("Cat"), Ref("Dog")), tag="kind"),
        ("tagged union, first member", {"kind": "cat", "name": "Mia", "lives": 9}),
        ("tagged union, second member with the same fields", {"kind": "dog", "name": "Rex", "lives": 1}),
        records=(_CAT, _DOG),
    ),
    group_of(
        "record union",
        Union((Ref("Circle"), Ref("Square"))),
        ("untagged union of records, first", {"radius": 1}),
        ("untagged union of records, second", {"side": 1}),
        edge=True,
        records=(_CIRCLE, _SQUARE),
    ),
    Group(
        "subclass",
        (Field("subject", Ref("Inner")),),
        (Probe("an object of a subclass", {"subject": {"name": "a"}}, edge=True, subclass="Inner"),),
        (_INNER,),
    ),
    group_of(
        "recursion",
        Ref("Branch"),
        ("a record that holds itself", {"name": "root", "children": [_LEAF, {"name": "b", "children": [_LEAF]}]}),
        records=(_NODE,),
    ),
    Group(
        "order",
        (Field("zulu", INT), Field("alpha", STR), Field("mike", Optional(Enum("Side", (("A", "a"), ("B", "b")))))),
        (
            Probe(
                "fields stay in their order in the bytes",
                {"zulu": 1, "alpha": "b", "mike": "a"},
                edge=True,
                ordered=True,
            ),
        ),
    ),
    Group(
        "surplus",
        (Field("subject", INT),),
        (
            Probe("an unknown key is ignored", {"subject": 2}, edge=True, beside={"surplus": 1}),
            Probe("of a duplicate key the last one counts", {"subject": 2}, edge=True, raw=_TWICE),
        ),
    ),
)


# Scalars other than text and numbers: booleans, None, bytes, UUIDs and enums.

_SWAPPED = Enum("Swapped", (("LEFT", "RIGHT"), ("RIGHT", "LEFT")))
_LEVEL = Enum("Level", (("LOW", 10), ("HIGH", 20)))

_SCALARS = (
    group_of("boolean", BOOL, ("bool True", True), ("bool False", False)),
    group_of("boolean or integer", Union((BOOL, INT)), ("bool True beside int", True), ("int 1 beside bool", 1)),
    group_of(
        "int or text",
        Union((INT, STR)),
        ("untagged union, int", 12),
        ("untagged union, str that looks like an int", "12"),
    ),
    group_of("text or int", Union((STR, INT)), ("int 12 of str | int", 12), ("str 12 of str | int", "12")),
    group_of(
        "list or text", Union((List(STR), STR)), ("list of list[str] | str", ["a"]), ("str of list[str] | str", "ab")
    ),
    group_of(
        "text or list", Union((STR, List(STR))), ("list of str | list[str]", ["a"]), ("str of str | list[str]", "ab")
    ),
    group_of("nullable text", Optional(STR), ("None in place of text", None), ("empty text beside None", "")),
    group_of("nullable integer", Optional(INT), ("None in place of int", None), ("int 0 beside None", 0)),
    group_of("bytes", BYTES, ("bytes empty", b""), ("bytes of every value", bytes(range(256)))),
    group_of("uuid", UUID, ("UUID", uuid.UUID("12345678-1234-5678-9234-567812345678"))),
    group_of("text enum", _SWAPPED, ("enum whose values are the other's name", "RIGHT")),
    group_of("integer enum", _LEVEL, ("enum of int", 20)),
)


# Text: special characters, text that looks like other types, and very long text.

_LOOKS = (
    *("null", "true", "12", "1.50", "1e3", "~", "no", "0x1F", "2024-06-15", "2024-06-15T09:41:23Z", "12:30:00"),
    *("2024-06-15 09:41:23", "12:30:00.5", "1_000", "0o14", "014", "0b11", "1:30:00", "+1", ".5", "1.", "1e400"),
    *(".inf", "-.inf", ".nan", "NaN", "Infinity", "y", "Off", "TRUE", "Null"),
    *(
        "=",
        "<<",
        "-",
        "?",
        "---",
        "...",
        "# a",
        "a # b",
        "a: b",
        "- a",
        "!a",
        "&a",
        "*a",
        "%a",
        "@a",
        "`a",
        "{a",
        "[a]",
    ),
)
"""Of YAML 1.1 and 1.2, of TOML, of JSON's extensions, and of what reads dates out of texts."""

_TEXTS = (
    with_more(
        group_of(
            "text",
            STR,
            ("str empty", ""),
            ("str non-ASCII", "é ß Ω 日本語 🎉"),
            ("str combining marks", "e\u0301 \u0e01\u0e33 \u200d"),
            ("str quotes and backslashes", "\"'\\ / </script> &amp; <![CDATA[ ]]>"),
            ("str blanks at the ends", "  a \t"),
            ("str newlines", "a\nb\r\nc\rd\u2028e"),
            *((f"str that looks like {look}", look) for look in _LOOKS),
            ("str that looks like a key and a value", "a: b"),
        ),
        *edges(("str with NUL", "a\0b"), ("str with control characters", "\x01\x08\x1b\x7f\x85")),
        Probe("str of a subclass", make=("Text", 7), edge=True),
    ),
    group_of("surrogate text", STR, ("str with a lone surrogate", "a\ud800b"), edge=True),
    Group("long text", (Field("subject", STR),), (Probe("str of 10 MB", edge=True, make=("repeat", 10_000_000)),)),
)


# Dates and times: microseconds, offsets, the first and the last year.

_MOMENT = datetime(2024, 6, 15, 9, 41, 23, 123456, tzinfo=UTC)
_PLAIN = _MOMENT.replace(tzinfo=None)
_EITHER = (
    ("date", date(2024, 6, 15)),
    ("datetime", _MOMENT),
    ("datetime at midnight", datetime(2024, 6, 15, tzinfo=UTC)),
)


def _zone(**offset: int) -> timezone:
    return timezone(timedelta(**offset))


_TIMES = (
    with_more(
        group_of(
            "aware datetime",
            DATETIME,
            ("datetime UTC", _MOMENT.replace(microsecond=0)),
            ("datetime UTC with microseconds", _MOMENT),
            ("datetime +05:45", _MOMENT.replace(tzinfo=_zone(hours=5, minutes=45))),
            ("datetime -03:30", _MOMENT.replace(tzinfo=_zone(hours=-4, minutes=30))),
            ("datetime before 1970", _MOMENT.replace(year=1969)),
        ),
        *edges(
            ("datetime of the year 1", datetime(1, 1, 1, 12, tzinfo=UTC)),
            ("datetime of the year 9999", datetime(9999, 12, 31, 12, 59, 59, 999999, tzinfo=UTC)),
            ("datetime with an offset in seconds", _MOMENT.replace(tzinfo=_zone(minutes=19, seconds=32))),
        ),
    ),
    with_more(
        group_of(
            "naive datetime",
            NAIVE_DATETIME,
            ("naive datetime", _PLAIN.replace(microsecond=0)),
            ("naive datetime with microseconds", _PLAIN),
            ("naive datetime at midnight", datetime(2024, 6, 15)),  # noqa: DTZ001  # naive on purpose
            ("naive datetime before 1970", _PLAIN.replace(year=1969)),
        ),
        *edges(("naive datetime of the year 1", _PLAIN.replace(year=1))),
    ),
    group_of(
        "date",
        DATE,
        ("date", date(2024, 2, 29)),
        ("date of the year 1", date(1, 1, 1)),
        ("date before 1970", date(1969, 7, 20)),
        ("date of 9999", date.max),
    ),
    group_of(
        "date or datetime", Union((DATE, DATETIME)), *((f"{name} of date | datetime", value) for name, value in _EITHER)
    ),
    group_of(
        "datetime or date", Union((DATETIME, DATE)), *((f"{name} of datetime | date", value) for name, value in _EITHER)
    ),
    group_of(
        "time",
        TIME,
        ("time", time(9, 41, 23)),
        ("time with microseconds", time(23, 59, 59, 999999)),
        ("time with 32 milliseconds", time(0, 0, 0, 32_000)),
        ("midnight", time()),
    ),
    with_more(
        group_of(
            "timedelta",
            TIMEDELTA,
            ("timedelta of seconds", timedelta(seconds=90)),
            ("timedelta with microseconds", timedelta(days=3, microseconds=1)),
            ("timedelta negative", timedelta(days=-1, microseconds=1)),
            ("timedelta of 10,000 days", timedelta(days=10_000, seconds=1)),
            ("timedelta of 400 days and a microsecond", timedelta(days=400, microseconds=1)),
        ),
        *edges(("timedelta of 10,000,000 days and a microsecond", timedelta(days=10_000_000, microseconds=1))),
    ),
)


# Values of type `Any`: Python's other containers, keys that are not text, deep nesting.

_SECOND = _MOMENT.replace(microsecond=0)
_EDGES = (
    ("tuple where anything may stand", (1, "a")),
    ("set where anything may stand", {1, 2}),
    ("frozenset where anything may stand", frozenset({1, 2})),
    ("datetimes with and without an offset where anything may stand", [_SECOND, _SECOND.replace(tzinfo=None)]),
    ("dict with int keys", {1: "a", 2: "b"}),
    ("dict with an int and a text that read alike as keys", {1: "a", "1": "b"}),
    ("dict with bool keys", {True: "a", False: "b"}),
    ("dict with float keys", {1.5: "a"}),
    ("dict with tuple keys", {(1, 2): "a"}),
    ("dict with None as a key", {None: "a"}),
)

_UNTYPED = (
    Group(
        "anything",
        (Field("subject", ANY),),
        (
            Probe("any JSON", {"subject": {"a": [1, 1.5, "x", None, True, {}, []], "b": {"c": {"d": []}}}}),
            Probe("bool, int and float told apart", {"subject": [True, 1, 1.0, False, 0, 0.0]}),
            Probe("list of one text twice and its equal", make=("alike", 40)),
            *(Probe(name, {"subject": value}, edge=True) for name, value in _EDGES),
            Probe("a NamedTuple where anything may stand", make=("named tuple", 1), edge=True),
        ),
    ),
    Group(
        "depth",
        (Field("subject", ANY),),
        tuple(Probe(f"lists {depth:,} deep", make=("nest", depth), edge=True) for depth in (100, 1_000)),
    ),
)


GROUPS = (*_CONTAINERS, *_NUMBERS, *_RECORDS, *_SCALARS, *_TEXTS, *_TIMES, *_UNTYPED)
"""All values to try, in the order of their outcomes."""
