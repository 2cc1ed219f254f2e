"""The notebooks travel with serbench, and a copy of one's own is not overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_path

from serbench.errors import PlanError
from serbench.notebook.lab import FIRST, copy_notebooks

FOLDER = Path(__file__).parents[2] / "notebooks"


def test_all_notebooks_are_copied_once(tmp_path):
    """The folder gets each notebook and the sample data; what is there already stays."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / FIRST).write_text("mine")
    copied = copy_notebooks(tmp_path / "own")
    assert "mine" == (tmp_path / "own" / FIRST).read_text()
    wanted = {path.name for path in FOLDER.iterdir() if path.suffix in (".ipynb", ".json")}
    assert wanted - {FIRST} == {path.name for path in copied}
    assert [] == copy_notebooks(tmp_path / "own")


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    """A file in the way is one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(PlanError, match="cannot hold the notebooks"):
        copy_notebooks(tmp_path / "file")


def test_voila_finds_the_template():
    """`voila --template=serbench` has it where serbench is installed; without it Voila waits for ever."""
    places = [Path(place) / "voila" / "templates" / "serbench" / "index.html.j2" for place in jupyter_path()]
    assert any(place.is_file() for place in places), "install serbench again: pip install -e ."
