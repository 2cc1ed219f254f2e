"""The ledger: measures claims one after the other, keeps their outcomes in files, and shows them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.claims.bench import Bench, Terms, measured
from serbench.claims.entry import Claim
from serbench.claims.figure import against_published
from serbench.claims.judging import explanation, interval_words, judged, measured_rows, published_words
from serbench.claims.outcome import Outcome
from serbench.claims.outcome_rows import figure_rows
from serbench.claims.reading import claims
from serbench.claims.replacing import REPLACE, Beside, Decision, decision
from serbench.claims.scoreboard import counted, scoreboard, summary
from serbench.display.drawn import drawn
from serbench.display.escapes import escaped
from serbench.display.style import ThemeName
from serbench.display.table import Side, Table
from serbench.errors import PlanError, WrongDataError, check, checked, parsed
from serbench.keep.archive import resources
from serbench.keep.run import Findings
from serbench.render.environments.files import write_file, write_files
from serbench.render.environments.platform import machine, now
from serbench.results import grouped

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

PUBLISHED = "claims"


@dataclass(frozen=True)
class Ledger:
    """Outcomes of claims, in the order of their ids; it displays itself."""

    outcomes: tuple[Outcome, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A plain row for each claim: what was published, what was measured in each set of versions, the verdict."""
        return [_row(outcome) for outcome in self.outcomes]

    def to_data(self) -> dict[str, Any]:
        """Everything as JSON data: `claims`, each with its figures and rows, and the `scoreboard`."""
        return {"scoreboard": self.scoreboard(), "claims": [outcome.as_data() for outcome in self.outcomes]}

    def scoreboard(self) -> list[dict[str, Any]]:
        """A plain row for each verdict: the number of claims that have it, and of figures in each set of versions."""
        return scoreboard(self.outcomes)

    def reversed_rows(self) -> list[dict[str, Any]]:
        """A plain row for each figure of which the opposite was measured, in each set of versions."""
        return [
            {"claim": outcome.id, **row}
            for outcome in self.outcomes
            for row in figure_rows(outcome)
            if row["verdict"].startswith("reversed")
        ]

    def to_markdown(self) -> str:
        """How many figures hold, those that are reversed, and every claim, as Markdown."""
        lines = []
        for row in self.rows():
            measured_in = "<br>".join(escaped(f"{name} {words}") for name, words in row["measured"].items())
            lines.append(
                (row["id"], escaped(row["statement"]), row["published"], measured_in, verdict_words(row, "<br>"))
            )
        headings = ("claim", "statement", "published", "measured", "verdict")
        parts = [
            f"{summary(self.outcomes)}.",
            _plain(self.scoreboard()),
            "Reversed:" if self.reversed_rows() else "",
            _plain(self.reversed_rows()),
            Table.of_lines(dict.fromkeys(headings, "left"), lines, markup=True).to_markdown(),
        ]
        return "\n\n".join(filter(None, parts)) + "\n"

    def beside(self, known: Ledger) -> Beside:
        """Each figure as its source published it, as this ledger has it, and as a known ledger has it."""
        return Beside(self.outcomes, known.outcomes)

    def decisions(self, newer: Ledger, replace: str = "as sure") -> Findings:
        """What `updated` does with each newer outcome: it is new, takes the place of a known one, or does not, and why.

        Raises:
            PlanError: `replace` is none of "as sure", "all" and "none".
        """
        told = self._decided(newer, replace)
        count = sum(kind != "kept" for kind, _ in told.values())
        sentences = [f"{name}: {words}" for name, (_, words) in told.items()]
        return Findings({f"{count} of {len(told)} outcomes are put into the ledger": sentences})

    def updated(self, newer: Ledger, replace: str = "as sure") -> Ledger:
        """The same claims with the newer outcomes in the places of theirs, and those that are new.

        As long as `replace` is "as sure", one that was measured with less effort, in fewer sets of versions or with
        fewer figures takes no other's place; "all" take it, or "none". `decisions` says which, and why.

        Raises:
            PlanError: `replace` is none of the three.
        """
        decided = self._decided(newer, replace)
        outcomes = {outcome.id: outcome for outcome in self.outcomes}
        outcomes |= {one.id: one for one in newer.outcomes if decided[one.id][0] != "kept"}
        return Ledger(tuple(outcomes[name] for name in sorted(outcomes)))

    def _decided(self, newer: Ledger, replace: str) -> dict[str, tuple[Decision, str]]:
        check("replace", replace, REPLACE)
        known = {outcome.id: outcome for outcome in self.outcomes}
        return {one.id: decision(known.get(one.id), one, replace) for one in newer.outcomes}

    def to_csv(self) -> str:
        """The rows as CSV, with what was measured in each set of versions in one cell."""
        heads = ("claim", "statement", "published", "measured", "verdict", "counts", "near_boundary", "explanation")
        lines = []
        for row in self.rows():
            measured_in = "; ".join(f"{name} {words}" for name, words in row["measured"].items())
            told = [row["verdict"], "; ".join(row["counts"]), row["near_boundary"], row["explanation"]]
            lines.append([row["id"], row["statement"], row["published"], measured_in, *told])
        return Table.of_lines(dict.fromkeys(heads, "left"), lines).to_csv()

    def to_pandas(self) -> pd.DataFrame:
        """A row for each figure of each claim in each set of versions, as a data frame."""
        import pandas as pd

        return pd.DataFrame([{"claim": one.id, **vars(figure)} for one in self.outcomes for figure in one.figures])

    def figure(self, *, theme: ThemeName = "light") -> go.Figure:
        """The published against the measured ratios, on a logarithmic axis."""
        return drawn(against_published(self.outcomes, theme=theme))

    def findings(self) -> Findings:
        """The number of claims with each verdict, and a sentence for each claim."""
        return Findings(
            {summary(self.outcomes): [f"{row['id']} {verdict_words(row)}. {row['explanation']}" for row in self.rows()]}
        )

    def tables(self) -> dict[str, str]:
        """The table as Markdown and CSV, by the names of its files."""
        return {"ledger.md": f"# Claims\n\n{self.to_markdown()}", "ledger.csv": self.to_csv()}

    def write(self, folder: str | Path) -> None:
        """Write each outcome as JSON, and the table as Markdown and CSV.

        Raises:
            PlanError: the folder cannot be written.
        """
        for outcome in self.outcomes:
            keep(outcome, Path(folder))
        try:
            write_files(Path(folder), self.tables())
        except OSError as error:
            raise PlanError(f"{folder} cannot be written: {error.strerror or error}; name another folder") from None

    def __str__(self) -> str:
        return "\n".join(f"{row['id']}: {verdict_words(row)}. {row['explanation']}" for row in self.rows())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


