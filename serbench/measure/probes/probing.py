"""Makes the matrices: tries every probe with every case, each library in its own process, which may crash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from serbench.errors import PlugInError
from serbench.judge.outcomes import Behaviour, Finding
from serbench.measure.probes.strictness import answers_to, checked, opened, read, tried, written
from serbench.measure.probes.values import GROUPS, Group, Probe
from serbench.measure.probes.wrong import BASICS, CUTS, ROWS, WRONG, StrictnessTest, WrongInput
from serbench.measure.session import Fault, RequestLimits, Watchdog, WorkerSession, in_parallel, scratch_session
from serbench.model.fidelity import wire_difference
from serbench.model.records import Field, Optional, Ref, Schema
from serbench.model.scalars import SCALAR_KINDS
from serbench.render.case import Case, render
from serbench.render.codec import Codec, formats
from serbench.render.environments import Environment, Recipe
from serbench.render.library import Library
from serbench.render.selection import ChosenCase
from serbench.results import grouped

WRITTEN = 200  # characters that are shown of what was written
UNREAD = "what is written cannot be read"
MOST_LEVELS = 10_000
NESTED: dict[str, Callable[[int], bytes]] = {
    "json": lambda depth: b'[{"subject": %b%b}]' % (b"[" * depth, b"]" * depth),
    "msgpack": lambda depth: b"\x91\x81\xa7subject%b\x90" % (b"\x91" * (depth - 1)),
    "cbor": lambda depth: b"\x81\xa1\x67subject%b\x80" % (b"\x81" * (depth - 1)),
}
"""Format → the document of so many lists in one another, for what reads more than it writes."""
SHALLOW = 50
"""Levels that no library fails at for their number."""
LINKS = Group("link", (Field("next", Optional(Ref("LinkProbe"))),), (Probe("one link", {"next": None}),))
"""Records in one another."""
Heard = Callable[[str, int, int], None]
Item = TypeVar("Item")
AnyAnswer = TypeVar("AnyAnswer")


@dataclass(frozen=True)
class ProbedCase:
    """A library in a variant with a codec, and the session in which it is probed."""

    library: Library
    variant: str
    codec: Codec
    session: WorkerSession

    def part_from_the_last(self) -> None:
        """End the process, if what the library's modules register there would change the outcome for another schema."""
        if self.library.registers:
            self.session.end()

    def case(self, schema: Schema) -> tuple[Case, str | None]:
        """The case rendered with nothing held back, and what serbench says beforehand that it lacks."""
        self.part_from_the_last()
        environment = self.session.environment
        declared = render(self.library, self.variant, self.codec, schema, environment)
        library = replace(self.library, lacks={k: v for k, v in self.library.lacks.items() if k not in SCALAR_KINDS})
        try:
            case = render(library, self.variant, _unheld(self.codec), schema, environment)
        except PlugInError as error:
            if not isinstance(error.__cause__, LookupError):  # else it has nothing for such a field
                raise
            return declared, declared.reason
        said = declared.reason or next(iter(declared.codec.limits.cannot.values()), None)
        return (declared, declared.reason) if case.reason else (case, said)


def each_probed(
    choices: Sequence[ChosenCase],
    environments: Mapping[Recipe, Environment],
    work: Callable[[ProbedCase], AnyAnswer],
    limits: RequestLimits | None = None,
    heard: Heard | None = None,
) -> list[AnyAnswer]:
    """Return the answer of `work` to each of these cases, in the order of the choices.

    Each library and variant has a process of its own. Before each case, `heard` is told the library, and how many cases
    of how many are done; it is called from several threads.
    """
    shared = grouped(choices, lambda choice: (choice.library.name, choice.variant, choice.recipe))
    done: dict[ChosenCase, AnyAnswer] = {}

    def probe(members: list[ChosenCase]) -> None:
        environment = environments[members[0].recipe]
        with scratch_session(environment, watchdog, limits or RequestLimits()) as session:
            for choice in members:
                if heard is not None:
                    heard(choice.library.name, len(done), len(choices))
                done[choice] = work(ProbedCase(choice.library, choice.variant, choice.codec, session))

    with Watchdog() as watchdog:
        in_parallel(probe, sorted(shared.values(), key=len, reverse=True), watchdog)
    return [done[choice] for choice in choices]


