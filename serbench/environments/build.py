"""Makes environments with uv, in a cache folder, each whole or not at all; and finds those that are made."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from serbench.environments import MAIN, Environment, Recipe, main_environment, normalised
from serbench.environments.fingerprint import is_running

MANIFEST = "serbench.json"
PREFIX = ".building-"
FOLDER = "SERBENCH_ENVIRONMENTS"
STALE_S = 24 * 3600
AT_ONCE = 4
_CHATTER = (
    *("Using ", "Creating ", "Activate", "warning", "Resolved ", "Building ", "Built ", "Prepared ", "Downloading "),
    *("If the cache and target", "If this is intentional"),
)
_ABOUT = """
import json, platform, sys, sysconfig
print(json.dumps({
    "version": sys.version_info[:2],
    "implementation": platform.python_implementation(),
    "full_version": platform.python_version(),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "executable": sys.executable,
}))
"""


class BuildError(Exception):
    """An environment cannot be made; the message says why in one line."""


def folder() -> Path:
    """Where environments are kept: `$SERBENCH_ENVIRONMENTS`, or the user's cache folder."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER])
    from platformdirs import user_cache_path

    return user_cache_path("serbench") / "environments"


def built() -> dict[Recipe, Environment]:
    """Every environment that there is by its recipe, serbench's own first."""
    found = {MAIN: main_environment()}
    for manifest in sorted(folder().glob(f"*/{MANIFEST}")):
        read = _read(manifest)
        if read is not None:
            found[read[0]] = read[1]
    return found


def make(
    recipes: Iterable[Recipe], on_step: Callable[[str, int, int], None] | None = None
) -> dict[Recipe, Environment]:
    """Every recipe's environment, made where it is not there yet; one that cannot be made has its reason.

    `on_step` hears what is being made, how many are done and how many there are to make.
    """
    wanted = list(dict.fromkeys(recipes))
    found = built() if set(wanted) - {MAIN} else {MAIN: main_environment()}
    missing = [recipe for recipe in wanted if recipe not in found]
    done = 0

    def one(recipe: Recipe) -> Environment:
        nonlocal done
        if on_step:
            on_step(recipe.name, done, len(missing))
        made = _made_or_reason(recipe)
        done += 1
        return made

    if missing:
        _sweep()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found.update(zip(missing, pool.map(one, missing), strict=True))
    return {recipe: found[recipe] for recipe in wanted}


