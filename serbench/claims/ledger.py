"""The ledger: measures claims one after the other, keeps their outcomes in files, and shows them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.claims.judging import Bench, Judged, Outcome, Terms, judged, measured, measured_rows, summary
from serbench.claims.reading import Claim, claims
from serbench.display import style, words
from serbench.display.figures import drawn
from serbench.display.style import PALETTE, Dot, Figure, ThemeName, theme_of
from serbench.display.table import Table, escaped
from serbench.display.views import View
from serbench.display.words import factor_text, three_digits
from serbench.errors import PlanError, brief, parsed, typed
from serbench.machine.files import check_folder, write_folder
from serbench.machine.platform import machine, now
from serbench.results import grouped
from serbench.store.archive import resources

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

PUBLISHED = "claims"


LEGEND = """\
Each claim shows its first figure, a ratio as published and as measured; serbench claims ID shows all.
- then: measured with the versions of the claim's time; now: with today's
- larger, smaller: than published"""


@dataclass(frozen=True)
class Ledger:
    """Outcomes of claims, in the order of their ids; it displays itself."""

    outcomes: tuple[Outcome, ...]

    @classmethod
    @typed
    def read(cls, folder: str | Path) -> Ledger:
        """Return what `write` has written into a folder; empty if nothing has been.

        Raises:
            PlanError: a file is not a claim's outcome.
        """
        check_folder(folder)
        outcomes = []
        for path in sorted(Path(folder).glob("*.json")):
            try:
                outcomes.append(Outcome.from_data(parsed(path.read_text(encoding="utf-8"), "outcome")))
            except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
                raise PlanError(
                    f"{path} is not the outcome of a claim ({error}); measure it again with --output"
                ) from None
        return cls(tuple(outcomes))

    def rows(self) -> list[dict[str, Any]]:
        """A plain row for each claim: what was published, what was measured in each set of versions, the verdict."""
        return [_row(outcome) for outcome in self.outcomes]

    def to_data(self) -> dict[str, Any]:
        """Everything as JSON data: `claims`, each with its figures and rows."""
        return {"claims": [outcome.as_data() for outcome in self.outcomes]}

    def figure_rows(self) -> list[dict[str, Any]]:
        """A plain row for each figure in each set of versions: published, measured, verdict."""
        return [
            {
                "claim": outcome.id,
                "figure": f"{figure.of} / {figure.to}" if figure.to else figure.of,
                "versions": figure.versions,
                "published": published_words(figure),
                "measured": interval_words(figure),
                "verdict": figure.verdict,
            }
            for outcome in self.outcomes
            for figure in outcome.figures
        ]

    def reversed_rows(self) -> list[dict[str, Any]]:
        """A plain row for each figure of which the opposite was measured, in each set of versions."""
        return [row for row in self.figure_rows() if row["verdict"] == "reversed"]

    @typed
    def table(self, between: str, tell: Callable[[str], str] = str, *, markup: bool = False) -> Table:
        """A line for each claim, with this sign between its sets of versions; `tell` makes Markdown of a text."""
        lines = [
            (
                row["id"],
                tell(row["statement"]),
                row["published"],
                between.join(tell(f"{name} {told}") for name, told in row["measured"].items()),
                verdict_words(row, between),
            )
            for row in self.rows()
        ]
        headings = ("claim", "statement", "published", "measured", "verdict")
        return Table.of_lines(dict.fromkeys(headings, "left"), lines, markup=markup)

    def to_markdown(self) -> str:
        """How many figures hold, those that are reversed, and every claim, as Markdown."""
        parts = [f"{summary(self.outcomes)}."]
        if reversed_rows := self.reversed_rows():
            lines = [tuple(row.values()) for row in reversed_rows]
            parts += ["Reversed:", Table.of_lines(dict.fromkeys(reversed_rows[0], "left"), lines).to_markdown()]
        return "\n\n".join([*parts, LEGEND, self.table("<br>", escaped, markup=True).to_markdown()]) + "\n"

    def to_csv(self) -> str:
        """The rows as CSV, with what was measured in each set of versions in one cell."""
        return self.table("; ").to_csv()

    def to_pandas(self) -> pd.DataFrame:
        """A row for each figure of each claim in each set of versions, as a data frame."""
        import pandas as pd

        return pd.DataFrame(
            [{"claim": outcome.id, **vars(figure)} for outcome in self.outcomes for figure in outcome.figures]
        )

    def figure(self, *, theme: ThemeName = "light") -> go.Figure:
        """The published against the measured ratios, on a logarithmic axis."""
        return drawn(against_published(self.outcomes, theme=theme))

    def tables(self) -> dict[str, str]:
        """The table as Markdown and CSV, by the names of its files."""
        return {"ledger.md": f"# Claims\n\n{self.to_markdown()}", "ledger.csv": self.to_csv()}

    @typed
    def write(self, folder: str | Path, *, tables: bool = True) -> None:
        """Write each outcome as JSON, and the table as Markdown and CSV; a PlanError if the folder cannot be written."""
        data = {f"{outcome.id}.json": outcome.as_data() for outcome in self.outcomes}
        texts = {name: json.dumps(kept, indent=1, ensure_ascii=False, allow_nan=False) for name, kept in data.items()}
        write_folder(folder, {name: f"{text}\n" for name, text in texts.items()} | (self.tables() if tables else {}))

    def __str__(self) -> str:
        return "\n".join(f"{row['id']}: {verdict_words(row)}. {row['explanation']}" for row in self.rows())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


def explanation(claim: Claim, figures: list[Judged]) -> str:
    """One sentence: the leading figure in each set of versions, with its factor; then why."""
    by_set = grouped(figures, lambda figure: figure.versions)
    parts = [f"{name} {interval_words(leading)}" for name, (leading, *_) in by_set.items()]
    told = f"Published {published_words(figures[0])}; measured {'; '.join(parts)}."
    return f"{told} {claim.why}".strip()


def published_words(figure: Judged) -> str:
    """The published figure in its unit: "10.0×", "1.50 to 2.00×", "162 bytes", "86.0%", "yes"; "more" if there was none."""
    if figure.sense == "more":
        return "more"
    if figure.expected is not None:
        return answer_words(figure.expected)
    low, high = _number(figure, figure.published_low), _number(figure, figure.published_high)
    return (low if low == high else f"{low} to {high}") + _unit(figure)


def interval_words(figure: Judged) -> str:
    """The measured figure, and its factor unless it holds: "2.71× (2.66 to 2.77), 0.27× the published"."""
    if figure.measured is None or figure.low is None or figure.high is None:
        return figure.reason or ""
    if figure.expected is not None:
        return answer_words(figure.answer)
    text = _number(figure, figure.measured) + _unit(figure)
    if figure.low != figure.high:
        text += f" ({_number(figure, figure.low)} to {_number(figure, figure.high)})"
    if figure.factor is None or figure.verdict == "holds":
        return text
    return f"{text}, {factor_text(figure.factor)} the published"


def answer_words(answer: Any) -> str:
    """An answer that is no number: "yes", "no", a text, or several of them."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, list):
        return ", ".join(map(answer_words, answer)) or "none"
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _number(figure: Judged, value: float) -> str:
    unit = _unit(figure)
    is_count = not figure.to and figure.quantity in ("size", "answer") and value == int(value)
    return f"{value:,.0f}" if is_count else three_digits(100 * value if unit == "%" else value)


