"""Adopts modules for documents of many kinds, and proves each by itself: nothing of a document is lost in silence.

    python3 tests/scripts/adopted_documents.py [--seed N] [--packages N] [--folder FOLDER] [--library LIBRARY] [NAME …]

For each document and library, a module is adopted, imported alone in a process of its own, and given the document; what it
writes is compared here, with no code of serbench. A table counts what comes back exactly (equal), with a difference that the
module's comments say (said), what serbench does not adopt (refused), and what is lost although it was adopted (silent).
The documents are those of `tests/support/user_documents.py` and `documents.py`, JSON files of installed packages, or of another folder, and the
shared payloads. It ends with 1 if anything is lost in silence.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from user_documents import NAMES, text_of

import serbench

LIBRARIES = ("pydantic", "msgspec", "cattrs", "mashumaro", "marshmallow", "dataclasses")
PAYLOADS = Path(__file__).parents[3] / "shared" / "payloads"
LARGEST = 300_000  # bytes of a package's file
SUFFIXES = dict.fromkeys((".json", ".geojson", ".sarif", ".har", ".lock"), "json")
SUFFIXES |= dict.fromkeys((".ndjson", ".jsonl"), "ndjson")
WORDS = {  # what a module's comment says of a difference
    "null": "An absent key comes back as null: ",
    "number": "A number comes back with a decimal point or without: ",
    "digits": "A number has more digits than a float: ",
    "spelling": "A value comes back in another spelling: ",
}
RUN = """
import importlib.util, sys
module, source, target, lines = sys.argv[1:]
spec = importlib.util.spec_from_file_location("models", module)
models = sys.modules["models"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)
assert not [name for name in sys.modules if name.partition(".")[0] == "serbench"]
if lines == "1":
    with open(source, "rb") as read, open(target, "wb") as write:
        models.write_stream(models.read_stream(read), write)
else:
    with open(source, "rb") as read, open(target, "wb") as write:
        write.write(models.encode(models.decode(read.read())))
"""


class Number(NamedTuple):
    """A number as it is written."""

    kind: str
    text: str


def read(text: bytes) -> Any:
    """Parse JSON with numbers as they are written."""

    def number(kind: str) -> Any:
        return lambda digits: Number(kind, digits)

    return json.loads(text, parse_int=number("int"), parse_float=number("float"))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each scalar and empty container with its path."""
    if isinstance(value, dict) and value:
        for key in value:
            yield from leaves(value[key], f"{path}/{key}")
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}/#{index}")
    else:
        yield path, value


def difference(before: Any, after: Any) -> str:
    """Return the kind of a difference between two leaves: a word of `WORDS`, "lost", or nothing."""
    if isinstance(before, Number) and isinstance(after, Number):
        if Decimal(before.text) == Decimal(after.text) and before.text.startswith("-") == after.text.startswith("-"):
            return "" if before.kind == after.kind else "number"
        alike = before.kind == after.kind == "float" and float(before.text) == float(after.text)
        return "digits" if alike and float(before.text) else "lost"
    if type(before) is type(after) and before == after:
        return ""
    if isinstance(before, str) and isinstance(after, str):
        try:
            one, other = datetime.fromisoformat(before), datetime.fromisoformat(after)
        except ValueError:
            return "lost"
        same = one == other and one.utcoffset() == other.utcoffset() and len(before) > 10 < len(after)
        return "spelling" if same and len(before.partition(".")[2]) <= len("123456+00:00") else "lost"
    return "lost"


def compared(before: bytes, after: bytes) -> dict[str, str]:
    """Return the kinds of all differences, each with the path of the first."""
    one, other = dict(leaves(read(before))), dict(leaves(read(after)))
    kinds: dict[str, str] = {}
    for path in {**one, **other}:
        if path not in one:
            kind = "null" if other[path] is None else "lost"
        elif path not in other:
            kind = "" if one[path] == {} and any(name.startswith(f"{path}/") for name in other) else "lost"
        else:
            kind = difference(one[path], other[path])
        if kind:
            kinds.setdefault(kind, path)
    return kinds


def documents(packages: int, folder: Path, names: list[str], seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and the bytes of each document."""
    for name in names or NAMES:
        file, text = text_of(name, seed)
        yield file, text.encode()
    if names:
        return
    for path in sorted(PAYLOADS.glob("*.json")):
        yield path.name, path.read_bytes()
    yield from _of_packages(packages, folder)


def _of_packages(count: int, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield JSON files below a folder, of which no two are in one folder; lines are files of JSON Lines."""
    folders = set()
    for path in sorted(one for one in folder.rglob("*") if one.suffix in SUFFIXES and one.is_file()):
        if len(folders) < count and path.parent not in folders and 200 < path.stat().st_size < LARGEST:
            content = path.read_bytes()
            if b"json-schema.org" not in content:  # of a JSON Schema, serbench makes values
                folders.add(path.parent)
                yield f"{path.parent.name}-{path.stem}.{SUFFIXES[path.suffix]}", content


def outcome(library: str, document: Path) -> tuple[str, str]:
    """Return "equal", "said", "refused" or "silent" for a library and a document, and why."""
    module = document.with_name(f"{library}_models.py")
    try:
        adopted = serbench.adopt(library, "json", payload=document, to=module)
    except (serbench.PlanError, serbench.WorkloadError) as error:
        return "refused", str(error)
    target = module.with_suffix(".json")
    lines = document.suffix == ".ndjson"
    call = [sys.executable, "-I", "-c", RUN, str(module), str(document), str(target), str(int(lines))]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        return "silent", f"it ends with: {done.stderr.strip().splitlines()[-1:]}"
    pairs = [(document.read_bytes(), target.read_bytes())]
    if lines:
        pairs = list(zip(*(blob.splitlines() for blob in pairs[0]), strict=True))
    kinds: dict[str, str] = {}
    for before, after in pairs:
        kinds |= compared(before, after)
    comments = adopted.source.replace("\n# ", " ")  # long ones are wrapped
    for kind, path in kinds.items():
        if kind not in WORDS or WORDS[kind] not in comments:
            return "silent", f"{kind}: {path}"
    return ("said", ", ".join(kinds)) if kinds else ("equal", "")


def main() -> int:
    """Print the table of counts, and each document that is not adopted; 1 if something is lost in silence."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--packages", type=int, default=20, help="files of installed packages")
    parser.add_argument("--folder", type=Path, default=Path(sysconfig.get_paths()["purelib"]), help="of these packages")
    parser.add_argument("--library", action="append", help="default: the six best known")
    parser.add_argument("names", nargs="*", help="documents")
    choice = parser.parse_args()
    counts: dict[str, Counter[str]] = {library: Counter() for library in choice.library or LIBRARIES}
    total = 0
    with TemporaryDirectory() as folder:
        for file, content in documents(choice.packages, choice.folder, choice.names, choice.seed):
            total += 1
            inside = Path(folder) / str(total)
            inside.mkdir()
            (inside / file).write_bytes(content)
            for library, counter in counts.items():
                what, why = outcome(library, inside / file)
                counter[what] += 1
                print(f"{file} {library}: {what}{f': {why}' if why else ''}", flush=True)
    words = ("equal", "said", "refused", "silent")
    print(f"\n{total} documents", *(f"{word:>9}" for word in words))
    for library, counter in counts.items():
        print(f"{library:12}", *(f"{counter[word]:9}" for word in words))
    return int(any(counter["silent"] for counter in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
