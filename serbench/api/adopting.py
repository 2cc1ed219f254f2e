"""The public function adopt: proves a module with the user's own files, then writes it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any, Unpack

from serbench.api import choices
from serbench.api.calling import plan_of, public
from serbench.api.showing import refuse_existing, write_new
from serbench.display.matrices import comments, proof_lines
from serbench.display.words import case_words
from serbench.errors import PlanError, SchemaError
from serbench.judge.leading import CaseKey
from serbench.judge.outcomes import DROPPED, KEPT, REFUSED, WorkClass
from serbench.measure.conduct import conduct
from serbench.measure.listener import Listener
from serbench.measure.plan import (
    LARGE_BYTES,
    Block,
    Plan,
    as_built,
    chosen_cases,
    datasets,
    maker,
    operations_of,
    rendered,
    without_rest,
)
from serbench.measure.probes.adoption import FILE_FORMATS, Returned, UserFile, reads, returned, unknown_key
from serbench.measure.session import RequestLimits, Watchdog, scratch_session
from serbench.model.data.dataset import Dataset
from serbench.model.data.files import FileBytes, file_bytes
from serbench.model.data.files import read as read_file
from serbench.model.inference.decided import shown
from serbench.model.json_schema.write import is_json_schema
from serbench.model.normalise import apply_schema
from serbench.model.records import List, Schema
from serbench.render.case import Case, lay_out, render
from serbench.render.codec import Codec
from serbench.render.library import Library, libraries
from serbench.render.selection import LibraryInstall, find_case
from serbench.results import Point, bracketed, grouped
from serbench.store.recorder import Recorder

_SECONDS = 600.0  # for a file of any size
_VERBS = {REFUSED: "refuses", KEPT: "keeps", DROPPED: "drops"}
_FLAGS = {REFUSED: "--forbid-unknown", KEPT: "--keep-unknown"}
_SIGNS = {  # a code of ruff → what in a source triggers it
    "RUF009": r"(?s)@dataclass.*= field\(",
    "RUF012": r"TYPE_MAPPING|__lima_args__",
    "UP006": r"\b(Dict|List|Set|Tuple)\[",
    "UP007": r"\bUnion\[",
    "UP035": r"(?m)^from typing import .*\b(Dict|List|Set|Tuple)\b",
    "UP045": r"\bOptional\[",
}


@dataclass(frozen=True)
class Adopted:
    """A module for your own project, and the outcome of its proof.

    Attributes:
        source: the module's text.
        said: lines on what came back from each file, and what differs, by path.
        refusals: a line for each file that the module refuses or whose data it loses.
    """

    source: str
    said: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The source: plain for logs, highlighted for notebooks."""
        return {"text/plain": self.source, "text/markdown": f"```python\n{self.source}```"}


@public
def adopt(
    library: choices.LibraryName,
    codec: choices.CodecName,
    workload: choices.OneWorkload = "client",
    *,
    model: choices.Model = None,
    check: choices.Check = (),
    lossy: choices.Lossy = False,
    forbid_unknown: choices.ForbidUnknown = False,
    keep_unknown: choices.KeepUnknown = False,
    to: choices.To = None,
    **options: Unpack[choices.OneDocument],
) -> Adopted:
    """Prove a module with your own file, and return it for your own project.

    The module decodes the file, or each line of a JSON Lines file, and writes it again, in its own process; serbench compares
    both. A file in another format, and generated data, are verified as `verify` does. The code is that of `show`; for JSON
    Lines it handles one line, and has `read_stream` and `write_stream` for the file. Comments at the top name differences in
    what it writes, the fate of unknown keys, and disabled checks of mypy and ruff. The module does not import serbench.

    Raises:
        PlanError, WorkloadError: an unknown case, one that refuses a file or loses data, or an existing file to write.
    """
    arguments = {**locals(), **options}
    refuse_existing(to)
    adopted = adoption(arguments)
    if adopted.refusals:
        more = len(adopted.refusals) - 1
        raise PlanError(adopted.refusals[0] + (f"; and {more} more" if more else ""))
    if to is not None:
        write_new(to, adopted.source)
    return adopted


