"""The documents of libraries that want a record at the root."""

from __future__ import annotations

from serbench.schema import Field, List, Record, Ref, Schema
from serbench.source.objects import document_name


def has_record_at_root(schema: Schema) -> bool:
    """Return True if the document is a record or a list of records."""
    return isinstance(schema.root, Ref) or (isinstance(schema.root, List) and isinstance(schema.root.item, Ref))


def enclosed(schema: Schema) -> Schema:
    """The schema with its document as the `content` of one more record, the last, for a library that wants one at the root."""
    taken = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    name = document_name(taken)
    return Schema(Ref(name), (*schema.records, Record(name, (Field("content", schema.root),))))
