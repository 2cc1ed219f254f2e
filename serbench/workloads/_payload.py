"""Makes a data set of a JSON file."""

from __future__ import annotations

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any, NoReturn

from serbench.schema import SchemaError, infer, normalise
from serbench.workloads._contract import Dataset, WorkloadError

_HUGE = re.compile(r"\d[eE]\+?\d{2}|\d{300}")  # what a number beyond a float's range has in it


def from_payload(path: str | Path) -> Dataset:
    """The data set that a JSON file holds, with the schema inferred from it.

    Its depth is the number of objects that stand inside one another, lists not counted, as in
    generated data; its name is that of the file without folders.

    Raises:
        WorkloadError: there is no such file, or it is not strict JSON in UTF-8.
    """
    path = Path(path)
    blob = _read(path)
    document = _parse(path, blob)
    try:
        schema = infer(document, path.stem)
        value = normalise(document, schema)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None
    records = len(document) if isinstance(document, list) else 1
    return Dataset(path.name, records, _depth(document), 0, schema, value, hashlib.sha256(blob).hexdigest())


def _read(path: Path) -> bytes:
    try:
        blob = path.read_bytes()
    except FileNotFoundError:
        raise WorkloadError(f"{path}: no such file; give the path of a JSON file") from None
    except IsADirectoryError:
        raise WorkloadError(f"{path}: this is a folder; give the path of a JSON file") from None
    # A ValueError is a path that no system has, with a null character in it.
    except (OSError, ValueError) as error:
        if path.is_dir():  # how Windows refuses to read a folder
            raise WorkloadError(f"{path}: this is a folder; give the path of a JSON file") from None
        reason = getattr(error, "strerror", None) or error
        raise WorkloadError(f"{str(path)!r}: cannot be read ({reason}); give the path of a JSON file") from None
    if not blob.strip():
        raise WorkloadError(f"{path}: the file is empty; put a JSON document into it")
    return blob


def _parse(path: Path, blob: bytes) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise WorkloadError(f"{path}: {constant} is not JSON; write null or a number instead")

    def finite(number: str) -> float:
        if math.isinf(float(number)):
            raise WorkloadError(
                f"{path}: {number[:20]} is beyond the range of a float; write null or a smaller number instead"
            )
        return float(number)

    try:
        text = blob.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = blob.count(b"\n", 0, error.start) + 1
        raise WorkloadError(
            f"{path}: not UTF-8 in line {line} (byte {blob[error.start]:#04x}); save the file as UTF-8"
        ) from None
    try:
        # Python would read 1e999 as infinity; asking about each float would take twice the time.
        return json.loads(text, parse_constant=refuse, parse_float=finite if _HUGE.search(text) else None)
    except json.JSONDecodeError as error:
        found = (
            repr(text[error.pos : error.pos + 20].split("\n")[0]) if error.pos < len(text) else "the end of the file"
        )
        what = error.msg[0].lower() + error.msg[1:]
        raise WorkloadError(
            f"{path}: not JSON in line {error.lineno}, column {error.colno}: {what}, found {found}; correct the file there"
        ) from None
    except RecursionError:
        raise WorkloadError(f"{path}: nested too deeply for Python's JSON reader; flatten the document") from None
    except WorkloadError:
        raise
    # Python reads no integer of more than 4300 digits.
    except ValueError as error:
        raise WorkloadError(f"{path}: {str(error).split(';')[0]}; shorten the number") from None


def _depth(document: object) -> int:
    """How many objects stand inside one another at the deepest place, at least 1."""
    depth, level = 0, [document]
    while level:
        objects = []
        while level:
            objects += [part for part in level if type(part) is dict]
            level = [item for part in level if type(part) is list for item in part if type(item) in (dict, list)]
        depth += bool(objects)
        level = [item for part in objects for item in part.values() if type(item) in (dict, list)]
    return max(depth, 1)
