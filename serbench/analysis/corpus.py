"""What codecs make of a test corpus: what of it is the standard, and what is a matter of taste."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.engine.results import Reading


def corpus_rows(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """A line for each codec: how many files of each kind it reads as their names say."""
    return [
        {
            "codec": codec,
            "accepts what is right": _share(own, "accepted", "accepted"),
            "refuses what is wrong": _share(own, "refused", "refused"),
            "accepts what is left open": _share(own, "either", "accepted"),
            "lost": sum(reading.outcome not in ("accepted", "refused") for reading in own) or None,
        }
        for codec, own in _by("codec", readings).items()
    ]


def _by(name: str, readings: Sequence[Reading]) -> dict[str, list[Reading]]:
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        found.setdefault(getattr(reading, name), []).append(reading)
    return found


def _share(readings: Sequence[Reading], expected: str, outcome: str) -> str:
    asked = [reading for reading in readings if reading.expected == expected]
    return f"{sum(reading.outcome == outcome for reading in asked)}/{len(asked)}"


def corpus_sentences(readings: Sequence[Reading]) -> list[str]:
    """Who departs from the standard, file by file, and where codecs differ about what the standard leaves open."""
    found = []
    for file, own in _by("file", readings).items():
        expected = own[0].expected
        kind = "taste" if expected == "either" else "standard"
        accepted = {r.codec: r.detail for r in own if r.outcome == "accepted"}
        values = dict.fromkeys(accepted.values())
        if len(values) > 1:
            said = "; ".join(
                f"{', '.join(codec for codec, read in accepted.items() if read == value)}: {value}" for value in values
            )
            found.append(f"{kind}: {file} is read differently: {said}")
        if expected == "either":
            others = [r.codec for r in own if r.outcome != "accepted"]
            if others and accepted:
                found.append(f"taste: {file}: {', '.join(accepted)} accept it, {', '.join(others)} do not")
            continue
        wrong = [f"{r.codec} ({r.outcome}: {r.detail})" for r in own if r.outcome != expected]
        if wrong:
            found.append(f"standard: {file} is to be {expected}, which is not what happens with {', '.join(wrong)}")
    return found
