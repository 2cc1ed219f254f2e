"""Every result is plain data, a data frame, files and tables, and displays itself."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

import serbench
from serbench.api.verifying import Matrices
from serbench.api.weighing import published_costs
from serbench.claims.ledger import ledger
from serbench.display.values import Displayed


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A small run, kept in a store of its own."""
    store = tmp_path_factory.mktemp("values") / "store.sqlite"
    return serbench.run(records=5, libraries="msgspec,class", formats="json/json", effort="quick", store=store)


def check(result, folder, least, most=8_000):
    """It has rows, writes them, and shows a table."""
    assert isinstance(result, Displayed)
    frame = result.to_pandas()
    assert len(frame) >= least
    files = {path.name: path.read_text(encoding="utf-8") for path in result.write(folder)}
    assert len(files["rows.csv"].splitlines()) == len(frame) + 1
    assert json.loads(files["data.json"]) == json.loads(json.dumps(result.to_data(), default=vars))
    bundle = result._repr_mimebundle_()
    assert 0 < len(bundle["text/plain"]) < most
    assert bundle["text/markdown"] == files["table.md"]
    assert len(repr(result)) < most


@pytest.mark.slow
def test_timings_are_of_the_manner(tmp_path):
    """Functions compared with each other have a figure too."""
    ways = {"sum": lambda: sum(range(1000)), "loop": lambda: sum(list(range(1000)))}  # both far from 1 µs and 1 ms
    timings = serbench.compare(ways, effort="quick")
    check(timings, tmp_path, 2)
    assert {"sum", "loop"} == set(timings.to_pandas()["code"])
    assert 2 == len(timings.figure().data[0].x)
    (table,) = timings.table().tables
    (times,) = (column.cells for column in table.columns if column.heading == "time")
    assert f"{times[0].split()[1]} per call" == timings.figure().layout.xaxis.title.text
    assert timings.figure().data[0].x[0] == pytest.approx(float(times[0].split()[0].replace(",", "")), rel=0.01)


@pytest.mark.slow
def test_a_recommendation_is_of_the_manner(measured, tmp_path):
    """Advice displays itself in sentences; its rows and its figure are those of the run."""
    advice = serbench.recommend(measured=measured)
    check(advice, tmp_path, 4)
    assert len(advice.to_pandas()) == len(measured.to_pandas())
    assert advice.figure("decode").to_dict() == measured.tradeoff("decode").to_dict()


def test_a_verification_is_of_the_manner(tmp_path):
    """What was proven is still a list of cells."""
    proven = serbench.verify(libraries="msgspec", formats="orjson", store=tmp_path / "store.sqlite")
    check(proven, tmp_path, 2)
    assert {"ok"} == set(proven.to_pandas()["status"])
    assert {"msgspec"} == {cell.library for cell in proven}


def test_the_ledger_has_a_row_for_each_figure():
    """Claims as a data frame: each figure in each set of versions."""
    published = ledger()
    assert len(published.to_pandas()) == sum(len(one.figures) for one in published.outcomes)


def test_matrices_are_a_data_frame():
    """Both matrices have a row for each probe."""
    case = next(iter(serbench.probed()))
    assert {"fidelity", "strictness"} <= set(Matrices((case,)).to_pandas()["matrix"])


def test_costs_are_of_the_manner(tmp_path):
    """Published costs have a row for each line of their file."""
    for cost in published_costs():
        check(cost, tmp_path, len(cost.rows), most=20_000)  # as long as its published page


def test_every_result_is_of_the_manner():
    """No kind of result leaves out what all have."""
    package = Path(serbench.__file__).parent
    for path in (path for path in package.rglob("*.py") if "Displayed)" in path.read_text(encoding="utf-8")):
        importlib.import_module(".".join(("serbench", *path.relative_to(package).with_suffix("").parts)))
    kinds = Displayed.__subclasses__()
    assert len(kinds) > 7
    for kind in kinds:
        assert {Displayed.table, Displayed.to_data}.isdisjoint({kind.table, kind.to_data}), kind
