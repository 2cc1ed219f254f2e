"""Does what Binder does, without Docker: `python tests/scripts/try_binder.py` renders, installs, builds and starts the recipe.

The recipe's Dockerfile is rendered by repo2docker (`pip install jupyter-repo2docker`); its requirements are installed in
a clean environment with the Python that it names, where there is one; postBuild and start run there, in a clone of
this repository; and what start opens is executed: the explorer, measuring its preset. With `--all`, so is every notebook,
on little data. `--python=3.14` takes another Python than the recipe's, such as one on the PATH. Takes some minutes.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVERY = "serbench report --effort quick -p records=3 -p depth=2 -p libraries=msgspec,dataclasses -p formats=json/json --output out"


def rendered(folder: Path) -> str:
    """The Dockerfile that repo2docker makes of a clone."""
    try:
        from repo2docker.buildpacks import PythonBuildPack
    except ImportError:
        sys.exit("the recipe is rendered by repo2docker: pip install jupyter-repo2docker")

    before = Path.cwd()
    os.chdir(folder)
    try:
        pack = PythonBuildPack("docker.io/library/buildpack-deps:jammy")
        pack.platform = "linux/amd64"
        if not pack.detect():
            raise SystemExit("repo2docker does not take this for a Python project")
        return str(pack.render({"NB_UID": "1000", "NB_USER": "jovyan"}))
    finally:
        os.chdir(before)


def main() -> None:
    """Go through the recipe step by step; the first that fails ends it."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        clone, home = place / "serbench", place / "venv"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        print(f"rendered: a Dockerfile of {len(rendered(clone).splitlines())} lines")
        named = [text.removeprefix("--python=") for text in sys.argv if text.startswith("--python=")]
        wanted = [*named, (clone / "binder" / "runtime.txt").read_text().strip().removeprefix("python-")][0]
        uv = [sys.executable, "-m", "uv"]
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        os.environ["PATH"] = os.pathsep.join(
            [os.environ["PATH"], *map(str, sorted(pyenv.glob(f"{Path(wanted).name}.*/bin")))]
        )
        if subprocess.run([*uv, "venv", "-q", "--seed", "--python", wanted, str(home)], check=False).returncode:
            print(f"there is no Python {wanted} here: {sys.version.split()[0]} instead")
            subprocess.run([*uv, "venv", "-q", "--seed", "--python", sys.executable, str(home)], check=True)
        environment = {
            **os.environ,
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "VIRTUAL_ENV": str(home),
        }
        environment["SERBENCH_STORE"] = str(place / "runs.sqlite")
        execute = "binder/start papermill --cwd notebooks notebooks/explore.ipynb out.ipynb -p measure True"
        for step in ("pip install -q -r binder/requirements.txt", "binder/postBuild", execute):
            began = time.monotonic()
            subprocess.run(shlex.split(step), cwd=clone, env=environment, check=True, capture_output=step == execute)
            print(f"{step}: {time.monotonic() - began:.0f} s")
        with closing(sqlite3.connect(environment["SERBENCH_STORE"])) as store:
            ended = [status for (status,) in store.execute("select status from run")]
        if "finished" not in ended:
            raise SystemExit(
                f"the explorer has not measured its preset: {', '.join(ended) or 'no run'}; is the machine busy?"
            )
        print("executed: the explorer has measured its preset")
        if "--all" in sys.argv:
            subprocess.run(shlex.split(EVERY), cwd=clone, env=environment, check=True)


if __name__ == "__main__":
    main()
