"""The public functions that judge: history, gate and recommend, with the demands and the present choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from serbench.api import choices
from serbench.api.adopting import OwnFile
from serbench.api.calling import one_model, plan_of, public, several
from serbench.api.running import load, run
from serbench.api.showing import worth_checking
from serbench.api.verifying import probed
from serbench.display.closing import Closing, advice_closing, advice_data, advice_lines, advised, extent
from serbench.display.comparison import Gate
from serbench.display.style import ThemeName
from serbench.display.table import Tables
from serbench.display.values import Displayed
from serbench.display.words import again, point_words
from serbench.errors import Interrupted, PlanError, WorkloadError, check
from serbench.judge.compare import gate_checks
from serbench.judge.leading import Advice, CaseKey, CaseRows, advise, key, validates
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import Row
from serbench.measure.listener import Forwarder
from serbench.measure.plan import EFFORTS, Plan, maker, select_cases
from serbench.measure.probes.adoption import Returned
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import DECIMAL
from serbench.render.case import CODEC, render
from serbench.render.codec import Codec, codecs, formats
from serbench.render.environments import main_environment, required
from serbench.render.library import Library
from serbench.render.library import libraries as known_libraries
from serbench.render.selection import ChosenCase, chosen_codecs, codec_of, find_case, libraries_of, parse_gate_side
from serbench.render.user_class.find import load_model
from serbench.render.user_class.library import BASES, base_of, library_name
from serbench.results import YOURS, without_via
from serbench.store.opening import store_option
from serbench.store.recorder import RunListener
from serbench.store.run import Findings, History, Run

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


def check_present(text: str | None, *, user_class: bool) -> None:
    """Raise PlanError if it names no case that there is, or the user's class and there may be none."""
    if text is not None and not _is_user_class(text):
        _case(text)
    elif text is not None and not user_class:
        raise PlanError(f"{text} means your own class; name it with --model")


def present_case(text: str, rows: Sequence[Row]) -> CaseKey:
    """Find the case that `present` of `recommend` names; that of the user's class among the rows.

    Raises:
        PlanError: an unknown name, or there are no rows of the user's class.
    """
    return _user_case(text, rows) if _is_user_class(text) else _case(text)


def case_of_today(present: str | None, rows: Sequence[Row], *, has_class: bool) -> CaseKey | None:
    """Return the case that is used today: as named, else the user's class if there is one among the rows.

    Raises:
        PlanError: as `present_case`.
    """
    if present is not None:
        return present_case(present, rows)
    with suppress(PlanError):  # a class that is not measured, or of a library that is not known here
        return present_case(YOURS, rows) if has_class else None
    return None


def _is_user_class(present: str) -> bool:
    return present.partition("/")[0].partition(" ")[0] == YOURS


def _case(text: str) -> CaseKey:
    library, _, served = text.partition("/")
    chosen, variant, codec = find_case(library, served or "json")
    return (chosen.library.name, variant, codec.name, codec.format)


def _user_case(text: str, rows: Sequence[Row]) -> CaseKey:
    named = text.partition("/")[0]
    plain = rf"{YOURS} \(\w+\)" if named == YOURS else re.escape(named)
    row = next((row for row in rows if re.fullmatch(plain, row.library)), None)
    if row is None:
        raise PlanError("no class is given; pass one with --model, or name a library")
    library = library_of(row.library)
    if library is None:
        raise PlanError(f"{row.library} is a class of an unknown library; name a library")
    _, _, codec, format_ = _case(f"{library.name}/{text.partition('/')[2]}".rstrip("/"))
    return (row.library, row.variant, codec, format_)


def library_of(name: str) -> Library | None:
    """Return the library of that name, for a class of the user's that it is written with; None if there is none."""
    kind, name = re.fullmatch(rf"{YOURS} \((\w+).*\)", name), without_via(name)
    return known_libraries().get(BASES.get(kind[1], "") if kind else name)


