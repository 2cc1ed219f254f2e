"""A stored run goes to other programs, which can read it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import known_runs
import pytest

from serbench.errors import PlanError
from serbench.results import Point


@pytest.fixture(scope="module")
def run():
    """A made-up run."""
    return known_runs.run("20260101-000000-abcd", [Point("client", 5, 2, 0, "varied")], ("encode", "decode"))


def test_pyperf_s_file_has_one_value_a_wave(run):
    """Rounds of a process are not given out as repetitions: each wave is a run with one value, in seconds."""
    found = json.loads(run.export("pyperf"))
    assert "1.0" == found["version"]
    for benchmark in found["benchmarks"]:
        assert {1} == {len(one["values"]) for one in benchmark["runs"]}
        assert 0 < benchmark["runs"][0]["values"][0] < 1
    assert len({one["metadata"]["name"] for one in found["benchmarks"]}) == len(found["benchmarks"])
    waves = sorted(row.waves for row in run.rows if row.measured)
    assert waves == sorted(len(one["runs"]) for one in found["benchmarks"])


def test_csv_and_json_are_the_rows(run, tmp_path):
    """CSV and JSON hold the rows, on standard output or in a file."""
    assert len(run.rows) == len(list(csv.DictReader(io.StringIO(run.export("csv")))))
    assert run.export("json", tmp_path / "run.json") is None
    assert len(run.rows) == len(json.loads((tmp_path / "run.json").read_text())["rows"])


def test_parquet_has_the_columns_of_the_other_forms(run, tmp_path):
    """Those of endpoints too, if there are any."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    for share in (None, 0.25):
        made = replace(run)
        vars(made)["rows"] = [replace(row, share=share) for row in run.rows]
        made.export("parquet", tmp_path / "run.parquet")
        columns = next(csv.reader(made.export("csv").splitlines()))
        assert columns == parquet.read_table(tmp_path / "run.parquet").column_names
        assert (share is not None) == ("share" in columns)


def test_parquet_holds_the_rows(run, tmp_path):
    """Parquet comes back as the same rows."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    run.export("parquet", tmp_path / "run.parquet")
    times = [row["time_ns"] for row in run.to_data()["rows"]]
    assert times == parquet.read_table(tmp_path / "run.parquet")["time_ns"].to_pylist()


@pytest.mark.parametrize(
    ("to", "path", "words"),
    [("cvs", None, "did you mean csv"), ("parquet", None, "--output"), ("csv", "/nowhere/at/all", "cannot be written")],
)
def test_what_cannot_be_written_is_one_line(run, to, path, words):
    """A wrong format or file is said with what to do."""
    with pytest.raises(PlanError, match=words) as caught:
        run.export(to, path)
    assert "\n" not in str(caught.value)
