"""Cards of libraries from the published runs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from serbench.ask.reports.cards import OPERATIONS, card, outdated_cards, standing, widest
from serbench.ask.reports.published import published_runs
from serbench.errors import PlanError

DATA = Path(__file__).parents[3] / "data"
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def runs():
    return [one.run for one in published_runs(DATA)]


def test_a_card_needs_nothing_else(runs):
    """The SVG is small, follows light and dark by itself, and has no script, font, image or address of its own."""
    text = card(runs, "msgspec")["msgspec.svg"]
    ET.fromstring(text)
    assert len(text.encode()) <= 30_000
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<script|<image|<foreignObject|@font-face|@import|url\(|href", text)
    assert ["http://www.w3.org/2000/svg"] == re.findall(r"https?://[^\"]*", text)


def test_a_card_says_when_and_where(runs):
    """Version, date, machine and A/A error are on it, and a newer version if one is named."""
    text = card(runs, "msgspec", newest="99.0")["msgspec.svg"]
    info = standing(runs, "msgspec", "decode").runs[0].info
    assert all(part in text for part in (info.started[:10], info.versions["msgspec"], "A/A error", "version 99.0"))


def test_a_card_counts_the_releases_that_it_is_behind(runs):
    """A newer version in another published run is named; the published cards are behind none."""
    assert not any("behind" in card(runs, name)[f"{name}.svg"] for name in ("msgspec", "pydantic"))
    measured = next(run for run in runs if any(row.library == "msgspec" for row in run.rows))
    row = next(row for row in measured.rows if row.library == "msgspec")
    row = replace(row, version="99.1", environment="other")
    later = SimpleNamespace(rows=[row], info=measured.info, control={})
    assert "1 release behind" in card([*runs, later], "msgspec")["msgspec.svg"]


def test_the_fastest_is_on_each_card(runs):
    """Times are multiples of the fastest, so it is there, however far the library is from it."""
    for library in ("marshmallow", "msgspec"):
        text = card(runs, library)[f"{library}.svg"]
        fastest = [standing(runs, library, operation).ranking[0].library for operation in OPERATIONS]
        assert all(text.count(f">{name}<") >= fastest.count(name) for name in fastest)


def test_a_library_that_takes_no_part_has_no_place(runs):
    """What a codec does with the dataclasses that dacite reads is no place of dacite: it encodes nothing."""
    assert standing(runs, "dacite", "encode") is None
    assert "dacite" not in {one.library for one in standing(runs, "class", "encode").ranking}
    assert "dacite" in {one.library for one in standing(runs, "class", "decode").ranking}


def test_a_card_has_the_page_s_means(runs):
    """A library that has every shape of the page's head has the same mean and rank there as on its card."""
    for operation in OPERATIONS:
        found = widest(runs, operation)
        assert 5 == len(found.shapes["msgspec"])
        for ranked in found.ranking:
            of_library = standing(runs, ranked.library, operation)
            if len(of_library.shapes[ranked.library]) == 5:
                assert of_library.of(ranked.library) == ranked


def test_what_a_card_says_stays_apart(runs):
    """No line begins or ends with a mark, and the last dot leaves room for its figure."""
    for name in ("marshmallow", "msgspec", "pydantic"):
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", card(runs, name)[f"{name}.svg"])
        assert not [text for text in texts if text.strip().startswith(("·", ",", "×")) or "·" in text]


def test_the_badge_is_what_a_service_reads(runs):
    """Its keys are those of an endpoint badge, and its message names both operations."""
    badge = json.loads(card(runs, "msgspec")["msgspec.json"])
    assert {"schemaVersion", "label", "message", "color"} == set(badge)
    assert re.fullmatch(r"decode \d+=? of \d+, encode \d+=? of \d+", badge["message"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_places_are_geometric_means_over_the_same_shapes(runs, operation):
    """The first has ratio 1, all others more; the library's own ratio to the fastest is there for every shape."""
    found = standing(runs, "pydantic", operation)
    ratios = [one.ratio for one in found.ranking]
    assert ratios == sorted(ratios)
    assert ratios[0] == 1
    assert all(one.low <= one.ratio <= one.high and one.rank >= 1 for one in found.ranking)
    assert len(found.shapes["pydantic"]) >= 2
    assert min(ratio for shapes in found.shapes.values() for ratio in shapes.values()) >= 1


def test_what_has_no_card_is_said(runs):
    """An unknown library, and one that no published shape has, are one line each."""
    with pytest.raises(PlanError, match="did you mean msgspec"):
        card(runs, "msgspecc")
    with pytest.raises(PlanError, match="no published shape has"):
        card([], "msgspec")


def test_published_cards_are_current(runs):
    """The cards in `data` are what the published runs give."""
    assert [] == list(outdated_cards(DATA, runs))
