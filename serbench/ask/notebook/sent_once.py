"""What the page of the explorer is sent once: the choices that it offers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from serbench.ask import listing
from serbench.ask.notebook.settings import GROWTHS, HELP, LIMITS, VIEWS, Settings
from serbench.display.terms import OF_VIEWS, TERMS
from serbench.measure.plan import EFFORTS
from serbench.model.data.generate import get
from serbench.results import OPERATIONS


def options(store: str | Path | None) -> dict[str, Any]:
    """Return the libraries, formats, workloads, views, limits and texts of the controls."""
    libraries: dict[str, dict[str, str]] = {}
    for library in listing.list_libraries(store):
        name, requested = library["name"], library["environment"].partition("==")[2].split(" ")[0]
        if name in libraries and requested:  # an added row of a library that is there in another version
            name += f"@{requested}"
        for variant in library["variants"]:
            value = name if variant == "default" else f"{name}[{variant}]"
            libraries[value] = _entry(value, f"environment {library['environment']}", library)
    formats = listing.list_formats()
    codecs = []
    for name in dict.fromkeys(row["format"] for row in formats):
        codecs.append({"value": name, "group": name, "about": "all its codecs", "reason": ""})
        codecs += [_entry(f"{row['codec']}/{name}", name, row) for row in formats if row["format"] == name]
    workloads = [
        {"value": row["name"], "about": row["summary"], "depth": get(row["name"]).shallowest}
        for row in listing.list_workloads()
    ]
    return {
        "libraries": list(libraries.values()),
        "formats": codecs,
        "workloads": workloads,
        "usual": {"records": Settings().records, "depth": Settings().depth},
        "views": list(VIEWS),
        "terms": {term: TERMS[term].replace("`", "") for term in OF_VIEWS},
        "operations": list(OPERATIONS),
        "efforts": list(EFFORTS),
        "growths": list(GROWTHS),
        "help": HELP,
        "limits": {name: {"min": least, "max": most} for name, (least, most) in LIMITS.items()},
        "app": os.environ.get("SERVER_SOFTWARE", "").startswith("voila"),
    }


def _entry(value: str, group: str, row: dict[str, Any]) -> dict[str, str]:
    return {"value": value, "group": group, "about": row["version"] or "", "reason": row["reason"] or ""}
