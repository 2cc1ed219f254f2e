"""Values of type `Any`: Python's other containers, keys that are not text, deep nesting."""

from datetime import UTC, datetime

from serbench.measure.probes.values import Group, Probe
from serbench.model.records import Field
from serbench.model.scalars import ANY

_MOMENT = datetime(2024, 6, 15, 9, 41, 23, tzinfo=UTC)
_EDGES = (
    ("tuple where anything may stand", (1, "a")),
    ("set where anything may stand", {1, 2}),
    ("frozenset where anything may stand", frozenset({1, 2})),
    ("datetimes with and without an offset where anything may stand", [_MOMENT, _MOMENT.replace(tzinfo=None)]),
    ("dict with int keys", {1: "a", 2: "b"}),
    ("dict with an int and a text that read alike as keys", {1: "a", "1": "b"}),
    ("dict with bool keys", {True: "a", False: "b"}),
    ("dict with float keys", {1.5: "a"}),
    ("dict with tuple keys", {(1, 2): "a"}),
    ("dict with None as a key", {None: "a"}),
)

GROUPS = (
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
