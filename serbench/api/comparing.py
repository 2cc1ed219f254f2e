"""The public function compare: compares two stored runs, or times functions, and returns the result as a value."""

from __future__ import annotations

import ast
import linecache
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from serbench.api import choices
from serbench.api.calling import public, several
from serbench.api.choices import Comparable, Function
from serbench.api.running import heard, load, recalled
from serbench.display import style, words
from serbench.display.closing import Closing
from serbench.display.comparison import Comparison, compare_runs
from serbench.display.figures import drawn
from serbench.display.result_table import warnings
from serbench.display.style import ThemeName
from serbench.display.table import Column, Side, Table, Tables
from serbench.display.values import Displayed
from serbench.display.views import View
from serbench.display.words import again
from serbench.errors import PlanError, brief, check, typed
from serbench.judge.compare import relation
from serbench.judge.rows import NOT_REACHED, Row
from serbench.judge.rows import rows as rows_of
from serbench.machine.platform import machine
from serbench.measure.comparing import After, Code, Compared, InFile, Outcome, Terms, compare_code
from serbench.measure.listener import Progress
from serbench.measure.plan import EFFORTS
from serbench.measure.stream import Conditions
from serbench.render.environments import MAIN, Environment, Recipe, make
from serbench.render.source.module import expression
from serbench.render.user_class.conversion import began
from serbench.render.user_class.find import function_located
from serbench.results import CALL, grouped
from serbench.store.opening import store_option
from serbench.store.recorder import RunListener

if TYPE_CHECKING:
    import plotly.graph_objects as go


FRESH = "{waves} in fresh processes; intervals include what varies between them"
HEADINGS: dict[str, Side] = {"#": "right", "code": "left", "time": "right", "interval": "right", "ratio": "right"}
TIMES = ("time_ns", "time_ns_low", "time_ns_high", "ratio", "ratio_low", "ratio_high", "rank", "waves", "samples")
INSTALLED = "installed"
Pair = tuple[Function, Function]
Labelled = TypeVar("Labelled")