def _unheld(codec: Codec) -> Codec:
    """The codec with nothing said of its faults: the probes are to find them."""
    blind = {"decode", "loads", "load"} if codec.calls.loads else set()
    blind |= {"encode", "dumps", "dump"} if codec.calls.dumps else set()
    return codec.changed(lacks={}, cannot={k: v for k, v in codec.limits.cannot.items() if k not in blind})


def each(items: Sequence[Item], work: Callable[[Sequence[Item]], Sequence[AnyAnswer]]) -> list[AnyAnswer | Fault]:
    """The answers to all items at once; if that ends the process, to each half by itself, down to the culprit."""
    try:
        return list(work(items))
    except Fault as fault:
        if not fault.fatal or len(items) == 1:
            return [fault] * len(items)
    middle = len(items) // 2
    return [*each(items[:middle], work), *each(items[middle:], work)]


def behaviours(
    choices: Sequence[ChosenCase],
    environments: Mapping[Recipe, Environment],
    limits: RequestLimits | None = None,
    heard: Heard | None = None,
    matrices: Iterable[str] = ("fidelity", "strictness"),
) -> list[Behaviour]:
    """Probe each of these cases, in the order of the choices; `heard` is that of `each_probed`."""
    return each_probed(choices, environments, lambda probed: _Probing(probed).behaviour(matrices), limits, heard)


def not_kept(case: Case, schema: Schema, watchdog: Watchdog, scratch: Path, limits: RequestLimits) -> str | None:
    """The first value, of a type that the schema uses, that a case changes, refuses or crashes on; None if it keeps all.

    Only values that data ordinarily holds are asked for: see `Probe.edge`.
    """
    # in a folder of its own: meanwhile others try values of the same names
    with scratch_session(case.environment, watchdog, limits, below=scratch) as session:
        probing = _Probing(ProbedCase(case.library, case.variant, case.codec, session))
        for group in GROUPS:
            if group.features <= schema.features:
                findings = dict(probing.group(group))
                for probe in group.probes:
                    finding = findings[probe.name]
                    if not probe.edge and finding.outcome not in ("exact", "unsupported"):
                        return f"it does not keep every value: {probe.name} is {finding.outcome} ({finding.detail})"
    return None


def too_deep(session: WorkerSession, case: Case, value: Any, said: str) -> str | None:
    """Say how deep a case goes, if it failed because the records of its data go deeper; None if it failed for another reason.

    `said` is the reason of the failure. It may hide the depth, as that of a union of which no member fits.
    """
    depth = _records_deep(value)
    if depth < SHALLOW:
        return None
    probing = _Probing(ProbedCase(case.library, case.variant, case.codec, session))
    chained, _ = probing.probed.case(LINKS.schema)

    def carries(depths: Sequence[int]) -> list[bool]:
        return probing.carries(chained, LINKS, [Probe(f"{depth} levels", make=("chain", depth)) for depth in depths])

    most = _greatest(carries, 0, depth + 1) if chained.reason is None else 0
    if 0 < most < depth:
        return f"deeper than {case.library.name} goes (about {most} levels)"
    return f"deeper than {case.library.name} goes (fewer than {depth} levels)" if "RecursionError" in said else None


def _records_deep(value: Any) -> int:
    """Return how many records of a neutral value stand in one another; iterative, because they may be many."""
    deepest, left = 0, [(value, 0)]
    while left:
        one, above = left.pop()
        deepest = max(deepest, above)
        if isinstance(one, dict):
            left += ((item, above + 1) for item in one.values() if isinstance(item, dict | list))
            deepest = max(deepest, above + 1)
        elif isinstance(one, list):
            left += ((item, above) for item in one if isinstance(item, dict | list))
    return deepest


