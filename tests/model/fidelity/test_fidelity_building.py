"""Neutral values become objects of a module's classes, and values as JSON has them."""

from __future__ import annotations

import enum
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import TypedDict

import attrs
import msgspec
import pytest

from serbench.model.fidelity import builder, complete, json_ready, slim, user_maker, without_further
from serbench.model.fidelity.building import holders
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Union
from serbench.model.scalars import DATE, DECIMAL, FLOAT, INT, STR, Scalar
from serbench.model.scalars import UUID as UUID_TYPE


class Role(enum.Enum):
    """An enumeration by name."""

    ADMIN = "admin"


class Size(enum.Enum):
    """An enumeration by number."""

    S = 1


@dataclass
class Part:
    """A record with a wire name."""

    number: object
    role: object = None


class Typed(TypedDict):
    """The same record as a dict."""

    no: int
    role: Role
    note: int


@dataclass
class Node:
    """A record that holds itself."""

    value: object
    next: object


class Circle(msgspec.Struct, tag_field="kind", tag="circle"):
    """A member of a union that has its tag by its class."""

    part: object


@dataclass
class Square:
    """A member of a union whose fields are others."""

    side: object


ROLE, SIZE = Enum("Role", (("ADMIN", "admin"),)), Enum("Size", (("S", 1),))
PART = Record("Part", (Field("number", INT, alias="no"), Field("role", ROLE)))
NODE = Record("Node", (Field("value", ROLE), Field("next", Optional(Ref("Node")))))
CIRCLE = Record("Circle", (Field("part", Ref("Part")),), tag_value="circle")
SQUARE = Record("Square", (Field("side", FLOAT),), tag_value="square")
RECORDS = (PART, NODE, CIRCLE, SQUARE)
MODULE = SimpleNamespace(Role=Role, Size=Size, Part=Part, Node=Node, Circle=Circle, Square=Square)
A_PART = {"no": 1, "role": "admin"}


def made(type_, value, module=MODULE, records=RECORDS):
    """The value as objects, the same if it is slim; the value itself if it needs no conversion."""
    spec = Schema(type_, records).as_data()
    build = builder(spec, spec["root"], module)
    objects = value if build is None else build(value)
    with suppress(ValueError):  # it has no such form
        tuples, build_slim = slim(spec, spec["root"], value), builder({**spec, "slim": True}, spec["root"], module)
        assert objects == (tuples if build_slim is None else build_slim(tuples))
    return objects


SLIM = {"value": "admin", "next": {"value": "admin", "next": None}}


def test_a_slim_value_has_a_tuple_for_each_record():
    """Their values stand in the order of the fields, within lists and maps as well; a TypedDict gets its keys back."""
    spec = Schema(Map(List(Ref("Node"))), (NODE,)).as_data()
    assert slim(spec, spec["root"], {"a": [SLIM, SLIM]}) == {"a": [("admin", ("admin", None))] * 2}
    typed, module = Schema(Ref("Part"), (PART,)).as_data(), SimpleNamespace(Role=Role, Part=Typed)
    build = builder({**typed, "slim": True}, typed["root"], module)
    assert build(slim(typed, typed["root"], A_PART)) == {"no": 1, "role": Role.ADMIN}


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (Ref("Node"), {"next": None, "value": "admin"}),
        (Ref("Node"), {"value": "admin"}),
        (Ref("Node"), {**SLIM, "more": 1}),
        (List(Ref("Node")), (SLIM,)),
        (Union((Ref("Node"), INT)), SLIM),
        (Tuple((Ref("Node"), INT)), (SLIM, 1)),
    ],
)
def test_not_every_value_is_slim(type_, value):
    """Records need all their fields and no other keys, in their order; a union would need the keys to tell its members."""
    spec = Schema(type_, (NODE,)).as_data()
    with pytest.raises(ValueError, match="known by its fields"):
        slim(spec, spec["root"], value)


