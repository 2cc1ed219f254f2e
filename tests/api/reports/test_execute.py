"""`serbench report` checks what it is parameters_of before it runs anything, and one notebook's failure is its own."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from waits import run

from serbench.api.command_line.program import main
from serbench.api.reports.execute import EXECUTED, execute, has_result, notebooks, parameters_of
from serbench.errors import PlanError

PROGRAM = [sys.executable, "-c", "from serbench.api.command_line.program import main; main()", "report"]
PARAMETERS = """\
records: int = 1  # how many
sizes: list[int] = [1]  # several
names: list[str] = []  # texts
factor: float = 1.0  # any
quiet: bool = False  # whether
store = None  # a file
output: str = "out"  # a folder
word = "a"  # without an annotation
"""
NOISE = """\
import atexit, os
for descriptor in (1, 2):
    atexit.register(os.write, descriptor, b"Traceback of a kernel that ends\\n")
"""


def write(path: Path, *cells: str, parameters: str = PARAMETERS) -> Path:
    """A notebook with these code cells below its parameters."""
    import nbformat

    first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}, id="parameters")
    others = [nbformat.v4.new_code_cell(cell, id=f"c{number}") for number, cell in enumerate(cells, start=1)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = nbformat.v4.new_notebook(cells=[first, *others], metadata={"kernelspec": kernel})
    nbformat.write(notebook, path)
    return path


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("records=1_000", 1000),
        ("sizes=1,10, 100", [1, 10, 100]),
        ("sizes=[1, 10]", [1, 10]),
        ("names=msgspec[gc=False], pydantic", ["msgspec[gc=False]", "pydantic"]),
        ('names=["a, b"]', ["a, b"]),
        ("names=", []),
        ("factor=2", 2.0),
        ("quiet=True", True),
        ("quiet=no", False),
        ("word=a=b", "a=b"),
        ("store=runs.sqlite", str(Path.cwd() / "runs.sqlite")),
    ],
)
def test_a_value_has_the_parameter_s_type(text, value, tmp_path):
    """What is parameters_of as text reaches the notebook as what its parameter is."""
    found = notebooks([str(write(tmp_path / "one.ipynb"))])
    assert {"one": {text.partition("=")[0]: value}} == parameters_of(found, [text])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-p", "record=1"), "parameter 'record'.*records"),
        (("-p", "records=many"), "records of one.*'many'"),
        (("-p", "records=1.5"), r"records of one.*'1\.5'"),
        (("-p", "sizes=1,x"), "sizes of one.*'x'"),
        (("-p", "quiet=perhaps"), "quiet of one.*'perhaps'"),
        (("-p", "records"), "-p.*name=value"),
        (("-e", "quik"), "effort 'quik'.*quick"),
        (("--time-limit", "long"), "--time-limit"),
        (("nested_model",), "'nested_model'.*nested_models"),
        (("missing.ipynb",), r"missing\.ipynb"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(arguments, said, refused, tmp_path, monkeypatch):
    """A wrong name, a value of another type, a file that is none: one line, exit code 2, and nothing was written."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "one.ipynb", "open('ran', 'w').close()")
    (tmp_path / "text.ipynb").write_text("no notebook")
    assert re.search(said, refused("report", "one.ipynb", *arguments))
    assert "text.ipynb" in refused("report", "text.ipynb")
    assert {"one.ipynb", "text.ipynb"} == {path.name for path in tmp_path.iterdir()}


def test_what_is_not_timed_takes_any_effort(tmp_path):
    """An effort is for the notebooks that have one; it is no error where none has."""
    one, timed = (
        write(tmp_path / f"{name}.ipynb", parameters=text)
        for name, text in (("one", "records: int = 1"), ("timed", 'effort: str = "normal"'))
    )
    assert {"one": {}, "timed": {"effort": "quick"}} == parameters_of(notebooks([str(one), str(timed)]), (), "quick")
    assert {"one": {}} == parameters_of(notebooks([str(one)]), (), "quick")
    for texts, option in ((["effort=abc"], None), ([], "abc")):
        with pytest.raises(PlanError, match=r"'abc'.*quick, normal, thorough"):
            parameters_of(notebooks([str(timed)]), texts, option)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("libraries=msgpec", "did you mean msgspec"),
        ("formats=orjsn", "did you mean orjson"),
        ("workload=cilent", "did you mean client"),
        ("operation=deocde", "did you mean decode"),
        ("records=1,0", "records must be at least 1"),
    ],
)
def test_a_value_that_no_run_can_have_is_refused_before_a_kernel_starts(text, reason):
    """Names are those of serbench, with the nearest told, and sizes are positive."""
    with pytest.raises(PlanError, match=reason):
        parameters_of(notebooks(["scaling"]), [text])


def test_two_notebooks_of_one_name_are_refused(refused, tmp_path):
    """Their results would overwrite one another."""
    (tmp_path / "other").mkdir()
    paths = write(tmp_path / "one.ipynb"), write(tmp_path / "other" / "one.ipynb")
    assert "called one" in refused("report", *paths)


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """A report on five notebooks, of which three fail in ways of their own: the process, and its folder."""
    folder = tmp_path_factory.mktemp("report")
    write(folder / "broken.ipynb", "print('seen')", "1 / 0", "print('never')")
    write(folder / "dead.ipynb", "import os; os.write(2, b'out of luck'); os._exit(9)")
    write(folder / "full.ipynb", "print('never')")
    write(folder / "slow.ipynb", "import time\nprint('before', flush=True)\ntime.sleep(600)")
    write(folder / "whole.ipynb", f"print(records, sizes)\n{NOISE}")
    (folder / "out" / EXECUTED).mkdir(parents=True)
    (folder / "out" / EXECUTED / "full.ipynb").symlink_to("/dev/full")
    paths = [path.name for path in sorted(folder.glob("*.ipynb"))]
    options = ["-p", "records=7", "-p", "sizes=1,2", "--output", "out", "--time-limit", "15", "--json"]
    done = run([*PROGRAM, *paths, *options], cwd=folder, check=False)
    return done, folder / "out" / EXECUTED


