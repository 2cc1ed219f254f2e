"""Interpreters with exact packages in which cases run: found, built with uv, remembered; "main" is serbench's own."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from serbench.errors import checked, parsed
from serbench.machine.caretaker import with_us
from serbench.machine.platform import is_running, now, pin_process, usable_cores


@dataclass(frozen=True)
class Recipe:
    """Instructions to build an environment.

    Attributes:
        requirements: packages to install, in pip's notation, such as "pydantic==1.10.27".
        beside: optional packages; the environment is usable if some of them cannot be installed.
        python: the interpreter, in uv's notation: "3.9", "pypy3", "3.13t"; empty for serbench's own.
        label: the requirement that names the environment; empty if only the interpreter matters.
        tools: build requirements that replace those of the packages, if the latter can no longer be installed.
    """

    requirements: tuple[str, ...] = ()
    python: str = ""
    label: str = ""
    beside: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name in tables: "pydantic==1.10.27", "pypy3", "pydantic==1.10.27 on pypy3" or "main"."""
        return " on ".join(part for part in (self.label, self.python) if part) or "main"


MAIN = Recipe()


@dataclass(frozen=True)
class Environment:
    """An interpreter with installed packages, in which workers run.

    Attributes:
        name: name in tables.
        python: path of the interpreter; empty if it could not be built.
        version: (major, minor) version of Python, such as (3, 11).
        implementation: "CPython" or "PyPy".
        full_version: version of Python, such as "3.11.7".
        packages: normalised distribution name → installed version; None for serbench's own installation.
        reason: why it is unusable; None if it is usable.
        free_threaded: True if Python runs without the global interpreter lock.
        missing: normalised distribution name → why it could not be installed.
        folders: those of its packages, if it is the user's own; those of packages that a user's class imports and it may lack.
    """

    name: str
    python: str
    version: tuple[int, int] = sys.version_info[:2]
    implementation: str = platform.python_implementation()
    full_version: str = platform.python_version()
    packages: Mapping[str, str] | None = field(default=None, hash=False)
    reason: str | None = None
    free_threaded: bool = False
    missing: Mapping[str, str] = field(default_factory=dict, hash=False)
    folders: tuple[str, ...] = ()

    @classmethod
    def unusable(cls, recipe: Recipe, reason: str) -> Environment:
        """Return the environment of a recipe that is not built, with the reason."""
        return cls(recipe.name, "", packages={}, full_version="", reason=reason)

    @property
    def has_jit(self) -> bool:
        """True if a just-in-time compiler speeds up running code."""
        return self.implementation == "PyPy"

    @property
    def runs_on(self) -> str:
        """Implementation and version, such as "CPython 3.11.7" or "PyPy 3.9.16"."""
        return f"{self.implementation} {self.full_version}" + (" free-threaded" if self.free_threaded else "")

    def installed(self, distribution: str | None) -> str | None:
        """Return the installed version of a distribution, or None; for `distribution=None`, that of Python."""
        if distribution is None:
            return self.full_version or None
        if self.packages is not None:
            return self.packages.get(normalised(distribution))
        return _main_version(distribution)

    def satisfies(self, marker: str, extra: str = "") -> bool:
        """Return whether an environment marker (PEP 508) holds here, given the requested extra."""
        from packaging.markers import Marker

        facts = {
            "implementation_name": self.implementation.lower(),
            "platform_python_implementation": self.implementation,
            "python_version": ".".join(map(str, self.version)),
            "python_full_version": self.full_version,
            "extra": extra,
        }
        return not marker or Marker(marker).evaluate(facts)

    def versions(self, distributions: set[str]) -> dict[str, str]:
        """Return the versions of the installed ones among `distributions`, and of Python."""
        installed = {name: self.installed(name) for name in sorted(distributions)}
        return {"python": self.runs_on, **{name: text for name, text in installed.items() if text}}


@cache
def main_environment() -> Environment:
    """Return serbench's own installation."""
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)()
    return Environment("main", sys.executable, free_threaded=free_threaded)


