"""Each notebook begins with its answer, has controls and short cells, and answers its question headlessly."""

import ast
import json
import re
from html import escape
from pathlib import Path
from types import SimpleNamespace

import pytest
from waits import LONG_S, LONGEST_S

import serbench
from serbench.api.notebook.app import FIRST, PICTURE
from serbench.api.reports.published import UNPUBLISHED
from serbench.api.verifying import published_matrices
from serbench.display.matrices import matrix_finding
from serbench.render.library import libraries
from serbench.render.selection import chosen_codecs

pytestmark = pytest.mark.timeout(1200)  # they run notebooks

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TUTORIAL = "tutorial"
MOST_BYTES = 300_000  # of an executed notebook

in_one_process = pytest.mark.xdist_group("notebooks")  # what reads notebooks takes a second to import


def each_notebook(test):
    """A test of each notebook."""
    return in_one_process(pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)(test))


def read(path):
    """The notebook in that file."""
    import nbformat

    return nbformat.read(path, as_version=4)


def parameters_of(path):
    """What papermill knows of the parameters of a notebook."""
    import papermill

    return papermill.inspect_notebook(str(path))


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def execute(name, folder, **parameters):
    """A notebook as papermill executes it in the folder of notebooks."""
    import papermill

    return papermill.execute_notebook(
        str(FOLDER / f"{name}.ipynb"),
        str(folder / "executed.ipynb"),
        parameters=parameters,
        progress_bar=False,
        cwd=str(FOLDER),
        start_timeout=LONGEST_S,
        execution_timeout=LONG_S,
    )


def answer_of(executed):
    """What the cell below the heading "Answer" shows."""
    cells = executed.cells
    place = next(place for place, cell in enumerate(cells) if cell.source.startswith("## Answer"))
    return next(cell for cell in cells[place:] if cell.cell_type == "code").outputs[-1].data


@pytest.mark.full
@each_notebook
def test_a_notebook_opens_and_begins_with_a_question(path):
    """It is valid nbformat, its title is a question, and its first code cell is tagged `parameters`."""
    import nbformat

    notebook = read(path)
    nbformat.validate(notebook)
    title = notebook.cells[0].source.splitlines()[0]
    assert title.startswith("# ")
    assert title.endswith("?")
    tagged = [cell.id for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert [code_cells(notebook)[0].id] == tagged


@each_notebook
def test_a_notebook_is_committed_without_outputs(path):
    """No cell has an output or a count, and nothing tells of the machine that ran it last; a picture is a link to a file."""
    notebook = read(path)
    assert [] == [cell.id for cell in code_cells(notebook) if cell.outputs]
    if path.name == FIRST:
        assert f"]({PICTURE})" in notebook.cells[0].source
        assert (path.parent / PICTURE).is_file()
    assert {None} == {cell.execution_count for cell in code_cells(notebook)}
    assert set() == {"widgets", "papermill"} & set(notebook.metadata)


@each_notebook
def test_a_notebook_begins_with_its_answer(path):
    """Below the question stand the answer of the published results and their figure; the answer is said once, if the figure says it.

    The explorer is a figure itself: a picture above it would be taken for its controls.
    """
    first = read(path).cells[0].source
    paragraphs = [text for text in first.split("\n\n") if not text.startswith("<!--")]
    image = re.search(r"!\[(.+)\]\((.+)\)$", first, re.MULTILINE)
    assert image or path.name == FIRST or path.stem in ("tutorial", "versions")
    figure = image and path.parent / image[2]
    told = figure.read_text(encoding="utf-8").split("</title>")[0] if figure and figure.suffix == ".svg" else ""
    answer = re.match(r"\*\*(.+?)\.?\*\*", paragraphs[1]) or re.match(r"!\[(.+)\]\(", paragraphs[1])
    assert (answer[0].startswith("!")) == (escape(answer[1].replace("\\", "")) in told)


@in_one_process
def test_the_answer_on_fidelity_is_of_the_published_outcomes():
    """The counts of its first sentence are those of the matrices."""
    changed, every, crashed = re.findall(r"\d[\d,]*", matrix_finding(published_matrices(), "fidelity"))
    answer = read(FOLDER / "fidelity.ipynb").cells[0].source
    assert f"Of {every} published combinations of library and codec, {changed} silently change" in answer
    assert f"and {crashed} crash" in answer


@each_notebook
def test_one_cell_follows_controls(path):
    """One function follows the controls, the explorer's aside; all else are calls, but the tutorial's code."""
    cells = code_cells(read(path))
    followed = [cell.source for cell in cells if "@serbench.interact(" in cell.source]
    assert len(followed) == (path.name != FIRST)
    if path.stem == TUTORIAL:
        return
    logic = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.For | ast.While | ast.If | ast.Try
    for cell in cells:
        found = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, logic)]
        assert len(found) == (cell.source in followed)


