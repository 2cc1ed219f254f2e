"""The explorer as an app with its server and token, JupyterLab on the notebooks, and Binder's address."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from serbench.api.notebook.explorer import HERE, Explorer, front_end, style
from serbench.api.notebook.settings import PRESET, Settings, from_state, with_data
from serbench.api.notebook.user_data import facts
from serbench.api.reports.page import as_json
from serbench.errors import PlanError, SerbenchError, installed_by
from serbench.machine.caretaker import scratch_folder
from serbench.machine.files import write_files
from serbench.model.data.dataset import workload_names
from serbench.render.user_class.find import is_class
from serbench.store.archive import resources, state_of
from serbench.store.opening import default_path

FIRST = "explore.ipynb"
SERVED = {"jupyterlab": True, "voila.server_extension": False}
"""Extensions of the server: Voila's, which enables itself, serves pictures of the folder without the token."""
PUBLISHED = re.compile(rb"\]\(\.\./data/([\w/.-]+\.svg)\)")
"""How a notebook names the figure of its published results."""
OUTPUT = (b'output: str = \\"../data/', b'output: str = \\"results/')
"""Where a notebook of the repository writes, which is what is published, and where a copy does, beside itself."""
PICTURE = "images/explorer.png"
"""What that notebook links to, for whoever cannot run it."""


def copy_notebooks(folder: Path) -> list[Path]:
    """The notebooks and their sample data in that folder, which is made where it is missing; a file that is there stays as it is.

    Raises:
        PlanError: the folder cannot be written.
    """
    source = resources("notebooks")
    files = [path.name for path in sorted(source.iterdir()) if path.suffix in (".ipynb", ".json")]
    contents = {name: (source / name).read_bytes() for name in (*files, PICTURE)}
    for name, figure in ((name, PUBLISHED.search(contents[name])) for name in files):
        if figure is not None:  # is copied beside the notebook, which is changed to name it there
            there = figure[1].decode()
            beside = f"images/{there.replace('/', '-')}"
            contents[name] = contents[name].replace(figure[0], f"]({beside})".encode())
            contents[beside] = (resources("data") / there).read_bytes()
        contents[name] = contents[name].replace(*OUTPUT)
    try:
        (folder / PICTURE).parent.mkdir(parents=True, exist_ok=True)
        return write_files(
            folder, {name: content for name, content in contents.items() if not (folder / name).exists()}
        )
    except OSError as error:
        raise PlanError(
            f"the notebooks cannot be copied to {folder}: {error.strerror or error}; name another folder"
        ) from error


def quiet_settings(folder: Path, usual: Path) -> Path:
    """Return a copy of JupyterLab's own settings, in which it does not ask about news unless the user's settings say so."""
    copied = folder / "settings"
    if usual.is_dir():
        shutil.copytree(usual, copied)
    (copied / "overrides.d").mkdir(parents=True, exist_ok=True)
    quiet = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
    (copied / "overrides.d" / "serbench.json").write_text(json.dumps(quiet), encoding="utf-8")
    return copied


def open_lab(folder: Path, *, browser: bool = True) -> int:
    """Run JupyterLab on 127.0.0.1 until it is ended; its exit code."""
    from jupyterlab.commands import get_app_dir
    from jupyterlab.labapp import LabApp

    copy_notebooks(folder)
    arguments = [f"--ServerApp.root_dir={folder.absolute()}", "--ServerApp.ip=127.0.0.1", "--allow-root"]
    arguments += [f"--ServerApp.jpserver_extensions={name}={is_on}" for name, is_on in SERVED.items()]
    arguments += [f"--LabApp.default_url=/lab/tree/{FIRST}", *([] if browser else ["--no-browser"])]
    with scratch_folder() as scratch:
        settings = quiet_settings(scratch, Path(get_app_dir()) / "settings")
        LabApp.launch_instance(argv=[*arguments, f"--LabApp.app_settings_dir={settings}"])
    return 0


def open_app(data: str | None = None, *, browser: bool = True) -> int:
    """Run the explorer as an app on 127.0.0.1, behind a token, on the user's own file or class if one is named; its exit code.

    Raises:
        PlanError: the data cannot be used, or Voila is not installed.
    """
    if data is not None:
        os.environ[PRESET] = _state(data)
    if find_spec("voila") is None:
        raise PlanError(f"the app needs Voila: {installed_by('notebook')}")
    from serbench.api.notebook.app_server import AppServer

    arguments = [str(resources("notebooks") / FIRST), "--template=serbench"]
    arguments += ["--Voila.ip=127.0.0.1", "--Voila.auto_token=True"]
    with scratch_folder() as scratch:
        arguments.append(f"--Voila.connection_dir_root={scratch}")
        AppServer.launch_instance(argv=[*arguments, *([] if browser else ["--no-browser"])])
    return 0


def _state(data: str) -> str:
    """Return the state of an explorer on this file or class; of a state, that state."""
    is_state = ("?" in data or data in workload_names()) and not Path(data).exists()
    settings = from_state(data) if is_state else Settings().changed({"model" if is_class(data) else "payload": data})
    if settings.user_data and (reason := facts(settings.user_data).reason):
        raise PlanError(reason)
    return settings.state if is_state else with_data(settings, settings.user_data).state


MAKING = threading.Lock()
SHARED = ("options", "settings", "shown", "progress", "state", "content", "live", "further")
TITLE = "Which library and format for data like yours?"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>serbench</title>
<link rel="icon" href="data:,">
<style>
{style}
body {{ margin: 0; }}
#serbench-app {{ max-width: 1240px; margin: 0 auto; padding: 12px; }}
#serbench-app .serbench-explorer {{ padding: 10px 0; }}
#serbench-app h1 {{ font: 600 22px system-ui, sans-serif; margin: 4px 0; color: CanvasText; }}
#serbench-skip:not(:focus) {{ position: absolute; left: -9999px; }}
#loading {{ display: none !important; }}
#rendered_cells, body > .jp-LabShell {{ visibility: hidden; position: fixed; }} /* the notebook, from which the explorer came */
</style>
</head>
<body>
<a id="serbench-skip" href="#serbench-results">Skip to the results</a>
<main id="serbench-app"><h1>{title}</h1><div id="serbench-first"></div></main>
<script type="application/json" id="serbench-values">{values}</script>
<script>(() => {{
{script}
}})();</script>
"""


class _Still(Explorer):
    """An explorer of an address that shows what is stored, and measures nothing."""

    def __init__(self, address: str | None) -> None:
        self._asked_for = address
        super().__init__()

    def _address(self) -> str | None:
        return self._asked_for

    def _is_new(self) -> bool:
        return False

    def _begin_reading(self) -> None:
        return None


def first_screen(address: str | None = None, token: str = "") -> str:
    """Return the first part of the app's page, which draws the state of an address, or the usual one if it may not be shown.

    The page's links have the token, so that they open in any browser of this machine.
    """
    with MAKING:
        return _made(address, token, state_of(default_path()))


@lru_cache(8)
def _made(address: str | None, token: str, _changed: tuple[int, ...]) -> str:
    try:
        explorer = _Still(address)
    except SerbenchError:
        explorer = _Still(None)
    values = {name: getattr(explorer, name) for name in SHARED}
    values["options"] = {**values["options"], "app": True, "token": token}
    script = f"{front_end()}\n{(HERE / 'first.js').read_text(encoding='utf-8')}"
    return PAGE.format(style=style(), title=TITLE, values=as_json(values), script=script)