def adoption(arguments: Mapping[str, Any]) -> Adopted:
    """Return the module for these arguments of `adopt`, with what its proof has shown, even if it should not be used."""
    wanted = _wanted(arguments)
    install, variant, codec = find_case(arguments["library"], arguments["codec"])
    plan = plan_of({**arguments, "conditions": "hot"})
    dataset, content = _read(plan)
    by_line = content is not None and content.lines and codec.format == content.format
    dataset, values = _documents(dataset, by_line=by_line)
    case = _case(install, _variant(install.library, variant, wanted), codec, dataset, by_line=by_line)
    user_file = UserFile(dataset.name, content, values) if content is not None and reads(case, content) else None
    losses = [] if user_file else _losses(plan, dataset, case)
    files = [
        *([user_file] if user_file else []),
        *(_checked(path, case, dataset.schema) for path in _paths(arguments.get("check") or ())),
    ]
    limits = RequestLimits(_SECONDS, plan.memory_limit_bytes)
    with Watchdog() as watchdog, scratch_session(case.environment, watchdog, limits) as session:
        proofs = [returned(session, case, dataset.schema, file) for file in files]
        unknown = unknown_key(session, case)
    head = [] if user_file else [f"{dataset.name}: verified as {codec.format}"]
    said = [*head, *(line for proof in proofs for line in proof_lines(proof, case))]
    said += [f"worth checking: {line}" for line in [*_dropped(case, unknown), *shown(dataset.doubts, "adopt")]]
    refusals = (
        [] if arguments.get("lossy") else [*losses, *(_loss(case, proof, dataset) for proof in proofs if proof.losses)]
    )
    refused = [proof for proof in proofs if proof.refusal]
    refusals += [f"{_named(case)} refuses {one.name}: {one.refusal}; {_cure(one, dataset)}" for one in refused]
    refusals += _not_wanted(case, unknown, wanted)
    changes = [change for proof in proofs for change in proof.changes]
    notes = comments(case, unknown, changes, dataset.name if by_line else "")
    return Adopted(suppressions(case) + notes + case.source, tuple(said), tuple(refusals))


def _wanted(arguments: Mapping[str, Any]) -> str:
    wanted = {"forbid_unknown": REFUSED, "keep_unknown": KEPT}
    return next((outcome for name, outcome in wanted.items() if arguments.get(name)), "")


def _variant(library: Library, variant: str, wanted: str) -> str:
    documented = library.unknown_keys.get(wanted, variant)
    if variant not in ("default", documented):
        raise PlanError(f"{_FLAGS[wanted]} means {library.name}[{documented}]; omit [{variant}]")
    return documented


class OwnFile:
    """The user's file, of whose values a run measures what serbench writes; here cases decode the bytes as they are.

    Raises:
        PlanError, WorkloadError: the file cannot be read any more.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = replace(plan, effort="normal", records=(), depth=())
        dataset, self.content = _read(self.plan)
        self.dataset, self._values = _documents(dataset, by_line=self.content is not None and self.content.lines)

    @property
    def format(self) -> str:
        """The format of the cases that read it; empty if none does."""
        return "" if self.content is None or self.content.format not in FILE_FORMATS else self.content.format

    @property
    def is_small(self) -> bool:
        """True if a quick run measures all of it."""
        return self.content is not None and len(self.content.content) <= LARGE_BYTES

    def returned(self, keys: Collection[CaseKey]) -> dict[CaseKey, Returned]:
        """The file's data after a round trip through each case. Cases that read another format or have no code are left out."""
        if self.content is None:
            return {}
        choices = {
            (c.library.name, c.variant, c.codec.name, c.codec.format): c for c in reversed(chosen_cases(self.plan))
        }
        environments = as_built({choice.recipe for choice in choices.values()})
        cases = rendered(self.plan, [choices[key] for key in keys if key in choices], self.dataset, environments)
        able = [case for case in cases if case.reason is None and case.absent is None and reads(case, self.content)]
        file = UserFile(self.dataset.name, self.content, self._values)
        limits = RequestLimits(self.plan.time_limit_s, self.plan.memory_limit_bytes)
        told: dict[CaseKey, Returned] = {}
        with Watchdog() as watchdog:
            for environment, some in grouped(able, lambda case: case.environment).items():
                with scratch_session(environment, watchdog, limits) as session:
                    for case in some:
                        key = (case.library.name, case.variant, case.codec.name, case.codec.format)
                        told[key] = returned(session, case, self.dataset.schema, file)
        return told


def _read(plan: Plan) -> tuple[Dataset, FileBytes | None]:
    """Return the first data of a plan, of the fields that are read, and the bytes of its payload if these are the same."""
    dataset = next(datasets(plan))
    dataset = dataset if dataset.written is None else without_rest(dataset)
    return dataset, _payload_content(plan, dataset)


def _documents(dataset: Dataset, *, by_line: bool) -> tuple[Dataset, list[Any]]:
    """Return the data with the schema of one document, of a line or the whole, and the value of each document."""
    values = dataset.value if by_line else [dataset.value]
    if by_line and isinstance(dataset.schema.root, List):
        dataset = replace(dataset, schema=Schema(dataset.schema.root.item, dataset.schema.records))
    return dataset, values


def _payload_content(plan: Plan, dataset: Dataset) -> FileBytes | None:
    """Return the bytes of the payload if the data set is what they say: not scaled, not made of a JSON Schema."""
    if plan.payload is None or plan.records or plan.depth or dataset.direction:
        return None
    content = file_bytes(Path(plan.payload), plan.sample)
    is_schema = b"json-schema.org" in content.content and is_json_schema(read_file(Path(plan.payload), plan.sample)[1])
    return None if is_schema else content


