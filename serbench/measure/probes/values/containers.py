"""Containers: tuples, sets, maps and lists, including empty ones, and the order of keys."""

from serbench.measure.probes.values import Probe, group_of, with_more
from serbench.model.records import List, Map, Optional, Set, Tuple
from serbench.model.scalars import INT, STR

GROUPS = (
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
