"""The matrices: every probe with every case, each library in a process of its own that a crash may take with it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from serbench.cases import Case, render
from serbench.engine.lane import Lane, Limits, each
from serbench.engine.limits import limits
from serbench.engine.process import Fault
from serbench.engine.results import Behaviour, Finding
from serbench.engine.selection import Choice
from serbench.engine.strictness import opened, read, taken, tried, written
from serbench.engine.work_class import checked
from serbench.environments import Environment, Recipe
from serbench.fidelity import wire_difference
from serbench.formats import Codec, formats
from serbench.probes import Group, Probe, groups
from serbench.probes.wrong import BASICS, CUTS, ROWS, WRONG, Trial, Wrong
from serbench.schema import Schema

WRITTEN = 200  # characters that are shown of what was written
UNREAD = "what is written cannot be read"
Heard = Callable[[str, int, int], None]


def behaviours(
    choices: Sequence[Choice],
    environments: Mapping[Recipe, Environment],
    within: Limits | None = None,
    heard: Heard | None = None,
    matrices: Iterable[str] = ("fidelity", "strictness"),
) -> list[Behaviour]:
    """What each of these cases does with every probe, in the order of the choices.

    `heard` is told the library, and how many cases of how many are done; it is called from several threads.
    """
    lanes: dict[tuple[str, str, Recipe], list[Choice]] = {}
    for choice in choices:
        lanes.setdefault((choice.library.name, choice.variant, choice.recipe), []).append(choice)
    done: dict[Choice, Behaviour] = {}

    def probe(members: list[Choice]) -> None:
        with tempfile.TemporaryDirectory(prefix="serbench-") as scratch:
            first = members[0]
            environment = environments[first.recipe]
            with Lane(first.library, first.variant, environment, Path(scratch), within or Limits()) as lane:
                for choice in members:
                    done[choice] = _Probing(lane, choice.codec).behaviour(matrices)
                    if heard is not None:
                        heard(choice.library.name, len(done), len(choices))

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(probe, sorted(lanes.values(), key=len, reverse=True)))
    return [done[choice] for choice in choices]


def not_kept(case: Case, schema: Schema, scratch: Path, within: Limits) -> str | None:
    """The first value, of a type that the schema uses, that a case changes, refuses or dies of; None where it keeps all.

    Only values that data ordinarily holds are asked for: see `Probe.edge`.
    """
    with (
        tempfile.TemporaryDirectory(dir=scratch) as folder,  # meanwhile others try values of the same names
        Lane(case.library, case.variant, case.environment, Path(folder), within) as lane,
    ):
        for group in groups():
            if group.features <= schema.features:
                found = dict(_Probing(lane, case.codec).group(group))
                for probe in group.probes:
                    finding = found[probe.name]
                    if not probe.edge and finding.outcome not in ("exact", "unsupported"):
                        return f"it does not keep every value: {probe.name} is {finding.outcome} ({finding.detail})"
    return None


@dataclass
class _Probing:
    """One case in its lane."""

    lane: Lane
    codec: Codec
    work_class: str | None = field(default=None, init=False)

    def behaviour(self, matrices: Iterable[str]) -> Behaviour:
        """Everything that was found out."""
        lane, codec = self.lane, self.codec
        library, environment = lane.library, lane.environment
        absent = render(library, lane.variant, codec, BASICS.schema, environment).absent
        fidelity: dict[str, Finding] = {}
        strictness: dict[str, Finding] = {}
        if absent is None:
            fidelity = dict(self._fidelity()) if "fidelity" in matrices else {}
            strictness = dict(self._strictness()) if "strictness" in matrices else {}
        return Behaviour(
            limits=dict(limits(lane, codec)) if absent is None and "limits" in matrices else {},
            library=library.name,
            variant=lane.variant,
            version=environment.installed(next(iter(library.distributions), None)),
            environment=environment.name,
            python=environment.runs_on if environment.reason is None else None,
            codec=codec.name,
            format=codec.format,
            work_class=self.work_class,
            reason=absent,
            fidelity=fidelity,
            strictness=strictness,
        )

    def _fidelity(self) -> Iterator[tuple[str, Finding]]:
        for group in groups():
            yield from self.group(group)

    def group(self, group: Group) -> Iterator[tuple[str, Finding]]:
        """What became of each value of one group."""
        case, declared = self.lane.case(self.codec, group.schema)
        if case.reason is not None:
            yield from ((p.name, Finding("unsupported", case.reason)) for p in group.probes)
            return
        plain = [probe for probe in group.probes if not probe.rewritten]
        answers = dict(zip(plain, self._carried(case, group, plain), strict=True)) if plain else {}
        for probe in group.probes:
            answer = answers[probe] if probe in answers else self._rewritten(case, group, probe)
            yield probe.name, _kept(case, group, probe, answer, declared)

    def _carried(self, case: Case, group: Group, probes: list[Probe]) -> list[dict[str, Any] | Fault]:
        name = f"{group.name.replace(' ', '_')}_of_{case.module_name}"

        def carried(some: Sequence[Probe]) -> list[dict[str, Any]]:
            self.lane.load(case, name)
            data = self.lane.data(group.name, group.schema, [[probe.value] for probe in group.probes])
            asked = [
                {
                    "index": group.probes.index(probe),
                    "make": probe.make,
                    "subclass": probe.subclass,
                    "ordered": probe.ordered,
                }
                for probe in some
            ]
            found: list[dict[str, Any]] = self.lane.ask("carry", data=data, probes=asked)["outcomes"]
            return found

        return each(probes, carried)

    def _rewritten(self, case: Case, group: Group, probe: Probe) -> dict[str, Any] | Fault:
        """What decoding makes of other bytes than were written."""
        format_ = formats()[case.codec.format]
        if "decode" not in case.operations:
            return Fault("unsupported", "it does not decode", fatal=False)
        if (probe.raw and case.codec.format not in probe.raw) or format_.write is None:
            return Fault("unsupported", "such bytes cannot be made", fatal=False)
        try:
            name, good = opened(self.lane.ask, case, self.lane.scratch, group.name, group.schema, [probe.value])
            blob = probe.raw.get(case.codec.format) or written(
                case, _other(read(case, group.schema, good["blob"]), probe)
            )
            given: dict[str, Any] = {"path": [], "blob": blob.hex(), "value": None, "compare": True}
            answer = taken(self.lane.ask, name, [given])[0]
            self.lane.ask("drop", case=name)
        except Fault as fault:
            return fault
        except Exception as error:  # whatever a reader raises
            return Fault("unsupported", f"its bytes cannot be read: {error}", fatal=False)
        if answer["outcome"] == "rejected":
            return {"outcome": "refused", "detail": f"decode: {answer['message']}"}
        text = answer["difference"]
        return {"outcome": "changed" if text else "exact", "detail": text}

    def _strictness(self) -> Iterator[tuple[str, Finding]]:
        if "decode" not in render(self.lane.library, self.lane.variant, self.codec, ROWS.schema).operations:
            return
        typed = formats()[self.codec.format].typed
        for trial in WRONG if not typed else ():
            case, _ = self.lane.case(self.codec, trial.schema)
            found = each(trial.wrong, partial(self._tried, case, trial))
            findings = {
                wrong.name: Finding(_status(answer), answer.reason) if isinstance(answer, Fault) else answer
                for wrong, answer in zip(trial.wrong, found, strict=True)
            }
            yield from ((f"{trial.name}: {name}", finding) for name, finding in findings.items())
            if trial is BASICS and self.holder and not any(isinstance(a, Fault) for a in found):
                self.work_class = checked(self.holder, findings)
        yield from self._cut()

    holder: str = field(default="", init=False)

    def _tried(self, case: Case, trial: Trial, some: Sequence[Wrong]) -> list[Finding]:
        self.holder, found = tried(self.lane.ask, case, self.lane.scratch, trial, some)
        return [found[wrong.name] for wrong in some]

    def _cut(self) -> Iterator[tuple[str, Finding]]:
        """What becomes of bytes that are too few or too many."""
        case, _ = self.lane.case(self.codec, ROWS.schema)

        def cut(some: Sequence[str]) -> list[Finding]:
            name, good = opened(self.lane.ask, case, self.lane.scratch, ROWS.name, ROWS.schema, ROWS.good)
            if formats()[self.codec.format].typed:
                self.work_class = f"{good['holder']}, typed"
            blobs = [CUTS[what](good["blob"]).hex() for what in some]
            given: list[dict[str, Any]] = [{"path": [], "blob": blob, "value": None, "compare": True} for blob in blobs]
            answers = taken(self.lane.ask, name, given)
            self.lane.ask("drop", case=name)
            return [_cut_finding(answer) for answer in answers]

        for what, answer in zip(CUTS, each(list(CUTS), cut), strict=True):
            yield (
                f"{ROWS.name}: {what}",
                Finding(_status(answer), answer.reason) if isinstance(answer, Fault) else answer,
            )


def _cut_finding(answer: Mapping[str, Any]) -> Finding:
    if answer["outcome"] == "rejected":
        return Finding("rejected", answer["message"])
    text = answer["difference"]
    return Finding("let through", f"something else comes back: {text}" if text else "the same comes back")


def _status(fault: Fault) -> str:
    return "unprobed" if fault.status in ("failed", "unsupported") else fault.status


def _other(document: Any, probe: Probe) -> Any:
    """The document that is read in place of the one that was written."""
    row = {key: value for key, value in document[0].items() if key not in probe.without}
    return [{**row, **probe.beside}]


def _kept(case: Case, group: Group, probe: Probe, answer: Mapping[str, Any] | Fault, declared: str | None) -> Finding:
    """The finding of one probe; what only writes is read by the format's independent reader."""
    if isinstance(answer, Fault):
        failed = "refused" if answer.status == "failed" else answer.status
        return Finding(failed, answer.reason, declared=declared)
    outcome, detail = answer["outcome"], answer.get("detail")
    blob = bytes.fromhex(answer["blob"]) if "blob" in answer else None
    if outcome == "written" and blob is not None:
        outcome, detail = _read_back(case, group, probe, blob)
    if outcome == "refused" and blob is not None and len(blob) == answer["size"]:
        outcome, detail = _written_wrong(case, group, probe, blob, str(detail))
    if outcome == "exact" and probe.ordered and blob is not None and "subject" not in probe.value:
        outcome, detail = _in_order(case, group, probe, blob)
    shown = None
    if blob is not None and formats()[case.codec.format].text:
        shown = blob.decode(errors="replace")
        shown = shown if len(shown) <= WRITTEN else f"{shown[:WRITTEN]}…"
    return Finding(outcome, detail, shown, declared=declared)