def normalised(distribution: str) -> str:
    """Normalise a distribution name as package indexes do (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def required(
    roots: Iterable[str], requires: Callable[[str], Iterable[str] | None], environment: Environment
) -> set[str]:
    """Return the normalised names of these distributions and of all their requirements in that environment.

    `requires` gives what an installed one requires as its metadata says it, and None for one that is not installed, which
    is one of another platform.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    todo, seen = [(normalised(root), "") for root in roots], set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in seen or (lines := requires(name)) is None:
            continue
        seen.add((name, extra))
        for line in lines:
            try:
                needed = Requirement(line)
            except InvalidRequirement:  # of an old distribution, which pip did not understand either
                continue
            if environment.satisfies(str(needed.marker or ""), extra):
                todo += [(normalised(needed.name), part) for part in ("", *needed.extras)]
    return {name for name, _ in seen}


@cache
def _main_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


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
_PACKAGES = _ABOUT.replace(
    "sys.executable,",
    """sys.executable,
    "packages": [(one.metadata["Name"], one.version) for one in importlib.metadata.distributions()],
    "folders": sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}),""",
).replace("import json", "import importlib.metadata, json")


class BuildError(Exception):
    """An environment cannot be built; the message gives the reason in one line."""


def environments_folder() -> Path:
    """Return the folder of all environments: `$SERBENCH_ENVIRONMENTS`, or one in the user's cache folder."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER])
    from platformdirs import user_cache_path

    return user_cache_path("serbench") / "environments"


def built() -> dict[Recipe, Environment]:
    """Map the recipes of all existing environments to these, serbench's own first."""
    environments = {MAIN: main_environment()}
    for manifest in sorted(environments_folder().glob(f"*/{MANIFEST}")):
        read = _read(manifest)
        if read is not None:
            environments[read[0]] = read[1]
    return environments


def make(
    recipes: Iterable[Recipe],
    on_step: Callable[[str, int, int], None] | None = None,
    *,
    may_build: bool = True,
    end: float | None = None,
) -> dict[Recipe, Environment]:
    """Return the environment of each recipe, building missing ones if they may be; one that is not built has a `reason`.

    `on_step` is called with the name of the environment being built, the number done and the number to build. What is not
    built at `end`, on the monotonic clock in s, is given up.
    """
    wanted = list(dict.fromkeys(recipes))
    environments = built() if set(wanted) - {MAIN} else {MAIN: main_environment()}
    missing = [recipe for recipe in wanted if recipe not in environments]
    done = 0

    def one(recipe: Recipe) -> Environment:
        nonlocal done
        if not may_build:
            return Environment.unusable(recipe, f"not built; `serbench env build {recipe.name}` builds it")
        if on_step:
            on_step(recipe.name, done, len(missing))
        try:
            made = build(recipe, end)
        except BuildError as error:
            made = Environment.unusable(recipe, str(error))
        done += 1
        return made

    if missing:
        _remove_leftovers()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            environments.update(zip(missing, pool.map(one, missing), strict=True))
    return {recipe: environments[recipe] for recipe in wanted}


def user_environment(path: str) -> Environment:
    """Return an interpreter of the user's, with the packages that it has, as an environment.

    Raises:
        BuildError: it does not run.
    """
    facts = dict(_facts(path, _PACKAGES))
    major, minor = facts["version"]
    return Environment(
        path,
        path,
        (major, minor),
        facts["implementation"],
        facts["full_version"],
        {normalised(name): version for name, version in facts["packages"] if name},
        free_threaded=facts["free_threaded"],
        folders=tuple(facts["folders"]),
    )