@dataclass
class _Probing:
    probed: ProbedCase
    work_class: str | None = field(default=None, init=False)

    def behaviour(self, matrices: Iterable[str]) -> Behaviour:
        """All its matrices that are asked for."""
        probed, codec = self.probed, self.probed.codec
        library, environment = probed.library, probed.session.environment
        absent = render(library, probed.variant, codec, BASICS.schema, environment).absent
        wanted = set(matrices) if absent is None else set()
        values = (self.group(group) for group in GROUPS)
        fidelity = dict(chain.from_iterable(values)) if "fidelity" in wanted else {}
        strictness = dict(self._strictness()) if "strictness" in wanted else {}
        return Behaviour(
            library=library.name,
            variant=probed.variant,
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

    def group(self, group: Group) -> Iterator[tuple[str, Finding]]:
        """The finding of each value of one group."""
        case, declared = self.probed.case(group.schema)
        if case.reason is not None:
            yield from ((p.name, Finding("unsupported", case.reason)) for p in group.probes)
            return
        plain = [probe for probe in group.probes if not probe.rewritten]
        answers = dict(zip(plain, self._carried(case, group, plain), strict=True)) if plain else {}
        deepest = 0
        for probe in group.probes:
            answer = answers[probe] if probe in answers else self._rewritten(case, group, probe)
            finding = _kept(case, group, probe, answer, declared)
            if deepest and finding.outcome == "refused":
                finding, deepest = replace(finding, detail=self._levels(case, group, probe, deepest, finding)), 0
            elif probe.make and probe.make[0] == "nest":
                deepest = probe.make[1] if finding.outcome == "exact" else 0
            yield probe.name, finding

    def _levels(self, case: Case, group: Group, probe: Probe, fits: int, finding: Finding) -> str:
        """The sentence on a refused depth, with the greatest depth that is carried, or read if it is not written."""
        assert probe.make is not None

        def carries(depths: Sequence[int], nested: Callable[[int], bytes] | None = None) -> list[bool]:
            raws = [{case.codec.format: nested(depth)} if nested else {} for depth in depths]
            tried = [replace(probe, make=("nest", n), raw=raw) for n, raw in zip(depths, raws, strict=True)]
            return self.carries(case, group, tried)

        said = f"up to {_greatest(carries, fits, probe.make[1]):,}; {finding.detail}"
        nested = NESTED.get(case.codec.format)
        if nested is None or "decode" not in case.operations or "encode: " not in said:
            return said
        while fits < MOST_LEVELS and carries([2 * fits], nested)[0]:
            fits *= 2
        if fits >= MOST_LEVELS:
            return f"{said}; it reads {MOST_LEVELS:,} and more"
        return f"{said}; it reads up to {_greatest(lambda depths: carries(depths, nested), fits, 2 * fits):,}"

    def carries(self, case: Case, group: Group, probes: list[Probe]) -> list[bool]:
        """Whether the case carries each of these values, or at least writes it."""
        answers = self._carried(case, group, probes)
        return [not isinstance(answer, Fault) and answer["outcome"] in ("exact", "written") for answer in answers]

    def _carried(self, case: Case, group: Group, probes: list[Probe]) -> list[dict[str, Any] | Fault]:
        name = f"{group.name.replace(' ', '_')}_of_{case.module_name}"
        session = self.probed.session

        def carried(some: Sequence[Probe]) -> list[dict[str, Any]]:
            session.load(case, name)
            values = [[probe.value] for probe in group.probes]
            data = session.add_value(group.name, group.schema.as_data(), values)
            asked = [
                {"index": 0 if p.make else group.probes.index(p), "make": p.make}
                | {"subclass": p.subclass, "ordered": p.ordered}
                | ({"blob": p.raw[case.codec.format].hex()} if p.make and p.raw else {})
                for p in some
            ]
            outcomes: list[dict[str, Any]] = session.ask("carry", data=data, probes=asked)["outcomes"]
            return outcomes

        return each(probes, carried)

    def _rewritten(self, case: Case, group: Group, probe: Probe) -> dict[str, Any] | Fault:
        """Decode other bytes than were written."""
        session = self.probed.session
        format_ = formats()[case.codec.format]
        if "decode" not in case.operations:
            return Fault("unsupported", "it does not decode", fatal=False)
        if (probe.raw and case.codec.format not in probe.raw) or format_.write is None:
            return Fault("unsupported", "such bytes cannot be made", fatal=False)
        try:
            name, good = opened(session, case, group.name, group.schema, [probe.value])
            blob = probe.raw.get(case.codec.format)
            if blob is None:
                row = read(case, group.schema, good["blob"])[0]
                kept = {key: value for key, value in row.items() if key not in probe.without}
                blob = written(case, [{**kept, **probe.beside}])
            answer = answers_to(session, name, [{"blob": blob.hex(), "compare": True}])[0]
            session.ask("drop", case=name)
        except Fault as fault:
            return fault
        except Exception as error:  # whatever a reader raises
            return Fault("unsupported", f"its bytes cannot be read: {error}", fatal=False)
        if answer["outcome"] == "rejected":
            return {"outcome": "refused", "detail": f"decode: {answer['message']}"}
        text = answer["difference"]
        return {"outcome": "changed" if text else "exact", "detail": text}

    def _strictness(self) -> Iterator[tuple[str, Finding]]:
        """The finding of each wrong input, and of bytes that are too few or too many."""
        probed, session = self.probed, self.probed.session
        if "decode" not in render(probed.library, probed.variant, probed.codec, ROWS.schema).operations:
            return
        typed = formats()[probed.codec.format].typed
        holder = ""

        def feed(case: Case, trial: StrictnessTest, some: Sequence[WrongInput]) -> list[Finding]:
            nonlocal holder
            holder, answers = tried(session, case, trial, some)
            return [answers[wrong.name] for wrong in some]

        def cut(case: Case, some: Sequence[str]) -> list[Finding]:
            name, good = opened(session, case, ROWS.name, ROWS.schema, ROWS.good)
            if typed:
                self.work_class = f"{good['holder']}, typed"
            blobs = [CUTS[what](good["blob"]).hex() for what in some]
            answers = answers_to(session, name, [{"blob": blob, "compare": True} for blob in blobs])
            session.ask("drop", case=name)
            return [_cut_finding(answer) for answer in answers]

        for trial in WRONG if not typed else ():
            answers = each(trial.wrong, partial(feed, probed.case(trial.schema)[0], trial))
            findings = {wrong.name: _finding_of(answer) for wrong, answer in zip(trial.wrong, answers, strict=True)}
            yield from ((f"{trial.name}: {name}", finding) for name, finding in findings.items())
            if trial is BASICS and holder and not any(isinstance(answer, Fault) for answer in answers):
                self.work_class = checked(holder, findings)
        answers = each(list(CUTS), partial(cut, probed.case(ROWS.schema)[0]))
        yield from ((f"{ROWS.name}: {what}", _finding_of(answer)) for what, answer in zip(CUTS, answers, strict=True))


def _greatest(works: Callable[[Sequence[int]], Sequence[bool]], fits: int, fails: int) -> int:
    """The greatest size that works, between one that does and one that does not; eight sizes are tried at a time."""
    while fails - fits > 1:
        sizes = sorted({fits + (fails - fits) * part // 9 for part in range(1, 9)} - {fits}) or [fits + 1]
        found = dict(zip(sizes, works(sizes), strict=True))
        fits, fails = (
            max((size for size in sizes if found[size]), default=fits),
            min((size for size in sizes if not found[size]), default=fails),
        )
    return fits


def _cut_finding(answer: Mapping[str, Any]) -> Finding:
    if answer["outcome"] == "rejected":
        return Finding("rejected", answer["message"])
    text = answer["difference"]
    return Finding("let through", f"something else comes back: {text}" if text else "the same comes back")


def _finding_of(answer: Finding | Fault) -> Finding:
    if not isinstance(answer, Fault):
        return answer
    return Finding("unprobed" if answer.status in ("failed", "unsupported") else answer.status, answer.reason)


def _kept(case: Case, group: Group, probe: Probe, answer: Mapping[str, Any] | Fault, declared: str | None) -> Finding:
    """The finding of one probe; the bytes of a case that only writes are read by the format's independent reader."""
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
    outcome, text = _read_back(case, group, probe, blob)
    if outcome != "changed" or text is None or text.startswith(UNREAD):
        return "refused", said
    return "changed", f"{text}; {said}"


def _in_order(case: Case, group: Group, probe: Probe, blob: bytes) -> tuple[str, str | None]:
    try:
        parsed = read(case, group.schema, blob)
    except Exception:
        return "exact", None  # no reader that could tell
    keys = list(parsed[0])
    return ("exact", None) if keys == list(probe.value) else ("changed", f"the bytes have the keys {keys}")
