"""Generated pages of the documentation: libraries, articles, and the keywords of JSON Schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from serbench.api.reports.published import Published, page
from serbench.api.showing import show
from serbench.api.verifying import published_matrices
from serbench.claims.judging import interval_words, published_words
from serbench.claims.ledger import Ledger, ledger, verdict_words
from serbench.claims.outcome import Judged, Outcome, summary
from serbench.claims.reading import STATES, Column, Item, PrintedTable, articles, claims
from serbench.display import words
from serbench.display.matrices import kept_table, refused_inputs, with_recommended_codec
from serbench.display.table import Side, Table, escaped
from serbench.display.words import three_digits
from serbench.errors import PlanError, SchemaError, check
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import Row
from serbench.model.json_schema.read import from_json_schema
from serbench.render.case import combinations
from serbench.render.library import Library, libraries
from serbench.render.selection import chosen_codecs
from serbench.results import grouped

FOLDER = Path("docs") / "libraries"
INDEX = "index.md"
_Entry = tuple[Published, Row, Sequence[Row]]
"""A published run, a row of it, and the ranking that the row stands in."""
WORKLOAD = "client-rich"
"""The workload whose rendered code a page shows."""


def missing_pages(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path of each library's page that does not exist yet, and its text with an empty block."""
    pages = folder / FOLDER
    if (pages / INDEX).exists():
        for name in libraries():
            if not (pages / f"{name}.md").exists():
                yield pages / f"{name}.md", f"# {name}\n\n<!-- serbench: library {name} -->\n\n<!-- /serbench -->\n"


def libraries_index(_: Sequence[Published]) -> str:
    """Return a line for each library: what it is, its review, and a link to its page."""
    return page("libraries", libraries=libraries().values())


def library_page(runs: Sequence[Published], name: str) -> str:
    """Return a library's page without its title."""
    check("library", name, libraries())
    library = libraries()[name]
    entries = _entries(runs, name)
    cases = [matrix for matrix in published_matrices() if (matrix.library, matrix.variant) == (name, "default")]
    known = with_recommended_codec(cases).values()
    codecs = {"most codecs": cases, **{f"{case.codec}/{case.format}": [case] for case in known}}
    items = [f"- Variant [`{variant}`]({link})" for variant, link in library.variants.items()]
    items += [f"- It has no `{operation}`: {escaped(why)}" for operation, why in library.cannot.items()]
    items += [f"- No {feature}: {escaped(why)}" for feature, why in sorted(library.lacks.items())]
    return page(
        "library",
        library=library,
        answers=list(
            filter(None, (_best(entries, "decode", "Decoding"), _best(entries, "encode", "Encoding"), *_kept(known)))
        ),
        items=items,
        entries=entries,
        ranked=_ranked,
        kept=kept_table(codecs) if any(case.fidelity for case in cases) else "",
        refused=[refused_inputs(case) for case in known],
        claims=[row for row in ledger().rows() if name in claims()[row["id"]].libraries],
        verdict=verdict_words,
        code=_code(library),
    )


def _kept(cases: Iterable[Behaviour]) -> Iterator[str]:
    for case in cases:
        values = Counter(finding.outcome for finding in case.fidelity.values() if finding.outcome != "unsupported")
        wrong = Counter(finding.outcome for finding in case.strictness.values())
        if values and wrong:
            yield f"With {words.codec_label(case)}, {values['exact']} of {values.total()} awkward values come back exactly,"
            yield f"and {wrong['rejected']} of {wrong.total()} wrong inputs are rejected."


def _best(entries: Sequence[_Entry], operation: str, title: str) -> str:
    """Return how often the library leads, or the best rank that it has."""
    ranked = [(row.rank, board) for _, row, board in entries if row.operation == operation and row.rank is not None]
    if not ranked:
        return ""
    rank, board = min(ranked, key=lambda pair: (pair[0], -len(pair[1])))
    if rank > 1:
        return f"{title}: at best rank {rank} of {_ranked(board)} with the same validation."
    first = sum(one == 1 for one, _ in ranked)
    return f"{title}: fastest with the same validation, or tied, in {first} of {len(ranked)} published rankings."


def _entries(runs: Sequence[Published], name: str) -> list[_Entry]:
    """Return the library's fastest row of each published ranking for encode and decode, with that ranking."""
    entries: list[_Entry] = []
    for run in runs:
        measured = [row for row in run.run.rows if row.measured and row.operation in ("encode", "decode")]
        if len({(row.records, row.depth) for row in measured}) > 1:  # a grid of sizes has no single ranking
            continue
        for board in grouped(measured, _ranking).values():
            rows = [row for row in board if (row.library, row.variant) == (name, "default")]
            if rows:
                entries.append((run, min(rows, key=lambda row: row.ratio or 0), board))
    return entries


def _ranking(row: Row) -> tuple[str, str, str, str]:
    return (row.workload, row.conditions, row.operation, row.work_class or "")


def _ranked(board: Sequence[Row]) -> int:
    return sum(row.rank is not None for row in board)


def _code(library: Library) -> str:
    codecs = [codec for _, codec in combinations([library], chosen_codecs(["all"]))]
    chosen = "json" if any(codec.format == "json" for codec in codecs) else codecs[0].format
    try:
        case = show(library.name, chosen, WORKLOAD)
    except PlanError as error:
        return escaped(f"{error}.")
    command = f"serbench show {library.name} {chosen} --workload {WORKLOAD}"
    return f"`{command}` prints this module:\n\n```python\n{case.source.strip()}\n```"


