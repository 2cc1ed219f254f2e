"""What articles say is told item by item, with what shows it."""

from __future__ import annotations

import shlex

import pytest

from serbench.api.command_line.program import COMMANDS
from serbench.api.reports.splice import all_articles, article_page, figures_of
from serbench.claims.ledger import ledger
from serbench.claims.reading import articles, claims
from serbench.errors import PlanError

ITEM = '[[item]]\nsays = "Ten sums take longer."\n{}\n'
HEAD = 'page = "sums"\nabout = "Sums."\nleft_out = "Nothing."\nnotebook = "claims"\n\n'
TEN = '[[figure]]\nof = "ten_times"\nto = "once"\npublished = 10\n'


def test_every_claim_of_an_article_is_an_item():
    """What is measured of an article stands on its page, and at most six items are nominal or missing."""
    for name, article in articles().items():
        named = {item.claim for item in article.items} | {c.claim for table in article.tables for c in table.columns}
        assert set() == {claim for claim in claims() if claim.startswith(f"{name}-")} - named
    items = [item for article in articles().values() for item in article.items]
    assert len(items) > 87
    assert 6 >= sum(item.state in ("nominal", "missing") for item in items)


def test_commands_of_items_are_commands():
    """Each command is serbench's."""
    for article in articles().values():
        for item in article.items:
            if item.command:
                program, command, *_ = shlex.split(item.command)
                assert ("serbench", True) == (program, command in COMMANDS)


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ('claim = "ours-sum"', "did you mean ours-sums"),
        ('claim = "ours-sums"\nfigures = ["ten times"]', "did you mean ten_times"),
        ("", "is there: give it a claim or a command"),
        ('state = "missing"', "is missing: .* and a reason"),
        ('claim = "ours-sums"\nstate = "gone"\nwhy = "x"', "'gone' - at `item"),
    ],
)
def test_a_wrong_item_is_told(write, rest, told):
    """An item that names nothing, or gives no reason, ends in one line with its file."""
    folder = write("once", "ten_times", more=TEN)
    (folder / "ours" / "items.toml").write_text(HEAD + ITEM.format(rest), encoding="utf-8")
    with pytest.raises(PlanError, match=told) as error:
        articles(folder)
    assert "ours/items.toml" in str(error.value)


def test_an_items_figures():
    """Figures are found by their first row or by both, and a correction by the printed row that it replaces."""
    kept = {one.id: one for one in ledger().outcomes}
    both = figures_of(kept["000-althaia"], ["althaia / marshmallow"])
    assert [("althaia", "marshmallow", "then"), ("althaia", "marshmallow", "now")] == [
        (one.of, one.to, one.versions) for one in both
    ]
    assert {"attrs"} == {one.of for one in figures_of(kept["002-complex"], ["attrs, as printed"])}
    assert list(kept["003-take"].leading().values()) == figures_of(kept["003-take"], [])


def test_the_page_has_the_articles_table():
    """Bytes stand beside bytes, the means of a table beside its parts, and what is divided by itself is 1."""
    text = article_page((), "004")
    assert "| msgspec + msgpack | 86 | 86 | 86 | 1 | 1 | 1 | 1 | 1 | 1 |" in text
    assert "| 2.10 (2.50 / 1.70) |" in article_page((), "001")


def test_what_is_not_there_has_its_reason():
    """The table of all articles counts every item, and gives a reason for each that is not there."""
    text = all_articles(())
    items = [item for article in articles().values() for item in article.items]
    assert f"| together | {len(items)} |" in text
    assert all(item.why in text.replace("\\", "") for item in items if item.state != "there")
