"""Texts of others lead out by one way each: nothing of them steers a terminal, is markup or HTML, or is a formula."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import known_runs
import numpy as np
import pytest
from waits import LONGEST_S

import serbench
from serbench.api.notebook.settings import VIEWS, Settings
from serbench.api.notebook.views import findings, show
from serbench.api.reports.page import page
from serbench.api.reports.published import index, published_runs
from serbench.display.comparison import Gate, compare_runs
from serbench.display.table import Table, as_text, code, csv_cell, escaped, html
from serbench.errors import visible
from serbench.judge.compare import gate_checks
from serbench.machine.files import write_files
from serbench.results import Point
from serbench.store.archive import Archive
from serbench.store.folder import as_files
from serbench.store.run import History

POISON = "=cmd|' /C calc'!A0`</code>\x1b[31m\u202e\x9b2J\n::error::x\r\n<img src=x onerror=alert(1)>"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
CELL = ("workload", "library", "variant", "codec", "format", "environment", "version", "python", "reason", "work_class")
FIELDS = (*CELL, "source", "command", "warnings", "machine", "versions", "serbench")


def poisoned(field):
    """A run with that text in one of its fields."""
    run = known_runs.run("20260101-000000-abcd", [Point("client", 10, 2, 0, "varied")], ("encode", "decode"))
    if field in CELL:
        run = replace(run, cells=[replace(one, **{field: POISON}) for one in run.cells])
    elif field == "source":
        run = replace(run, sources=dict.fromkeys(run.sources, POISON))
    elif field in ("machine", "versions"):
        run = replace(run, info=replace(run.info, **{field: {**getattr(run.info, field), "cpu": POISON, POISON: "1"}}))
    else:
        run = replace(run, info=replace(run.info, **{field: [POISON] if field == "warnings" else POISON}))
    return run


PRINTED = (
    ("run", "--stored", "latest"),
    ("run", "--stored", "latest", "--json"),
    ("run", "--stored", "latest", "--to", "csv"),
    ("run", "--stored", "latest", "--to", "json"),
    ("run", "--stored", "latest", "--to", "pyperf"),
    ("show", "runs"),
    ("show", "runs", "--json"),
    ("compare", "latest", "previous"),
    ("weigh", "--stored", "latest"),
    ("weigh", "--stored", "latest", "--json"),
    ("recommend", "--run", "latest"),
    ("recommend", "--run", "latest", "--verbose"),
    ("recommend", "--run", "latest", "--json"),
    ("recommend", "--run", "latest", "--present", "pydantic/json"),
    ("recommend", "--run", "latest", "--bandwidth", "1Mbit/s"),
    ("compare", "latest", "previous", "--verbose"),
    ("compare", "latest", "previous", "--json"),
    ("run", "--stored", "latest", "--verbose"),
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


CHECKS = {".csv": check_csv, ".md": check_markdown}


def check_shown(kind, content):
    """A form of a value in a notebook; JSON is data."""
    text = content if isinstance(content, str) else visible(json.dumps(content))
    {"text/markdown": check_markdown, "text/html": check_html}.get(kind, check_terminal)(text)


def check_bundle(value):
    """What a notebook shows of a value; the number of its forms."""
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {"text/plain": str(value)}
    for kind, text in bundle.items():
        check_shown(kind, text)
    return len(bundle)


def check_value(value, folder):
    """What a result prints, shows in a notebook and writes; the number of these outputs."""
    check_terminal(str(value))
    check_terminal(visible(json.dumps(value.to_data(), default=vars)))
    check_markdown(value.to_markdown())
    check_html(value.table().to_html())
    for path in value.write(folder):
        if path.suffix in CHECKS:
            CHECKS[path.suffix](path.read_text(encoding="utf-8"))
        elif path.suffix == ".html":  # with plotly.js, which has such signs
            assert "<img src=x" not in path.read_text(encoding="utf-8")
    return 4 + check_bundle(value) + len(list(folder.iterdir()))


def check_printed(store, cli):
    """What commands print of a store; the number of outputs."""
    for command in PRINTED:
        code_, out, err = cli(*command, "--store", store)
        assert code_ in (0, 1) or "serbench: " in err, (command, err)
        (check_csv if "csv" in command else check_terminal)(out)
        check_terminal(err)
    return 2 * len(PRINTED)


def check_answers(run, folder):
    """What gate, recommend, compare, history and weigh say of it, with their closing lines; the number of outputs."""
    sides = [
        [cell.id for cell in run.cells if cell.library in names] for names in (("msgspec", POISON), ("attrs", POISON))
    ]
    checks = gate_checks(run.cells, run.samples, *sides, 0.05)
    gate = Gate(run.cells[0].library, run.info.command, 0.05, checks)
    advice = serbench.recommend(measured=run)
    compared = compare_runs(run, replace(run, info=replace(run.info, id="other")))
    first = [cell for cell in run.cells if cell.source_sha256 == known_runs.sha256("msgspec", "msgspec")]
    of_first = run.samples[np.isin(run.samples["cell"], [cell.id for cell in first])]
    versions = History(replace(run, cells=first, samples=of_first), (first[0].library,))
    closings = (run.closing(), gate.closing("serbench gate"), advice.closing(), compared.closing(), versions.closing())
    for closing in closings:
        check_terminal(as_text(closing))
    values = {"gate": gate, "advice": advice, "compared": compared, "versions": versions}
    return len(closings) + sum(check_value(value, folder / name) for name, value in values.items())


def check_published(data, folder):
    """The index and the page of published results; the number of outputs."""
    published, nothing = published_runs(data), serbench.Matrices(())
    claims, outputs = serbench.ledger(folder), 1
    check_markdown(index(published, nothing, claims, ()))
    made = page([one.run for one in published], folder / "page")
    for path in made.paths:
        text = path.read_text(encoding="utf-8")
        assert "<img src=x" not in text
        assert "\x1b" not in text
        outputs += 1
    return outputs


def check_explorer(run, store):
    """What the explorer sends to its page: figures and code, which are markup, and texts; the number of outputs."""
    archive = Archive(store, ())
    archive.read_next()
    point = run.cells[0].point
    at = Settings(workload="client", records=point.records, depth=point.depth, conditions=point.conditions, formats=())
    for view in VIEWS:
        shown = show(replace(at, view=view), archive)
        for markup in ("figure", "code", "beside"):
            assert "<img src=x" not in json.dumps(shown.get(markup))
        assert not STEERING.search(json.dumps(shown, ensure_ascii=False))
    check_terminal(str(findings(at, archive)))
    return len(VIEWS) + 1


@pytest.mark.drawn(count=1)
@pytest.mark.parametrize("field", FIELDS)
def test_a_poisoned_field_is_text_in_every_output(field, tmp_path, cli):
    """Whatever is printed, shown or written of a run with a poisoned field: terminal, files, notebooks, page and explorer."""
    run = poisoned(field)
    store = known_runs.stored(tmp_path / "theirs.sqlite", run)
    outputs = {"printed": check_printed(store, cli)}
    folder = tmp_path / "data" / "your_own_data"
    folder.mkdir(parents=True)
    write_files(folder, as_files(run))
    (again,) = published_runs(tmp_path / "data")
    loaded = serbench.load(store=store)
    outputs["run"] = sum(check_value(one, tmp_path / name) for name, one in (("a", loaded), ("b", again.run)))
    outputs["weighing"] = check_value(serbench.weighing(store=store), tmp_path / "w")
    outputs["answers"] = check_answers(loaded, tmp_path)
    outputs["published"] = check_published(tmp_path / "data", tmp_path)
    outputs["explorer"] = check_explorer(loaded, store)
    told = ", ".join(f"{count} {name}" for name, count in outputs.items())
    sys.stdout.write(f"\n{field}: {sum(outputs.values())} outputs ({told}); fields: {len(FIELDS)}\n")
    assert min(outputs.values()) >= 2


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


@pytest.mark.slow
def test_an_encoding_without_a_sign_shows_its_number(tmp_path):
    """Where the terminal takes ASCII alone, as in a job without a locale, output is whole."""
    known_runs.stored(tmp_path / "s", poisoned("workload"))
    done = subprocess.run(
        [sys.executable, "-m", "serbench", "run", "--stored", "latest", "--store", tmp_path / "s"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
        timeout=LONGEST_S,
    )
    assert (0, b"") == (done.returncode, done.stderr)
    assert b"\\xb5s" in done.stdout  # µs


@pytest.mark.parametrize("kept", ["store", "folder", "object"])
def test_a_class_that_a_run_of_others_names_is_not_imported(kept, tmp_path, cli):
    """Advice from a store or a folder that is named shows what is in it, and runs no code that it points to."""
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n\n\nclass Order:\n    pass\n")
    run = poisoned("version")
    run = replace(run, info=replace(run.info, plan={**run.info.plan, "model": f"{tmp_path}:evil:Order"}))
    run.write(tmp_path / "theirs")
    store = known_runs.stored(tmp_path / "theirs.sqlite", run)
    if kept == "object":
        serbench.recommend(measured=serbench.load("latest", store=store))
    else:
        where = {"store": ["latest", "--store", store], "folder": [tmp_path / "theirs"]}[kept]
        assert 0 == cli("recommend", "--run", *where)[0]
    assert not (tmp_path / "ran").exists()
