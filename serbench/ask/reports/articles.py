"""The pages of articles: what each says, item by item, with what was published and measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

from serbench.ask.reports.published import Published
from serbench.ask.reports.templates import page
from serbench.claims.articles import STATES, Column, Item, PrintedTable, articles
from serbench.claims.judging import interval_words, published_words
from serbench.claims.ledger import Ledger, ledger, verdict_words
from serbench.claims.outcome import Judged, Outcome, summary
from serbench.claims.reading import claims
from serbench.display.escapes import escaped
from serbench.display.table import Side, Table
from serbench.display.words import three_digits
from serbench.errors import check


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
    return published, "<br>".join(escaped(f"{one.versions} {interval_words(one)}: {one.verdict}") for one in figures)


def _shown_by(item: Item) -> str:
    return f"`serbench claims {item.claim}`" if item.claim else f"`{item.command}`" if item.command else ""


def figures_of(outcome: Outcome, names: Iterable[str]) -> list[Judged]:
    """The figures of an outcome that have one of the claim's names, or the leading ones; a correction has the printed row's."""
    printed = {row.name: row.corrects or row.name for row in claims()[outcome.id].rows} if names else {}
    wanted = tuple(names)

    def is_named(figure: Judged) -> bool:
        of, to = printed.get(figure.of, figure.of), printed.get(figure.to, figure.to)
        return of in wanted or f"{of} / {to}" in wanted

    return [one for one in outcome.figures if is_named(one)] if wanted else list(outcome.leading().values())


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
    shown = [one for one in figures if versions in ("published", one.versions)][: len(column.figures)]
    if not shown:
        return "1" if any(one.to == row for one in outcome.figures) else ""
    values = [one.published_low if versions == "published" else one.measured for one in shown]
    known = [value for value in values if value is not None]
    if len(known) < len(shown):
        return shown[0].reason or ""
    if shown[0].quantity == "size":
        return f"{known[0]:,.0f}"
    parts = f" ({' / '.join(map(three_digits, known))})" if len(known) > 1 else ""
    return three_digits(mean(known)) + parts
