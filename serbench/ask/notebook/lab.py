"""The explorer as an app, and JupyterLab on a copy of the notebooks that come with serbench."""

from __future__ import annotations

import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from serbench.ask.notebook.settings import PRESET, Settings
from serbench.ask.notebook.user_data import facts, with_data
from serbench.errors import PlanError, installed_by
from serbench.keep.archive import resources
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.files import write_files

FIRST = "explore.ipynb"
SERVED = {"jupyterlab": True, "voila.server_extension": False}
"""Extensions of the server: Voila's, which enables itself, serves pictures of the folder without the token."""
PICTURE = "images/explorer.png"
"""What that notebook links to, for whoever cannot run it."""


def copy_notebooks(folder: Path) -> list[Path]:
    """The notebooks and their sample data in that folder, which is made where it is missing; a file that is there stays as it is.

    Raises:
        PlanError: the folder cannot be written.
    """
    source = resources("notebooks")
    files = [path.name for path in sorted(source.iterdir()) if path.suffix in (".ipynb", ".json")]
    missing = [name for name in (*files, PICTURE) if not (folder / name).exists()]
    try:
        (folder / PICTURE).parent.mkdir(parents=True, exist_ok=True)
        return write_files(folder, {name: (source / name).read_bytes() for name in missing})
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
    from serbench.ask.notebook.server import AppServer

    arguments = [str(resources("notebooks") / FIRST), "--template=serbench"]
    arguments += ["--Voila.ip=127.0.0.1", "--Voila.auto_token=True"]
    with scratch_folder() as scratch:
        arguments.append(f"--Voila.connection_dir_root={scratch}")
        AppServer.launch_instance(argv=[*arguments, *([] if browser else ["--no-browser"])])
    return 0


def _state(data: str) -> str:
    """Return the state of an explorer on this file or class."""
    is_class = ":" in data and not Path(data).exists()
    settings = Settings().changed({"model" if is_class else "payload": data})
    if reason := facts(settings.user_data).reason:
        raise PlanError(reason)
    return with_data(settings, settings.user_data).state
