"""Whether the answers of functions are the same, as a worker's `told` tells them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

CLASS = ""  # the key of an object's class
LATIN = "latin-1"
MISSING = object()
SHOWN = 60


class Comparison:
    """The comparison of a function's answers with those of the first.

    Attributes:
        difference: where the first difference is, and what is there; None if the answers are the same.
        notes: what was not compared, or is the same in another form, each once.
    """

    def __init__(self, one: Any, other: Any) -> None:
        self.notes: dict[str, None] = {}
        self.difference = next(self._differences(one, other, "the answer"), None)

    def _differences(self, one: Any, other: Any, path: str) -> Iterator[str]:
        if one == other and type(one) is type(other) and not isinstance(one, dict | list):
            return
        if isinstance(one, list) and isinstance(other, list) and one[0] == other[0]:
            for number, pair in enumerate(zip_longest(one[1:], other[1:], fillvalue=MISSING)):
                yield from self._differences(*pair, f"{path}[{number}]")
        elif isinstance(one, dict) and isinstance(other, dict) and (CLASS in one) == (CLASS in other):
            yield from self._of_mappings(one, other, path)
        elif not self._same_json(one, other):
            yield f"{path} is {shown(one)}, not {shown(other)}"

    def _of_mappings(self, one: dict[str, Any], other: dict[str, Any], path: str) -> Iterator[str]:
        if LATIN in one or LATIN in other:
            if one != other and not self._same_json(one, other):
                yield f"{path} is {shown(one)}, not {shown(other)}"
            return
        if CLASS in one:
            if one[CLASS] != other[CLASS]:
                if "repr" in one or "repr" in other or len(one) == 1 or len(other) == 1:
                    yield f"{path} is {shown(one)}, not {shown(other)}"
                    return
                self.notes[f"objects of {one[CLASS]} and of {other[CLASS]} count as the same if their fields are"] = (
                    None
                )
            if len(one) == len(other) == 1:
                self.notes[f"of a {one[CLASS]} nothing can be compared but its class"] = None
        for key in dict.fromkeys([*one, *other]):
            if key != CLASS:
                inside = f"{path}.{key}" if CLASS in one else f"{path}[{key}]"
                yield from self._differences(one.get(key, MISSING), other.get(key, MISSING), inside)

    def _same_json(self, one: Any, other: Any) -> bool:
        """Tell if two texts or bytes are JSON of the same value."""
        texts = [_text(one), _text(other)]
        if None in texts:
            return False
        try:
            values = [json.loads(text) for text in texts if text is not None]
            same = json.dumps(values[0], sort_keys=True) == json.dumps(values[1], sort_keys=True)
        except (ValueError, RecursionError):
            return False
        if same:
            self.notes["the texts differ, and are JSON of the same value"] = None
        return same


def _text(told: Any) -> str | None:
    if isinstance(told, dict) and LATIN in told:
        return bytes(told[LATIN], LATIN).decode("utf-8", "replace")
    return told if isinstance(told, str) else None


def shown(told: Any) -> str:
    """A part of an answer in a sentence, not too long."""
    if told is MISSING:
        return "missing"
    if isinstance(told, dict) and LATIN in told:
        text = repr(bytes(told[LATIN], LATIN))
    elif isinstance(told, dict) and CLASS in told:
        fields = ", ".join(f"{key}={shown(value)}" for key, value in told.items() if key not in (CLASS, "repr"))
        text = told.get("repr") or (f"{told[CLASS]}({fields})" if fields else f"a {told[CLASS]}")
    elif isinstance(told, dict):
        text = "{" + ", ".join(f"{key}: {shown(value)}" for key, value in told.items()) + "}"
    elif isinstance(told, list):
        text = f"{told[0]} of {len(told) - 1}"
    else:
        text = repr(told)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 15]} … {text[-12:]}"