def user_and_plain(run: Run, today: CaseKey | None) -> tuple[tuple[CaseKey, CaseKey] | None, tuple[str, ...]]:
    """Return the user's class and its library's plain models with one codec, and what the class has beyond its fields.

    The codec is that of the present case if this is the class. None and () if the run has no class, or one that has
    only fields.
    """
    located = run.info.plan.get("model")
    if located is None:
        return None, ()
    try:
        notes = load_model(located).parsed.notes
        features = tuple(note for note in notes if not note.endswith("(not measured)"))
        user = today if today and _is_user_class(today[0]) else _user_case(YOURS, run.rows)
    except PlanError:  # the class is not there any more, or was not measured
        return None, ()
    library = library_of(user[0])
    return ((user, (library.name, "default", *user[2:])), features) if features and library else (None, ())


_PRICE = Schema(List(Ref("Item")), (Record("Item", (Field("price", DECIMAL),)),))
_COMPILED = (".so", ".pyd", ".dylib")


def refusal(demands: Sequence[str], row: Row) -> str | None:
    """The reason why a case does not meet these demands, from its decode row; None if it meets all."""
    if row.codec == CODEC:
        return _refuse_functions(row, demands)
    served = next((codec for codec in codecs() if (codec.name, codec.format) == (row.codec, row.format)), None)
    library = library_of(row.library)
    if served is None or library is None:  # of a plug-in, or of another version of serbench
        return "it is not known here" if demands else None
    return next(filter(None, (DEMANDS[demand](row, library, served) for demand in demands)), None)


def _refuse_functions(row: Row, demands: Sequence[str]) -> str | None:
    """The reason against functions of the user's, of which nothing is known but what was measured."""
    if unknown := [demand for demand in demands if demand != "validating"]:
        return f"{unknown[0]} is unknown for your own functions"
    return None if "validating" not in demands or validates(row) else "wrong input passes unchecked"


def _human_readable(row: Row, _library: Library, codec: Codec) -> str | None:
    return None if formats()[codec.format].text else f"{row.format} is not human-readable"


def _validating(row: Row, _library: Library, codec: Codec) -> str | None:
    if formats()[codec.format].write is None:
        return f"{row.format} runs code that comes with the data"
    return None if validates(row) else "wrong input passes unchecked"


def _no_compiled_code(_row: Row, library: Library, codec: Codec) -> str | None:
    names = filter(None, (*library.distributions, codec.distribution))
    return "compiled code" if any(_compiled(name) for name in names) else None


def _standard_library(_row: Row, library: Library, codec: Codec) -> str | None:
    return "not in the standard library" if library.distributions or codec.distribution else None


def _exact_decimal(row: Row, library: Library, codec: Codec) -> str | None:
    return None if render(library, row.variant, codec, _PRICE).reason is None else "no exact Decimal"


DEMANDS: dict[str, Callable[[Row, Library, Codec], str | None]] = {
    "human-readable": _human_readable,
    "validating": _validating,
    "no-compiled-code": _no_compiled_code,
    "standard-library": _standard_library,
    "exact-decimal": _exact_decimal,
}
"""Each demand, with a function that says why a case does not meet it, from its decode row, library and codec."""


@cache
def _compiled(name: str) -> bool:
    """Tell if an installed distribution, or one that it requires, has compiled files."""
    found: dict[str, metadata.Distribution] = {}

    def requires(name: str) -> list[str] | None:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.distribution(name)
            return found[name].requires or []
        return None

    needed = required([name], requires, main_environment())
    return any(file.suffix in _COMPILED for name in needed for file in found[name].files or ())