def _plain(rows: list[dict[str, Any]]) -> str:
    """Plain rows as a Markdown table; nothing if there are none."""
    if not rows:
        return ""
    sides: dict[str, Side] = {name: "right" if isinstance(value, int) else "left" for name, value in rows[0].items()}
    return Table.of_lines(sides, [[str(cell) for cell in row.values()] for row in rows]).to_markdown()


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
        "counts": [f"{name}: {counted(counts)}" for name, counts in outcome.counts().items()],
        "near_boundary": outcome.near_boundary,
        "explanation": outcome.explanation,
        "notes": list(outcome.notes),
    }


def _joined(texts: Iterable[str]) -> str:
    """Each text once, with the unit of sizes at the end: "162, 106, 86 bytes"."""
    first, *others = reversed(dict.fromkeys(texts))
    return ", ".join([*(text.removesuffix(" bytes") for text in reversed(others)), first])


def verdict_words(row: Mapping[str, Any], between: str = "; ") -> str:
    """The verdict of a claim; if its figures disagree, how many of them hold and what the others are."""
    near = " (near the boundary)" if row["near_boundary"] else ""
    return (between.join(row["counts"]) if row["verdict"] == "mixed" else row["verdict"]) + near


def measure_claim(claim: Claim, terms: Terms, only: tuple[str, ...] = (), least_s: float = 0.0) -> Outcome:
    """One claim in each of its sets of versions; a set that cannot be measured has its reason.

    `least_s` is the time that a set takes at least, in s: it is not begun if less is left.
    """
    began = time.monotonic()
    figures, rows, notes = [], [], []
    sets = [one for one in claim.versions if not only or one.name in only]
    for number, versions in enumerate(sets):
        try:
            bench = measured(claim, versions, terms.share(len(sets) - number)) if terms.leaves(least_s) else Bench()
        except PlanError as error:
            bench = Bench(reason=str(error))
        figures += judged(claim, versions.name, bench)
        rows += measured_rows(claim, versions.name, bench)
        notes += [f"{versions.name}: {text}" for text in bench.wrong.values()]
    return Outcome(
        id=claim.id,
        source=claim.source.title,
        statement=claim.statement,
        compared=claim.compared,
        fair=claim.fair,
        explanation=explanation(claim, figures),
        figures=tuple(figures),
        rows=tuple(rows),
        notes=tuple(notes),
        date=now(),
        effort=terms.effort,
        seconds=round(time.monotonic() - began, 1),
        machine=machine(),
    )


def keep(outcome: Outcome, folder: Path) -> Path:
    """Write an outcome into a folder, as "003-take.json".

    Raises:
        PlanError: the folder cannot be written.
    """
    path = folder / f"{outcome.id}.json"
    text = json.dumps(outcome.as_data(), indent=1, ensure_ascii=False, allow_nan=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_file(path, text + "\n")
    except OSError as error:
        raise PlanError(f"{path} cannot be written: {error.strerror or error}; name another folder") from None


def ledger(folder: str | Path | None = None) -> Ledger:
    """The outcomes that a folder keeps; the published ones if no folder is given.

    Raises:
        PlanError: a file in it is not an outcome.
    """
    outcomes = []
    for path in sorted((Path(folder) if folder is not None else resources("data") / PUBLISHED).glob("*.json")):
        try:
            outcome = Outcome.from_data(parsed(path.read_text(encoding="utf-8"), "outcome"))
            outcomes.append(checked(Outcome, asdict(outcome), "outcome"))
            if not outcome.figures:
                raise WrongDataError("outcome: it has no figure")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise PlanError(f"{path} is not the outcome of a claim ({error}); measure it again with --output") from None
    return Ledger(tuple(outcomes))


def list_claims() -> list[dict[str, Any]]:
    """Every claim that there is data for, with the verdict that is published for it."""
    known = {outcome.id: outcome for outcome in ledger().outcomes}
    return [
        {
            "claim": claim.id,
            "statement": claim.statement,
            "versions": [one.name for one in claim.versions],
            "verdict": known[claim.id].verdict if claim.id in known else None,
            "source": claim.source.title,
        }
        for claim in claims().values()
    ]