def build(recipe: Recipe, end: float | None = None) -> Environment:
    """Build an environment atomically, until `end`; if two processes build the same one, the first wins.

    An interpreter that is named by its path alone is there already, with what it has.

    Raises:
        BuildError: the environment cannot be built.
    """
    if os.sep in recipe.python and recipe == Recipe(python=recipe.python):
        return user_environment(recipe.python)
    interpreter = _interpreter(recipe.python)
    parts = (recipe.requirements, recipe.beside, recipe.python, recipe.label, interpreter, *recipe.tools)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:20]
    folder = environments_folder() / key
    try:
        environments_folder().mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=environments_folder()))
    except OSError as error:
        raise BuildError(
            f"{environments_folder()} cannot be written ({error.strerror}); set {FOLDER} to another folder"
        ) from None
    uv = partial(_uv, end=end)
    try:
        target = scratch / "environment"
        uv("venv", "--python", interpreter["executable"], str(target))
        python = _python(target)
        install: tuple[str, ...] = ("pip", "install", "--python", str(python))
        if recipe.tools:
            uv(*install, *recipe.tools)
            install = (*install, "--no-build-isolation")
        if recipe.requirements:
            uv(*install, *recipe.requirements)
        missing = _add_beside(recipe, python, uv)
        listed = json.loads(uv("pip", "list", "--format", "json", "--python", str(python)))
        packages = {normalised(one["name"]): one["version"] for one in listed}
        manifest = {
            "recipe": asdict(recipe),
            "made": now(),
            **{name: value for name, value in interpreter.items() if name != "executable"},
            "packages": packages,
            "missing": missing,
        }
        (target / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        if folder.exists() and _read(folder / MANIFEST) is None:
            _discard(folder)
        try:
            target.rename(folder)
        except OSError:
            if not folder.exists():  # or else another process was first; its environment is equivalent
                raise
    except OSError as error:
        raise BuildError(f"{environments_folder()}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    read = _read(folder / MANIFEST)
    if read is None:
        raise BuildError(f"{folder} was deleted while it was being built; run the command again")
    return read[1]


def _add_beside(recipe: Recipe, python: Path, uv: Callable[..., str]) -> dict[str, str]:
    """Install optional packages, together or else one by one; return the reasons for those that fail."""
    command = ("pip", "install", "--python", str(python), *recipe.requirements)
    missing: dict[str, str] = {}
    try:
        if recipe.beside:
            uv(*command, *recipe.beside)
    except BuildError:
        for requirement in recipe.beside:
            try:
                uv(*command, requirement)
            except BuildError as error:
                missing[normalised(re.split(r"[^\w.-]", requirement)[0])] = str(error)
    return missing


def remove(recipe: Recipe) -> None:
    """Delete a recipe's environments."""
    for manifest in environments_folder().glob(f"*/{MANIFEST}"):
        read = _read(manifest)
        if read is not None and read[0] == recipe:
            _discard(manifest.parent)


def _discard(folder: Path) -> None:
    """Delete a folder; a rename makes it disappear in one step."""
    gone = folder.with_name(f"{PREFIX}{os.getpid()}-{folder.name}")
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


@cache
def _interpreter(request: str) -> Mapping[str, Any]:
    """Return the version, implementation and path of a requested interpreter; empty means serbench's own."""
    path = sys.executable
    if request:
        try:
            path = _uv("python", "find", "--no-project", "--no-python-downloads", request).strip()
        except BuildError as error:
            if "uv is not" in str(error):
                raise
            raise BuildError(
                f"no interpreter {request!r} on the PATH, in pyenv or in uv; "
                f"install one, for example with `uv python install {request}`"
            ) from None
    return {**_facts(path, _ABOUT), "executable": path}


def _facts(path: str, script: str) -> Mapping[str, Any]:
    with_us()  # whose error is not the interpreter's
    try:
        text = subprocess.run(
            [path, "-I", "-c", script], capture_output=True, text=True, timeout=60, check=True, **with_us()
        ).stdout
        facts: dict[str, Any] = json.loads(text)
    except (OSError, subprocess.SubprocessError) as error:
        raise BuildError(f"the interpreter {path} does not run: {error}") from None
    except ValueError:
        raise BuildError(f"the interpreter {path} prints more than the script that it is given does") from None
    return facts


def _uv(*arguments: str, end: float | None = None) -> str:
    """Run uv, with pyenv's interpreters appended to the PATH, and return its output; it is ended at `end`."""
    try:
        from uv import find_uv_bin

        program = find_uv_bin()
    except (ImportError, FileNotFoundError):
        raise BuildError("uv is not installed: pip install uv") from None
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, sorted(versions.glob("*/bin"), reverse=True))])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    environment.pop("VIRTUAL_ENV", None)
    left = None if end is None else max(0.0, end - time.monotonic())
    try:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [program, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
            timeout=left,
            **with_us(),
        )
    except subprocess.TimeoutExpired:
        raise BuildError("not built within the budget") from None
    except OSError as error:
        raise BuildError(f"uv does not run: {error}") from None
    if done.returncode:
        raise BuildError(_explained(done.stderr))
    return done.stdout