@pytest.mark.parametrize(
    "type_", [INT, List(INT), Map(List(STR)), Optional(DATE), Set(STR), Tuple((INT, STR)), Union((INT, STR))]
)
def test_plain_values_need_no_conversion(type_):
    """There is no builder for values that are their own objects."""
    spec = Schema(type_).as_data()
    assert builder(spec, spec["root"], MODULE) is None


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (ROLE, "admin", Role.ADMIN),
        (Optional(ROLE), None, None),
        (Optional(ROLE), "admin", Role.ADMIN),
        (List(ROLE), ["admin"], [Role.ADMIN]),
        (Set(ROLE), {"admin"}, {Role.ADMIN}),
        (Map(ROLE), {"a": "admin"}, {"a": Role.ADMIN}),
        (Tuple((INT, ROLE)), (1, "admin"), (1, Role.ADMIN)),
        (Ref("Part"), A_PART, Part(1, Role.ADMIN)),
        (
            Ref("Node"),
            {"value": "admin", "next": {"value": "admin", "next": None}},
            Node(Role.ADMIN, Node(Role.ADMIN, None)),
        ),
        (Union((INT, ROLE)), 1, 1),
        (Union((INT, ROLE)), "admin", Role.ADMIN),
        (Union((Ref("Part"), List(Ref("Part")))), [A_PART], [Part(1, Role.ADMIN)]),
        (Union((Ref("Part"), List(Ref("Part")))), A_PART, Part(1, Role.ADMIN)),
        (Union((Ref("Part"), Ref("Node"))), {"value": "admin", "next": None}, Node(Role.ADMIN, None)),
        (Union((Ref("Part"), Ref("Node"))), A_PART, Part(1, Role.ADMIN)),
        (Union((Ref("Part"), Tuple((ROLE,)))), ("admin",), (Role.ADMIN,)),
        (Union((Ref("Part"), Set(ROLE))), {"admin"}, {Role.ADMIN}),
        (Union((Map(ROLE), INT)), {"a": "admin"}, {"a": Role.ADMIN}),
        (List(ROLE, "tuple"), ["admin"], (Role.ADMIN,)),
        (List(INT, "tuple"), [1], (1,)),
        (Set(INT, "frozenset"), {1}, frozenset({1})),
        (Map(ROLE, INT), {"1": "admin"}, {1: Role.ADMIN}),
        (Map(INT, FLOAT), {"1.5": 1}, {1.5: 1}),
        (Map(INT, ROLE), {"admin": 1}, {Role.ADMIN: 1}),
        (Map(INT, SIZE), {"1": 1}, {Size.S: 1}),
        (Map(INT, UUID_TYPE), {str(uuid.UUID(int=1)): 1}, {uuid.UUID(int=1): 1}),
        (Map(INT, DECIMAL), {"1.10": 1}, {Decimal("1.10"): 1}),
        (Map(INT, DATE), {"2024-02-01": 1}, {date(2024, 2, 1): 1}),
        (Map(INT, Scalar("path")), {"a/b": 1}, {Path("a/b"): 1}),
        (Map(INT, Scalar("any")), {"a": 1}, {"a": 1}),
        (Scalar("path"), "a/b", Path("a/b")),
        (List(Scalar("fraction")), ["1/3"], [Fraction(1, 3)]),
        (Scalar("complex"), "1j", 1j),
        (Scalar("bytearray"), b"a", bytearray(b"a")),
    ],
)
def test_values_become_objects(type_, value, expected):
    """Enum members, records, their containers and the classes that only users have are made of what they hold."""
    assert expected == made(type_, value)
    assert type(expected) is type(made(type_, value))


def test_members_of_a_tagged_union_are_made_by_their_tag():
    """The class is that of the tag, which is no argument of it."""
    union = List(Union((Ref("Circle"), Ref("Square")), "kind"))
    value = [{"kind": "circle", "part": A_PART}, {"kind": "square", "side": 1.5}]
    assert [Circle(Part(1, Role.ADMIN)), Square(1.5)] == made(union, value)


def test_dict_records_stay_dicts():
    """A TypedDict keeps its wire names, and only the items that need it are converted, in a copy."""
    value = {"kind": "part", **A_PART}
    found = made(Ref("Part"), value, SimpleNamespace(Role=Role, Part=Typed))
    assert {"kind": "part", "no": 1, "role": Role.ADMIN} == found
    assert value["role"] == "admin"