@public
def history(
    library: choices.VersionedLibrary,
    versions: choices.Versions = None,
    workload: choices.Names = "client",
    *,
    paired: bool = False,
    effort: str = "normal",
    **options: Unpack[choices.Measurement],
) -> History:
    """Measure several versions of one library side by side.

    A library may be named by its distribution, and may be a codec. With `model`, your class is imported in each version of
    its library; a version in which it fails has the reason.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    model = one_model(options["model"], "history")
    codec = codec_of(library)
    if codec is None:
        names = tuple(one.name for one in libraries_of(library))
        texts = [f"{library}@{one}" for one in several(versions) or ("*",)]
        texts = [
            library if text.endswith("@installed") and model is None else _with_class(text, model) for text in texts
        ]
        texts = [YOURS if text == f"{YOURS}@installed" else text for text in texts]
    elif not (wanted := several(versions)):
        raise PlanError(f"name versions of the codec {library}, such as `serbench history {library} 3.10.0 installed`")
    else:
        models = "dataclasses" if model is None else YOURS
        names = (models,)
        texts = [models if one == "installed" else f"{models}+{codec}=={one}" for one in wanted]
        options["formats"] = options["formats"] or (library,)
    if model is not None:
        names = (library_name(model),)
    check("effort", effort, EFFORTS)
    if options["precision"] is None:
        options["precision"] = EFFORTS[effort].precision  # of each version, not of the fastest alone
    measured = run(workload, libraries=texts, paired=paired, effort=effort, **options)
    return History(measured, names, codec or "")


LARGEST_THRESHOLD = 2.0
"""A larger one is a percentage that was given as a fraction: 5 for 5%."""


@public
def gate(
    baseline: choices.Baseline,
    candidate: choices.Candidate,
    workload: choices.Names = "client",
    *,
    library: choices.ModelLibrary = "dataclasses",
    threshold: choices.Threshold = 0.05,
    effort: str = "normal",
    **options: Unpack[choices.Measurement],
) -> Gate:
    """Decide whether a candidate is slower than its baseline, by measuring both side by side.

    Raises:
        Interrupted: Ctrl-C or `cancel` ended the run; a part of a run gives no verdict.
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    from serbench.store.progress import Watcher  # imports Rich

    check("library", library, known_libraries())
    if not 0 < threshold <= LARGEST_THRESHOLD:
        raise PlanError(
            f"threshold must be above 0 and at most {LARGEST_THRESHOLD:.0%}, not {threshold:.4%}; 5% is usual"
        )
    model = one_model(options["model"], "gate")
    named = [parse_gate_side(name, library if model is None else YOURS) for name in (baseline, candidate)]
    sides = [_with_class(text, model) if "@" in text else text for text in named]
    codecs = {text.partition("+")[2].partition("==")[0] for text in sides} - {""}
    served = several(options["formats"]) or tuple(codecs)
    pythons = several(options["python"])
    chosen = [select_cases([side], served, pythons, model) for side in sides]
    meant = [_side(*side) for side in zip(sides, chosen, strict=True)]
    if meant[0] & meant[1]:
        raise PlanError(f"{baseline} and {candidate} are the same here; name two versions")
    options["formats"] = served
    asked: dict[str, Any] = {"workload": workload, "libraries": sides, "paired": True, "effort": effort, **options}
    plan_of(asked)  # which refuses what cannot be, before the index is asked for versions
    with Watcher(options["listener"], quiet=not options["progress"]) as watcher:  # before the other side is measured
        made = maker(watcher)({case.recipe for side in chosen for case in side})
    for name, side in zip((baseline, candidate), chosen, strict=True):
        _check_measurable(name, [made[case.recipe].reason for case in side])
    measured = run(**asked)
    measured.check_kept()
    if measured.info.status == "interrupted" and not measured.info.used_up:
        raise Interrupted(
            f"interrupted before there was a verdict; run {measured.id} is kept, and "
            f"--resume{store_option(measured.path)} continues it"
        )
    first, second = (
        [c for c in measured.cells if not c.control and (c.library, c.variant, c.environment) in side] for side in meant
    )
    for name, cells in ((baseline, first), (candidate, second)):
        absent = ("unsupported", "unavailable")
        _check_measurable(name, [cell.reason if cell.status in absent else None for cell in cells])
    ids = [[cell.id for cell in side] for side in (first, second)]
    checks = gate_checks(measured.cells, measured.samples, ids[0], ids[1], threshold, measured.least)
    if all(check.verdict == "missing" for check in checks):
        raise PlanError(
            f"{baseline} and {candidate} have no library + format in common; name a --format that both have"
        )
    return Gate(baseline, candidate, threshold, checks, measured.least, measured.id, store_option(measured.path))


def _check_measurable(name: str, reasons: Sequence[str | None]) -> None:
    """Raise PlanError if each part of a side has a reason why it cannot be measured."""
    if all(reasons):
        raise PlanError(f"{name} cannot be measured here: {next(iter(reasons), 'nothing measured has it')}")


