"""Environments in which workers run: a Python interpreter plus exact packages; "main" is serbench's own."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache


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
        folders: those of its packages, if it is the user's own.
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


@cache
def _main_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
