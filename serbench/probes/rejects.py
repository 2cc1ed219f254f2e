"""Documents that a decoder refuses at their beginning or at their end, for `reject` to time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serbench.cases import Case
from serbench.formats import formats
from serbench.probes.strictness import read, written
from serbench.schema import List, Ref, Schema
from serbench.sessions.session import Fault


def wrong_documents(
    case: Case, schema: Schema, blob: bytes, places: Mapping[str, int]
) -> tuple[bytes, dict[str, bytes]]:
    """Write the document anew with serbench's own writer: as it is, and lacking a field in the record at each place.

    The field is the last one without a default, which no record may lack.

    Raises:
        Fault: the document is not a list of records, or no such bytes can be made.
    """
    if not isinstance(schema.root, List) or not isinstance(schema.root.item, Ref):
        raise Fault("unsupported", "the data is not a list of records", fatal=False)
    if formats()[case.codec.format].write is None:
        raise Fault("unsupported", f"{case.codec.format} cannot be written wrong", fatal=False)
    needed = [f.wire for f in schema.record(schema.root.item.record).fields if f.required]
    if not needed:
        raise Fault("unsupported", "no field is required", fatal=False)
    try:
        rows = read(case, schema, blob)
        if not rows:
            raise Fault("unsupported", "the data has no record that could lack a field", fatal=False)
        found = {name: _without(rows, place, needed[-1]) for name, place in places.items()}
    except Fault:
        raise
    except Exception as error:  # whatever an independent reader raises
        raise Fault("unsupported", f"its bytes cannot be read: {error}", fatal=False) from None
    return written(case, rows), {name: written(case, document) for name, document in found.items()}


def _without(rows: list[Any], place: int, key: str) -> list[Any]:
    changed = list(rows)
    changed[place] = type(rows[place])((name, value) for name, value in rows[place].items() if name != key)
    return changed
