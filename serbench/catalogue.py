"""What there is to choose from, as `serbench list` tells it: plain rows, read without importing any library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from serbench.cases import combinations
from serbench.environments import main_environment, version
from serbench.formats import codecs, formats
from serbench.libraries import Library, libraries
from serbench.recorder import strictness_key
from serbench.store import Store, StoreError, default_path
from serbench.workloads import get, workload_names


def list_libraries(store: str | Path | None = None) -> list[dict[str, Any]]:
    """Each library with version, environment, variants, measured work class, and a reason where it is unavailable."""
    remembered = _Remembered(store)
    return [
        {
            "name": library.name,
            "version": version(next(iter(library.distributions), None)),
            "environment": main_environment().name,
            "variants": ["default", *library.variants],
            "work_class": remembered.work_class(library),
            "status": "unavailable" if missing else "ok",
            "reason": f"{missing} is not installed: pip install {missing}" if missing else None,
            "summary": library.summary,
        }
        for library in libraries().values()
        for missing in [next((name for name in library.distributions if version(name) is None), None)]
    ]


def list_formats() -> list[dict[str, Any]]:
    """Each codec with its format, version and whom it serves."""
    return [
        {
            "format": codec.format,
            "codec": codec.name,
            "version": version(codec.distribution),
            "libraries": sorted(codec.only) or "all",
            "status": "ok" if version(codec.distribution) else "unavailable",
            "reason": None if version(codec.distribution) else f"{codec.distribution} is not installed",
            "summary": formats()[codec.format].summary,
        }
        for codec in codecs()
    ]


def list_workloads() -> list[dict[str, Any]]:
    """Each workload with its own size and depth."""
    found = [get(name) for name in workload_names()]
    return [{"name": w.name, "records": w.records, "depth": w.depth, "summary": w.summary} for w in found]


def list_environments() -> list[dict[str, Any]]:
    """Each environment with its interpreter."""
    environment = main_environment()
    return [{"name": environment.name, "python": version(None), "status": "ok", "reason": None}]


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
                self._facts = opened.facts("strictness")
        except StoreError:
            return  # the list is right without it

    def work_class(self, library: Library) -> str | None:
        """What decoding with the default variant does, over all codecs; None where nothing was measured."""
        keys = [strictness_key(library, "default", codec) for _, codec in combinations([library])]
        found = sorted({str(self._facts[key]) for key in keys if key in self._facts})
        return "; ".join(found) or None