def _read_back(case: Case, group: Group, probe: Probe, blob: bytes) -> tuple[str, str | None]:
    if probe.make or probe.subclass:
        return "unsupported", "it does not decode"
    try:
        parsed = read(case, group.schema, blob)
    except Exception as error:  # a Fault, or whatever a reader raises
        return "changed", f"{UNREAD}: {error}"
    text = wire_difference(group.schema.as_data(), group.schema.as_data()["root"], [probe.value], parsed)
    return ("changed", f"what is written: {text.lstrip(': ')}") if text else ("exact", None)


def _written_wrong(case: Case, group: Group, probe: Probe, blob: bytes, said: str) -> tuple[str, str | None]:
    """A value that was written as another is changed, even if decoding refuses what it has become."""
    found, text = _read_back(case, group, probe, blob)
    if found != "changed" or text is None or text.startswith(UNREAD):
        return "refused", said
    return "changed", f"{text}; {said}"


def _in_order(case: Case, group: Group, probe: Probe, blob: bytes) -> tuple[str, str | None]:
    try:
        parsed = read(case, group.schema, blob)
    except Exception:
        return "exact", None  # no reader that could tell
    keys = list(parsed[0])
    return ("exact", None) if keys == list(probe.value) else ("changed", f"the bytes have the keys {keys}")