@each_notebook
def test_cells_are_short(path):
    """At most 15 lines of code, which a reader would write; parameters have a line for each and for each of their names."""
    for cell in code_cells(read(path))[1:]:
        assert len([line for line in cell.source.splitlines() if line.strip()]) <= 15, cell.source


@each_notebook
def test_the_answer_stands_before_its_figures_and_details(path):
    """Below the question come the parameters and the measuring, then the answer, and everything else after it.

    The tutorial shows its models before it.
    """
    if path.stem == TUTORIAL:
        return
    cells = read(path).cells
    place = next(place for place, cell in enumerate(cells) if cell.source.startswith("## Answer"))
    before = [cell.source for cell in cells[:place] if cell.cell_type == "code" and "@serbench" not in cell.source]
    shown = (".figure(", ".scaling(", ".phases(", ".tradeoff(", ".budget(", ".write(")
    assert [] == [source for source in before if any(name in source for name in shown)]
    headings = [cell.source.splitlines()[0] for cell in cells if cell.cell_type == "markdown"]
    assert headings.index("## Answer") <= 2


@each_notebook
def test_every_parameter_is_explained(path):
    """Papermill finds each parameter of the first cell, with its type where it is a list, and what it is for."""
    assigned = ast.parse(code_cells(read(path))[0].source).body
    names = [ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]) for node in assigned]
    found = parameters_of(path)
    assert names == list(found)
    assert [] == [name for name, parameter in found.items() if not parameter["help"]]
    assert [] == [
        name for name, p in found.items() if p["default"] == "[]" and not p["inferred_type_name"].startswith("list[")
    ]


def test_an_empty_list_means_what_its_parameter_says():
    """Of libraries and codecs the core ones are measured if none is named, and the parameters count them."""
    assert 10 == sum(one.core for one in libraries().values())
    assert all(one.core for one in chosen_codecs(()))
    for path in NOTEBOOKS:
        for name, parameter in parameters_of(path).items():
            if name in ("libraries", "formats"):
                assert "all of them" not in parameter["help"]


SMALL = {
    "api_pipeline": {"records": 3, "libraries": ["msgspec", "dataclasses"], "formats": ["orjson"]},
    "conditions": {"workload": "client", "libraries": ["msgspec", "dataclasses"], "formats": ["orjson"]},
    "columnar": {"records": 20, "formats": ["numpy", "pickle"]},
    "explore": {"state": "tiny?libraries=msgspec,dataclasses&formats=orjson", "measure": True},
    "fidelity": {"libraries": ["msgspec", "dataclasses"], "formats": ["orjson"]},
    "marshmallow_family": {"records": [1], "libraries": ["marshmallow", "cattrs"], "formats": ["orjson"]},
    "requests": {"records": [1, 5], "endpoints": ["starlette[response]/msgspec", "starlette[response]/pydantic"]},
    "relative_speed": {"records": [3], "libraries": ["msgspec", "dataclasses"], "formats": ["orjson"]},
    "tutorial": {"records": 1, "depth": 1},
    "scaling": {"records": [1, 5], "depth": [2, 3], "libraries": ["msgspec", "dataclasses"]},
    "versions": {"records": 3, "libraries": ["msgspec", "dataclasses"]},
    "your_own_data": {"libraries": ["msgspec", "dataclasses"], "formats": ["orjson"]},
}


@each_notebook
def test_what_measures_is_not_run_for_published_results(path):
    """With `published` nothing is measured or written: such cells are tagged, or load what the folder has."""
    if "published" not in parameters_of(path):
        assert path.stem in ("explore", TUTORIAL)
        return
    for cell in code_cells(read(path)):
        if re.search(r"\.(run|probe|measure_claims)\(", cell.source):
            assert "if published" in cell.source or "if then" in cell.source or UNPUBLISHED in cell.metadata["tags"]
        writes = [line for line in cell.source.splitlines() if ".write(" in line]  # papermill runs tagged cells too
        assert [] == [line for line in writes if not line.startswith("None if published else ")]
        of_run = [line for line in writes if "result.write(" in line and path.stem != "fidelity"]  # no `[]` is shown
        assert [] == [
            line for line in of_run if not line.endswith(' or "nothing new is measured to write: press Run above"')
        ]


def test_every_notebook_is_executed():
    """There are small parameters for each notebook, or a test of its own."""
    assert sorted([*SMALL, "claims", "nested_models"]) == [path.stem for path in NOTEBOOKS]


