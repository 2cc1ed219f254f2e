"""Reads schemas from JSON Schema files, from the files beside them, and from descriptions in OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from serbench.errors import SchemaError, WorkloadError
from serbench.model.data.files import read
from serbench.model.json_schema.write import is_json_schema
from serbench.model.records import Schema

_MARK, _LARGEST_BYTES = b"json-schema.org", 16 << 20  # in a `$schema`; what is larger is data


def read_schema(path: str | Path) -> Schema:
    """Read a schema from a file, or from what stands at `FILE#FRAGMENT`: a JSON Pointer, or an anchor.

    Raises:
        WorkloadError: the file does not exist or is not a JSON Schema.
    """
    file, fragment = split(path)
    return schema_in(file, read(file)[1], fragment)


def schema_notes(path: str | Path, *, is_schema: bool = False) -> tuple[str, ...]:
    """Return the `notes` of the JSON Schema in a file; none for data unless it `is_schema`, or for what cannot be read."""
    file, fragment = split(path)
    try:
        with file.open("rb") as opened:
            if not (fragment or is_schema or _MARK in opened.read(_LARGEST_BYTES)):
                return ()
        document = read(file)[1]
        return schema_in(file, document, fragment).notes if fragment or is_schema or is_json_schema(document) else ()
    except (OSError, WorkloadError):  # told when the data is read
        return ()


def schema_in(file: Path, document: object, fragment: str = "") -> Schema:
    """Return the schema that a file's document describes.

    Raises:
        WorkloadError: it is not a JSON Schema.
    """
    where = f"{file}#{fragment}" if fragment else str(file)
    is_openapi = isinstance(document, dict) and {"openapi", "swagger"} & document.keys() and "$schema" not in document
    if is_openapi and not fragment:
        raise WorkloadError(
            f"{where}: a description in OpenAPI has several schemas; name one, such as {_example(file, document)}"
        )
    from serbench.model.json_schema.read import from_json_schema  # which loads attrs, perhaps not the user's

    folder = _Folder(file, document)
    try:
        return from_json_schema(document, _name(file), fragment=fragment, base=folder.base, retrieve=folder.retrieve)
    except SchemaError as error:
        raise WorkloadError(f"{where}: {error}") from None


def split(path: str | Path) -> tuple[Path, str]:
    """Return the file and the fragment of `FILE#FRAGMENT`; a file may have a # in its name."""
    text = str(path)
    file, _, fragment = text.partition("#")
    return (Path(text), "") if not fragment or Path(text).exists() else (Path(file), fragment)


@dataclass
class _Folder:
    """The folder of a JSON Schema, from whose files references are read, each once."""

    file: Path
    document: object
    _read: dict[str, object] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """The URI of the file."""
        return self.file.absolute().as_uri()

    def retrieve(self, uri: str) -> object:
        """Return the document of a URI, or None if it stands for no file of the folder.

        Raises:
            SchemaError: the file is outside the folder, or cannot be read.
        """
        if uri not in self._read:
            path = self._path(uri)
            self._read[uri] = None if path is None else self._document(path, uri)
        return self._read[uri]

    def _path(self, uri: str) -> Path | None:
        """Return the file for which a URI stands: beside the schema, or as far from it as the URI from its `$id`."""
        parts = urlsplit(uri)
        if parts.scheme == "file":
            return Path(unquote(parts.path))
        named = self.document.get("$id", self.document.get("id")) if isinstance(self.document, dict) else None
        beside, _, _ = str(named).partition("#")[0].rpartition("/")
        inside = (
            uri.removeprefix(f"{beside}/")
            if named and beside and uri.startswith(f"{beside}/")
            else parts.path.rpartition("/")[2]
        )
        path = self.file.absolute().parent / unquote(inside)
        return path if inside and path.is_file() else None

    def _document(self, path: Path, uri: str) -> object:
        folder = self.file.resolve().parent
        if not path.resolve().is_relative_to(folder):
            raise SchemaError(
                f"the JSON Schema refers to {uri!a}, which is outside its folder; copy the file into the folder"
            )
        try:
            return read(path)[1]
        except WorkloadError as error:
            raise SchemaError(f"the JSON Schema refers to {uri!a}: {error}") from None


def _example(file: Path, document: Any) -> str:
    parts = document.get("components")
    schemas = parts.get("schemas") if isinstance(parts, dict) else None
    first = next(iter(schemas), "NAME") if isinstance(schemas, dict) else "NAME"
    return f"{file.name}#/components/schemas/{first}"


def _name(file: Path) -> str:
    """Return the name of the root: the file name up to its first dot."""
    return file.name.partition(".")[0] or "record"