def _unit(figure: Judged) -> str:
    if figure.share or (figure.quantity == "busy" and not figure.to):
        return "%"
    if figure.to:
        return "×"
    return " bytes" if figure.quantity == "size" else ""


RATIOS = ("time", "wall", "size")


def against_published(outcomes: Iterable[Outcome], *, theme: ThemeName = "light") -> Figure:
    """Each claim's leading ratio: as published (a bar over its range), and with its interval in each set of versions.

    Of a single claim all ratios are drawn. Claims without a published ratio are left out, and the footer names them.
    """
    known = list(outcomes)
    drawn_ones = [outcome for outcome in known if outcome.figures and is_ratio(outcome.figures[0])]
    left_out = [outcome.id for outcome in known if outcome not in drawn_ones]
    lines = _ratios(known[0]) if len(known) == 1 else [_leading(outcome) for outcome in drawn_ones]
    foot = [
        "A dot is the measured ratio with its 95% interval, a bar what was published"
        + ("; each claim shows its first figure" if len(known) > 1 else ""),
        *([f"Without a ratio to draw: {', '.join(left_out)}"] if left_out and len(known) > 1 else []),
        *sorted({f"{outcome.date[:10]}, {words.machine_line(outcome.machine)}" for outcome in known}),
    ]
    names = [style.markup(name) for name, _ in lines]
    dots = [_published(line, figures[0], theme_of(theme).text) for line, (_, figures) in enumerate(lines)]
    measured_ones = [(line, one) for line, (_, figures) in enumerate(lines) for one in figures if one.measured]
    for number, versions in enumerate(dict.fromkeys(["then", "now", *(one.versions for _, one in measured_ones)])):
        here = [(line, one) for line, one in measured_ones if one.versions == versions]
        dots += [_measured(line - 0.12 + 0.24 * number, one, number, names[line]) for line, one in here]
    panel = style.dots(names, dots, "ratio")
    return style.draw(View(summary(known), lines, foot), None, [[panel]], theme, legend="ratio")


def _leading(outcome: Outcome) -> tuple[str, list[Judged]]:
    """A claim's line: its leading ratio in each set of versions, and how many of its figures hold."""
    holds = sum(figure.verdict == "holds" for figure in outcome.figures)
    told = f"{holds} of {len(outcome.figures)} hold" if outcome.verdict == "mixed" else outcome.verdict
    return f"{outcome.id}  {told}", list(outcome.leading().values())