def build(recipe: Recipe) -> Environment:
    """Make an environment: whole, or not at all. Of two processes that make the same one, the first wins.

    Raises:
        BuildError: one line that says why it cannot be.
    """
    interpreter = _interpreter(recipe.python)
    parts = (recipe.requirements, recipe.beside, recipe.python, recipe.label, interpreter, *recipe.tools)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:20]
    place = folder() / key
    try:
        folder().mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=folder()))
    except OSError as error:
        raise BuildError(f"{folder()} cannot be written ({error.strerror}); set {FOLDER} to another folder") from None
    try:
        target = scratch / "environment"
        _uv("venv", "--python", interpreter["executable"], str(target))
        python = _python(target)
        install: tuple[str, ...] = ("pip", "install", "--python", str(python))
        if recipe.tools:
            _uv(*install, *recipe.tools)
            install = (*install, "--no-build-isolation")
        if recipe.requirements:
            _uv(*install, *recipe.requirements)
        missing = _add_beside(recipe, python)
        listed = json.loads(_uv("pip", "list", "--format", "json", "--python", str(python)))
        packages = {normalised(one["name"]): one["version"] for one in listed}
        manifest = {
            "recipe": asdict(recipe),
            "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            **{name: value for name, value in interpreter.items() if name != "executable"},
            "packages": packages,
            "missing": missing,
        }
        (target / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        if place.exists() and _read(place / MANIFEST) is None:
            _discard(place)
        with contextlib.suppress(FileExistsError):  # somebody else was first, and theirs is as good
            _rename(target, place)
    except OSError as error:
        raise BuildError(f"{folder()}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    read = _read(place / MANIFEST)
    if read is None:
        raise BuildError(f"{place} has gone while it was made")
    return read[1]


def _add_beside(recipe: Recipe, python: Path) -> dict[str, str]:
    """Install what may be missing: at once where that works, else one by one; what cannot be has its reason."""
    command = ("pip", "install", "--python", str(python), *recipe.requirements)
    if not recipe.beside:
        return {}
    try:
        _uv(*command, *recipe.beside)
    except BuildError:
        missing = {}
        for requirement in recipe.beside:
            try:
                _uv(*command, requirement)
            except BuildError as error:
                missing[normalised(re.split(r"[^\w.-]", requirement)[0])] = str(error)
        return missing
    return {}


def remove(recipe: Recipe) -> None:
    """Take a recipe's environments away."""
    for manifest in folder().glob(f"*/{MANIFEST}"):
        read = _read(manifest)
        if read is not None and read[0] == recipe:
            _discard(manifest.parent)


def newest(distributions: Iterable[str]) -> dict[str, str]:
    """The newest version of each that the package index has for serbench's own Python.

    Raises:
        BuildError: the index cannot be asked, or does not know one of them.
    """
    with tempfile.TemporaryDirectory() as scratch:
        asked = Path(scratch) / "asked.in"
        asked.write_text("\n".join(distributions), encoding="utf-8")
        plain = ("--no-deps", "--no-header", "--no-annotate", "--no-config", "--quiet")
        listed = _uv("pip", "compile", *plain, "--python", sys.executable, str(asked))
    return dict(line.split("==", 1) for line in listed.split() if "==" in line)


def _discard(place: Path) -> None:
    """Take a folder away, in one step for whoever looks for it."""
    gone = place.with_name(f"{PREFIX}{os.getpid()}-{place.name}")
    place.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _rename(source: Path, target: Path) -> None:
    """Move a folder to a name that is free.

    Raises:
        FileExistsError: it is not; what stands there stays.
    """
    try:
        source.rename(target)
    except OSError:
        if target.exists():
            raise FileExistsError(target) from None
        raise


def _made_or_reason(recipe: Recipe) -> Environment:
    try:
        return build(recipe)
    except BuildError as error:
        return Environment(recipe.name, "", packages={}, full_version="", reason=str(error))


@cache
def _interpreter(request: str) -> Mapping[str, Any]:
    """The facts of the interpreter that a request means; serbench's own for an empty one."""
    path = sys.executable
    if request:
        try:
            path = _uv("python", "find", "--no-project", "--no-python-downloads", request).strip()
        except BuildError as error:
            if "uv is not" in str(error):
                raise
            raise BuildError(
                f"no interpreter {request!r} is on the PATH, in pyenv or among uv's own; "
                f"install one, for example with `uv python install {request}`"
            ) from None
    try:
        text = subprocess.run([path, "-I", "-c", _ABOUT], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise BuildError(f"the interpreter {path} does not run: {error}") from None
    facts: dict[str, Any] = json.loads(text)
    return {**facts, "executable": path}


def _uv(*arguments: str) -> str:
    """Run uv, on a PATH that has pyenv's interpreters at its end, and give what it prints."""
    try:
        from uv import find_uv_bin

        program = find_uv_bin()
    except (ImportError, FileNotFoundError):
        raise BuildError("uv is not installed: pip install uv") from None
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, sorted(versions.glob("*/bin"), reverse=True))])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    environment.pop("VIRTUAL_ENV", None)
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, check=False)
    except OSError as error:
        raise BuildError(f"uv does not run: {error}") from None
    if done.returncode:
        raise BuildError(_explained(done.stderr))
    return done.stdout


def _explained(errors: str) -> str:
    """What uv says has gone wrong, in one line."""
    marks = str.maketrans("", "", "×╰▶─│├╭·")
    lines = [line.translate(marks).strip() for line in errors.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_CHATTER)]
    text = " ".join(" ".join(telling).split()) or "uv failed without a word"
    return text if len(text) <= 400 else f"{text[:200]} … {text[-200:]}"


def _python(place: Path) -> Path:
    return place / "Scripts" / "python.exe" if sys.platform == "win32" else place / "bin" / "python"


def _read(manifest: Path) -> tuple[Recipe, Environment] | None:
    """What a manifest describes, unless it is not whole or its interpreter has gone."""
    python = _python(manifest.parent)
    if not python.exists():
        return None
    try:
        facts = json.loads(manifest.read_text(encoding="utf-8"))
        made = facts["recipe"]
        recipe = Recipe(
            tuple(made["requirements"]),
            made["python"],
            made["label"],
            tuple(made["beside"]),
            tuple(made.get("tools", ())),
        )
        major, minor = facts["version"]
        environment = Environment(
            recipe.name,
            str(python),
            (major, minor),
            facts["implementation"],
            facts["full_version"],
            facts["packages"],
            free_threaded=facts["free_threaded"],
            missing=facts["missing"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return recipe, environment


def _sweep() -> None:
    """Remove what a killed process has left half made."""
    for left in folder().glob(f"{PREFIX}*"):
        pid = left.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > STALE_S or (pid.isdigit() and not is_running(int(pid))):
                shutil.rmtree(left, ignore_errors=True)
