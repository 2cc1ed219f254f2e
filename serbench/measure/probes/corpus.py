"""Conformance: has every codec of a format read the files of a test corpus, whose names say what is right."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from serbench.errors import PlanError, checked, parsed
from serbench.judge.outcomes import Corpus, CorpusReading
from serbench.measure.probes.probed_case import ProbedCase, each
from serbench.measure.probes.strictness import answers_to, opened
from serbench.measure.sessions.session import Fault, RequestLimits, Watchdog, scratch_session
from serbench.model.records import Schema
from serbench.model.scalars import ANY
from serbench.render.codec import Codec
from serbench.render.environments.environment import main_environment
from serbench.render.format import formats
from serbench.render.library import libraries
from serbench.results import grouped

DOCUMENT = Schema(ANY)
EXPECTED = {"y": "accepted", "n": "refused", "i": "either"}
ABOUT, VALUE = "corpus.json", ".value"


def readings(folder: Path, limits: RequestLimits) -> list[CorpusReading]:
    """Every codec that is installed and reads, with every file of its format, which the file's name ends with.

    Raises:
        PlanError: there is no such folder, no file named y_, n_ or i_ in it, or one of no known format.
    """
    with Watchdog() as watchdog:
        return [
            one
            for format_, files in _by_format(folder).items()
            for codec in formats()[format_].codecs
            for one in _of_codec(replace(codec, format=format_), files, limits, watchdog)
        ]


def corpora(folder: Path) -> list[Corpus]:
    """What is known of the files: of each folder what its `corpus.json` says, their number and their checksum.

    Raises:
        PlanError: as `readings` does, or a `corpus.json` cannot be read.
    """
    return [
        _corpus(parent, format_, members)
        for format_, files in _by_format(folder).items()
        for parent, members in grouped(files, lambda path: path.parent).items()
    ]


@dataclass(frozen=True)
class _About:
    """What `corpus.json` says."""

    package: str
    version: str
    licence: str


def _corpus(folder: Path, format_: str, files: Sequence[Path]) -> Corpus:
    about: dict[str, Any] = {}
    if (folder / ABOUT).exists():
        try:
            about = asdict(checked(_About, parsed((folder / ABOUT).read_text(encoding="utf-8"), ABOUT), ABOUT))
        except (OSError, ValueError) as error:
            raise PlanError(f"{folder / ABOUT} does not name package, version and licence: {error}") from None
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return Corpus(format_, **({"package": folder.name} | about), files=len(files), sha256=digest.hexdigest())


def _by_format(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise PlanError(f"{folder} is not a folder; name one with files whose names begin with y_, n_ or i_")
    named = (path for path in folder.rglob("*") if path.name[:2] in ("y_", "n_", "i_") and path.suffix != VALUE)
    files = sorted(path for path in named if path.is_file())
    if not files:
        raise PlanError(f"{folder} has no file whose name begins with y_, n_ or i_")
    by_format = grouped(files, lambda path: path.suffix[1:])
    for format_, members in by_format.items():
        if format_ not in formats():
            raise PlanError(f"{members[0]} has no known format; its name must end with one, such as .json or .cbor")
    return by_format


def _of_codec(
    codec: Codec, files: Sequence[Path], limits: RequestLimits, watchdog: Watchdog
) -> Iterator[CorpusReading]:
    if "[" in codec.name:
        return  # a codec that is read already, with an option
    library = libraries()[min(codec.only, default="typeddict")]
    with scratch_session(main_environment(), watchdog, limits) as session:
        case, _ = ProbedCase(library, "default", codec, session).case(DOCUMENT)
        if case.absent is not None or case.reason is not None or "decode" not in case.operations:
            return

        def read(some: Sequence[Path]) -> list[tuple[str, str]]:
            name, _ = opened(session, case, "corpus", DOCUMENT, [1])
            return [_outcome(answer) for answer in answers_to(session, name, [_as_input(path) for path in some])]

        for path, answer in zip(files, each(files, read), strict=True):
            outcome, detail = (answer.status, answer.reason) if isinstance(answer, Fault) else answer
            yield CorpusReading(codec.name, codec.format, path.name, EXPECTED[path.name[0]], outcome, detail)


def _as_input(path: Path) -> dict[str, Any]:
    """A file as input, with the value that it must have if another file tells it as JSON."""
    known = path.with_name(path.name + VALUE)
    try:
        value = {"value": parsed(known.read_text(encoding="utf-8"), VALUE)} if known.exists() else {}
    except (OSError, ValueError) as error:
        raise PlanError(f"{known} is not JSON ({error}); correct it, or remove it") from None
    return {"blob": path.read_bytes().hex(), **value}


def _outcome(answer: dict[str, Any]) -> tuple[str, str]:
    if answer["outcome"] == "rejected":
        return "refused", answer["message"]
    return "accepted" if answer.get("right", True) else "changed", answer["value"]