def _case(install: LibraryInstall, variant: str, codec: Codec, dataset: Dataset, *, by_line: bool) -> Case:
    """Render the case for its environment, which is made if it is missing.

    Raises:
        PlanError: the case does not exist.
    """
    library, recipe = install.library, install.recipe((codec,))
    environment = maker(Listener())({recipe})[recipe]
    beside = ("stream",) if by_line else ()
    [case] = lay_out([render(library, variant, codec, dataset.schema, environment, beside)])
    if case.reason is not None:
        raise PlanError(f"{_named(case)} cannot represent {dataset.name}: {case.reason}")
    if case.absent is not None:
        raise PlanError(f"{_named(case)} cannot be proven: {case.absent}")
    return case


def _named(case: Case) -> str:
    return case_words(
        f"{case.library.name}{bracketed(case.variant)}", case.library.name, case.codec.name, case.codec.format
    )


def _losses(plan: Plan, dataset: Dataset, case: Case) -> list[str]:
    """Verify the case as a run does, and return what it loses.

    Raises:
        PlanError: it changes the data in another way than its codec says.
    """
    operations = tuple(name for name in operations_of(plan, dataset) if name in case.operations)
    point = Point(dataset.name, dataset.records, dataset.depth, dataset.seed)
    recorder = Recorder()
    conduct(replace(plan, operations=operations), [Block(point, dataset, [case])], recorder, timed=False)
    cells = [cell for cell in recorder.known.values() if not cell.control]
    failed = next((cell for cell in cells if cell.status != "ok"), None)
    if failed is not None:
        raise PlanError(f"{_named(case)} changes this data: {failed.reason}")
    lost = dict.fromkeys(WorkClass.parse(cell.work_class).lossy for cell in cells)
    return [f"{_named(case)} loses data of {dataset.name}, {text}; --lossy writes it anyway" for text in lost if text]


def _loss(case: Case, one: Returned, dataset: Dataset) -> str:
    first, more = one.losses[0], len(one.losses) - 1
    rest = f" and {more} more" if more else ""
    return f"{_named(case)} loses data of {one.name}: {first}{rest}; {_cure(one, dataset)}, or write it anyway with --lossy"


def _cure(one: Returned, dataset: Dataset) -> str:
    """Return what to do: the models are of the payload, and only a schema of the user's own is of other files too."""
    return (
        "choose another library or codec" if one.name == dataset.name else "widen the schema, and pass it with --schema"
    )


def _paths(patterns: Sequence[choices.AnyPath]) -> Iterator[Path]:
    """Yield the files that are named, and those that a pattern means.

    Raises:
        PlanError: no file is of a pattern.
    """
    for pattern in (patterns,) if isinstance(patterns, str | os.PathLike) else patterns:
        text = os.fspath(pattern)
        matches = [text] if Path(text).exists() else sorted(glob(text, recursive=True))  # noqa: PTH207  # it may be absolute
        if not matches:
            raise PlanError(f"no file to check: {text}")
        yield from map(Path, matches)


def _checked(path: Path, case: Case, schema: Schema) -> UserFile:
    """Return a further file to prove.

    Raises:
        PlanError, WorkloadError: it cannot be read, or is of another format.
    """
    content = file_bytes(path)
    if not reads(case, content):
        raise PlanError(f"{path}: the module is of {case.codec.format}; check a file in that format")
    document = read_file(path)[1]
    try:
        many = Schema(List(schema.root), schema.records)
        values = apply_schema(document if content.lines else [document], many)[1]
    except SchemaError as error:
        if "decode" not in case.operations:
            raise PlanError(f"{path}: {error}") from None
        values = None
    return UserFile(str(path), content, values)


def _dropped(case: Case, unknown: str) -> list[str]:
    """Say in a line that unknown keys are dropped, if they are, and the options that do otherwise."""
    if unknown != DROPPED:
        return []
    able = [outcome for outcome in _FLAGS if outcome in case.library.unknown_keys]
    options = ", ".join(f"{_FLAGS[outcome]} {_VERBS[outcome]} it" for outcome in able)
    return [f"an unknown key is dropped{options and f'; {options}'}"]


def _not_wanted(case: Case, unknown: str, wanted: str) -> list[str]:
    """Say in a line if unknown keys do not become what is wanted."""
    if wanted in ("", unknown):
        return []
    if not unknown:
        return [f"{_named(case)}: what becomes of unknown keys cannot be tried; omit {_FLAGS[wanted]}"]
    able = ", ".join(library.name for library in libraries().values() if wanted in library.unknown_keys)
    what = f"{_named(case)} {_VERBS[unknown]} an unknown key"
    option = f"serbench knows no documented option of {case.library.name} that {_VERBS[wanted]} it"
    return [f"{what}; {option}; omit {_FLAGS[wanted]}, or choose one of {able}"]


def suppressions(case: Case) -> str:
    """Return comments that switch off the checks that the case's library and codec do not pass."""
    codes = sorted({*case.library.unchecked, *case.codec.limits.unchecked})
    typing = ", ".join(code for code in codes if code.islower())
    style = ", ".join(code for code in codes if code in _SIGNS and re.search(_SIGNS[code], case.source))
    comments = [f'# mypy: disable-error-code="{typing}"\n'] if typing else []
    comments += [f"# ruff: noqa: {style}\n"] if style else []
    return "".join(comments)