@dataclass(frozen=True)
class Timings(Displayed):
    """The times of functions.

    Attributes:
        rows: a row for each in each environment, fastest first; `library` is its label, `ratio` its time over the first
            given. Pairs have rows of their two `operation`s, "encode" and "decode".
        notes: how the times were taken, and what is to be known of the answers.
    """

    rows: Sequence[Row]
    notes: Sequence[str]

    @property
    def conclusion(self) -> str:
        """The fastest in a sentence: how many times faster than the next, or that no difference is proven."""
        return "; ".join(f"{title}: {self._told(rows)}" if title else self._told(rows) for title, rows in self._groups)

    def _told(self, rows: Sequence[Row]) -> str:
        measured = [row for row in rows if row.measured]
        if not measured:
            return "nothing could be measured"
        first, *others = measured
        if not others:
            return f"{self._name(first)} takes {words.with_unit(first.time_ns or 0.0)} (nothing to compare with)"
        tied = [row for row in others if row.rank == first.rank]
        slower = [row for row in others if row.rank != first.rank]
        if not slower:
            ratios = [relation(*pair) for pair in combinations(measured, 2)]
            most = max(
                (max(ratio.high, 1 / ratio.low) - 1 for ratio in ratios if ratio.low and ratio.high), default=0.0
            )
            below = f"; if there is one, it is below {math.ceil(most * 100)}%" if most else ""
            *names, last_name = map(self._name, [first, *tied])
            return f"no proven difference between {', '.join(names)} and {last_name}{below}"
        also = f", tied with {' and '.join(map(self._name, tied))}," if tied else ""
        last = slower[-1:] if len(slower) > 1 else []
        parts = [f"{_as_fast(row, first)} faster than {self._name(row)}" for row in [slower[0], *last]]
        return f"{self._name(first)}{also} is {', '.join(parts)}"

    @typed
    def closing(self, command: str = "", effort: str = "") -> Closing:
        """The last lines in a terminal: the fastest, how much faster it is, what fails, and what may tell more."""
        uses: dict[str, list[Row]] = {}
        is_open = True
        for title, rows in self._groups:
            measured = [row for row in rows if row.measured]
            uses[title] = [row for row in measured if row.rank == measured[0].rank]
            is_open &= len(uses[title]) == len(measured)
        named = {title: " or ".join(map(self._name, rows)) for title, rows in uses.items() if rows}
        use = "; ".join(f"to {title} {names}" if title else names for title, names in named.items())
        gain = self.conclusion if named else ""
        failed = [f"{self._name(row)} fails: {row.reason}" for row in self.failed]
        following = again(command, effort) if command and is_open and len(self.rows) > len(failed) + 1 else ""
        return Closing(use or self.conclusion, gain, "; ".join(failed), following, "open" if is_open else "good")

    def to_data(self) -> dict[str, Any]:
        """The timings as JSON data, times in ns."""
        names = ("operation", "environment", "python", "status", "reason", *TIMES)
        facts = [{"code": row.library, **{name: getattr(row, name) for name in names}} for row in self.rows]
        return {"notes": [*self.notes], "conclusion": self.conclusion, "rows": facts}

    def table(self) -> Tables:
        """A line for each, with its environment if there are several; a table for each operation of pairs."""
        return Tables([self._table(*group) for group in self._groups], [self.conclusion, *self.notes])

    def _table(self, title: str, rows: Sequence[Row]) -> Table:
        table = Table.of_lines(HEADINGS, [self._cells(row, rows) for row in rows])
        if {row.environment for row in self.rows} != {MAIN.name}:
            column = Column("environment", [_environment(row) for row in rows], "left")
            table = replace(table, columns=[*table.columns[:2], column, *table.columns[2:]])
        failures = [f"{self._name(row)}: {row.reason}" for row in rows if not row.measured]
        return replace(table, title=title, sections=[("", len(rows))], failures=failures)

    def figure(self, *, theme: ThemeName = "light") -> go.Figure:
        """Each time with its 95% interval on a logarithmic axis, the fastest on top."""
        shown = [(f"{title}: " if title else "", row) for title, rows in self._groups for row in rows if row.measured]
        labels = [style.markup(title + self._name(row)) for title, row in shown]
        unit, name = words.unit_of([row.time_ns for _, row in shown if row.time_ns])
        times = [style.times(row, unit) for _, row in shown]
        dots = [style.Dot(time, line, labels[line], ends) for line, (time, ends) in enumerate(times)]
        panel = style.dots(labels, dots, f"{name} per call")
        return drawn(style.draw(View(self.conclusion, shown, self.notes), None, [[panel]], theme))

    @property
    def failed(self) -> list[Row]:
        """The rows of functions that fail; a budget may end before others are measured."""
        return [row for row in self.rows if not row.measured and row.reason != NOT_REACHED]

    @property
    def _groups(self) -> list[tuple[str, list[Row]]]:
        """The operations of pairs with their rows; all rows under no title if there are none."""
        groups = grouped(self.rows, lambda row: "" if row.operation == CALL else row.operation)
        return list(groups.items()) or [("", [])]

    @property
    def _several(self) -> bool:
        return len({row.environment for row in self.rows}) > 1

    def _name(self, row: Row) -> str:
        return f"{row.library} with {_environment(row)}" if self._several else row.library

    def _cells(self, row: Row, rows: Sequence[Row]) -> tuple[str, ...]:
        if row.time_ns is None:
            return ("", row.library, row.status, "", "")
        unit, name = words.unit_of([row.time_ns])
        low, time, high = (
            words.three_digits((value or 0) / unit) for value in (row.time_ns_low, row.time_ns, row.time_ns_high)
        )
        rank = words.rank_label(row, rows)
        star = words.BY_WALL if row.clock == "wall" else ""
        return (rank, row.library, f"{time} {name}{star}", f"{low} to {high}", words.ratio_label(row))


