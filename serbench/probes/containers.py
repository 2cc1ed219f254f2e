"""Containers: tuples, sets, maps and lists, empty ones and the order of keys."""

from serbench.probes import Group, Probe, of
from serbench.schema import FLOAT, INT, STR, Field, List, Map, Optional, Set, Tuple

GROUPS = (
    of("tuple", Tuple((INT, STR)), ("tuple", (1, "a"))),
    of("set", Set(STR), ("set", {"a", "b"}), ("set empty", set())),
    of("list", List(INT), ("list empty", []), ("list of int", [1, 2, 3])),
    of("list with None", List(Optional(INT)), ("list with None in it", [None, 1])),
    of("nested list", List(List(INT)), ("list of empty lists", [[], [1], []])),
    of("float list", List(FLOAT), ("list of whole floats", [1.0, 2.0])),
    of(
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
