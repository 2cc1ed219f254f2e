"""Reads JSON Schemas as installed packages ship them, and decodes documents that a validator accepts with the rendered models.

    python3 tests/scripts/public_schemas.py [--most N] [--each N] [--documents N] [--seed N] FOLDER|FILE …

Documents are drawn here and judged by jsonschema-rs, with no code of serbench. Each must be decoded to its values by
pydantic, msgspec and dataclasses, unless a note of the schema says what is read more narrowly. `--most` is the number of schemas in
all, `--each` in one folder. It prints each fault and the counts, and ends with 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

import jsonschema_rs

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from round_trip import difference, imported
from schema_documents import Drawing

from serbench.errors import SchemaError, WorkloadError
from serbench.model.json_schema.files import schema_in
from serbench.model.normalise import apply_schema
from serbench.model.records import Schema
from serbench.render.case import render
from serbench.render.codec import codecs
from serbench.render.library import libraries

MODELS = (("dataclasses", "json"), ("msgspec", "msgspec"), ("pydantic", "pydantic"))
CODECS = {codec.name: codec for codec in codecs() if codec.format == "json"}
LONGEST = 10  # seconds, until a schema is read
NARROWER = {  # what a note says → the message of a document that is refused for it
    "which have no field": "has no field for the key",
    "match no pattern": "the schema requires",
    "the constant that tells": "the document has None",
    "without a type": "the schema requires",
    "items beyond those": "the schema requires",
}


class Shipped:
    """A JSON Schema in a file, or a part of one, with the files of its folder."""

    def __init__(self, path: Path, fragment: str = "") -> None:
        self.path, self.fragment = path, fragment
        self.document = json.loads(path.read_bytes())

    @cached_property
    def validator(self) -> Any:
        """What judges documents; None if the validator cannot use the schema, as without a network."""
        named = self.document.get("$schema")
        whole = {"$ref": f"{self.path.as_uri()}#{self.fragment}", **({"$schema": named} if named else {})}
        try:
            return jsonschema_rs.validator_for(whole, retriever=_from_folder(self.path), validate_formats=True)
        except (ValueError, jsonschema_rs.ValidationError):
            return None

    def follow(self, reference: str, root: Any) -> Any:
        """Return what a reference leads to, and the base of its own references; None for what only a network has."""
        uri, fragment = urldefrag(urljoin(root or self.path.as_uri(), reference))
        try:
            part = _from_folder(self.path)(uri)
            for step in filter(None, unquote(fragment).split("/")):
                part = part[int(step)] if isinstance(part, list) else part[step.replace("~1", "/").replace("~0", "~")]
        except (OSError, LookupError, ValueError, TypeError):
            return None
        return part, uri

    def documents(self, count: int, random: Random) -> Iterator[Any]:
        """Yield drawn documents that the validator accepts."""
        seen = set()
        part = self.follow(f"#{self.fragment}", None)
        for _ in range(count * 8 if part else 0):
            document = Drawing(self.follow, random).value(*part[:1], root=part[1])
            text = json.dumps(document)
            if text not in seen and self.validator.is_valid(document):
                seen.add(text)
                yield document
            if len(seen) == count:
                return


def _from_folder(path: Path) -> Any:
    def read(uri: str) -> Any:
        name = unquote(uri.removeprefix("file://"))
        there = Path(name) if uri.startswith("file://") else path.parent / name.rpartition("/")[2]
        return json.loads(there.read_bytes())

    return read


def shipped(folders: list[Path], most: int, each: int) -> Iterator[Shipped]:
    """Yield JSON Schemas, and the schemas of descriptions in OpenAPI, none twice."""
    count, texts, inside = 0, set(), Counter[Path]()
    for path in sorted(
        path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*.json"))
    ):
        try:
            one = Shipped(path.absolute())
            text = path.read_bytes()
        except (OSError, ValueError, RecursionError):
            continue
        if not isinstance(one.document, dict) or text in texts or inside[path.parent] >= each:
            continue
        texts.add(text)
        for part in _parts(one):
            inside[path.parent] += 1
            count += 1
            yield part
            if count == most:
                return


def _parts(one: Shipped) -> Iterator[Shipped]:
    document = one.document
    if {"openapi", "swagger"} & document.keys() and "$schema" not in document:
        components = document.get("components", {}).get("schemas", {})
        yield from (Shipped(one.path, f"/components/schemas/{name}") for name in components)
    elif "json-schema.org" in str(document.get("$schema")) or (
        isinstance(document.get("properties"), dict)
        and all(isinstance(v, dict) for v in document["properties"].values())
    ):
        yield one


def wrong(one: Shipped, count: int, seed: int, counts: Counter[str]) -> Iterator[str]:
    """Yield what is wrong with a schema, and count what was tried."""
    counts["schemas"] += 1
    started = time.monotonic()
    try:
        schema = schema_in(one.path, one.document, one.fragment)
    except WorkloadError as error:
        counts["refused"] += 1
        counts[f"refused: {str(error).partition(': ')[2][:100]}"] += 1
        return
    finally:
        took = time.monotonic() - started
        counts["over 2 s"] += took > 2
    if one.validator is None:
        counts["no validator"] += 1
        return
    modules: dict[Any, Any] = {}
    with TemporaryDirectory() as folder:
        for document in one.documents(count, Random(seed)):
            counts["documents"] += 1
            try:
                fit, value = apply_schema(document, schema)
            except SchemaError as error:
                if any(why in note and says in str(error) for note in schema.notes for why, says in NARROWER.items()):
                    counts["narrower, as a note says"] += 1
                else:
                    yield f"refused: {error}: {json.dumps(document)[:300]}"
                continue
            yield from _decoded(document, fit, value, modules, Path(folder), counts)


def _decoded(
    document: Any, fit: Schema, value: Any, modules: dict[Any, Any], folder: Path, counts: Counter[str]
) -> Iterator[str]:
    for library, codec in MODELS:
        key = library, repr(fit)
        if key not in modules:
            case = render(libraries()[library], "default", CODECS[codec], fit)
            counts[f"{library} refuses: {str(case.reason)[:80]}"] += case.reason is not None
            modules[key] = None if case.reason else imported(case, folder)
        if module := modules[key]:
            counts[f"decoded by {library}"] += 1
            try:
                reason = difference(fit.as_data(), module, module.decode(json.dumps(document).encode()), value, value)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
            if reason:
                yield f"{library}: {reason[:300]}: {json.dumps(document)[:300]}"


def _interrupt(*_: object) -> None:
    raise TimeoutError(f"not done within {LONGEST} s")


def main() -> int:
    """1 if a schema or a document is read wrongly."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, default=1000, help="schemas")
    parser.add_argument("--each", type=int, default=300, help="schemas of one folder")
    parser.add_argument("--documents", type=int, default=5, help="for each schema")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("folders", nargs="+", type=Path)
    choice = parser.parse_args()
    counts: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _interrupt)
    with suppress(KeyboardInterrupt):
        _try(choice, counts)
    print(*(f"{count:7} {what}" for what, count in sorted(counts.items()) if count), sep="\n")
    return int(counts["wrong"] > 0)


def _try(choice: argparse.Namespace, counts: Counter[str]) -> None:
    """Print what is wrong with each schema, until all are tried or someone interrupts."""
    for one in shipped(choice.folders, choice.most, choice.each):
        place = f"{'/'.join(one.path.parts[-3:])}#{one.fragment}"
        signal.alarm(6 * LONGEST)
        try:
            for reason in wrong(one, choice.documents, choice.seed, counts):
                counts["wrong"] += 1
                print(f"{place}: {reason}", flush=True)
        except Exception:
            counts["wrong"] += 1
            print(f"{place}: {' | '.join(traceback.format_exc(limit=-4).splitlines())}", flush=True)
        signal.alarm(0)


if __name__ == "__main__":
    sys.exit(main())
