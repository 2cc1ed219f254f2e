"""The ledger: measures claims one after the other, keeps their outcomes in files, and shows them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.claims.judging import (
    Bench,
    Terms,
    against_published,
    explanation,
    interval_words,
    judged,
    measured,
    measured_rows,
    published_words,
)
from serbench.claims.outcome import Outcome, summary
from serbench.claims.reading import Claim, claims
from serbench.display.figures import drawn
from serbench.display.style import ThemeName
from serbench.display.table import Table, escaped
from serbench.errors import PlanError, brief, parsed, typed
from serbench.machine.files import check_folder, write_folder
from serbench.machine.platform import machine, now
from serbench.results import grouped
from serbench.store.archive import resources

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

PUBLISHED = "claims"


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
                between.join(tell(f"{name} {words}") for name, words in row["measured"].items()),
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
        return "\n\n".join([*parts, self.table("<br>", escaped, markup=True).to_markdown()]) + "\n"

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
