"""The table of classes in `tests/data/classes`: its sections, and the outcome of each in serbench."""

from __future__ import annotations

import importlib
import json
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pydantic

import serbench
from serbench.api.calling import make_plan
from serbench.measure.plan import datasets
from serbench.model import fidelity
from serbench.render.case import render
from serbench.render.left_out import without_absent
from serbench.render.selection import chosen_codecs
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.library import directed, user_cases

FOLDER = Path(__file__).parent.parent / "data" / "classes"
HEADS = {"djangorestframework": "from rest_framework import serializers\n"}
FORMATS = ("json/json", "orjson/json", "msgspec/json", "pydantic/json")


@dataclass(frozen=True)
class Section:
    """One class of the table: its file, name, source, what `--model` takes and the expected outcome.

    In a file, lines of what `show` prints of it begin with `| `, a document with `< `, and what is said of it with `! `.
    """

    kind: str
    name: str
    source: str
    given: str
    expected: str
    shown: tuple[str, ...]
    payload: Any = None
    said: tuple[str, ...] = ()

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
            shown, documents, said = (
                tuple(line[2:] for line in body.splitlines() if line.startswith(sign)) for sign in ("| ", "< ", "! ")
            )
            payload = json.loads(documents[0]) if documents else None
            body = "\n".join(line for line in body.splitlines() if line[:2] not in ("| ", "< ", "! "))
            source, _, given = body.partition("\n> ")
            source = HEADS.get(path.stem, "") + source + "\n"
            yield Section(path.stem, name, source, given.strip() or "Model", expected, shown, payload, said)


def outcome(text: str, **options: object) -> str:
    """The outcome of a class: "measured", "by direction", "reads only", "refused …", "failed …" or "traceback …"."""
    try:
        cells = serbench.verify(model=text, libraries="msgspec", formats=FORMATS, records=5, **options)
    except (serbench.PlanError, serbench.WorkloadError) as error:
        return f"refused {error}"
    except Exception as error:
        return f"traceback {type(error).__name__}: {error}"
    of_class = [cell for cell in cells if cell.library.startswith("yours")]
    failed = next((cell for cell in cells if cell.status == "failed"), None)
    if failed is not None:
        every = "" if any(cell.status == "ok" for cell in of_class) else "everywhere "
        return f"failed {every}{failed.library}, {failed.codec}: {failed.reason}"
    done = {(cell.point.workload, cell.codec, cell.operation) for cell in of_class if cell.status == "ok"}
    if any((workload, codec, "decode") in done for workload, codec, operation in done if operation == "encode"):
        return "measured"
    if {operation for _, _, operation in done} == {"encode", "decode"}:
        return "by direction"
    if {operation for _, _, operation in done} == {"decode"}:
        return "reads only"
    return f"unsupported {of_class[0].reason}"


def plain_differences(text: str, kind: str) -> Iterator[str]:
    """Where the bytes of a row are not those that a few lines with pydantic or msgspec write of the same document."""
    plan = make_plan(model=text, records=5, formats=f"{kind}/json")
    class_ = load_model(locate(str(plan.model)))
    for dataset in datasets(plan):
        for library, variant, codec in user_cases(str(plan.model), chosen_codecs(plan.formats)):
            case = render(directed(library, dataset), variant, codec, dataset.schema)
            if "encode" in case.operations and case.user_facts is not None:
                module: dict[str, Any] = {"__name__": "rendered"}
                exec(compile(case.source, "rendered", "exec"), module)  # as the worker does
                functions = {
                    name: staticmethod(it) if callable(it) and not isinstance(it, type) else it
                    for name, it in module.items()
                }
                make = fidelity.user_maker(
                    type("Module", (), functions), case.user_facts["spec"], ready=case.user_facts["ready"]
                )
                document = dataset.reads(0)[0] if case.user_facts["writes"] else dataset.value
                written = module["encode"](make(document))
                plainly = _plainly(text, codec.name, without_absent(class_.parsed.user_schema, document))
                if _told(json.loads(written)) != _told(json.loads(plainly)):
                    yield f"{codec.name}: a row writes {written!r}, a plain script {plainly!r}"


def _plainly(text: str, codec: str, document: list[Any]) -> bytes:
    """What the class's own library writes of a document."""
    module, _, name = text.rpartition(":")
    class_ = eval(name, vars(importlib.import_module(module)))
    class_ = typing.get_args(class_)[0] if typing.get_origin(class_) is list else class_
    data = json.dumps(fidelity.json_ready(document), default=str)
    if codec == "pydantic":
        adapter = pydantic.TypeAdapter(list[class_])
        return adapter.dump_json(adapter.validate_json(data), by_alias=True)
    return msgspec.json.encode(msgspec.convert(json.loads(data), list[class_], strict=False, str_keys=True))


def _told(value: Any) -> Any:
    """A JSON value, whatever the order in a set and the two forms of UTC."""
    if isinstance(value, dict):
        return {key: _told(item) for key, item in value.items()}
    if isinstance(value, list):
        found = [_told(item) for item in value]
        scalars = all(isinstance(item, str | int | float) for item in found)
        return sorted(found, key=lambda item: (str(type(item)), item)) if scalars else found
    return value.replace("Z", "+00:00") if isinstance(value, str) and re.search(r"\d\d:\d\d:\d\d", value) else value
