"""Conformance: has every JSON codec read the files of a test corpus, whose names say what is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from serbench.environments import main_environment
from serbench.errors import PlanError
from serbench.formats import Codec, formats
from serbench.libraries import libraries
from serbench.probes.probed_case import ProbedCase, each
from serbench.probes.strictness import opened, taken
from serbench.results import CorpusReading
from serbench.schema import ANY, Schema
from serbench.sessions.session import Fault, RequestLimits, Watchdog, scratch_session

DOCUMENT = Schema(ANY)
EXPECTED = {"y": "accepted", "n": "refused", "i": "either"}


def readings(folder: Path, limits: RequestLimits) -> list[CorpusReading]:
    """Every codec of JSON that is installed and reads, with every file.

    Raises:
        PlanError: there is no such folder, or no file named y_, n_ or i_ in it.
    """
    if not folder.is_dir():
        raise PlanError(f"{folder} is not a folder; name one with files whose names begin with y_, n_ or i_")
    files = sorted(path for path in folder.iterdir() if path.name[:2] in ("y_", "n_", "i_") and path.is_file())
    if not files:
        raise PlanError(f"{folder} has no file whose name begins with y_, n_ or i_")
    with Watchdog() as watchdog:
        return [one for codec in formats()["json"].codecs for one in _of_codec(codec, files, limits, watchdog)]


def _of_codec(
    codec: Codec, files: Sequence[Path], limits: RequestLimits, watchdog: Watchdog
) -> Iterator[CorpusReading]:
    if "[" in codec.name:
        return  # a codec that is read already, with an option
    library = libraries()[min(codec.only, default="typeddict")]
    with scratch_session(main_environment(), watchdog, limits) as session:
        case, _ = ProbedCase(library, "default", replace(codec, format="json"), session).case(DOCUMENT)
        if case.absent is not None or case.reason is not None or "decode" not in case.operations:
            return

        def read(some: Sequence[Path]) -> list[tuple[str, str]]:
            name, _ = opened(session, case, "corpus", DOCUMENT, [1])
            answers = taken(session, name, [{"blob": path.read_bytes().hex()} for path in some])
            return [
                ("refused", answer["message"]) if answer["outcome"] == "rejected" else ("accepted", answer["value"])
                for answer in answers
            ]

        for path, found in zip(files, each(files, read), strict=True):
            outcome, detail = (found.status, found.reason) if isinstance(found, Fault) else found
            yield CorpusReading(codec.name, path.name, EXPECTED[path.name[0]], outcome, detail)
