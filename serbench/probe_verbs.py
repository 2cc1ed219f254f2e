"""The public verbs for what cases really do: every probe with every case, and what is remembered of that."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import blake2s
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from serbench import analysis, probes
from serbench.analysis.display import machine_line
from serbench.analysis.style import ThemeName
from serbench.archive import resources
from serbench.engine.corpus import readings
from serbench.engine.lane import Limits
from serbench.engine.listener import Progress
from serbench.engine.probing import behaviours
from serbench.engine.results import Behaviour, Finding, Reading
from serbench.engine.selection import Choice, selection
from serbench.environment_verbs import maker
from serbench.environments import Environment
from serbench.environments.fingerprint import machine
from serbench.files import schema, write_files
from serbench.formats import formats as known_formats
from serbench.names import PlanError
from serbench.probes import groups
from serbench.probes.wrong import CUTS, ROWS, WRONG
from serbench.recorder import case_key
from serbench.result import Findings
from serbench.store import Store, StoreError, default_path
from serbench.verbs import Names, names_of

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import pyarrow as pa

    from serbench.files import Content

PROBES = Path(probes.__file__).parent
EVERY_FORMAT = "every format"
PUBLISHED = "fidelity"
PACKED = "matrices.json.gz"
COMMAND = "serbench verify --all && serbench report fidelity"
"""How everything that is published is found out anew."""


@dataclass(frozen=True)
class Matrices(Sequence[Behaviour]):
    """What cases do with every probe: a sequence of them that displays itself."""

    cases: tuple[Behaviour, ...]

    @overload
    def __getitem__(self, index: int) -> Behaviour: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Behaviour]: ...

    def __getitem__(self, index: int | slice) -> Behaviour | Sequence[Behaviour]:
        return self.cases[index]

    def __len__(self) -> int:
        return len(self.cases)

    def figure(self, matrix: analysis.Matrix = "fidelity", *, theme: ThemeName = "light") -> go.Figure:
        """The matrix as a heat map of Plotly, "fidelity" or "strictness", with each outcome on hover."""
        import plotly.graph_objects as go

        return go.Figure(analysis.matrix_figure(self.cases, matrix, theme=theme))

    def findings(self) -> Findings:
        """What is changed, lost and let through, in sentences."""
        return Findings(analysis.matrix_sentences(self.cases))

    def to_data(self) -> list[dict[str, Any]]:
        """The cases as JSON data."""
        return analysis.behaviours_data(self.cases)

    def to_markdown(self, command: str = COMMAND) -> str:
        """What each codec and library keeps and refuses, as tables."""
        return analysis.matrices_markdown(self.cases, command)

    @property
    def date(self) -> str:
        """When the newest of the cases was probed, as ISO 8601 in UTC."""
        return max((one.date for one in self.cases), default="")

    @property
    def versions(self) -> dict[str, str]:
        """What was probed in serbench's own installation, by distribution."""
        own = sorted((one for one in self.cases if one.environment == "main"), key=lambda one: one.date)
        found = {name: version for one in own for name, version in one.versions.items()}
        return dict(sorted(found.items()))

    def updated(self, newer: Iterable[Behaviour]) -> Matrices:
        """The same cases with the newer ones in the places of theirs, and those that are new."""
        found = {one.case: one for one in (*self.cases, *newer)}
        return Matrices(tuple(found[case] for case in sorted(found)))

    def write(self, folder: str | Path) -> list[Path]:
        """Write the cases and, where pyarrow is installed, their tables, into a folder: all of the files, or none.

        Raises:
            PlanError: the folder cannot be written.
        """
        text = analysis.packed_text(self.cases)
        contents: dict[str, Content] = {PACKED: gzip.compress(text.encode(), mtime=0)}
        kept = Matrices(tuple(analysis.unpacked(json.loads(text))))  # in the order in which they will be read
        contents |= kept.tables()
        if find_spec("pyarrow"):
            contents["results.parquet"] = kept.parquet()
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            return write_files(Path(folder), contents)
        except OSError as error:
            raise PlanError(f"{folder} cannot be written: {error.strerror or error}; name another folder") from None

    def tables(self) -> dict[str, str]:
        """What `write` writes as text beside the cases themselves, by the file's name."""
        return {"results.md": self.to_markdown()}

    def parquet(self) -> pa.Table:
        """A line for each case and probe, as a table of Arrow."""
        import pyarrow as pa

        shape = schema(Behaviour, Finding, about={"command": COMMAND, "versions": json.dumps(self.versions)})
        rows = analysis.finding_rows(self.cases)
        kinds = (
            {name: shape.field(name).type if name in shape.names else pa.string() for name in rows[0]} if rows else {}
        )
        return pa.Table.from_pylist(rows, pa.schema(list(kinds.items()), metadata=shape.metadata))

    def __str__(self) -> str:
        return str(self.findings())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The findings: plain for logs, Markdown for notebooks."""
        return self.findings()._repr_mimebundle_()


def probe(
    libraries: Names = None,
    formats: Names = None,
    *,
    python: Names = None,
    store: str | Path | None = None,
    time_limit: float = 5.0,
    memory_limit: int = 4 << 30,
    matrices: Iterable[str] = ("fidelity", "strictness"),
    on_progress: Callable[[Progress], None] | None = None,
) -> Matrices:
    """What each case does with every probe: which values it keeps, and which wrong inputs it refuses.

    `libraries`, `formats` and `python` are as in `run`; "every format" means every codec as it is first documented.
    `matrices` may also have "limits": how deep, long, large and wide a value is carried within the limits. The store
    remembers what is found; it is done without where none is named and the usual one cannot be written.

    Returns:
        For each case the outcome of every probe; a codec that crashes, hangs or eats memory has that for an outcome.

    Raises:
        PlanError: an unknown library, format or codec.
    """
    choices = selection(
        names_of(libraries), tuple(known_formats()) if formats == EVERY_FORMAT else names_of(formats), names_of(python)
    )
    choices += [pitfall for choice in choices for pitfall in _pitfalls(choice)]
    environments = maker(on_progress)({choice.recipe for choice in choices})

    def heard(library: str, done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(Progress(f"probing {library}", 0, done, total))

    bare = behaviours(choices, environments, Limits(time_limit, memory_limit), heard, tuple(matrices))
    date, here = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), machine_line(machine())
    found = [
        replace(one, date=date, machine=here, versions=_versions(choice, environments[choice.recipe]))
        for choice, one in zip(choices, bare, strict=True)
    ]
    if set(matrices) == {"fidelity", "strictness"}:
        _remember(
            store, [(_key(choice, environments[choice.recipe]), b) for choice, b in zip(choices, found, strict=True)]
        )
    return Matrices(tuple(found))


def _versions(choice: Choice, environment: Environment) -> dict[str, str]:
    """Of the library and the codec; Python's stands with the machine."""
    codec = choice.codec.distribution
    found = environment.versions({*choice.library.distributions, *([codec] if codec else [])})
    return {name: version for name, version in found.items() if name != "python"}


