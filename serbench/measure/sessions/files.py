"""Files that the worker reads: neutral values, and the modules of a case."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serbench.render.case import Case
from serbench.render.user_class.functions import UserFunctions


def write_values(path: Path, value: Any) -> Path:
    """Pickle neutral values into a file, for a worker on any Python to read."""
    path.write_bytes(pickle.dumps(value, protocol=4))
    return path


def write_module(case: Case, folder: Path, name: str, to_read: Path | None = None) -> Mapping[str, str | None]:
    """Write a case's module, and the one that writes for it, into a folder: the worker's `module`, `path` and `writer`.

    `functions` is set for functions of the user's. For a class of the user's, `user` is the file that says how its
    objects are made: of the documents or, if the class only writes these, of what it reads for each, in `to_read`.
    """
    path = folder / f"{name}.py"
    path.write_text(case.source, encoding="utf-8")
    parts: dict[str, str | None] = {"module": name, "path": str(path), "writer": None}
    if isinstance(case.library, UserFunctions):
        parts["functions"] = "yes"
    if case.user_facts is not None:
        lacking = case.user_facts["lacking"].as_data()
        facts = {
            **case.user_facts,
            "lacking": lacking,
            "to_read": str(to_read) if to_read is not None and case.user_facts["writes"] else None,
        }
        parts["user"] = str(write_values(folder / f"user_{name}.pickle", facts))
    if case.writer is not None:
        writer = folder / f"writer_of_{name}.py"
        writer.write_text(case.writer.source, encoding="utf-8")
        parts["writer"] = str(writer)
    return parts
