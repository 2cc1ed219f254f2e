"""What codecs make of test corpora, as numbers of each codec, and as findings beside those of the probes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from serbench.judge.outcomes import Behaviour, Corpus, CorpusReading, Finding
from serbench.results import grouped

VALID, INVALID = "corpus: valid documents", "corpus: invalid documents"
NAMED = 12  # files that a finding names


@dataclass(frozen=True)
class CodecConformance:
    """The files that a codec handles as their names say.

    `accepted` of `valid` files must be accepted and are, `refused` of `invalid` ones must be refused and are, and `taken`
    of the `open` ones are accepted. `deviations` has the outcome and the detail of each other file.
    """

    codec: str
    format: str
    version: str
    valid: int
    accepted: int
    invalid: int
    refused: int
    open: int
    taken: int
    deviations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Conformance:
    """The conformance of codecs with corpora, as it is published; empty if nothing is."""

    date: str = ""
    machine: str = ""
    corpora: tuple[Corpus, ...] = ()
    codecs: tuple[CodecConformance, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """The conformance as JSON data."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Conformance:
        """Restore what `to_data` gave.

        Raises:
            KeyError, TypeError: the data has another form.
        """
        corpora = tuple(Corpus(**one) for one in data["corpora"])
        return cls(data["date"], data["machine"], corpora, tuple(CodecConformance(**one) for one in data["codecs"]))

    def beside(self, behaviours: Iterable[Behaviour]) -> tuple[Behaviour, ...]:
        """Return the cases with findings on the corpora of their codecs beside those of the probes."""
        known = {(one.codec, one.format): one for one in self.codecs}
        return tuple(_with_findings(one, known.get((one.codec, one.format))) for one in behaviours)


NO_CONFORMANCE = Conformance()


def codec_conformance(readings: Sequence[CorpusReading], versions: Mapping[str, str]) -> tuple[CodecConformance, ...]:
    """Count the readings of each codec; `versions` has the version of each "codec/format"."""
    return tuple(
        _counted(codec, format_, versions.get(f"{codec}/{format_}", ""), of_codec)
        for (codec, format_), of_codec in grouped(readings, lambda one: (one.codec, one.format)).items()
    )


def _counted(codec: str, format_: str, version: str, readings: Sequence[CorpusReading]) -> CodecConformance:
    asked = grouped(readings, lambda one: one.expected)
    valid, invalid, either = (asked.get(name, []) for name in ("accepted", "refused", "either"))
    wrong = [one for one in (*valid, *invalid) if one.outcome != one.expected]
    return CodecConformance(
        codec,
        format_,
        version,
        len(valid),
        sum(one.outcome == "accepted" for one in valid),
        len(invalid),
        sum(one.outcome == "refused" for one in invalid),
        len(either),
        sum(one.outcome in ("accepted", "changed") for one in either),
        {one.file: f"{one.outcome}: {one.detail}" for one in wrong},
    )


def _with_findings(behaviour: Behaviour, known: CodecConformance | None) -> Behaviour:
    if known is None:
        return behaviour
    wrong = known.deviations
    lost = {name: text for name, text in wrong.items() if not text.startswith(("accepted", "changed", "refused"))}
    through = [name for name, text in wrong.items() if text.startswith("accepted") and name not in lost]
    refused = [name for name, text in wrong.items() if text.startswith("refused")]
    changed = [name for name, text in wrong.items() if text.startswith("changed")]
    fidelity, strictness = dict(behaviour.fidelity), dict(behaviour.strictness)
    if known.valid and fidelity:
        outcome = "changed" if changed else "refused" if known.accepted < known.valid else "exact"
        said = f"{known.accepted} of {known.valid} are read" + _named([*changed, *refused])
        said += f"; {known.taken} of {known.open} that the standard leaves open are accepted" if known.open else ""
        fidelity[VALID] = Finding(outcome, said)
    if known.invalid and strictness:
        outcome = "let through" if through else "crashed" if lost else "rejected"
        said = f"{known.refused} of {known.invalid} are refused" + _named([*through, *lost])
        strictness[INVALID] = Finding(outcome, said)
    return replace(behaviour, fidelity=fidelity, strictness=strictness)


def _named(files: Sequence[str]) -> str:
    if not files:
        return ""
    more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
    return f"; not {', '.join(files[:NAMED])}{more}"
