"""Environments: an interpreter plus exact packages. serbench's own installation is called "main"."""

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
    """What an environment is made of.

    Attributes:
        requirements: what is installed, each as pip takes it, such as "pydantic==1.10.27".
        beside: what is installed where it can be; without it the environment is of use all the same.
        python: the interpreter, as uv names it: "3.9", "pypy3", "3.13t"; empty for serbench's own.
        label: which of the requirements says what the environment is for; empty for the interpreter alone.
        tools: what the requirements are built with, where what they ask for themselves cannot be installed.
    """

    requirements: tuple[str, ...] = ()
    python: str = ""
    label: str = ""
    beside: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What tables call it: "pydantic==1.10.27", "pypy3", "pydantic==1.10.27 on pypy3" or "main"."""
        return " on ".join(part for part in (self.label, self.python) if part) or "main"


MAIN = Recipe()


@dataclass(frozen=True)
class Environment:
    """Where workers run.

    Attributes:
        name: what tables call it.
        python: the interpreter's path; empty where there is none.
        version: of that Python, (3, 11).
        implementation: "CPython" or "PyPy".
        packages: normalised distribution name → installed version; None for serbench's own installation.
        reason: why it cannot be used; None where it can.
        free_threaded: whether it runs without a global lock.
        missing: normalised distribution name → why it could not be installed there.
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

    @property
    def has_jit(self) -> bool:
        """Whether its code becomes faster while it runs."""
        return self.implementation == "PyPy"

    @property
    def runs_on(self) -> str:
        """The Python: "CPython 3.11.7", "PyPy 3.9.16"."""
        return f"{self.implementation} {self.full_version}" + (" free-threaded" if self.free_threaded else "")

    def installed(self, distribution: str | None) -> str | None:
        """The version of a distribution that is installed there; Python's own for None; None where it is not."""
        if distribution is None:
            return self.full_version or None
        if self.packages is not None:
            return self.packages.get(normalised(distribution))
        return _own_version(distribution)

    def admits(self, marker: str, extra: str = "") -> bool:
        """Whether an environment marker (PEP 508) holds for its Python, where that extra is asked for."""
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
        """The versions of those that are installed, and its Python's."""
        found = {name: self.installed(name) for name in sorted(distributions)}
        return {"python": self.runs_on, **{name: text for name, text in found.items() if text}}


@cache
def main_environment() -> Environment:
    """Serbench's own installation, in which everything that it brings is measured at once."""
    free_threaded = not getattr(sys, "_is_gil_enabled", lambda: True)()
    return Environment("main", sys.executable, free_threaded=free_threaded)


def normalised(distribution: str) -> str:
    """The name by which an index knows a distribution."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@cache
def _own_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