def test_objects_out_of_one_mapping():
    """A class that takes its fields in one mapping, as a Model of schematics does, is given one."""

    @dataclass
    class Model:
        data: object

        def import_data(self, raw_data):
            raise NotImplementedError

    assert {"number": 1, "role": Role.ADMIN} == made(Ref("Part"), A_PART, SimpleNamespace(Role=Role, Part=Model)).data


def test_private_attributes_are_arguments_by_the_alias_of_attrs():
    """A class of attrs takes a field that begins with an underscore without it."""
    cls = attrs.make_class("Part", ["_number"])
    record = Record("Part", (Field("_number", INT, alias="no"),))
    assert made(Ref("Part"), {"no": 1}, SimpleNamespace(Part=cls), (record,)) == cls(1)


def test_a_struct_is_made_of_its_own_fields():
    """A field of the schema that is no field of the Struct, as its tag, is no argument."""
    struct = msgspec.defstruct("Part", ["number"])
    assert struct(1) == made(Ref("Part"), A_PART, SimpleNamespace(Role=Role, Part=struct))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "p", "no": None, "role": "admin"}, {"kind": "p", "role": Role.ADMIN}),
        ({"kind": "p", "no": 1, "role": "admin"}, {"kind": "p", "no": 1, "role": Role.ADMIN}),
    ],
)
def test_what_is_absent_is_not_null(value, expected):
    """A key that is absent and never null is left out of a TypedDict and of a Struct, others are not."""
    absent = Record("Part", (*PART.fields, Field("note", Optional(INT), default=None)), absent=("no",))
    value, expected = {**value, "note": None}, {**expected, "note": None}
    assert expected == made(Ref("Part"), value, SimpleNamespace(Role=Role, Part=Typed), (absent,))
    fields = [("number", object, msgspec.UNSET), ("role", object), ("note", object)]
    struct = msgspec.defstruct("Part", fields[1:] + fields[:1], kw_only=True)
    number = {"number": 1} if value["no"] else {}
    assert struct(role=Role.ADMIN, note=None, **number) == made(
        Ref("Part"), value, SimpleNamespace(Role=Role, Part=struct), (absent,)
    )


def test_what_is_beside_completes_what_is_held():
    """Dicts in dicts and in lists get what each has beside, and keep what they have."""
    held = {"a": 1, "b": {"c": 2}, "d": [{"e": 3}, {"e": 4}], "f": 5}
    complete(held, {"b": {"x": 1}, "d": [{"y": 2}, {"e": 6}], "f": 7, "z": 8})
    assert {"a": 1, "b": {"c": 2, "x": 1}, "d": [{"e": 3, "y": 2}, {"e": 6}], "f": 7, "z": 8} == held


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, (2.5, None)], "b": {True}}, {"a": [1, [2.5, None]], "b": [True]}),
        (datetime(2024, 1, 2, 3, tzinfo=UTC), "2024-01-02T03:00:00+00:00"),
        (date(2024, 1, 2), "2024-01-02"),
        (time(1, 2), "01:02:00"),
        (timedelta(seconds=90), 90),
        (timedelta(seconds=1.5), 1.5),
        (b"\x00\xff", "AP8="),
        (Decimal("1.10"), "1.10"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("a", "a"),
    ],
)
def test_values_as_json_has_them(value, expected):
    """What JSON has no type for is text, base64 or seconds, as an int if they are whole."""
    found = json_ready(value)
    assert repr(expected) == repr(found)


def test_what_holds_the_records_of_a_module_is_told():
    """Classes are objects, TypedDicts dicts, and a schema without records has neither."""
    assert {"objects"} == holders(Schema(INT, (PART,)).as_data(), MODULE)
    assert {"dicts"} == holders(Schema(INT, (PART,)).as_data(), SimpleNamespace(Part=Typed))
    assert {"dicts", "objects"} == holders(Schema(INT, (PART, NODE)).as_data(), SimpleNamespace(Part=Typed, Node=Node))
    assert set() == holders(Schema(INT).as_data(), MODULE)