def article_page(_: Sequence[Published], name: str) -> str:
    """An article's page without its title: in one table what it says, what was published and measured; then why."""
    check("article", name, articles())
    article = articles()[name]
    outcomes = {outcome.id: outcome for outcome in ledger().outcomes}
    known = [outcomes[claim] for claim in dict.fromkeys(item.claim for item in article.items) if claim in outcomes]
    return page(
        "article",
        name=name,
        article=article,
        summary=summary(known),
        states=STATES,
        lines=[(item, *_measured(item, outcomes)) for item in article.items],
        shown_by=_shown_by,
        printed=lambda table: _printed(table, outcomes),
        known=known,
        verdict=lambda outcome: verdict_words(Ledger((outcome,)).rows()[0]),
        why=lambda outcome: claims()[outcome.id].why,
    )


def all_articles(_: Sequence[Published]) -> str:
    """Return three tables: the number of items of each article by state, the items that serbench does not show with the reasons, and all items."""
    known = list(articles().values())
    items = [(article, item) for article in known for item in article.items]
    return page("articles", articles=known, items=items, states=STATES, shown_by=_shown_by)


def _measured(item: Item, outcomes: dict[str, Outcome]) -> tuple[str, str]:
    """What was published of an item, and what was measured with its verdict in each set of versions."""
    if not item.claim:
        return "", "" if item.command else item.state
    if item.claim not in outcomes:
        return "", f"not measured yet: `serbench claims {item.claim} --effort normal --output data/claims`"
    figures = figures_of(outcomes[item.claim], item.figures)
    published = "<br>".join(dict.fromkeys(escaped(published_words(figure)) for figure in figures))
    return published, "<br>".join(
        escaped(f"{figure.versions} {interval_words(figure)}: {figure.verdict}") for figure in figures
    )


def _shown_by(item: Item) -> str:
    return f"`serbench claims {item.claim}`" if item.claim else f"`{item.command}`" if item.command else ""


def figures_of(outcome: Outcome, names: Iterable[str]) -> list[Judged]:
    """The figures of an outcome that have one of the claim's names, or the leading ones; a correction has the printed row's."""
    printed = {row.name: row.corrects or row.name for row in claims()[outcome.id].rows} if names else {}
    wanted = tuple(names)

    def is_named(figure: Judged) -> bool:
        of, to = printed.get(figure.of, figure.of), printed.get(figure.to, figure.to)
        return of in wanted or f"{of} / {to}" in wanted

    return [figure for figure in outcome.figures if is_named(figure)] if wanted else list(outcome.leading().values())


def _printed(table: PrintedTable, outcomes: dict[str, Outcome]) -> str:
    """A table as an article has it: for each of its columns what was published, and what was measured in each set."""
    sets = [
        (column, versions)
        for column in table.columns
        if column.claim in outcomes
        for versions in ("published", *outcomes[column.claim].verdicts())
    ]
    heads: dict[str, Side] = {"": "left"}
    heads |= {f"{column.heading}, {versions}": "right" for column, versions in sets}
    lines = [(row, *(_cell(row, column, versions, outcomes) for column, versions in sets)) for row in table.rows]
    return Table.of_lines(heads, lines).to_markdown()


def _cell(row: str, column: Column, versions: str, outcomes: dict[str, Outcome]) -> str:
    """The mean of a row's figures, and each of them if there are several; 1 for the row that the others are divided by."""
    outcome = outcomes[column.claim]
    figures = figures_of(outcome, [name.format(row) for name in column.figures])
    shown = [figure for figure in figures if versions in ("published", figure.versions)][: len(column.figures)]
    if not shown:
        return "1" if any(figure.to == row for figure in outcome.figures) else ""
    values = [one.published_low if versions == "published" else one.measured for one in shown]
    known = [value for value in values if value is not None]
    if len(known) < len(shown):
        return shown[0].reason or ""
    if shown[0].quantity == "size":
        return f"{known[0]:,.0f}"
    parts = f" ({' / '.join(map(three_digits, known))})" if len(known) > 1 else ""
    return three_digits(mean(known)) + parts


@dataclass(frozen=True)
class Sample:
    """Keywords, what is said by them, and a schema that says it."""

    keywords: str
    what: str
    schema: Any

    @property
    def read(self) -> tuple[str, str]:
        """How it is read, and the line that says so."""
        try:
            notes = from_json_schema(self.schema).notes
        except SchemaError as error:
            return "refused", str(error)
        kinds = ["widely" if "widely" in note else "narrowly" if "narrowly" in note else "not" for note in notes]
        how = {"widely": "more widely", "narrowly": "more narrowly", "not": "ignored"}
        return how[kinds[0]] if kinds else "exactly", "; ".join(notes)


SAMPLES = tuple(
    Sample(**sample) for sample in json.loads(Path(__file__).with_name("keywords.json").read_text(encoding="utf-8"))
)
"""Every keyword of the drafts 4 to 2020-12, in the order of the table."""


def keywords(_: Sequence[Published]) -> str:
    """Return a line for each sample."""
    return page("keywords", samples=SAMPLES, as_json=json.dumps)
