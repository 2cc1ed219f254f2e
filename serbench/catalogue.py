"""What there is to choose from, as `serbench list` tells it: plain rows, read without importing any library."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any

from serbench.cases import combinations
from serbench.engine.selection import places
from serbench.environments import Environment, main_environment
from serbench.environments.build import built
from serbench.formats import codecs, formats
from serbench.libraries import Library
from serbench.recorder import strictness_key
from serbench.store import Store, StoreError, default_path
from serbench.workloads import get, workload_names


def list_libraries(store: str | Path | None = None) -> list[dict[str, Any]]:
    """Each library, and each row that was added: version, environment, variants, measured work class, or a reason."""
    remembered = _Remembered(store)
    made = built()
    rows = []
    for place in places():
        library, recipe = place.library, place.recipe()
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
                "work_class": remembered.work_class(library, environment) if environment else None,
                "status": "ok" if environment else "unavailable",
                "reason": None if environment else f"not made yet: serbench env build {quote(recipe.name)}",
                "summary": library.summary,
                "cannot": {**library.cannot, **library.lacks},
            }
        )
    return rows


def list_formats() -> list[dict[str, Any]]:
    """Each codec with its format, version and whom it serves."""
    return [
        {
            "format": codec.format,
            "codec": codec.name,
            "version": main_environment().installed(codec.distribution),
            "libraries": sorted(codec.only) or "all",
            "status": "ok" if main_environment().installed(codec.distribution) else "unavailable",
            "reason": None
            if main_environment().installed(codec.distribution)
            else f"{codec.distribution} is not installed: pip install {codec.distribution}",
            "loses": "; ".join(sorted({loss.what for loss in codec.loses.values()})) or None,
            "cannot": {**codec.cannot, **codec.lacks},
            "summary": formats()[codec.format].summary,
        }
        for codec in codecs()
    ]


def list_workloads() -> list[dict[str, Any]]:
    """Each workload with its own size and depth."""
    found = [get(name) for name in workload_names()]
    return [{"name": w.name, "records": w.records, "depth": w.depth, "summary": w.summary} for w in found]


def list_environments() -> list[dict[str, Any]]:
    """Each environment: those that are made, and those that libraries and added rows would have."""
    made = built()
    wanted = {place.recipe(): place.library.name for place in places()}
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
    """The stored runs, newest first."""
    path = default_path() if store is None else store
    if not Path(path).exists():
        return []
    with Store(path, read_only=True) as opened:
        return [
            {
                "run": r.id,
                "date": r.started,
                "status": r.status,
                "cells": r.cells,
                "waves": r.waves,
                "command": r.command,
            }
            for r in opened.runs()
        ]


class _Remembered:
    """The work classes that runs have measured and the store remembers."""

    def __init__(self, store: str | Path | None) -> None:
        path = default_path() if store is None else store
        self._facts: dict[str, Any] = {}
        if not Path(path).exists():
            return
        try:
            with Store(path, read_only=True) as opened:
                self._facts = opened.facts("strictness 2")
        except StoreError:
            return  # the list is right without it

    def work_class(self, library: Library, environment: Environment) -> str | None:
        """What decoding with the default variant does, over all codecs; None where nothing was measured."""
        if not any(f" {library.name}[" in key for key in self._facts):
            return None
        keys = [strictness_key(library, "default", codec, environment) for _, codec in combinations([library])]
        found = sorted({str(self._facts[key]) for key in keys if key in self._facts})
        return "; ".join(found) or None
