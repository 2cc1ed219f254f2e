"""Lists all that can be chosen, as `serbench show` prints it; no library is imported for it."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any

from serbench.errors import StoreError
from serbench.keep.opening import default_path
from serbench.keep.recorder import strictness_key, with_status
from serbench.keep.store import Store
from serbench.model.data.generate import get, workload_names
from serbench.render.environments.build import built
from serbench.render.environments.environment import Environment, main_environment
from serbench.render.format import codecs, formats
from serbench.render.library import Library
from serbench.render.rendering import combinations
from serbench.render.selection import library_installs


def list_libraries(store: str | Path | None = None) -> list[dict[str, Any]]:
    """List each library and added row: version, environment, variants, measured work class, or a reason."""
    known = _remembered(store)
    made = built()
    rows = []
    for install in library_installs():
        library, recipe = install.library, install.recipe()
        environment = made.get(recipe)
        version = None
        if environment is not None:
            version = environment.installed(next(iter(library.distributions), None))
        rows.append(
            {
                "name": library.name,
                "version": version or recipe.label.partition("==")[2] or None,
                "environment": recipe.name,
                "variants": ["default", *library.variants],
                "work_class": _work_class(library, environment, known),
                "status": "ok" if environment else "unavailable",
                "reason": None if environment else f"not made yet: serbench env build {quote(recipe.name)}",
                "summary": library.summary,
                "cannot": {**library.cannot, **library.lacks},
            }
        )
    return rows


def list_formats() -> list[dict[str, Any]]:
    """List each codec with its format, its version and its libraries."""
    rows = []
    for codec in codecs():
        version = main_environment().installed(codec.distribution)
        missing = f"{codec.distribution} is not installed: pip install {codec.distribution}"
        rows.append(
            {
                "format": codec.format,
                "codec": codec.name,
                "version": version,
                "libraries": sorted(codec.only) or "all",
                "status": "ok" if version else "unavailable",
                "reason": None if version else missing,
                "loses": "; ".join(sorted({loss.what for loss in codec.limits.loses.values()})) or None,
                "cannot": {**codec.limits.cannot, **codec.limits.lacks},
                "summary": formats()[codec.format].summary,
            }
        )
    return rows


def list_workloads() -> list[dict[str, Any]]:
    """List each workload with its own size and depth."""
    workloads = [get(name) for name in workload_names()]
    return [{"name": w.name, "records": w.records, "depth": w.depth, "summary": w.summary} for w in workloads]


def list_environments() -> list[dict[str, Any]]:
    """List the environments that are made, and those that libraries and added rows would have."""
    made = built()
    wanted = {install.recipe(): install.library.name for install in library_installs()}
    rows = []
    for recipe in dict.fromkeys((*made, *wanted)):
        environment = made.get(recipe)
        python = None if environment is None else f"{environment.implementation} {environment.full_version}"
        rows.append(
            {
                "name": recipe.name,
                "python": python or recipe.python or None,
                "status": "ok" if environment else "not made",
                "requirements": list(recipe.requirements),
                "reason": None if environment else f"serbench env build {quote(recipe.name)} makes it",
            }
        )
    return rows


def list_runs(store: str | Path | None = None) -> list[dict[str, Any]]:
    """List the stored runs, newest first."""
    path = default_path() if store is None else store
    if not Path(path).exists():
        return []
    with Store(path, read_only=True) as opened:
        others = ("status", "cells", "waves", "command")
        told = [with_status(opened, run) for run in opened.runs()]
        return [{"run": r.id, "date": r.started, **{name: getattr(r, name) for name in others}} for r in told]


def _remembered(store: str | Path | None) -> dict[str, Any]:
    """Return the strictness of each case that the store remembers; empty if it cannot be read."""
    path = default_path() if store is None else store
    if not Path(path).exists():
        return {}
    try:
        with Store(path, read_only=True) as opened:
            return opened.facts("strictness 2")
    except StoreError:
        return {}  # the list is right without it


def _work_class(library: Library, environment: Environment | None, known: dict[str, Any]) -> str | None:
    """Return the work class of decoding with the default variant over all codecs; None if nothing was measured."""
    if environment is None or not any(f" {library.name}[" in key for key in known):
        return None
    keys = [strictness_key(library, "default", codec, environment) for _, codec in combinations([library])]
    return "; ".join(sorted({str(known[key]) for key in keys if key in known})) or None
