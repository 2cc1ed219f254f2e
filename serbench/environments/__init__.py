"""Environments: an interpreter plus exact packages. serbench's own is called "main"."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Environment:
    """Where workers run: its name in tables and the interpreter's path."""

    name: str
    python: str


def main_environment() -> Environment:
    """Serbench's own installation, in which everything that it brings is measured at once."""
    return Environment("main", sys.executable)


@cache
def version(distribution: str | None) -> str | None:
    """The installed version of a distribution; Python's own for None; None where it is not installed."""
    if distribution is None:
        return platform.python_version()
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def versions(distributions: set[str]) -> dict[str, str]:
    """The versions of those that are installed, and Python's."""
    found = {name: version(name) for name in sorted(distributions)}
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {"python": python, **{name: text for name, text in found.items() if text}}
