"""The public verbs about the user's own data: what it looks like, models for it to take home, and advice."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

from serbench.names import PlanError, check
from serbench.own_model import load_model, locate
from serbench.schema.json_schema import to_json_schema
from serbench.schema.tree import tree
from serbench.source.layout import Module
from serbench.source.models import annotation
from serbench.source.records import add_dataclasses
from serbench.verbs import show, verify
from serbench.workloads import schema_of

PathLike = str | os.PathLike[str]
Form = Literal["tree", "json-schema", "python"]
FORMS: tuple[Form, ...] = ("tree", "json-schema", "python")

# What msgpack and marshmallow leave untyped: the beginning of a line → what mypy says of it.
_UNTYPED = {
    "import msgpack": "import-untyped",
    "    return msgpack.packb(": "no-any-return",
    "    return schema.dumps(": "no-any-return",
    "    return converter.dumps(": "no-any-return",
}


def describe(payload: PathLike, *, form: Form = "tree", literal_strings: bool = False) -> str:
    """The schema of a payload as text.

    Args:
        payload: a file with data, of which the schema is inferred, or with a JSON Schema; or `module:Class`.
        form: "tree" for people, "json-schema" to edit and give back as `schema`, "python" for dataclasses.
        literal_strings: whether a text is nothing but a text, even if it looks like a date.

    Raises:
        PlanError, WorkloadError: one line that says what to do instead.
    """
    check("form", form, FORMS)
    if isinstance(payload, str) and ":" in payload and not Path(payload).exists():
        schema = load_model(locate(payload)).parsed.schema
    else:
        schema = schema_of(Path(payload), literal_strings=literal_strings)
    if form == "tree":
        return tree(schema) + "\n"
    if form == "json-schema":
        return json.dumps(to_json_schema(schema), indent=2, ensure_ascii=False) + "\n"
    module = Module(future=True)
    add_dataclasses(module, schema, tag=True)
    root = annotation(schema.root, module)
    module.use("typing", "TypeAlias")
    module.state(f"Document: TypeAlias = {root}")
    return module.text()


def adopt(library: str, codec: str, workload: str = "client", *, to: PathLike | None = None, **choices: Any) -> str:
    """The measured module of a library and a codec, to be kept in a project of one's own.

    It is the text that `show` gives and that was verified a moment before, with the comments that mypy needs
    where msgpack and marshmallow have no types. It does not know serbench.

    Args:
        library: such as "msgspec" or "msgspec[gc=False]".
        codec: a codec, a format, or `codec/format`.
        workload: the data, if there is no payload.
        to: the file to write; it must not be there yet.
        **choices: `payload`, `records`, `depth`, `schema`, `model` and `literal_strings`, as for `show`.

    Raises:
        PlanError, WorkloadError: the case cannot be, fails its verification, or the file is there already.
    """
    if to is not None and Path(to).exists():
        raise PlanError(f"{to} is there already; move it away, or name another file")
    case = show(library, codec, workload, **choices)
    chosen = f"{case.library.name}[{case.variant}]"
    served = f"{case.codec.name}/{case.codec.format}"
    cells = verify(workload, libraries=[chosen], formats=[served], operations=["decode"], **choices)
    failed = next((cell for cell in cells if cell.status != "ok"), None)
    if failed is not None:
        raise PlanError(f"{chosen} with {served} does not keep this data: {failed.reason}")
    text = "".join(_commented(line) for line in case.source.splitlines(keepends=True))
    if to is not None:
        write_new(to, text)
    return text


def write_new(path: PathLike, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        PlanError: it is there, or cannot be written.
    """
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise PlanError(f"{path} is there already; move it away, or name another file") from None
    except OSError as error:
        raise PlanError(f"{path} cannot be written ({error.strerror}); name another file") from None


def _commented(line: str) -> str:
    said = next((code for start, code in _UNTYPED.items() if line.startswith(start)), None)
    return line if said is None else f"{line.rstrip()}  # type: ignore[{said}, unused-ignore]\n"