def _pitfalls(choice: Choice) -> list[Choice]:
    """The ways of using a library that lose data, each tried with the first codec of JSON."""
    usual = choice.variant == "default" and (choice.codec.name, choice.codec.format) == ("json", "json")
    return [choice._replace(variant=name) for name in choice.library.pitfalls] if usual else []


def conform(folder: str | Path, *, time_limit: float = 5.0, memory_limit: int = 4 << 30) -> list[Reading]:
    """What every JSON codec makes of each file of a folder that is named y_, n_ or i_: right, wrong or left open.

    Raises:
        PlanError: there is no such folder, or no such file in it.
    """
    return readings(Path(folder), Limits(time_limit, memory_limit))


def probed(store: str | Path | None = None) -> Matrices:
    """What is known of the probes: what the store remembers, and of all other cases what is published with serbench."""
    path = default_path() if store is None else store
    known: Mapping[str, Any] = {}
    if Path(path).exists():
        with Store(path, read_only=True) as opened:
            known = opened.facts(_prefix())
    found = sorted((_from_data(data) for data in known.values()), key=lambda one: one.date)
    return published_matrices().updated(found)


def published_matrices(data: str | Path | None = None) -> Matrices:
    """The matrices that a folder of results has; serbench's own without one, and none where it has none.

    Raises:
        PlanError: the file is damaged.
    """
    path = Path(resources("data") if data is None else data, PUBLISHED, PACKED)
    if not path.exists():
        return Matrices(())
    try:
        return Matrices(tuple(analysis.unpacked(json.loads(gzip.decompress(path.read_bytes())))))
    except (OSError, EOFError, zlib.error, ValueError, KeyError, IndexError, TypeError) as error:
        raise PlanError(f"{path} holds no matrices that can be read ({error}); `{COMMAND}` writes them") from None


@cache
def _prefix() -> str:
    """What the keys begin with: other probes are another matter, and what they are stands in their source.

    The probes as Python says them will not do: the order of a set is another in each process.
    """
    said = b"".join(path.read_bytes() for path in sorted(PROBES.glob("*.py")))
    return f"behaviour {blake2s(said, digest_size=6).hexdigest()}"


def _key(choice: Choice, environment: Any) -> str:
    return f"{_prefix()}: {case_key(choice.library, choice.variant, choice.codec, environment)}"


def _remember(store: str | Path | None, found: list[tuple[str, Behaviour]]) -> None:
    try:
        opened = Store(store)
    except StoreError:
        if store is not None:
            raise
        return
    with opened:
        opened.put_facts({key: asdict(behaviour) for key, behaviour in found if behaviour.reason is None})


def _from_data(data: dict[str, Any]) -> Behaviour:
    """A remembered case, its probes again in the order in which they are tried: the store sorts them by name."""
    matrices = {
        name: {probe: Finding(**data[name][probe]) for probe in sorted(data[name], key=lambda p: _places().get(p, 0))}
        for name in ("fidelity", "strictness")
    }
    return Behaviour(**{**data, **matrices})


@cache
def _places() -> dict[str, int]:
    """Where each probe stands among all of its matrix; cut and lengthened bytes come last."""
    kept = [probe.name for group in groups() for probe in group.probes]
    refused = [f"{trial.name}: {wrong.name}" for trial in WRONG for wrong in trial.wrong]
    return {
        name: place
        for names in (kept, [*refused, *(f"{ROWS.name}: {name}" for name in CUTS)])
        for place, name in enumerate(names)
    }