def _environment(row: Row) -> str:
    return INSTALLED if row.environment == MAIN.name else row.environment


def _as_fast(row: Row, first: Row) -> str:
    ratio = relation(row, first)
    return words.with_half_width(ratio.ratio, ratio.low, ratio.high) or words.factor_text(ratio.ratio)


def time_functions(
    compared: Mapping[str, Function | Pair],
    requirements: Sequence[str] = (),
    *,
    setup: str | Callable[..., Any] | None = None,
    conditions: str = "varied",
    unequal: bool = False,
    effort: str = "normal",
    pythons: Sequence[str] = (),
    tell: Callable[[Progress], None] = lambda _: None,
    end: float = math.inf,
) -> Timings:
    """Time functions against each other in each environment, if they give the same answers.

    Args:
        compared: the functions by their labels; text is `file.py:function`. Of a pair, the second is timed, with what the
            first makes of the argument.
        requirements: what to install for each environment, separated by spaces; serbench's own by default.
        setup: makes the argument of each call; it may take the number of the call.
        conditions: as for a run.
        unequal: time them even if their answers differ.
        effort: a name in `EFFORTS`.
        pythons: the interpreters of the environments; serbench's own by default.
        tell: hears of the progress.
        end: when to return what there is, on the monotonic clock in s.

    Raises:
        PlanError: there is no such function, or answers differ.
    """
    made = _made(requirements, tell, pythons, end)
    terms = Terms(
        rules=EFFORTS[effort],
        setup=None if setup is None else _meant("setup", setup),
        conditions=Conditions.parse(conditions),
        unequal=unequal,
        tell=tell,
        end=end,
    )
    timings = _timings(compare_code(_read(compared), [*made.values()], terms))
    return replace(
        timings, notes=[*timings.notes, *(_versions(recipe, made[recipe]) for recipe in made if recipe != MAIN)]
    )


def time_pairs(
    encoders: Mapping[str, Pair],
    decoders: Mapping[str, Pair],
    requirements: Sequence[str] = (),
    *,
    unequal: bool = False,
    **terms: Any,
) -> Timings:
    """Time pairs of an encoder and its decoder, first all encoders, then all decoders of what their encoders have made.

    Args:
        encoders, decoders: the same pairs by the labels of either.
        requirements, terms: as for `time_functions`, with a setup that makes what is encoded.
        unequal: time them even if what they decode differs; the bytes may differ anyway, which a note says.

    Raises:
        PlanError: there is no such function, or no setup, or answers differ.
    """
    if terms.get("setup") is None:
        raise PlanError("pairs need --setup, the function that makes what they encode, such as file.py:make")
    first = {label: pair[0] for label, pair in encoders.items()}
    timed = {
        "encode": time_functions(first, requirements, unequal=True, **terms),
        "decode": time_functions(decoders, requirements, unequal=unequal, **terms),
    }
    every = [one.notes for one in timed.values()]
    notes = [
        note if all(note in some for some in every) else f"{operation}: {note}"
        for operation, one in timed.items()
        for note in one.notes
    ]
    rows = [replace(row, operation=operation) for operation, one in timed.items() for row in one.rows]
    return Timings(rows, list(dict.fromkeys(notes)))


def _made(
    requirements: Sequence[str],
    tell: Callable[[Progress], None],
    pythons: Sequence[str] = (),
    end: float = math.inf,
) -> dict[Recipe, Environment]:
    for text in requirements:
        _check_requirements(text)
    recipes = dict.fromkeys(
        Recipe(python=on) if text == INSTALLED else Recipe(tuple(text.split()), on, label=text)
        for text in requirements or [INSTALLED]
        for on in ["" if python == MAIN.name else python for python in pythons or ("",)]
    )
    until = None if end == math.inf else end
    made = make(recipes, lambda name, done, total: tell(Progress(f"building {name}", 0, done, total)), end=until)
    return {recipe: made[recipe] for recipe in recipes}