def displayed(path: Path) -> str:
    """The texts that an executed notebook shows."""
    import nbformat

    cells = nbformat.read(path, as_version=4).cells
    return "".join(o.get("text", o.get("ename", "")) for cell in cells for o in cell.get("outputs", ()))


def outcome(reported, name: str) -> dict[str, str]:
    """What the report says of a notebook."""
    done, _ = reported
    return next(one for one in json.loads(done.stdout)["notebooks"] if one["notebook"] == name)


@pytest.mark.full
def test_one_failure_leaves_the_others(reported):
    """What fails makes the exit code 1, and the notebooks after it have run, with the parameters parameters_of."""
    done, folder = reported
    assert 1 == done.returncode
    assert "ok" == outcome(reported, "whole")["status"]
    assert "7 [1, 2]\n" == displayed(folder / "whole.ipynb")


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "status", "cell", "reason", "shown"),
    [
        ("broken", "failed", "cell 3 of 4 (c2)", "ZeroDivisionError: division by zero", "seen\nZeroDivisionError"),
        ("slow", "timeout", "cell 2 of 2 (c1)", "took longer than 15 s", "before\n"),
        ("dead", "failed", "cell 2 of 2 (c1)", "its process ended", ""),
    ],
)
def test_a_failure_names_cell_and_reason(reported, name, status, cell, reason, shown):
    """A cell that raises, takes too long or loses its kernel is named, and what was displayed before it is kept."""
    done, folder = reported
    found = outcome(reported, name)
    assert (status, cell, True) == (found["status"], found["cell"], reason in found["reason"])
    assert displayed(folder / f"{name}.ipynb").startswith(shown)
    assert f"{name}: " in done.stderr


@pytest.mark.full
def test_what_a_dead_kernel_said_last_is_kept(reported):
    """Its output is in a file, which the reason names."""
    assert f"the output of the process is in {Path('out', EXECUTED, 'dead.log')}" in outcome(reported, "dead")["reason"]
    assert ["out of luck"] == [path.read_text() for path in reported[1].glob("*.log")]


@pytest.mark.full
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_a_reason(reported):
    """Where the executed notebook cannot be written the disk's error is the reason."""
    found = outcome(reported, "full")
    assert "failed" == found["status"]
    assert "No space left on device" in found["reason"]


@pytest.mark.full
def test_every_cell_is_told_of(reported):
    """Standard error says which cell of which notebook is at work and the outcomes, and nothing that a kernel says."""
    lines = reported[0].stderr.splitlines()
    assert {"broken", "dead", "full", "slow", "whole"} == {line.partition(":")[0] for line in lines}
    assert ["whole: cell 1 of 2 (parameters)", "whole: cell 2 of 2 (c1)"] == [
        line for line in lines if line.startswith("whole: cell")
    ]


@pytest.mark.full
def test_a_later_report_runs_what_is_asked_for(reported, capsys):
    """With `--only-missing` a notebook that has a result is left out."""
    folder = reported[1].parents[1]
    for option, status in (["--only-missing"], "kept"), ([], "ok"):
        with pytest.raises(SystemExit) as ended:
            main(["report", str(folder / "whole.ipynb"), "--output", str(folder / "out"), *option, "--json"])
        assert 0 == ended.value.code
        assert [status] == [one["status"] for one in json.loads(capsys.readouterr().out)["notebooks"]]


def test_the_output_folder_must_be_writable(refused, tmp_path):
    """A folder that is a file is refused before anything runs."""
    (tmp_path / "out").write_text("")
    assert "cannot be written" in refused("report", write(tmp_path / "one.ipynb"), "--output", tmp_path / "out")


def test_a_result_is_a_published_run_or_an_execution_without_an_error(tmp_path):
    """What has failed, was ended on the way or was never run has none, although it has written a run."""
    for name in ("run", "failed", "ended"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("{}")
    (tmp_path / EXECUTED).mkdir()
    for name, exception, end_time in (("shown", None, "2026"), ("failed", True, "2026"), ("ended", None, None)):
        path = write(tmp_path / EXECUTED / f"{name}.ipynb")
        content = json.loads(path.read_text())
        content["metadata"]["papermill"] = {"exception": exception}
        content["cells"][0]["metadata"]["papermill"] = {"end_time": end_time}
        path.write_text(json.dumps(content))
    write(tmp_path / EXECUTED / "opened.ipynb")
    assert ["run", "shown"] == [
        name for name in ("run", "shown", "failed", "ended", "opened", "absent") if has_result(tmp_path, name)
    ]


def test_a_kept_notebook_does_not_run(tmp_path):
    """It has a reason and no time, and nothing of it is written."""
    (one,) = notebooks([str(write(tmp_path / "one.ipynb", "open('ran', 'w').close()"))])
    (tmp_path / "out" / "one").mkdir(parents=True)
    (tmp_path / "out" / "one" / "run.json").touch()
    (found,) = execute([one], {}, tmp_path / "out", only_missing=True)
    assert ("kept", "kept, it has a result", None) == (found.status, found.reason, found.executed)
    assert not (tmp_path / "ran").exists()
    assert [] == list((tmp_path / "out" / EXECUTED).iterdir())
