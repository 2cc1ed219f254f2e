"""A published run is files that give the same run again."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from serbench.errors import StoreError
from serbench.judge.waves import SAMPLE
from serbench.machine.files import write_files
from serbench.results import CaseId, Cell, Point, Sample
from serbench.store.archive import read_run
from serbench.store.folder import RunInfo, StoredRun, as_files

CELL = Cell(
    id=3,
    **vars(Point("client", 100, 2, 7, "varied")),
    **vars(CaseId("attrs", "default", "orjson", "json", version="25.3.0")),
    operation="decode",
)
INFO = RunInfo(
    id="20260101-000000-abcd",
    started="2026-01-01T00:00:00Z",
    command="serbench run",
    machine={"cpu": "Abacus"},
    versions={"attrs": "25.3.0"},
    finished=None,
    status="running",
    plan={
        "payload": "/data/orders.json",
        "schema": None,
        "model": "/data/shop:models:Customer",
        "seed": 7,
        "records": [100],
    },
    serbench="1.0",
    warnings=["é"],
    seconds=2.5,
    cells=2,
    waves=1,
)
PUBLISHED = {**INFO.plan, "payload": "orders.json", "model": "shop:models:Customer"}
SAMPLES = [Sample(3, 1, 0, turn, 500 + turn, 510, 501, turn % 2) for turn in range(3)]


def stored():
    """A run of two cells, of which one has every kind of fact and the other none."""
    crashed = replace(CELL, id=4, control=True, takes_part=False, status="crashed", reason="SIGSEGV", size_bytes=12)
    return StoredRun(INFO, [CELL, crashed], np.array(SAMPLES, SAMPLE), {"ab12": "def encode(): ...", "cd34": ""})


def test_a_run_comes_back_from_its_files(tmp_path):
    """Cells, samples and sources are the same; so are the facts, but for the folders of the machine."""
    write_files(tmp_path, as_files(stored()))
    assert {"run.json", "cells.parquet", "samples.parquet", "sources.parquet"} == {f.name for f in tmp_path.iterdir()}
    found, run = read_run(tmp_path), stored()
    assert (run.cells, run.sources) == (found.cells, found.sources)
    assert SAMPLES == [Sample(*row) for row in found.samples.tolist()]
    assert np.dtype(SAMPLE) == found.samples.dtype
    assert replace(INFO, plan=PUBLISHED) == found.info
    assert [False, True] == [cell.control for cell in found.cells]


def test_samples_that_are_no_array_are_written_too():
    """A run that was not read from a store has a list of them."""
    run = replace(stored(), samples=SAMPLES)
    assert as_files(run)["samples.parquet"] == as_files(stored())["samples.parquet"]


def test_facts_are_read_by_people():
    """They are on lines of their own, in letters of any language, and end with a line's end."""
    text = as_files(stored())["run.json"]
    assert "é" in text
    assert text.endswith("}\n")
    assert '\n "id": "20260101-000000-abcd",\n' in text
    assert PUBLISHED == json.loads(text)["plan"]


def test_a_column_without_values_has_its_type(tmp_path):
    """Numbers that nobody has are numbers, and texts are texts."""
    write_files(tmp_path, as_files(stored()))
    types = {field.name: str(field.type) for field in pq.read_schema(tmp_path / "cells.parquet")}
    assert ("int64", "string", "bool", "int64") == tuple(types[n] for n in ("gzip_ns", "machine", "control", "records"))


def test_a_run_of_an_earlier_version_had_one_document(tmp_path):
    """It was measured before there were conditions, and has no column of them."""
    write_files(tmp_path, as_files(stored()))
    table = pq.read_table(tmp_path / "cells.parquet").drop_columns(["conditions"])
    pq.write_table(table, tmp_path / "cells.parquet")
    assert {"hot"} == {cell.conditions for cell in read_run(tmp_path).cells}


@pytest.mark.parametrize("name", ["run.json", "cells.parquet", "samples.parquet", "sources.parquet"])
@pytest.mark.parametrize("content", [None, b"", b"{", b'{"id": 1}'])
def test_a_folder_that_holds_no_run_is_one_line(tmp_path, name, content):
    """A file that is missing or damaged is told with the folder's name and what to do."""
    write_files(tmp_path, as_files(stored()))
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(StoreError, match="no readable run") as told:
        read_run(tmp_path)
    assert str(tmp_path) in str(told.value)


def test_a_column_that_is_missing_is_one_line(tmp_path):
    """A table of another kind is no run."""
    write_files(tmp_path, as_files(stored()))
    for name, column in (("cells.parquet", "library"), ("samples.parquet", "wave"), ("sources.parquet", "text")):
        whole = (tmp_path / name).read_bytes()
        pq.write_table(pq.read_table(tmp_path / name).drop_columns([column]), tmp_path / name)
        with pytest.raises(StoreError, match="no readable run"):
            read_run(tmp_path)
        (tmp_path / name).write_bytes(whole)


def test_without_pyarrow_the_way_to_it_is_told(tmp_path, monkeypatch):
    """It is not part of every installation."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(StoreError, match=r"pyarrow.*\.\[report\]"):
        read_run(tmp_path)
