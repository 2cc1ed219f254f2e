"""The conformance of codecs with a test corpus: violations of the standard, and choices that it leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.judge.outcomes import CorpusReading
from serbench.results import grouped


def corpus_rows(readings: Sequence[CorpusReading]) -> list[dict[str, Any]]:
    """A line for each codec: of each kind of file, the number that it handles as the file's name says."""
    return [
        {
            "codec": codec,
            "format": format_,
            "accepts what is right": _share(of_codec, "accepted", "accepted"),
            "refuses what is wrong": _share(of_codec, "refused", "refused"),
            "accepts what is left open": _share(of_codec, "either", "accepted"),
            "lost": sum(reading.outcome not in ("accepted", "changed", "refused") for reading in of_codec) or None,
        }
        for (format_, codec), of_codec in grouped(readings, lambda one: (one.format, one.codec)).items()
    ]


def _share(readings: Sequence[CorpusReading], expected: str, outcome: str) -> str:
    asked = [reading for reading in readings if reading.expected == expected]
    return f"{sum(reading.outcome == outcome for reading in asked)}/{len(asked)}"


def corpus_sentences(readings: Sequence[CorpusReading]) -> list[str]:
    """Violations of the standard by file, and files that codecs read differently because the standard leaves them open."""
    sentences = []
    for file, of_file in grouped(readings, lambda one: one.file).items():
        expected = of_file[0].expected
        kind = "taste" if expected == "either" else "standard"
        accepted = {r.codec: r.detail for r in of_file if r.outcome == "accepted"}
        values = dict.fromkeys(accepted.values())
        if len(values) > 1:
            said = "; ".join(
                f"{', '.join(codec for codec, read in accepted.items() if read == value)}: {value}" for value in values
            )
            sentences.append(f"{kind}: {file} is read differently: {said}")
        if expected == "either":
            others = [r.codec for r in of_file if r.outcome != "accepted"]
            if others and accepted:
                sentences.append(f"taste: {file}: {', '.join(accepted)} accept it, {', '.join(others)} do not")
            continue
        wrong = [f"{r.codec} ({r.outcome}: {r.detail})" for r in of_file if r.outcome != expected]
        if wrong:
            sentences.append(f"standard: {file} must be {expected}, but {', '.join(wrong)}")
    return sentences
