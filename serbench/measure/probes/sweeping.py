"""The sweep: drawn values of every type with every case, to find the faults that only some values show.

A case encodes each value, and decodes its own bytes and those of another writer. What independent readers make of its
bytes, and what it returns, must be the value, or a refusal. Of each kind of difference, Hypothesis finds the smallest value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from serbench.judge.outcomes import Difference, Swept
from serbench.measure.probes.probing import ProbedCase, each
from serbench.measure.probes.strictness import read, written
from serbench.measure.probes.values import GROUPS, Group
from serbench.measure.session import Fault
from serbench.model.fidelity import apply_losses, user_difference, wire_difference
from serbench.model.records import Schema
from serbench.render.case import Case, render
from serbench.render.codec import formats

MOST_LOST = 3  # values of a type that end the process; then no more of them are tried
CHUNK = 200  # values in one request, which has a time limit
MOST_TRIED = 4000  # further values that are tried to find a smaller one
SMALLER = (
    "written",
    "decoded",
    "read",
    "readers",
)  # steps that a value can be made smaller for; others end the process


class Verdict(NamedTuple):
    """The outcome of one value: "kept", "refused", or the step of a `Difference`, with the difference."""

    step: str
    detail: str = ""


KEPT, REFUSED = Verdict("kept"), Verdict("refused")


def swept(probed: ProbedCase, count: int, seed: int) -> Swept:
    """Try so many values of every type with a case."""
    from serbench.measure.probes.drawing import drawn  # imports Hypothesis

    library, environment = probed.library, probed.session.environment
    bare = Swept(
        library.name,
        probed.variant,
        environment.installed(next(iter(library.distributions), None)),
        environment.name,
        probed.codec.name,
        probed.codec.format,
    )
    counted: Counter[str] = Counter()
    unsupported: dict[str, str] = {}
    differences: list[Difference] = []
    for group in swept_groups():
        case = render(library, probed.variant, probed.codec, group.schema, environment)
        if case.absent is not None:
            return replace(bare, reason=case.absent)
        if case.reason is not None:
            unsupported[group.name] = case.reason
            continue
        probed.part_from_the_last()
        sweep = _Sweep(probed, case, group.schema, group.name, count, seed)
        go_on = probed.session.watchdog.check
        values = sweep.lossy(drawn(group.schema, group.schema.item, count, seed, go_on))
        verdicts = sweep.verdicts(values)
        counted.update(verdict.step for verdict in verdicts)
        differences += sweep.differences(values, verdicts)
    return replace(
        bare,
        tried=counted.total() - counted["unavailable"],
        kept=counted["kept"],
        refused=counted["refused"],
        unsupported=unsupported,
        differences=tuple(differences),
    )


def swept_groups() -> list[Group]:
    """The groups of probes that differ in their types: a value of any type stands in one of these records."""
    known = {str((group.fields, group.records)): group for group in reversed(GROUPS)}
    return list(reversed(known.values()))


@dataclass
class _Sweep:
    """The sweep of one case over one type of record; `lost` counts the values that ended its process."""

    probed: ProbedCase
    case: Case
    schema: Schema
    name: str
    count: int
    seed: int
    lost: int = field(default=0, init=False)

    @cached_property
    def spec(self) -> dict[str, Any]:
        return self.schema.as_data()

    def lossy(self, values: list[Any]) -> list[Any]:
        """The values as a codec with declared losses returns them; it must return these as they are."""
        losses = {kind: loss.becomes for kind, loss in self.case.codec.limits.loses.items()}
        return [apply_losses(self.spec, self.spec["root"][1], value, losses, {}) for value in values]

    def verdicts(self, values: Sequence[Any]) -> list[Verdict]:
        """The outcome of each value, through the case's own bytes and then through another writer's."""
        chunks = (values[start : start + CHUNK] for start in range(0, len(values), CHUNK))
        return [verdict for some in chunks for verdict in self._verdicts(some)]

    def differences(self, values: Sequence[Any], verdicts: Sequence[Verdict]) -> Iterator[Difference]:
        """A difference for each step that has one, by its smallest value."""
        pairs = list(zip(values, verdicts, strict=True))
        known = {repr(value): (value, verdict) for value, verdict in reversed(pairs)}  # the first: one may come twice
        counted = Counter(verdict.step for verdict in verdicts)
        for step in sorted(counted.keys() - {"kept", "refused", "unavailable"}):
            showing = self._smallest(step, known) if step in SMALLER else []
            showing = showing or [pair for pair in pairs if pair[1].step == step]
            value, verdict = min(showing, key=lambda pair: len(repr(pair[0])))
            shown = value["subject"] if list(value) == ["subject"] else value
            yield Difference(self.name, step, ascii(shown), verdict.detail, counted[step])

    def _smallest(self, step: str, known: dict[str, tuple[Any, Verdict]]) -> list[tuple[Any, Verdict]]:
        """The smallest values of this step, with their verdicts; `known` has those of all values that were tried."""
        from serbench.measure.probes.drawing import smallest  # imports Hypothesis

        most = len(known) + MOST_TRIED

        def showing(some: list[Any]) -> list[tuple[Any, Verdict]]:
            values = {repr(value): value for value in self.lossy(some)}
            new = {text: value for text, value in values.items() if text not in known and len(known) < most}
            verdicts = self._verdicts([*new.values()])
            known.update((text, (new[text], verdict)) for text, verdict in zip(new, verdicts, strict=True))
            return [known[text] for text in values if text in known and known[text][1].step == step]

        return showing(smallest(self.schema, self.schema.item, self.count, self.seed, lambda some: bool(showing(some))))

    def _verdicts(self, values: Sequence[Any]) -> list[Verdict]:
        replies = self._carried(values, [{} for _ in values])
        verdicts = [self._of_carried(value, answer) for value, answer in zip(values, replies, strict=True)]
        other = [
            (position, blob)
            for position, (answer, verdict) in enumerate(zip(replies, verdicts, strict=True))
            if verdict is KEPT and isinstance(answer, dict) and "decode" in self.case.operations
            for blob in self._rewritten(bytes.fromhex(answer["blob"]))
        ]
        answers = self._carried(
            [values[position] for position, _ in other], [{"blob": blob.hex()} for _, blob in other]
        )
        for (position, blob), answer in zip(other, answers, strict=True):
            if verdicts[position] is KEPT:
                verdicts[position] = self._other(values[position], blob, answer)
        return verdicts

    def _carried(self, values: Sequence[Any], extra: Sequence[dict[str, Any]]) -> list[dict[str, Any] | Fault]:
        """The worker's answer to each value: see `carried`."""
        session = self.probed.session

        def carried(some: Sequence[int]) -> list[dict[str, Any]]:
            if self.lost >= MOST_LOST:
                raise Fault("unavailable", "enough values have ended its process", fatal=False)
            session.load(self.case, f"sweep_{self.name.replace(' ', '_')}_of_{self.case.module_name}")
            session.known.discard(("data", "sweep"))
            data = session.add_value("sweep", self.spec, [[values[position]] for position in some])
            asked = [{**extra[position], "index": index} for index, position in enumerate(some)]
            try:
                outcomes: list[dict[str, Any]] = session.ask("carry", data=data, probes=asked)["outcomes"]
            except Fault as fault:
                self.lost += fault.fatal and len(some) == 1
                raise
            return outcomes

        return each(range(len(values)), carried) if values else []

    def _of_carried(self, value: Any, answer: dict[str, Any] | Fault) -> Verdict:
        """The verdict on a value that the case encoded and decoded."""
        if isinstance(answer, Fault):
            return REFUSED if answer.status == "failed" else Verdict(answer.status, answer.reason)
        complete = "blob" in answer and len(answer["blob"]) == 2 * answer["size"]
        said = self._reading(value, bytes.fromhex(answer["blob"])) if complete else KEPT
        if said is not KEPT:
            return said
        return self._decoded("decoded", answer)

    def _other(self, value: Any, blob: bytes, answer: dict[str, Any] | Fault) -> Verdict:
        """The verdict on a value that another writer encoded and the case decoded."""
        if isinstance(answer, Fault):
            return self._of_carried(value, answer)
        said = self._reading(value, blob)
        return self._decoded("read", answer, f"of {blob.decode(errors='replace')[:200]}: ") if said is KEPT else said

    def _decoded(self, step: str, answer: dict[str, Any], of: str = "") -> Verdict:
        outcome = answer["outcome"]
        if outcome == "changed":
            return Verdict(step, of + _bare(str(answer["detail"])))
        return REFUSED if outcome == "refused" else KEPT

    def _reading(self, value: Any, blob: bytes) -> Verdict:
        """The verdict of the independent readers: "kept", or their difference from each other or the value."""
        parsed = {}
        for name, reader in self.case.readers(self.spec).items():
            try:
                parsed[name] = reader(blob)
            except Exception as error:  # whatever a reader raises on bytes that it refuses
                refusal = f"{name}: {error}"
        if not parsed:
            return Verdict("written", f"no reader takes it: {refusal}") if self.case.readers(self.spec) else KEPT
        (first, one), *others = parsed.items()
        for name, other in others:
            text = user_difference(one, other)
            if text is not None:
                return Verdict("readers", f"{first} and {name} do not agree: {_bare(text)}")
        text = wire_difference(self.spec, self.spec["root"], [value], one)
        return KEPT if text is None else Verdict("written", _bare(text))

    def _rewritten(self, blob: bytes) -> Iterator[bytes]:
        """The same document by other writers, as far as they can write it."""
        format_ = formats()[self.case.codec.format]
        if format_.write is None:
            return
        try:
            document = read(self.case, self.schema, blob)
        except Exception:  # no reader takes it
            return
        for write in (format_.write, format_.spell_out):
            if write is not None:
                try:
                    yield written(self.case, document, write)
                except Fault:
                    continue  # it cannot write what its reader read


def _bare(text: str) -> str:
    """A difference without the place of the value in its document."""
    return text.removeprefix("[0]").removeprefix(".subject").lstrip(": ")
