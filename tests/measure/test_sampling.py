"""A quick run of a large file measures smaller documents, and says so."""

from __future__ import annotations

import json
import signal
import time

import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.errors import PlanError
from serbench.measure import plan


@pytest.mark.full
@pytest.mark.parametrize(
    ("effort", "records", "measured"), [("quick", None, 100), ("normal", None, 1000), ("quick", 10, 10)]
)
def test_a_large_list_is_sampled(tmp_path, monkeypatch, effort, records, measured):
    """Only if effort is quick and no size is asked for; the sentence names the records and the way to the others."""
    path = tmp_path / "large.json"
    path.write_text(json.dumps([{"number": number + 1000} for number in range(1000)], separators=(",", ":")))
    monkeypatch.setattr(plan, "LARGE_BYTES", 4096)
    monkeypatch.setattr(plan, "SAMPLE_BYTES", path.stat().st_size // 10)
    run = serbench.run(
        payload=path,
        records=records,
        libraries="msgspec",
        formats="orjson",
        effort=effort,
        precision=0.5,
        conditions="hot",
    )
    assert {measured} == {cell.point.records for cell in run.cells}
    said = [text for text in run.warnings if "sampled from the payload" in text]
    assert bool(said) == (measured == 100)
    assert all("100 records" in text and "--records N" in text for text in said)


@pytest.mark.full
def test_a_large_object_is_sampled(tmp_path, monkeypatch):
    """The sentence names the size of its documents, which have fewer items."""
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"rows": [{"number": number + 1000} for number in range(1000)], "note": "x"}))
    monkeypatch.setattr(plan, "LARGE_BYTES", 4096)
    run = serbench.run(payload=path, libraries="msgspec", formats="orjson", effort="quick", conditions="hot")
    assert not [text for text in run.warnings if "sampled" in text]
    monkeypatch.setattr(plan, "SAMPLE_BYTES", 2048)
    run = serbench.run(payload=path, libraries="msgspec", formats="orjson", effort="quick", conditions="hot")
    (said,) = (text for text in run.warnings if "sampled" in text)
    assert "documents of about" in said
    sizes = {cell.size_bytes for cell in run.cells} - {None}
    assert 1000 < max(sizes) < 3000


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_budget_ends_the_reading_of_a_file(tmp_path, monkeypatch):
    """It is not waited for, and one line says what takes so long."""
    path = tmp_path / "orders.json"
    path.write_text("[1]", encoding="utf-8")
    monkeypatch.setattr(plan, "from_payload", lambda *_, **__: [time.sleep(0.01) for _ in range(1000)])
    with pytest.raises(PlanError, match=r"reading orders.json takes more than the budget of 0.05 s; raise --budget"):
        next(plan.datasets(make_plan(payload=path, budget=0.05)))
