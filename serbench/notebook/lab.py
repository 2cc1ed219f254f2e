"""JupyterLab on a copy of the notebooks that come with serbench."""

from __future__ import annotations

import shutil
from pathlib import Path

from serbench.errors import PlanError
from serbench.recording.archive import resources

FIRST = "explore.ipynb"


def copy_notebooks(folder: Path) -> list[Path]:
    """The notebooks and their sample data in that folder, which is made where it is missing; a file that is there stays as it is.

    Raises:
        PlanError: the folder cannot be written.
    """
    files = [path for path in sorted(resources("notebooks").iterdir()) if path.suffix in (".ipynb", ".json")]
    missing = [path for path in files if not (folder / path.name).exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy(path, folder)) for path in missing]
    except OSError as error:
        raise PlanError(
            f"{folder} cannot hold the notebooks: {error.strerror or error}; name another folder"
        ) from error


def open_lab(folder: Path, *, browser: bool = True) -> int:
    """Run JupyterLab on 127.0.0.1 until it is ended; its exit code."""
    from jupyterlab.labapp import LabApp

    copy_notebooks(folder)
    arguments = [f"--ServerApp.root_dir={folder.absolute()}", "--ServerApp.ip=127.0.0.1", "--allow-root"]
    arguments += [f"--LabApp.default_url=/lab/tree/{FIRST}", *([] if browser else ["--no-browser"])]
    LabApp.launch_instance(argv=arguments)
    return 0