def _ratios(outcome: Outcome) -> list[tuple[str, list[Judged]]]:
    ratios = [figure for figure in outcome.figures if is_ratio(figure)]
    return list(grouped(ratios, lambda figure: f"{figure.of} / {figure.to}").items())


def is_ratio(figure: Judged) -> bool:
    """Return whether a figure can stand on an axis of ratios."""
    return bool(figure.to) and figure.quantity in RATIOS and figure.sense != "more"


def _published(line: int, figure: Judged, colour: str) -> Dot:
    """An upright bar, and a line to the other end if a range was published."""
    ends = (figure.published_low, figure.published_high)
    told = f"published {published_words(figure)}"
    return Dot(ends[0], line, told, ends, colour, "line-ns-open", 13, of="published")


def _measured(y: float, figure: Judged, number: int, name: str) -> Dot:
    """A measured ratio; each set of versions has its colour, and is a little below the one before."""
    colour, symbol = (kinds[number % len(kinds)] for kinds in (PALETTE, style.SYMBOLS))
    versions = style.markup(figure.versions)
    told = (
        f"<b>{name}</b><br>{style.markup(figure.of)} over {style.markup(figure.to)}<br>"
        f"published {published_words(figure)}, {versions} {interval_words(figure)}<br>{figure.verdict}"
    )
    ends = (figure.low or 0, figure.high or 0)
    return Dot(figure.measured, y, told, ends, colour, symbol, of=f"measured, {versions}")


def _row(outcome: Outcome) -> dict[str, Any]:
    shown = grouped(outcome.figures, lambda figure: figure.versions)
    if {figure.quantity for figure in outcome.figures} != {"size"}:  # sizes stand side by side, else the first for all
        shown = {name: figures[:1] for name, figures in shown.items()}
    return {
        "id": outcome.id,
        "statement": outcome.statement,
        "published": _joined(map(published_words, next(iter(shown.values())))),
        "measured": {name: _joined(map(interval_words, figures)) for name, figures in shown.items()},
        "verdict": outcome.verdict,
        "counts": outcome.counts(),
        "explanation": outcome.explanation,
        "notes": list(outcome.notes),
    }


def _joined(texts: Iterable[str]) -> str:
    """Each text once, with the unit of sizes at the end: "162, 106, 86 bytes"."""
    first, *others = reversed(dict.fromkeys(texts))
    return ", ".join([*(text.removesuffix(" bytes") for text in reversed(others)), first])


def verdict_words(row: Mapping[str, Any], between: str = "; ") -> str:
    """The verdict of a claim; if its figures disagree, how many of them hold and what the others are."""
    return between.join(row["counts"]) if row["verdict"] == "mixed" else str(row["verdict"])


def measure_claim(claim: Claim, terms: Terms, only: tuple[str, ...], least_s: float, parts: int) -> Outcome:
    """One claim in each of its sets of versions; a set that cannot be measured has its reason.

    Args:
        only: the sets of versions that are measured; all if there are none.
        least_s: the time that a set takes at least, in s: it is not begun if less is left.
        parts: the number of claims among which the time is shared, this one included.
    """
    began = time.monotonic()
    figures, rows, notes = [], [], []
    sets = [name for name in claim.versions if not only or name in only]
    for number, versions in enumerate(sets):
        try:
            share = parts * len(sets) - number
            bench = measured(claim, versions, terms, share) if terms.left > least_s else Bench()
        except PlanError as error:
            bench = Bench(reason=str(error))
        figures += judged(claim, versions, bench)
        rows += measured_rows(claim, versions, bench)
        notes += [f"{versions}: {text}" for text in bench.wrong.values()]
    same = {name: getattr(claim, name) for name in ("id", "statement", "compared", "fair")}
    return Outcome(
        **same,
        source=claim.source.title,
        explanation=explanation(claim, figures),
        figures=tuple(figures),
        rows=tuple(rows),
        notes=tuple(notes),
        date=now(),
        effort=terms.effort,
        seconds=round(time.monotonic() - began, 1),
        machine=machine(),
    )


@typed
def ledger(folder: str | Path | None = None) -> Ledger:
    """Return the outcomes that a folder keeps; the published ones if no folder is given.

    Raises:
        PlanError: there is no such folder, or a file in it is not a claim's outcome.
    """
    home = Path(folder) if folder is not None else resources("data") / PUBLISHED
    if not home.is_dir():
        raise PlanError(f"there is no folder {brief(str(home))}; `serbench claims --output` writes one")
    return Ledger.read(home)


def list_claims() -> list[dict[str, Any]]:
    """Every claim with data, and its published verdict."""
    verdicts = {outcome.id: outcome.verdict for outcome in ledger().outcomes}
    return [
        {"claim": claim.id, "statement": claim.statement, "versions": list(claim.versions)}
        | {"verdict": verdicts.get(claim.id), "source": claim.source.title}
        for claim in claims().values()
    ]