def _explained(errors: str) -> str:
    marks = str.maketrans("", "", "×╰▶─│├╭·")
    lines = [line.translate(marks).strip() for line in errors.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_CHATTER)]
    text = " ".join(" ".join(telling).split()) or "uv failed and printed no message"
    return text if len(text) <= 400 else f"{text[:200]} … {text[-200:]}"


def _python(folder: Path) -> Path:
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


@dataclass(frozen=True)
class _Manifest:
    """The contents of the file beside an environment."""

    recipe: Recipe
    version: tuple[int, int]
    implementation: str
    full_version: str
    packages: dict[str, str]
    free_threaded: bool
    missing: dict[str, str]


def _read(manifest: Path) -> tuple[Recipe, Environment] | None:
    """Read a manifest; return None if it is incomplete or its interpreter no longer exists."""
    python = _python(manifest.parent)
    if not python.exists():
        return None
    try:
        made = checked(_Manifest, parsed(manifest.read_text(encoding="utf-8"), manifest.name), manifest.name)
    except (OSError, ValueError):
        return None
    about = (made.version, made.implementation, made.full_version, made.packages)
    environment = Environment(
        made.recipe.name, str(python), *about, free_threaded=made.free_threaded, missing=made.missing
    )
    return made.recipe, environment


def _remove_leftovers() -> None:
    """Remove unfinished environments that killed processes left behind."""
    for left in environments_folder().glob(f"{PREFIX}*"):
        pid = left.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > STALE_S or (pid.isdigit() and not is_running(int(pid))):
                shutil.rmtree(left, ignore_errors=True)


def run_script(environment: Environment, script: str, argument: str, limit_s: float) -> tuple[str, int | None, str]:
    """Return what a program prints, its exit code, and its last words; the code is None if it has not ended in time."""
    command = [environment.python, "-c", script, argument]
    variables = {**os.environ, "PYTHONWARNINGS": "ignore"}
    settings: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace", "env": variables}
    settings["stdin"] = subprocess.DEVNULL
    try:
        done = subprocess.run(command, check=False, timeout=limit_s, **settings, **with_us())
    except subprocess.TimeoutExpired:
        return "", None, ""
    return done.stdout, done.returncode, (done.stderr.splitlines() or ["no message"])[-1]


SPIN = "while True: pass"
STREAM = """
buffer, other = bytearray(64 << 20), bytearray(64 << 20)
while True:
    other[:] = buffer
    buffer[:] = other
"""  # 64 MiB is beyond every cache
NEIGHBOURS = {"other core": (SPIN, False), "same core": (SPIN, True), "memory": (STREAM, False)}
"""A neighbour → its program, and True if it runs on the core on which the engine measures."""


@contextlib.contextmanager
def neighbour(kind: str) -> Iterator[None]:
    """A program of that kind at work meanwhile, on the engine's core or on another."""
    code, same = NEIGHBOURS[kind]
    usable = usable_cores()
    process = subprocess.Popen([sys.executable, "-I", "-c", code], **with_us())
    try:
        pin_process(process.pid, usable[-1] if same else usable[0])
        yield
    finally:
        process.kill()
        process.wait()
