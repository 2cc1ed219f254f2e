"""Functions and expressions compared with each other, as a value: times with intervals, ranks with ties, and a conclusion."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from serbench.display import style, words
from serbench.display.drawn import drawn
from serbench.display.style import ThemeName
from serbench.display.table import Column, Side, Table, Tables
from serbench.display.values import Displayed
from serbench.errors import PlanError
from serbench.judge.relation import relation
from serbench.judge.rows import Row
from serbench.judge.rows import rows as rows_of
from serbench.measure.carried import CannotTravel, source_of
from serbench.measure.comparing import Compared, Expression, InFile, Outcome, Terms, compare_code, compiled
from serbench.measure.conditions import Conditions
from serbench.measure.listener import Progress
from serbench.measure.plan import EFFORTS, Effort
from serbench.render.environments.build import make
from serbench.render.environments.environment import MAIN, Environment, Recipe
from serbench.render.user_class.find import function_located

if TYPE_CHECKING:
    import plotly.graph_objects as go

WAVES = 6
FRESH = "each in a fresh process for every one of {waves} waves: the intervals hold what varies between processes"
LOCAL = "all in this process, because {reason}: what varies between processes is not in the intervals"
HEADINGS: dict[str, Side] = {"#": "right", "code": "left", "time": "right", "interval": "right", "ratio": "right"}
TIMES = ("time_ns", "time_ns_low", "time_ns_high", "ratio", "ratio_low", "ratio_high", "rank", "waves", "samples")
INSTALLED = "installed"


@dataclass(frozen=True)
class Timings(Displayed):
    """The times of functions or expressions.

    Attributes:
        rows: a row for each in each environment, fastest first; `library` is its label, `ratio` its time over the first
            given.
        fresh: True if each wave had processes of its own.
        notes: how the times were taken, and what is to be known of the answers.
    """

    rows: Sequence[Row]
    fresh: bool
    notes: Sequence[str]

    @property
    def conclusion(self) -> str:
        """The fastest in a sentence: how many times faster than the next, or that no difference is proven."""
        measured = [row for row in self.rows if row.measured]
        if not measured:
            return "nothing could be measured"
        first, *others = measured
        if not others:
            return f"{self._name(first)} takes {words.with_unit(first.time_ns or 0.0)} (nothing to compare with)"
        tied = [row for row in others if row.rank == first.rank]
        slower = [row for row in others if row.rank != first.rank]
        if not slower:
            difference = max(abs(row.time_ns / first.time_ns - 1) for row in tied if row.time_ns and first.time_ns)
            names = ", ".join(map(self._name, [first, *tied]))
            return f"no proven difference between {names}; their times differ by {difference:.1%} at most"
        also = f", tied with {' and '.join(map(self._name, tied))}," if tied else ""
        last = slower[-1:] if len(slower) > 1 else []
        parts = [f"{_as_fast(row, first)} faster than {self._name(row)}" for row in [slower[0], *last]]
        return f"{self._name(first)}{also} is {', '.join(parts)}"

    def to_data(self) -> dict[str, Any]:
        """The timings as JSON data, times in ns."""
        names = ("environment", "python", "status", "reason", *TIMES)
        facts = [{"code": row.library, **{name: getattr(row, name) for name in names}} for row in self.rows]
        return {"fresh": self.fresh, "notes": [*self.notes], "conclusion": self.conclusion, "rows": facts}

    def table(self) -> Tables:
        """A line for each, with its environment if there are several."""
        table = Table.of_lines(HEADINGS, list(map(self._cells, self.rows)))
        if {row.environment for row in self.rows} != {MAIN.name}:
            column = Column("environment", [_environment(row) for row in self.rows], "left")
            table = replace(table, columns=[*table.columns[:2], column, *table.columns[2:]])
        failures = [f"{self._name(row)}: {row.reason}" for row in self.rows if not row.measured]
        table = replace(table, sections=[("", len(self.rows))], failures=failures)
        return Tables([table], [self.conclusion, *self.notes])

    def figure(self, *, theme: ThemeName = "light") -> go.Figure:
        """Each time with its 95 % interval, in ns on a logarithmic axis, the fastest on top."""
        shown = [row for row in self.rows if row.measured]
        names = [self._name(row) for row in shown]
        figure = style.layout(self.conclusion, self.notes, 30 * max(len(shown), 1) + 30, theme, labels=names)
        labels = [style.markup(name) for name in names]
        layout = figure["layout"]
        layout["yaxis"] = style.axis(theme, tickvals=list(range(len(shown))), ticktext=labels, autorange="reversed")
        times = [row.time_ns or 0.0 for row in shown]
        ends = [end for row in shown for end in (row.time_ns_low, row.time_ns_high) if end]
        layout["xaxis"] = style.log_axis(theme, ends or [1.0], title="ns per call")
        highs = [(row.time_ns_high or time) - time for row, time in zip(shown, times, strict=True)]
        lows = [time - (row.time_ns_low or time) for row, time in zip(shown, times, strict=True)]
        error = {"type": "data", "symmetric": False, "array": highs, "arrayminus": lows}
        dots = {"type": "scatter", "mode": "markers", "x": times, "y": list(range(len(shown))), "error_x": error}
        figure["data"].append(dots | {"hovertext": labels, "marker": {"size": 9, "color": style.PALETTE[0]}})
        return drawn(figure)

    @property
    def _several(self) -> bool:
        return len({row.environment for row in self.rows}) > 1

    def _name(self, row: Row) -> str:
        return f"{row.library} with {_environment(row)}" if self._several else row.library

    def _cells(self, row: Row) -> tuple[str, ...]:
        if row.time_ns is None:
            return ("", row.library, row.status, "", "")
        unit, name = words.unit_of([row.time_ns])
        low, time, high = (
            words.three_digits((value or 0) / unit) for value in (row.time_ns_low, row.time_ns, row.time_ns_high)
        )
        rank = words.rank_label(row, self.rows)
        return (rank, row.library, f"{time} {name}", f"{low} to {high}", words.ratio_label(row))


def _environment(row: Row) -> str:
    return INSTALLED if row.environment == MAIN.name else row.environment


def _as_fast(row: Row, first: Row) -> str:
    ratio = relation(row, first)
    assert ratio is not None
    return words.with_half_width(ratio.ratio, ratio.low, ratio.high) or words.factor_text(ratio.ratio)


def time_expressions(
    expressions: Mapping[str, str | Callable[[], Any]],
    namespace: Mapping[str, Any] | None = None,
    *,
    waves: int = WAVES,
) -> Timings:
    """Time expressions, or functions without arguments, against each other, whatever their answers are.

    Args:
        expressions: a label for each; text is evaluated in `namespace`.
        namespace: the values of the names in texts.
        waves: the number of repetitions of everything, at least 2.

    Raises:
        PlanError: no expression, a text that is not an expression, or fewer than two waves.
    """
    if not expressions or waves < 2:
        raise PlanError("give at least one expression and at least two waves")
    terms = Terms(rules=Effort(waves, waves, 0.0), namespace=namespace or {}, unequal=None)
    timings = _timings(compare_code(_read(expressions), [_main()], terms))
    return replace(timings, rows=[row.changed(status="ok") if row.measured else row for row in timings.rows])


def time_functions(
    compared: Mapping[str, str | Callable[..., Any]],
    requirements: Sequence[str] = (),
    *,
    setup: str | Callable[..., Any] | None = None,
    conditions: str = "varied",
    unequal: bool = False,
    effort: str = "normal",
    tell: Callable[[Progress], None] = lambda _: None,
) -> Timings:
    """Time functions against each other in each environment, if they give the same answers.

    Args:
        compared: the functions by their labels; text is `file.py:function`, or an expression.
        requirements: what to install for each environment, separated by spaces; serbench's own by default.
        setup: makes the argument of each call; it may take the number of the call.
        conditions: as for a run.
        unequal: time them even if their answers differ.
        effort: a name in `EFFORTS`.
        tell: hears of the progress.

    Raises:
        PlanError: there is no such function, or answers differ.
    """
    made = _made(requirements, tell)
    (of_setup,) = _read({"setup": setup}).values() if setup is not None else (None,)
    if isinstance(of_setup, Expression):
        raise PlanError(f"setup is a function, such as file.py:make, not {setup!r}")
    terms = Terms(
        rules=EFFORTS[effort],
        setup=of_setup,
        conditions=Conditions.parse(conditions),
        unequal=unequal,
        tell=tell,
    )
    timings = _timings(compare_code(_read(compared), [*made.values()], terms))
    return replace(
        timings, notes=[*timings.notes, *(_versions(recipe, made[recipe]) for recipe in made if recipe != MAIN)]
    )


def environments_of(
    requirements: str | Iterable[str], tell: Callable[[Progress], None]
) -> tuple[list[Environment], dict[str, str]]:
    """The environments of requirements, as `time_functions` takes them, and the versions of what they name.

    Raises:
        PlanError: a text is no list of requirements.
    """
    made = _made([requirements] if isinstance(requirements, str) else [*requirements], tell)
    lines = (_versions(recipe, environment) for recipe, environment in made.items() if recipe != MAIN)
    return [*made.values()], dict(line.split(": ", 1) for line in lines)


def _made(requirements: Sequence[str], tell: Callable[[Progress], None]) -> dict[Recipe, Environment]:
    for text in requirements:
        _check_requirements(text)
    recipes = dict.fromkeys(
        MAIN if text == INSTALLED else Recipe(tuple(text.split()), label=text) for text in requirements or [INSTALLED]
    )
    made = make(recipes, lambda name, done, total: tell(Progress(f"building {name}", 0, done, total)))
    return {recipe: made[recipe] for recipe in recipes}


def _check_requirements(text: str) -> None:
    """Refuse what is no list of requirements.

    Raises:
        PlanError: that line.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    for one in text.split():
        try:
            Requirement(one)
        except InvalidRequirement:
            raise PlanError(f"{one!r} is not a requirement such as pydantic==2.12.5") from None


