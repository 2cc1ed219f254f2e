"""The table of classes in `tests/data/classes`: its sections, and the outcome of each in serbench."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import serbench

FOLDER = Path(__file__).parent.parent / "data" / "classes"
HEADS = {"djangorestframework": "from rest_framework import serializers\n"}
FORMATS = ("json/json", "orjson/json", "msgspec/json", "pydantic/json")


@dataclass(frozen=True)
class Section:
    """One class of the table: its file, its name, its source, what `--model` takes, and the expected outcome."""

    kind: str
    name: str
    source: str
    given: str
    expected: str

    @property
    def id(self) -> str:
        """The name of the section in the whole table."""
        return f"{self.kind}: {self.name}"


def sections() -> Iterator[Section]:
    """The classes of all files."""
    for path in sorted(FOLDER.glob("*.txt")):
        _, *parts = re.split(r"(?m)^== ", path.read_text(encoding="utf-8"))
        for part in parts:
            head, _, body = part.partition("\n")
            name, _, expected = head.partition(": ")
            source, _, outcome = body.partition("\n> ")
            yield Section(path.stem, name, HEADS.get(path.stem, "") + source, outcome.strip() or "Model", expected)


def outcome(text: str, **options: object) -> str:
    """The outcome of a class: "measured", "by direction", "reads only", "refused …", "failed …" or "traceback …"."""
    try:
        cells = serbench.verify(model=text, libraries="msgspec", formats=FORMATS, records=5, **options)
    except (serbench.PlanError, serbench.WorkloadError) as error:
        return f"refused {error}"
    except Exception as error:
        return f"traceback {type(error).__name__}: {error}"
    of_class = [cell for cell in cells if cell.library.startswith("yours")]
    failed = next((cell for cell in of_class if cell.status == "failed"), None)
    if failed is not None:
        every = "" if any(cell.status == "ok" for cell in of_class) else "everywhere "
        return f"failed {every}{failed.codec}: {failed.reason}"
    done = {(cell.point.workload, cell.codec, cell.operation) for cell in of_class if cell.status == "ok"}
    if any((workload, codec, "decode") in done for workload, codec, operation in done if operation == "encode"):
        return "measured"
    if {operation for _, _, operation in done} == {"encode", "decode"}:
        return "by direction"
    if {operation for _, _, operation in done} == {"decode"}:
        return "reads only"
    return f"unsupported {of_class[0].reason}"
