"""Makes a data set of a file that the user has."""

from __future__ import annotations

import hashlib
from pathlib import Path

from serbench.schema import SchemaError, infer, normalise
from serbench.workloads._contract import Dataset, WorkloadError
from serbench.workloads._read import read
from serbench.workloads._scale import scaled


def from_payload(
    path: str | Path,
    records: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    *,
    literal_strings: bool = False,
) -> Dataset:
    """The data set that a file holds, with the schema inferred from it.

    Its depth is the number of objects that stand inside one another, lists not counted, as in
    generated data; its name is that of the file without folders.

    Args:
        path: JSON, a document a line, MessagePack, CSV or Parquet, packed with gzip or zstd or not; see `read`.
        records, depth, seed: of what it is scaled to, see `scaled`; as it is without.
        literal_strings: whether a text is nothing but a text, even if it looks like a date.

    Raises:
        WorkloadError: there is no such file, or it is not what its name says.
    """
    path = Path(path)
    blob, document = read(path)
    try:
        schema = infer(document, path.name.partition(".")[0], literal_strings=literal_strings)
        value = normalise(document, schema)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None
    items = len(document) if isinstance(document, list) else 1
    data = Dataset(path.name, items, _depth(document), 0, schema, value, hashlib.sha256(blob).hexdigest())
    return scaled(data, records, depth, seed)


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
