"""Members of untagged unions in conversions by hand: the kind of a value tells them apart, or the values of an enum."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from serbench.model.fidelity import builder
from serbench.model.records import Enum, Field, List, Record, Ref, Schema, Type, Union
from serbench.model.scalars import BOOL, DATE, DATETIME, FLOAT, INT, STR, TIMEDELTA, Scalar
from serbench.render.source.by_hand import ByHand
from serbench.render.source.models import Models
from serbench.render.source.module import Unsupported

UNIT = Enum("Unit", (("KG", "kg"), ("LB", "lb")))
TOWN = Enum("Town", (("BONN", "bonn"),))
STEP = Enum("Step", (("ONE", 1),))
PART = Record("Part", (Field("day", DATE),))
OPAQUE = Scalar("opaque")


def converted(members: tuple[Type, ...], documents: list[Any]) -> list[Any]:
    """The class of what loading each document by hand gives, and the document that dumping it gives."""
    schema = Schema(Union(members), (PART,))
    m = Models(schema=schema)
    m.dataclasses()
    load = ByHand(m, schema, "load", frozenset()).template()
    dump = ByHand(m, schema, "dump", frozenset()).template()
    m.define("def load_it(data):", [f"return {load.replace('{}', 'data')}"])
    m.define("def dump_it(value):", [f"return {dump.replace('{}', 'value')}"])
    module = ModuleType(__name__)
    exec(m.text(), vars(module))
    loaded = [module.load_it(one) for one in documents]
    built = builder(schema.as_data(), schema.as_data()["root"], module)
    if built and (OPAQUE in members or not {"date", "timedelta"} & schema.features):  # a document has JSON there
        assert loaded == [built(one) for one in documents]
    return [(type(one).__name__, module.dump_it(one)) for one in loaded]


@pytest.mark.parametrize(
    ("members", "documents", "classes"),
    [
        ((UNIT, STR), ["kg", "stone"], ["Unit", "str"]),
        ((STR, UNIT), ["kg", "stone"], ["Unit", "str"]),
        ((UNIT, TOWN, STR, INT), ["bonn", "lb", "", 5], ["Town", "Unit", "str", "int"]),
        ((UNIT, List(UNIT)), ["kg", ["kg"]], ["Unit", "list"]),
        ((UNIT, STR, List(STR)), ["kg", ["kg"]], ["Unit", "list"]),
        ((STEP, INT, BOOL, FLOAT), [1, 2, True, 1.0], ["Step", "int", "bool", "float"]),
        ((UNIT, OPAQUE), ["kg", "stone", {}, ["kg"]], ["Unit", "str", "dict", "list"]),
        ((STR, OPAQUE), ["kg", {}], ["str", "dict"]),
        ((UNIT, DATE), ["kg", "2024-02-29"], ["Unit", "date"]),
        ((Ref("Part"), List(Ref("Part"))), [{"day": "2024-02-29"}, [{"day": "2024-02-29"}]], ["Part", "list"]),
        ((Ref("Part"), OPAQUE, STR), [{"day": "2024-02-29"}, "kg", None], ["Part", "str", "NoneType"]),
        ((TIMEDELTA, INT), [1.0, 1], ["timedelta", "int"]),
    ],
)
def test_a_value_is_of_the_member_that_takes_it(members, documents, classes):
    """It is loaded as that member, and dumped as it was; neutral values make the same objects."""
    found = converted(members, documents)
    assert [*zip(classes, documents, strict=True)] == found
    assert [type(one) for _, one in found] == [type(one) for one in documents]


def test_a_moment_is_no_date():
    """Where a codec carries only datetimes as themselves, these stay, though their class is one of dates."""
    schema = Schema(Union((DATE, DATETIME)))
    m = Models(schema=schema)
    dump = ByHand(m, schema, "dump", frozenset({"datetime"})).template()
    assert dump == "{}.isoformat() if isinstance({}, date) and not isinstance({}, datetime) else {}"


@pytest.mark.parametrize(
    "members", [(STR, DATE), (List(DATE), List(INT)), (Ref("Part"), Ref("Part2")), (UNIT, Enum("Mass", (("A", "kg"),)))]
)
def test_what_nothing_tells_apart_is_refused(members):
    """A value of one of the members may be of the other, and one of them takes a conversion."""
    schema = Schema(Union(members), (PART, Record("Part2", PART.fields)))
    with pytest.raises(
        Unsupported, match=r"in a conversion by hand, \w+ and \w+ are both \w+: their union needs a tag"
    ):
        ByHand(Models(schema=schema), schema, "load", frozenset()).template()
