"""The public verbs for what cases really do: every probe with every case, and what is remembered of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import blake2s
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from serbench import analysis
from serbench.analysis.style import ThemeName
from serbench.engine.corpus import readings
from serbench.engine.lane import Limits
from serbench.engine.listener import Progress
from serbench.engine.probing import behaviours
from serbench.engine.results import Behaviour, Finding, Reading
from serbench.engine.selection import Choice, selection
from serbench.environment_verbs import maker
from serbench.formats import formats as known_formats
from serbench.probes import groups
from serbench.probes.wrong import WRONG
from serbench.recorder import case_key
from serbench.result import Findings
from serbench.store import Store, StoreError, default_path
from serbench.verbs import Names, names_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

EVERY_FORMAT = "every format"


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

    def to_markdown(self, command: str = "serbench.probe") -> str:
        """What each codec and library keeps and refuses, as tables."""
        return analysis.matrices_markdown(self.cases, command)

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
    `matrices` may also have "limits": how deep, long, large and wide a value is carried within the limits. The store remembers what is found; it is done without where none is named and the usual one cannot be written.

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

    found = behaviours(choices, environments, Limits(time_limit, memory_limit), heard, tuple(matrices))
    if set(matrices) == {"fidelity", "strictness"}:
        _remember(
            store, [(_key(choice, environments[choice.recipe]), b) for choice, b in zip(choices, found, strict=True)]
        )
    return Matrices(tuple(found))


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
    """What the store remembers of the present probes, in the order of libraries and codecs."""
    path = default_path() if store is None else store
    if not Path(path).exists():
        return Matrices(())
    with Store(path, read_only=True) as opened:
        known = opened.facts(_prefix()).values()
    found = [_from_data(data) for data in known]
    return Matrices(tuple(sorted(found, key=lambda b: (b.library, b.variant, b.environment, b.format, b.codec))))


@cache
def _prefix() -> str:
    """What the keys begin with: other probes are another matter."""
    said = repr([(g.name, g.fields, g.probes) for g in groups()] + [(t.name, t.wrong) for t in WRONG])
    return f"behaviour {blake2s(said.encode('utf-8', 'backslashreplace'), digest_size=6).hexdigest()}"


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
    matrices = {
        name: {probe: Finding(**finding) for probe, finding in data[name].items()}
        for name in ("fidelity", "strictness")
    }
    return Behaviour(**{**data, **matrices})
