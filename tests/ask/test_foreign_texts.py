"""Texts of others lead out by one way each: nothing of them steers a terminal, is markup or HTML, or is a formula."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import sys
from dataclasses import fields, replace

import known_runs
import pytest

import serbench
from serbench.ask.reports.page import page
from serbench.ask.reports.published import index, published_runs
from serbench.display.escapes import code, csv_cell, escaped, html
from serbench.display.table import Table
from serbench.errors import visible
from serbench.keep.files import write_files
from serbench.keep.folder import as_files
from serbench.keep.store import Store
from serbench.keep.weighings import add_weights, begin_weighing
from serbench.results import CaseId, Point, Weight

POISON = "=cmd|' /C calc'!A0`</code>\x1b[31m\u202e\x9b2J\n::error::x\r\n<img src=x onerror=alert(1)>"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
CELL = ("workload", "library", "variant", "codec", "format", "environment", "version", "python", "reason", "work_class")
FIELDS = (*CELL, "source", "command", "warnings", "machine", "versions", "serbench")


def poisoned(field):
    """A run with that text in one of its fields."""
    run = known_runs.run("20260101-000000-abcd", [Point("client", 10, 2, 0)], ("encode", "decode"))
    if field in CELL:
        run = replace(run, cells=[one.changed(**{field: POISON}) for one in run.cells])
    elif field == "source":
        run = replace(run, sources=dict.fromkeys(run.sources, POISON))
    elif field in ("machine", "versions"):
        run = replace(run, info=replace(run.info, **{field: {**getattr(run.info, field), "cpu": POISON, POISON: "1"}}))
    else:
        run = replace(run, info=replace(run.info, **{field: [POISON] if field == "warnings" else POISON}))
    return run


def stored(path, run):
    """Its store, as somebody else may have made it."""
    with Store(path) as store:
        for _ in range(2):
            store.serbench = run.info.serbench
            name = store.begin(
                command=run.info.command, plan=run.info.plan, machine=run.machine, versions=run.info.versions
            )
            store.put_cells(name, run.cells)
            store.add_samples(name, run.samples)
            for sha256, text in run.sources.items():
                store.put_source(sha256, text)
            store.finish(name, warnings=run.info.warnings)
        facts = {"command": run.info.command, "machine": run.machine, "versions": run.info.versions}
        weighing = begin_weighing(store, plan={}, **facts)
        first = run.cells[0]
        case = CaseId(*(getattr(first, one.name) for one in fields(CaseId)))
        add_weights(store, weighing, [Weight(first.point, case, "memory", "retained", "bytes", (1.5, 2.0))])
    return path


PRINTED = (
    ("run", "--stored", "latest"),
    ("run", "--stored", "latest", "--json"),
    ("run", "--stored", "latest", "--to", "csv"),
    ("run", "--stored", "latest", "--to", "json"),
    ("run", "--stored", "latest", "--to", "pyperf"),
    ("run", "--stored", "latest", "--to", "benchmark-action"),
    ("show", "runs"),
    ("show", "runs", "--json"),
    ("compare", "latest", "previous"),
    ("weigh", "--stored", "latest"),
    ("recommend", "--measured", "latest"),
    ("recommend", "--measured", "latest", "--bandwidth", "1Mbit/s"),
)


def check_terminal(text):
    """Nothing steers, and no line is a command to a CI."""
    assert not STEERING.search(text.replace("\r\n", "\n"))
    assert not [line for line in text.splitlines() if line.lstrip().startswith(("::error", "##["))]


def check_markdown(text):
    """Outside of code, which nothing ends before its time, no tag begins; inside, no line does."""
    check_terminal(text)
    outside = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text.replace("\\`", ""))
    assert not re.search(r"(?<!\\)<img", outside)


def check_html(text):
    """Nothing of it is a tag."""
    check_terminal(text)
    assert "<img" not in text


def check_csv(text):
    """No cell is a formula."""
    check_terminal(text)
    assert not [cell for line in csv.reader(io.StringIO(text)) for cell in line if cell.startswith(("=", "@"))]


@pytest.mark.parametrize("field", FIELDS)
def test_a_poisoned_field_is_text_in_every_output(field, tmp_path, cli):
    """Whatever is printed or written of a run with a poisoned field: terminal, JSON, CSV, Markdown, HTML, index and page."""
    run = poisoned(field)
    store, outputs = stored(tmp_path / "theirs.sqlite", run), 0
    for command in PRINTED:
        code_, out, err = cli(*command, "--store", store)
        assert code_ in (0, 1, 2), (command, err)
        (check_csv if "csv" in command else check_terminal)(out)
        check_terminal(err)
        outputs += 1
    loaded = serbench.load(store=store)
    folder = tmp_path / "data" / "theirs"
    folder.mkdir(parents=True)
    write_files(folder, as_files(run))
    (again,) = published_runs(tmp_path / "data")
    for shown in (loaded, again.run):
        check_terminal(str(shown))
        check_markdown(shown.to_markdown())
        check_html(shown.table().to_html())
        for name, text in shown.tables().items():
            (check_csv if name.endswith(".csv") else check_terminal if name.endswith("json") else check_markdown)(text)
        outputs += 6
    check_markdown(index([again], serbench.Matrices(()), serbench.ledger(tmp_path), ()))
    made = page([loaded], tmp_path / "page", claims=serbench.ledger(tmp_path), matrices=serbench.Matrices(()), costs=())
    for path in made.paths:
        text = path.read_text(encoding="utf-8")
        assert "<img src=x" not in text
        assert "\x1b" not in text
        outputs += 1
    assert outputs > 20


def test_each_way_out_has_one_function():
    """What a terminal, Markdown, HTML and a spreadsheet get of a text."""
    assert r"a\u001b[0m\u202eb\nc\udcffd" == visible("a\x1b[0m\u202eb\nc\udcffd")
    assert "a\n\\u001b\tb" == visible("a\n\x1b\tb", lines=True)
    assert "é 🙈 ü" == visible("é 🙈 ü")
    assert r"\u003a:error::x a::b" == visible("::error::x a::b")
    assert r"\<b\> \\u001b" == escaped("<b>\n\x1b")
    assert "``a ` b``" == code("a ` b")
    assert "&lt;b&gt;" == html("<b>")
    assert ["'=1+1", "'@x", "plain", -1.5, None] == [csv_cell(one) for one in ("=1+1", "@x", "plain", -1.5, None)]
    assert "'=1" in Table.of_rows([{"a": "=1"}]).to_csv()


def test_an_encoding_without_a_sign_shows_its_number(tmp_path):
    """Where the terminal takes ASCII alone, as in a job without a locale, output is whole."""
    stored(tmp_path / "s", poisoned("workload"))
    done = subprocess.run(
        [sys.executable, "-m", "serbench", "run", "--stored", "latest", "--store", tmp_path / "s"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
        timeout=100,
    )
    assert (0, b"") == (done.returncode, done.stderr)
    assert b"\\xb5s" in done.stdout  # µs
