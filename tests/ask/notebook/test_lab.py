"""The notebooks travel with serbench, and a copy of one's own is not overwritten; the app opens on one's own data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_path

from serbench.ask.notebook.lab import FIRST, PICTURE, copy_notebooks, open_app, open_lab
from serbench.ask.notebook.settings import PRESET, from_state
from serbench.errors import PlanError

FOLDER = Path(__file__).parents[3] / "notebooks"


def test_all_notebooks_are_copied_once(tmp_path):
    """The folder gets each notebook and the sample data; what is there already stays."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / FIRST).write_text("mine")
    copied = copy_notebooks(tmp_path / "own")
    assert "mine" == (tmp_path / "own" / FIRST).read_text()
    wanted = {path.name for path in FOLDER.iterdir() if path.suffix in (".ipynb", ".json")}
    assert (wanted | {Path(PICTURE).name}) - {FIRST} == {path.name for path in copied}
    assert [] == copy_notebooks(tmp_path / "own")


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    """A file in the way is one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(PlanError, match="the notebooks cannot be copied to"):
        copy_notebooks(tmp_path / "file")


def test_lab_asks_nothing_about_news(tmp_path, monkeypatch):
    """Its own server has no news, so that no question stands over the first screen; the user's settings stay."""
    started = []
    monkeypatch.setattr("jupyterlab.labapp.LabApp.launch_instance", lambda **given: started.append(given["argv"]))
    assert 0 == open_lab(tmp_path / "folder", browser=False)
    assert "--LabApp.news_url=None" in started[0]


def test_voila_finds_the_template():
    """`voila --template=serbench` has it where serbench is installed; without it Voila waits for ever."""
    places = [Path(place) / "voila" / "templates" / "serbench" / "index.html.j2" for place in jupyter_path()]
    assert any(place.is_file() for place in places), "install serbench again: pip install -e ."


def test_the_app_opens_on_a_file(tmp_path, monkeypatch):
    """Voila gets the notebook, this machine's address alone and the file's state; Explorer opens on that."""
    (tmp_path / "my orders.json").write_text('[{"id": 1}, {"id": 2}]')
    started = []
    monkeypatch.setattr("voila.app.Voila.launch_instance", lambda **given: started.append(given["argv"]))
    monkeypatch.setenv(PRESET, "")
    assert 0 == open_app(str(tmp_path / "my orders.json"), browser=False)
    (argv,) = started
    assert {"--template=serbench", "--Voila.ip=127.0.0.1", "--no-browser"} <= set(argv)
    choice = from_state(os.environ[PRESET])
    assert ({"payload": str(tmp_path / "my orders.json")}, 2, 1) == (choice.own, choice.records, choice.depth)


def test_the_app_says_what_is_missing(tmp_path, monkeypatch):
    """A file that cannot be read is one line, whether Voila is there or not; without Voila one line says what to install."""
    monkeypatch.setenv(PRESET, "")
    monkeypatch.setattr("serbench.ask.notebook.lab.find_spec", lambda _: None)
    (tmp_path / "broken.json").write_text("[1,")
    with pytest.raises(PlanError, match=r"broken\.json"):
        open_app(str(tmp_path / "broken.json"))
    with pytest.raises(PlanError, match=r"the app needs Voila: pip install 'serbench\[notebook\]'"):
        open_app()