@pytest.mark.parametrize(
    ("root", "value", "expected"),
    [
        (Ref("Part"), {"no": None, "role": None}, {"role": None}),
        (Optional(Ref("Part")), {"no": None, "role": None}, {"role": None}),
        (Optional(Ref("Part")), None, None),
        (Map(Ref("Part")), {"a": {"no": None, "role": "admin"}}, {"a": {"role": "admin"}}),
        (List(Ref("Part")), [{"no": 1, "role": None}], [{"no": 1, "role": None}]),
        (Tuple((INT, Ref("Part"))), [1, {"no": None, "role": None}], [1, {"role": None}]),
    ],
)
def test_a_method_of_the_class_gets_no_null_for_what_is_absent(root, value, expected):
    """A key that is absent and never null is left out at any depth, and null stays where it is a value."""
    part = Record("Part", (Field("number", INT, alias="no"), Field("role", Optional(ROLE))), absent=("no",))
    make = user_maker(SimpleNamespace(build=lambda values: values), Schema(root, (part,)).as_data(), ready=False)
    assert expected == make(value)


_SMALL, _LARGE = Record("Small", (Field("a", INT),)), Record("Large", (Field("a", INT), Field("b", INT)))


@pytest.mark.parametrize(
    ("root", "value", "expected"),
    [
        (Union((Ref("Small"), Ref("Large"))), {"a": 1, "b": 2, "more": 3}, {"a": 1, "b": 2}),
        (Union((Ref("Small"), List(Ref("Large")))), [{"a": 1, "b": 2, "more": 3}], [{"a": 1, "b": 2}]),
        (Union((INT, Map(Ref("Small")))), {"x": {"a": 1, "b": 2}}, {"x": {"a": 1}}),
        (Union((INT, Ref("Large"), Map(Ref("Small")))), {"x": {"a": 1, "b": 2}}, {"x": {"a": 1}}),
        (Tuple((Ref("Small"), INT)), ({"a": 1, "b": 2}, 3), ({"a": 1}, 3)),
        (Map(Optional(Ref("Small"))), {"b": {"a": 1, "b": 2}, "c": None}, {"b": {"a": 1}, "c": None}),
        (List(INT), [1], [1]),
    ],
    ids=["union of records", "union with a list", "union with a map", "union of both", "tuple", "map", "no records"],
)
def test_only_the_keys_of_the_records_are_kept(root, value, expected):
    """Each record of a value is found along its type, in a union that with the most of its keys."""
    assert expected == without_further(Schema(root, (_SMALL, _LARGE)).as_data(), value)


def test_an_own_class_is_made_by_its_build_or_its_schema():
    """A module's `build` comes first, then its classes, then the value as it is; `ready` gives what JSON has."""
    spec, plain = Schema(ROLE).as_data(), Schema(DATE).as_data()
    assert user_maker(SimpleNamespace(build=lambda value: (value,)), spec, ready=False)("admin") == ("admin",)
    assert user_maker(MODULE, spec, ready=False)("admin") is Role.ADMIN
    assert user_maker(MODULE, plain, ready=False)(date(2024, 1, 2)) == date(2024, 1, 2)
    assert user_maker(MODULE, Schema(List(ROLE)).as_data(), ready=True)(("admin",)) == [Role.ADMIN]
    assert user_maker(MODULE, plain, ready=True)(date(2024, 1, 2)) == "2024-01-02"


@pytest.mark.parametrize("kind", ["foreign", "opaque"])
def test_what_only_the_user_s_class_knows_stays_as_it_is(kind):
    """Such a value is handed over, alone or in a record."""
    spec = {"root": ["list", [kind]], "records": {"Part": {"fields": [["x", "x", [kind]]], "tag": None}}}
    assert builder(spec, spec["root"], None) is None
    part = builder(spec, ["ref", "Part"], SimpleNamespace(Part=dict))
    assert {"x": 1} == part({"x": 1})
