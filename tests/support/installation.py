"""What serbench's own installation has, by pyproject.toml and constraints.txt."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def _requirements(lists: Iterable[list[Any]]) -> list[Requirement]:
    """The requirements of other projects; a group may include another, which is no text."""
    found = [Requirement(one) for one in chain(*lists) if isinstance(one, str)]
    return [one for one in found if one.name != PROJECT["name"]]


PUBLISHED = _requirements((PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()))
DEPENDENCIES = [*PUBLISHED, *_requirements(PYPROJECT["dependency-groups"].values())]
PINS = [Requirement(line) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()]
_MAINTAINING = (ROOT / "docs" / "maintaining.md").read_text(encoding="utf-8").partition("## Dependencies")[2]
COMPILE = re.search(r"^uv pip compile .*$", _MAINTAINING, re.MULTILINE)[0]


def declared(distribution: str) -> list[Requirement]:
    """The requirements of pyproject.toml for it."""
    return [one for one in PUBLISHED if canonicalize_name(one.name) == canonicalize_name(distribution)]


def is_expected(distribution: str | None) -> bool:
    """Whether an installation on this Python has the distribution; one without a requirement is of Python itself."""
    bounds = declared(distribution or "")
    return not bounds or any(bound.marker is None or bound.marker.evaluate() for bound in bounds)


def pinned(distribution: str) -> list[str]:
    """The versions of it that constraints.txt has, one for each platform or Python at most."""
    return [
        next(iter(pin.specifier)).version
        for pin in PINS
        if canonicalize_name(pin.name) == canonicalize_name(distribution)
    ]


def what_is_missing(distribution: str, extra: str) -> str | None:
    """The first thing that a distribution lacks to be part of the installation, and what to do about it."""
    bounds = declared(distribution)
    if not bounds:
        return f'pyproject.toml does not install {distribution}: add "{distribution}>=…" to `{extra}`'
    if not all(">=" in str(bound.specifier) for bound in bounds):
        return f"pyproject.toml has no lower bound for {distribution}: write {distribution}>=…"
    versions = pinned(distribution)
    if not versions:
        return f"constraints.txt does not pin {distribution}: run {COMPILE}"
    if not all(bound.specifier.contains(version) for bound in bounds for version in versions):
        return f"constraints.txt pins {distribution} to {versions[0]}, outside of {bounds[0]}: run {COMPILE}"
    if not re.search(rf"(?<![\w-]){re.escape(distribution)}(?![\w-])", _MAINTAINING):
        return f"docs/maintaining.md does not name {distribution}: add it to the table of extras, below Dependencies"
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        if not is_expected(distribution):
            return None
        return f"{distribution} is not installed here, so nothing of it is tested: repeat the set-up of CONTRIBUTING"
    return None