some = pytest.mark.drawn(count=2, of="notebooks")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=in_one_process if name == "explore" else [pytest.mark.full, some]) for name in SMALL],
)
def test_a_notebook_answers_its_question(name, tmp_path):
    """Executed by papermill with small parameters it has no error, and its answer is from the results."""
    writes = "output" in parameters_of(FOLDER / f"{name}.ipynb")
    output = {"output": str(tmp_path / "tables")} if writes else {}
    executed = execute(name, tmp_path, **SMALL[name], store=str(tmp_path / "runs.sqlite"), **output)
    outputs = [output for cell in code_cells(executed) for output in cell.outputs]
    assert [] == [output for output in outputs if output.output_type in ("stream", "error")]
    assert "widgets" not in executed.metadata
    assert (tmp_path / "executed.ipynb").stat().st_size < MOST_BYTES
    answer = answer_of(executed)["text/plain"]
    assert any(library in answer for library in ("msgspec", "marshmallow", "numpy")), answer
    assert "Nothing" not in answer
    tables = "matrices.json.gz" if name == "fidelity" else "results.md"
    assert writes == bool(list((tmp_path / "tables").rglob(tables)))


def test_versions_says_when_there_is_nothing_to_compare_yet():
    """Run All shows the earlier run again in place of measuring, which is no error of the cells below."""
    (answer,) = (cell.source for cell in code_cells(read(FOLDER / "versions.ipynb")) if "compare(" in cell.source)
    *first, last = answer.splitlines()
    run = SimpleNamespace(id="01ab")
    names = {"then": "", "published": False, "store": None, "before": run, "now": SimpleNamespace(result=run)}
    exec("\n".join(first), names)
    assert eval(last, names).startswith("nothing is measured yet beside the earlier run: press Run above")


def test_conditions_begins_with_the_factors_of_its_figures():
    """The greatest of decoding and of encoding, as the titles of the published figures say them."""
    published, (first, *_) = (
        serbench.load(str(FOLDER.parent / "data" / "conditions")),
        read(FOLDER / "conditions.ipynb").cells,
    )
    said = re.search(r"decoding takes up to (\S+) times .* and encoding up to (\S+) times", first.source)
    for operation, factor in zip(("decode", "encode"), said.groups(), strict=True):
        title = published.hidden_figure(operation).layout.title.text.replace("<br>", " ")
        assert f"needs {factor}× the time" in title


def test_claims_shows_the_published_ledger_until_some_is_measured(tmp_path):
    """Run All of a copy measures nothing: a folder that is not there yet is no error of the cells below."""
    cells = [cell.source for cell in code_cells(read(FOLDER / "claims.ipynb")) if "ledger" in cell.source]
    names = {"serbench": serbench, "output": str(tmp_path / "none"), "published": False}
    for source in cells[-2:]:
        exec(source, names)
    assert names["ledger"].outcomes
    assert [] == list(tmp_path.iterdir())


@pytest.mark.full
@some
def test_claims_answers_its_question(tmp_path):
    """Executed by papermill it measures the claim asked for, answers with verdicts, draws the ledger and keeps it."""
    ledger = str(tmp_path / "ledger")
    executed = execute("claims", tmp_path, claims=["001-passthrough"], versions=["now"], output=ledger)
    outputs = [output for cell in code_cells(executed) for output in cell.outputs]
    assert [] == [output for output in outputs if output.output_type in ("stream", "error")]
    kept = json.loads((tmp_path / "ledger" / "001-passthrough.json").read_text(encoding="utf-8"))
    answer = answer_of(executed)["text/plain"]
    assert f"001-passthrough: {kept['verdict']}" in answer
    assert {"ledger.csv", "ledger.md"} <= {path.name for path in (tmp_path / "ledger").iterdir()}


@pytest.mark.full
@some
def test_nested_models_answers_its_question(tmp_path):
    """Executed by papermill it answers, shows the figures and the table, and writes the results."""
    choices = {"libraries": ["msgspec", "dataclasses"], "formats": ["json", "msgpack"], "effort": "quick"}
    places = {"store": str(tmp_path / "runs.sqlite"), "output": str(tmp_path / "tables")}
    executed = execute("nested_models", tmp_path, **choices, **places)
    outputs = {cell.id: cell.outputs for cell in code_cells(executed)}
    assert [] == [output for found in outputs.values() for output in found if output.output_type in ("stream", "error")]
    assert 2 == sum("application/vnd.plotly.v1+json" in o.get("data", {}) for found in outputs.values() for o in found)
    assert [{"text/html", "text/plain"}] == [set(o.data) for o in outputs["table"]]
    assert (tmp_path / "executed.ipynb").stat().st_size < MOST_BYTES

    tables = {"results.csv", "results.json", "results.md", "results.parquet"}
    published = {"run.json", "cells.parquet", "samples.parquet", "sources.parquet"}
    assert tables | published == {path.name for path in (tmp_path / "tables").iterdir()}
    answer = answer_of(executed)["text/markdown"]
    assert {"client", "client-rich"} == set(
        re.findall(r"\*\*(\S+) · 1 record · depth 2 · varied documents\*\*", answer)
    )
    assert "- bytes: msgpack 86, json 100 to 106" in answer
