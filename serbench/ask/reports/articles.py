"""The pages of articles: what each says, item by item, with what was published and measured of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

from serbench.ask.reports.published import Published
from serbench.claims.articles import STATES, Article, Column, Item, PrintedTable, articles
from serbench.claims.judging import interval_words, published_words
from serbench.claims.ledger import Ledger, ledger, verdict_words
from serbench.claims.outcome import Judged, Outcome, summary
from serbench.claims.reading import claims
from serbench.display.escapes import escaped
from serbench.display.table import Side, Table
from serbench.display.words import three_digits
from serbench.errors import check

LEFT: Side = "left"


def article_page(_: Sequence[Published], name: str) -> str:
    """An article's page without its title: in one table what it says, what was published and measured; then why."""
    check("article", name, articles())
    article = articles()[name]
    outcomes = {one.id: one for one in ledger().outcomes}
    used = dict.fromkeys(item.claim for item in article.items if item.claim)
    known = [outcomes[claim] for claim in used if claim in outcomes]
    notebook = f"[{article.notebook}](../../notebooks/{article.notebook}.ipynb)"
    parts = [
        f"{summary(known)}.",
        f"{_title(article)}. {escaped(article.about)}",
        f"`serbench claims {name}` measures them again, with the versions of the time (`then`) and today's (`now`).",
        f"A notebook on the theme: {notebook}. {escaped(article.left_out)}",
        f"## What it says\n\n{_counts(article)}",
        _items(article, outcomes),
        *(f"## {escaped(table.title)}\n\n{_printed(table, outcomes)}" for table in article.tables),
        "## What differs, and why",
        "\n".join(_why(outcomes[claim]) for claim in used if claim in outcomes),
        "\n".join(f"- {escaped(item.says)} *{item.state}*: {escaped(item.why)}" for item in article.items if item.why),
    ]
    return "\n\n".join(filter(None, parts))


def all_articles(_: Sequence[Published]) -> str:
    """Return three tables: the number of items of each article by state, the items that serbench does not show with the reasons, and all items."""
    known = articles().values()
    heads: dict[str, Side] = {"article": LEFT, "items": "right"}
    heads |= dict.fromkeys(STATES, "right")
    lines = [
        (
            f"[{escaped(one.source.title)}]({one.page}.md)",
            str(len(one.items)),
            *(str(one.count(state)) for state in STATES),
        )
        for one in known
    ]
    total = ("together", str(sum(len(one.items) for one in known)))
    lines.append((*total, *(str(sum(one.count(state) for one in known)) for state in STATES)))
    lacking = [
        (escaped(one.source.name), escaped(item.says), item.state, escaped(item.why))
        for one in known
        for item in one.items
        if item.why
    ]
    rows = [
        (escaped(one.source.name), escaped(item.says), item.state, _shown_by(item))
        for one in known
        for item in one.items
    ]
    return "\n\n".join(
        [
            Table.of_lines(heads, lines, markup=True).to_markdown(),
            "## What is not there",
            Table.of_lines(
                dict.fromkeys(("article", "item", "state", "why"), LEFT), lacking, markup=True
            ).to_markdown(),
            "## Every item",
            Table.of_lines(
                dict.fromkeys(("article", "item", "state", "shown by"), LEFT), rows, markup=True
            ).to_markdown(),
        ]
    )


def _title(article: Article) -> str:
    source = article.source
    name = f"[{escaped(source.title)}]({source.link})" if source.link else escaped(source.title)
    project = f" ([project]({article.project}))" if article.project else ""
    return f"{name}, {escaped(source.author)}, {escaped(source.date)}{project}"


def _counts(article: Article) -> str:
    counts = [f"{article.count(state)} {state}" for state in STATES if article.count(state)]
    return f"{len(article.items)} items: {', '.join(counts)}."


def _items(article: Article, outcomes: dict[str, Outcome]) -> str:
    heads = dict.fromkeys(("the article says", "published", "measured", "shown by"), LEFT)
    lines = [(escaped(item.says), *_measured(item, outcomes), _shown_by(item)) for item in article.items]
    return Table.of_lines(heads, lines, markup=True).to_markdown()


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
    heads: dict[str, Side] = {"": LEFT}
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


def _why(outcome: Outcome) -> str:
    row = Ledger((outcome,)).rows()[0]
    why = claims()[outcome.id].why
    return f"- **{outcome.id}**, {verdict_words(row)}. {escaped(outcome.fair)} {escaped(why)}".rstrip()