def _side(text: str, chosen: Iterable[ChosenCase]) -> set[tuple[str, str, str]]:
    """Identify the cases that a side means; a selection has the user's class too if it names a library alone."""
    keys = {(choice.library.name, choice.variant, choice.recipe.name) for choice in chosen}
    return {key for key in keys if key[0].startswith(YOURS) == text.startswith(YOURS)}


def _with_class(text: str, model: str | None) -> str:
    """A library in a version, such as "pydantic@2.10.6"; with a class of the user's, this class in that version.

    Raises:
        PlanError: it is not the library of the class.
    """
    name, _, version = text.partition("@")
    if model is None or name == YOURS:
        return text
    base = base_of(model)
    if base not in [one.name for one in libraries_of(name)]:
        shown = model.rpartition(":")[2]
        raise PlanError(
            f"{shown} is a class of {base}, so another version of {name} measures another class; name versions of {base}, "
            f"or compare {name} with `serbench run --model`"
        )
    return f"{YOURS}@{version}"


@dataclass(frozen=True, repr=False)
class Recommendation(Displayed):
    """Advice for each workload point, the run that it rests on, and the outcomes of probes for what a change would lose.

    It displays the advice; its rows are those of the run.

    `features` names what the user's class has beyond its fields, `doubts` what of the payload's schema is worth checking,
    and `met` what comes back of the file as it is, with those cases that were tried.
    """

    run: Run
    advice: tuple[Advice, ...]
    probes: tuple[Behaviour, ...] = ()
    features: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    met: Mapping[CaseKey, Returned] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self._said}\n{self._origin}"

    __repr__ = __str__

    @property
    def _said(self) -> Findings:
        """The advice for each workload point, and what is worth checking."""
        lines = {point_words(one.point): self._lines(one) for one in self.advice}
        return Findings(lines | ({"worth checking": self.doubts} if self.doubts else {}))

    @property
    def _origin(self) -> str:
        accuracy = self.run.control.get("aa_error")
        known = f", in which identical code differed by {accuracy:.1%}" if isinstance(accuracy, float) else ""
        return f"from run {self.run.id}{known}"

    def evidence(self) -> Tables:
        """The advice as lines without tables, and the run that it rests on."""
        return Tables([], notes=[*str(self._said).splitlines(), self._origin])

    def closing(self) -> Closing:
        """The last lines in a terminal: what to use for the largest data, and what it brings and costs."""
        if not self.advice:
            return Closing()
        largest = _largest(self.advice)
        info = self.run.info
        again_text = again(info.command, str(info.plan.get("effort", "")), store_option(self.run.path))
        return advice_closing(largest, self.probes, info.plan, again_text, self.met)

    @property
    def code(self) -> str:
        """The measured module of the case to use for the largest data; empty if there is none."""
        able = [one for one in self.advice if one.qualified]
        if not able:
            return ""
        row = advised(_largest(able)).decode
        return self.run.sources.get(row.source_sha256 or "", "")

    def to_markdown(self) -> str:
        """The advice for each workload point as a list."""
        return self._said.to_markdown() + "\n"

    def table(self) -> Tables:
        """The advice as lines below the tables of the run."""
        tables = self.run.table()
        return replace(tables, notes=[line for one in self.advice for line in self._lines(one)])

    def to_pandas(self) -> pd.DataFrame:
        """The rows of the run as a data frame."""
        return self.run.to_pandas()

    def figure(self, operation: str = "decode", *, theme: ThemeName = "light") -> go.Figure:
        """Time against size of the run's cases, with those named that none beats."""
        return self.run.tradeoff(operation, theme=theme)

    def _lines(self, advice: Advice) -> list[str]:
        return advice_lines(advice, self.probes, self.features, self.met)

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench recommend --json` prints."""
        said = [advice_data(one, self.probes, self.features, self.met) for one in self.advice]
        return {"run": self.run.id, "advice": said, "worth_checking": list(self.doubts)}


def _largest(advice: Iterable[Advice]) -> Advice:
    return max(advice, key=lambda one: extent(one.point))


@public
def recommend(
    workload: choices.Names = "client",
    *,
    libraries: choices.Libraries = None,
    paired: bool = False,
    effort: str = "quick",
    demands: choices.Demands = (),
    present: choices.Present = None,
    measured: choices.Measured = None,
    **options: Unpack[choices.Measurement],
) -> Recommendation:
    """Recommend a case for data, with the evidence.

    With `measured`, nothing is measured, and arguments about measuring do not apply.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    wanted = several(demands)
    for demand in wanted:
        check("demand", demand, DEMANDS)
    check_present(present, user_class=options["model"] is not None or measured is not None)  # told before measuring
    if measured is None:
        if present is not None and not _is_user_class(present):
            library, variant, codec, format_ = _case(present)
            options["listener"] = Awaiting(options["listener"] or RunListener(), library)
            if libraries is None and not (known_libraries()[library].core and variant == "default"):
                core = (name for name, one in known_libraries().items() if one.core)
                libraries = [*core, f"{library}[{variant}]" if variant != "default" else library]
            usual = [f"{one.name}/{one.format}" for one in chosen_codecs(())]
            if options["formats"] is None and f"{codec}/{format_}" not in usual:
                options["formats"] = [*usual, f"{codec}/{format_}"]
        done = run(workload, libraries=libraries, paired=paired, effort=effort, **options)
    else:
        done = measured if isinstance(measured, Run) else load(measured, store=options["store"])
    today = case_of_today(present, done.rows, has_class=options["model"] is not None)
    pair, features = user_and_plain(done, today) if done.ours else (None, ())
    least = done.least
    advising = partial(advise, done.rows, present=today, pair=pair, least=least)
    advice, met = _with_own_file(advising, partial(refusal, wanted), own_file(done) if done.ours else None)
    doubts = (
        ()
        if options["payload"] is None or measured is not None
        else worth_checking(plan_of({"workload": workload, **options}))
    )
    return Recommendation(
        done, tuple(advice), tuple(probed(done.path or options["store"])) if today else (), features, doubts, met
    )


class Awaiting(Forwarder, RunListener):
    """Has the library that is used today measured among the first."""

    def __init__(self, listener: RunListener, library: str) -> None:
        super().__init__(listener)
        self._library = library

    def is_awaited(self, library: str) -> bool:
        """Whether it is that library."""
        return library == self._library


def own_file(run: Run) -> OwnFile | None:
    """The file that a run measured, as it is; None if it has none, or the file is not there any more."""
    plan = Plan.from_data(run.info.plan)
    if plan.payload is None or not Path(plan.payload).is_file():
        return None
    try:
        return OwnFile(plan)
    except (PlanError, WorkloadError):  # it is another file by now
        return None


def _with_own_file(
    advising: Callable[..., list[Advice]], refuse: Callable[[Row], str | None], file: OwnFile | None
) -> tuple[list[Advice], dict[CaseKey, Returned]]:
    """The advice of cases that take the user's file as it is, and what comes back of it with those that were tried.

    Tried are the cases of the file's format that are named, until none of these refuses it, and the fastest of each library
    that is named, of a small file of all libraries: who takes one in another format still reads this file.
    """
    met: dict[CaseKey, Returned] = {}

    def refused(row: Row) -> str | None:
        one = met.get(key(row))
        return refuse(row) or (f"{one.name} as it is, is refused" if one and one.refusal else None)

    tried: set[CaseKey] = set()
    advice = advising(refuse=refused)
    while file is not None:
        able = [one for each in advice for one in _to_try(each, file.format, every=file.is_small)]
        todo = {key(one.decode) for one in able} - tried
        if not todo:
            break
        met |= file.returned([case for one in able if (case := key(one.decode)) in todo])
        tried |= todo
        advice = advising(refuse=refused)
    return advice, met


def _to_try(advice: Advice, format_: str, *, every: bool) -> list[CaseRows]:
    """The cases of a format that advice names, and the fastest of each named library, or of all."""
    named = [*advice.validating, *advice.fastest, *advice.smallest, *advice.front]
    named += [one.other for one in advice.against]
    libraries = {one.decode.library for one in named}
    able = [one for one in advice.qualified if one.decode.format == format_]
    firsts = {one.decode.library: one for one in reversed(able) if every or one.decode.library in libraries}
    return [*(one for one in named if one.decode.format == format_), *firsts.values()]
