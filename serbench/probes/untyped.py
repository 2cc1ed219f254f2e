"""Whatever stands where anything may: Python's other containers, keys that are no text, depth."""

from serbench.probes import made, of
from serbench.schema import ANY

GROUPS = (
    of(
        "anything",
        ANY,
        ("any JSON", {"a": [1, 1.5, "x", None, True, {}, []], "b": {"c": {"d": []}}}),
        ("bool, int and float told apart", [True, 1, 1.0, False, 0, 0.0]),
    ),
    of("tuple anywhere", ANY, ("tuple where anything may stand", (1, "a")), edge=True),
    of("set anywhere", ANY, ("set where anything may stand", {1, 2}), edge=True),
    of("frozenset anywhere", ANY, ("frozenset where anything may stand", frozenset({1, 2})), edge=True),
    of("integer keys", ANY, ("dict with int keys", {1: "a", 2: "b"}), edge=True),
    of("tuple keys", ANY, ("dict with tuple keys", {(1, 2): "a"}), edge=True),
    of("None key", ANY, ("dict with None as a key", {None: "a"}), edge=True),
    made("depth of 100", ANY, "lists 100 deep", "nest", 100),
    made("depth of 1000", ANY, "lists 1,000 deep", "nest", 1_000),
    made("depth of 10000", ANY, "lists 10,000 deep", "nest", 10_000),
)