def _check_requirements(text: str) -> None:
    """Refuse anything but a list of requirements.

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
    from packaging.requirements import Requirement

    if environment.reason is not None:
        return f"{recipe.name}: {environment.reason}"
    versions = environment.versions({Requirement(text).name for text in recipe.requirements})
    return f"{recipe.name}: {', '.join(f'{name} {version}' for name, version in versions.items())}"


def labelled(compared: Iterable[Labelled]) -> dict[str, Labelled]:
    """Each function under its name or text, with a number where another has the same."""
    compared = list(compared)
    timings: dict[str, Labelled] = {}
    texts = [one if isinstance(one, str) else _name_of(one) for one in compared]
    for position, (text, one) in enumerate(zip(texts, compared, strict=True)):
        same = texts[:position].count(text)
        timings[f"{text}  ({same + 1})" if same else text] = one
    return timings


def _name_of(function: Any) -> str:
    if isinstance(function, partial):
        return f"partial({_name_of(function.func)})"
    try:
        name = getattr(function, "__name__", None)
    except Exception:  # a class of the user's
        name = None
    return _text_of(function.__code__) if name == "<lambda>" else str(name) if name else brief(function)


def _text_of(code: CodeType) -> str:
    """The expression of a lambda, as far as its code says where it is."""
    places = [(a, b, c, d) for a, b, c, d in code.co_positions() if a and b and c is not None and d]
    lines = [line.encode() for line in linecache.getlines(code.co_filename)]  # columns count bytes
    try:
        first, column = min((line, start) for line, _, start, _ in places)
        last, end = max((line, end) for _, line, _, end in places)
        text = b"".join([*lines[first - 1 : last - 1], lines[last - 1][:end]])[column:].decode()
        return ast.unparse(expression(f"({text})"))
    except (IndexError, ValueError, SyntaxError):
        return "lambda"


def _read(compared: Mapping[str, Function | Pair]) -> dict[str, Compared]:
    """The function or pair that each text or function names.

    Raises:
        PlanError: it is not a function.
    """
    return {
        label: After(*(_meant(label, part) for part in one)) if isinstance(one, tuple) else _meant(label, one)
        for label, one in compared.items()
    }


def _meant(label: str, function: Function) -> Code:
    if isinstance(function, str):
        position = function_located(function)
        if position is None:
            raise PlanError(f"{label} is a function, such as file.py:make, not {function!r}")
        return InFile(*position)
    if not callable(function):
        raise PlanError(f"{label} is a function, such as file.py:make, not {type(function).__name__}")
    return function


def _timings(outcome: Outcome) -> Timings:
    rows = rows_of(outcome.cells, outcome.samples)
    waves = max((row.waves or 0 for row in rows), default=0)
    fresh = [FRESH.format(waves=words.counted(waves, "repetition"))] if waves else []
    notes = [*outcome.notes, *fresh, *words.footnotes(rows), *warnings(outcome.cells, outcome.samples, machine())]
    return Timings(rows, notes)


@overload
def compare(
    *compared: Callable[..., Any] | tuple[choices.Function, choices.Function] | Mapping[str, Comparable],
    **options: Unpack[choices.Comparing],
) -> Timings: ...


@overload
def compare(
    *compared: str,
    **options: Unpack[choices.Comparing],
) -> Comparison | Timings: ...


@public
def compare(
    *compared: choices.Compared,
    **options: Unpack[choices.Comparing],
) -> Comparison | Timings:
    """Compare functions, or pairs of encoder and decoder; or find which rows of two stored runs are proven faster or slower.

    Answers are compared first: functions are timed only if they are equal, or JSON of the same value. For pairs, the decoded
    values are compared. A function of a notebook or script runs in fresh processes, together with what it uses.

    Raises:
        PlanError: nothing to compare, answers differ, or the budget ends before anything is measured.
        StoreError: a name matches no run, or several.
    """
    singles, by_label = _sorted(compared)
    labels = {**labelled(singles), **by_label}
    runs = [label for label in labels.values() if isinstance(label, str) and function_located(label) is None]
    if runs and len(runs) == len(labels) and not by_label:
        return _compare_runs(runs, options["store"])
    if runs and not by_label:
        raise PlanError(f"{runs[0]} is a run, not a function; name a function as file.py:function")
    if not labels:
        raise PlanError("nothing to compare; name two runs, or functions as file.py:function")
    check("effort", options["effort"], EFFORTS)
    recalled(lambda: None)
    budget = options["budget"]
    if len(under := several(options["conditions"])) != 1:
        raise PlanError(
            f"functions are compared under one condition at a time, not {len(under)}; call compare for each"
        )
    requirements = options["requirements"]
    environments = [requirements] if isinstance(requirements, str) else list(requirements)
    terms: dict[str, Any] = {
        **{name: options[name] for name in ("unequal", "setup", "effort")},
        "conditions": under[0],
        "pythons": several(options["python"]),
        "tell": (heard(options["listener"]) or RunListener()).progress,
        "end": math.inf if budget is None else began(budget) + budget,
    }
    timings = _time_all(labels, by_label, environments, terms)
    if budget is None or time.monotonic() < terms["end"]:
        return timings
    if all(row.reason == NOT_REACHED for row in timings.rows):
        tried = next((f"importing and calling {row.library}" for row in timings.rows if not row.loops), "trying all")
        raise PlanError(f"nothing was measured: {tried} used up the budget of {budget:g} s; raise --budget")
    return replace(timings, notes=[f"the budget of {budget:g} s is used up; a larger one tells more", *timings.notes])


def _time_all(
    labels: Mapping[str, Comparable],
    by_label: Mapping[str, Comparable],
    environments: Sequence[str],
    terms: dict[str, Any],
) -> Timings:
    """Time functions, or pairs; those of `by_label` keep their labels."""
    pairs = {label: one for label, one in labels.items() if isinstance(one, tuple)}
    if not pairs:
        return time_functions(labels, environments, **terms)
    if len(pairs) < len(labels):
        raise PlanError("a pair is compared with pairs; name each as file.py:encode,file.py:decode")
    unnamed = [one for label, one in pairs.items() if label not in by_label]
    names = [[*labelled(one[side] for one in unnamed), *by_label] for side in (0, 1)]
    encoders, decoders = (dict(zip(some, pairs.values(), strict=True)) for some in names)
    return time_pairs(encoders, decoders, environments, **terms)


def _sorted(
    compared: Iterable[Comparable | Mapping[str, Comparable]],
) -> tuple[list[Comparable], dict[str, Comparable]]:
    """What has no label, and what has one; a text with a comma is a pair of functions, or names of runs."""
    singles: list[Comparable] = []
    by_label: dict[str, Comparable] = {}
    for one in compared:
        if isinstance(one, Mapping):
            by_label |= {label: _pair(value) for label, value in one.items()}
        else:
            pair = _pair(one)
            singles += several(pair) if isinstance(pair, str) and function_located(pair) is None else [pair]
    return singles, by_label


def _pair(comparable: Comparable) -> Comparable:
    """A pair if a text is one, or else what it is."""
    parts = several(comparable) if isinstance(comparable, str) else ()
    is_pair = len(parts) == 2 and all(function_located(part) is not None for part in parts)
    return (parts[0], parts[1]) if is_pair else comparable


def _compare_runs(runs: list[str], store: choices.Store) -> Comparison:
    if len(runs) > 2:
        raise PlanError(f"two runs can be compared, not {len(runs)}")
    first, second = (load(name, store=store) for name in (*runs, "latest")[:2])
    if first.id == second.id:
        raise PlanError(f"run {first.id} cannot be compared with itself; `serbench show runs` lists the others")
    return compare_runs(first, second, store_option(first.path))
