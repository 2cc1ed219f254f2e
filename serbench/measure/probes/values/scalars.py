"""Scalars other than text and numbers: booleans, None, bytes, UUIDs and enums."""

import uuid

from serbench.measure.probes.values import group_of
from serbench.model.records import Enum, List, Optional, Union
from serbench.model.scalars import BOOL, BYTES, INT, STR, UUID

_SWAPPED = Enum("Swapped", (("LEFT", "RIGHT"), ("RIGHT", "LEFT")))
_LEVEL = Enum("Level", (("LOW", 10), ("HIGH", 20)))

GROUPS = (
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
