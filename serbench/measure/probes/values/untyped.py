"""Values of type `Any`: Python's other containers, keys that are not text, deep nesting."""

from serbench.measure.probes.values import group_of, oversized
from serbench.model.scalars import ANY

GROUPS = (
    group_of(
        "anything",
        ANY,
        ("any JSON", {"a": [1, 1.5, "x", None, True, {}, []], "b": {"c": {"d": []}}}),
        ("bool, int and float told apart", [True, 1, 1.0, False, 0, 0.0]),
    ),
    group_of("tuple anywhere", ANY, ("tuple where anything may stand", (1, "a")), edge=True),
    group_of("set anywhere", ANY, ("set where anything may stand", {1, 2}), edge=True),
    group_of("frozenset anywhere", ANY, ("frozenset where anything may stand", frozenset({1, 2})), edge=True),
    group_of("integer keys", ANY, ("dict with int keys", {1: "a", 2: "b"}), edge=True),
    group_of("tuple keys", ANY, ("dict with tuple keys", {(1, 2): "a"}), edge=True),
    group_of("None key", ANY, ("dict with None as a key", {None: "a"}), edge=True),
    oversized("depth of 100", ANY, "lists 100 deep", "nest", 100),
    oversized("depth of 1000", ANY, "lists 1,000 deep", "nest", 1_000),
    oversized("depth of 10000", ANY, "lists 10,000 deep", "nest", 10_000),
)
