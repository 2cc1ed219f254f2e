"""`serbench.explain` times one case as conditions grow from one document to those of a service."""

from __future__ import annotations

import json
import re

import pytest

import serbench


@pytest.mark.full
def test_each_step_has_its_factor(cli):
    """The rows go from `hot`, whose ratio is 1, to `varied`; the printed board has the same figures."""
    code, out, _ = cli("explain", "msgspec", "json", "-w", "events", "-n", "2", "-o", "decode", "-e", "quick", "--json")
    found = json.loads(out)
    assert code == 0
    assert ["hot", "documents", "documents+fresh", "varied"] == [row["conditions"] for row in found["rows"]]
    assert found["title"].startswith("msgspec, events · 2 records")
    assert (1, None) == (found["rows"][0]["ratio"], found["rows"][0]["reason"])
    for row in found["rows"][1:]:
        assert 0 < row["ratio_low"] < row["ratio"] < row["ratio_high"]
        assert row["waves"] >= 4


@pytest.mark.full
def test_a_board_says_what_a_service_pays():
    """Each operation has its board, with the answer as its title."""
    text = str(serbench.explain("dataclasses", "json/json", "client", records=1, effort="quick", precision=0.5))
    titles = re.findall(
        r"^(\w+): (?:no proven difference between )?a service .*one repeated document", text, re.MULTILINE
    )
    assert ["encode", "decode"] == titles
    assert text.count("another document in each call") == 2


@pytest.mark.parametrize(
    ("codec", "told"), [("protobuf", "cannot be timed"), ("nosuch", "nosuch")], ids=["not rendered", "unknown"]
)
def test_what_cannot_be_explained_is_one_line(codec, told):
    """A case that cannot be rendered, or that nobody knows, is an error with its reason."""
    with pytest.raises(serbench.PlanError, match=told) as error:
        serbench.explain("jsons" if codec == "protobuf" else "msgspec", codec, "client-rich", records=1)
    assert "\n" not in str(error.value)
