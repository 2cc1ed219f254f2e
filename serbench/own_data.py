"""The public verbs about the user's own data: what it looks like, models for it to take home, and advice."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Literal

from serbench.cases import Case
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

# a code of ruff → what in a source brings it about
_SIGNS = {
    "RUF009": r"(?s)@dataclass.*= field\(",
    "RUF012": r"TYPE_MAPPING|__lima_args__",
    "UP006": r"\b(Dict|List|Set|Tuple)\[",
    "UP007": r"\bUnion\[",
    "UP035": r"(?m)^from typing import .*\b(Dict|List|Set|Tuple)\b",
    "UP045": r"\bOptional\[",
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

    It is the text that `show` gives and that was verified a moment before. Where the library or the codec has no
    types, or wants something written in a way of its own, two comments in front say so to mypy and ruff. It does
    not know serbench.

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
    proof = next(operation for operation in ("decode", "encode") if operation in case.operations)
    cells = verify(workload, libraries=[chosen], formats=[served], operations=[proof], **choices)
    failed = next((cell for cell in cells if cell.status != "ok"), None)
    if failed is not None:
        raise PlanError(f"{chosen} with {served} does not keep this data: {failed.reason}")
    text = checked(case)
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


def checked(case: Case) -> str:
    """The source, with comments in front that switch off the checks which its library and codec do not pass."""
    codes = sorted({*case.library.unchecked, *case.codec.unchecked})
    typing = ", ".join(code for code in codes if code.islower())
    style = ", ".join(code for code in codes if code in _SIGNS and re.search(_SIGNS[code], case.source))
    comments = [f'# mypy: disable-error-code="{typing}"\n'] if typing else []
    comments += [f"# ruff: noqa: {style}\n"] if style else []
    return "".join(comments) + case.source
