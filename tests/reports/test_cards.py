"""Cards of libraries from the published runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from serbench.errors import PlanError
from serbench.reports.cards import OPERATIONS, card, outdated_cards, standing
from serbench.reports.published import published_runs

DATA = Path(__file__).parents[2] / "data"
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
    assert all(part in text for part in (info.started[:10], info.versions["msgspec"], "A/A error", "99.0 is out"))


def test_the_badge_is_what_a_service_reads(runs):
    """Its keys are those of an endpoint badge, and its message names both operations."""
    badge = json.loads(card(runs, "msgspec")["msgspec.json"])
    assert {"schemaVersion", "label", "message", "color"} == set(badge)
    assert re.fullmatch(r"decode \d+=? of \d+, encode \d+=? of \d+", badge["message"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_places_are_geometric_means_over_the_same_shapes(runs, operation):
    """The first has ratio 1, all others more; the library's own ratio to the fastest is there for every shape."""
    found = standing(runs, "pydantic", operation)
    ratios = [place.ratio for place in found.places]
    assert ratios == sorted(ratios)
    assert ratios[0] == 1
    assert all(place.low <= place.ratio <= place.high and place.rank >= 1 for place in found.places)
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