def _versions(recipe: Recipe, environment: Environment) -> str:
    """The versions of an environment's packages in a line."""
    from packaging.requirements import Requirement

    if environment.reason is not None:
        return f"{recipe.name}: {environment.reason}"
    versions = environment.versions({Requirement(text).name for text in recipe.requirements})
    return f"{recipe.name}: {', '.join(f'{name} {version}' for name, version in versions.items())}"


def _main() -> Environment:
    return make([MAIN])[MAIN]


def labelled(compared: Iterable[str | Callable[..., Any]]) -> dict[str, str | Callable[..., Any]]:
    """Each function or expression under its name or text, with a number where another has the same."""
    timings: dict[str, str | Callable[..., Any]] = {}
    texts = [one if isinstance(one, str) else _name_of(one) for one in compared]
    for position, (text, one) in enumerate(zip(texts, compared, strict=True)):
        same = texts[:position].count(text)
        timings[f"{text}  ({same + 1})" if same else text] = one
    return timings


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, partial):
        return f"partial({_name_of(function.func)})"
    name = getattr(function, "__name__", None)
    if name == "<lambda>":
        try:
            return ast.unparse(ast.parse(source_of(function), mode="eval").body.body)  # type: ignore[attr-defined]
        except CannotTravel:
            return "lambda"
    return str(name) if name else repr(function)


def _read(compared: Mapping[str, str | Callable[..., Any]]) -> dict[str, Compared]:
    """What each text or function means.

    Raises:
        PlanError: it is neither a function nor an expression.
    """
    timings: dict[str, Compared] = {}
    for label, one in compared.items():
        if isinstance(one, str):
            position = function_located(one)
            if position is None:
                compiled(one)
            timings[label] = Expression(one) if position is None else InFile(*position)
        elif builtins.callable(one):
            timings[label] = one
        else:
            raise PlanError(f"{label} must be a function or the text of an expression, not {type(one).__name__}")
    return timings


def _timings(outcome: Outcome) -> Timings:
    rows = rows_of(outcome.cells, outcome.samples)
    waves = max((row.waves or 0 for row in rows), default=0)
    notes = [LOCAL.format(reason=outcome.local) if outcome.local else FRESH.format(waves=waves)] if waves else []
    return Timings(rows, not outcome.local, [*outcome.notes, *notes])
