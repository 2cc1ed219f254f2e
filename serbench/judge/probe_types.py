"""The type that a probe concerns, by its name: probes are counted by type before they are looked at one by one."""

from __future__ import annotations

from collections.abc import Iterable

from serbench.results import grouped

OTHER = "records"
WORDS = {
    **{word: word for word in ("int", "float", "Decimal", "bool", "bytes", "UUID", "enum", "str")},
    **{word: word for word in ("datetime", "date", "time", "timedelta")},
    **dict.fromkeys(("tuple", "set", "list", "dict", "frozenset"), "containers"),
    "naive": "datetime",
    "midnight": "time",
    "lists": "nesting",
    **dict.fromkeys(("None", "empty"), "None"),
    **dict.fromkeys(("any", "bool,"), "any JSON"),
}
"""The first word of a probe of fidelity → its type."""


def probe_type(name: str) -> str:
    """The type of one probe: "int" for "int 2^63", "enum" for "enum: text that is no member"."""
    group, colon, _ = name.partition(": ")
    if colon and group not in WORDS:
        return "union" if group.endswith("union") else group
    if "where anything" in name:
        return "any JSON"
    return WORDS.get(group.split(" ")[0], OTHER)


def by_type(probes: Iterable[str]) -> dict[str, list[str]]:
    """Type → its probes, both in their order."""
    return grouped(probes, probe_type)
