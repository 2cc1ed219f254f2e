"""Containers: tuples, sets, maps and lists, including empty ones, and the order of keys."""

from serbench.measure.probes.values import Group, Probe, group_of
from serbench.model.records import Field, List, Map, Optional, Set, Tuple
from serbench.model.scalars import FLOAT, INT, STR

GROUPS = (
    group_of("tuple", Tuple((INT, STR)), ("tuple", (1, "a"))),
    group_of("set", Set(STR), ("set", {"a", "b"}), ("set empty", set())),
    group_of("list", List(INT), ("list empty", []), ("list of int", [1, 2, 3])),
    group_of("list with None", List(Optional(INT)), ("list with None in it", [None, 1])),
    group_of("nested list", List(List(INT)), ("list of empty lists", [[], [1], []])),
    group_of("float list", List(FLOAT), ("list of whole floats", [1.0, 2.0])),
    group_of(
        "map",
        Map(INT),
        ("dict empty", {}),
        ("dict with awkward keys", {"": 1, "a.b": 2, "$c": 3, "ä": 4, "1": 5, "a b": 6, "__class__": 7}),
    ),
    Group(
        "ordered map",
        (Field("subject", Map(INT)),),
        (Probe("dict keeps the order of its keys", {"subject": {"b": 1, "c": 2, "a": 3}}, ordered=True),),
    ),
)
