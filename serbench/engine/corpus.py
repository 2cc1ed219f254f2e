"""Conformance: what every JSON codec makes of the files of a test corpus, which say by their names what is right."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from serbench.engine.lane import Lane, Limits, each
from serbench.engine.process import Fault
from serbench.engine.results import Reading
from serbench.engine.strictness import opened, taken
from serbench.environments import main_environment
from serbench.formats import Codec, formats
from serbench.libraries import libraries
from serbench.names import PlanError
from serbench.schema import ANY, Schema

DOCUMENT = Schema(ANY)
EXPECTED = {"y": "accepted", "n": "refused", "i": "either"}


def readings(folder: Path, limits: Limits) -> list[Reading]:
    """Every codec of JSON that is installed and reads, with every file.

    Raises:
        PlanError: there is no such folder, or no file named y_, n_ or i_ in it.
    """
    if not folder.is_dir():
        raise PlanError(f"{folder} is no folder; name one with files whose names begin with y_, n_ or i_")
    files = sorted(path for path in folder.iterdir() if path.name[:2] in ("y_", "n_", "i_") and path.is_file())
    if not files:
        raise PlanError(f"{folder} has no file whose name begins with y_, n_ or i_")
    return [reading for codec in formats()["json"].codecs for reading in _of_codec(codec, files, limits)]


def _of_codec(codec: Codec, files: Sequence[Path], limits: Limits) -> Iterator[Reading]:
    if "[" in codec.name:
        return  # a codec that is read already, with an option
    library = libraries()[min(codec.only, default="typeddict")]
    with (
        tempfile.TemporaryDirectory(prefix="serbench-") as scratch,
        Lane(library, "default", main_environment(), Path(scratch), limits) as lane,
    ):
        case, _ = lane.case(replace(codec, format="json"), DOCUMENT)
        if case.absent is not None or case.reason is not None or "decode" not in case.operations:
            return

        def read(some: Sequence[Path]) -> list[Reading]:
            name, _ = opened(lane.ask, case, lane.scratch, "corpus", DOCUMENT, [1])
            given: list[dict[str, Any]] = [
                {"path": [], "blob": path.read_bytes().hex(), "value": None} for path in some
            ]
            answers = taken(lane.ask, name, given)
            return [_reading(codec, path, answer) for path, answer in zip(some, answers, strict=True)]

        for path, found in zip(files, each(files, read), strict=True):
            if isinstance(found, Fault):
                yield Reading(codec.name, path.name, EXPECTED[path.name[0]], found.status, found.reason)
            else:
                yield found


def _reading(codec: Codec, path: Path, answer: dict[str, str]) -> Reading:
    refused = answer["outcome"] == "rejected"
    return Reading(
        codec.name,
        path.name,
        EXPECTED[path.name[0]],
        "refused" if refused else "accepted",
        answer["message"] if refused else answer["value"],
    )
