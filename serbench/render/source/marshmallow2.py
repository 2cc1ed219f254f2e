"""Schemas as marshmallow 2 has them, with the field classes that its later generations bring themselves."""

from __future__ import annotations

from collections.abc import Mapping

from serbench.model.records import Schema
from serbench.model.types import List, Ref
from serbench.render.source.fields import Entry, FieldTable
from serbench.render.source.marshmallow import COMMON, Dialect, union_of_json
from serbench.render.source.models import helper_blocks
from serbench.render.source.module import Unsupported

_DOCS = "https://marshmallow.readthedocs.io/en/2.x-line"
_LOAD_FROM = f"{_DOCS}/quickstart.html#specifying-deserialization-keys"
_NAIVE = "%Y-%m-%dT%H:%M:%S.%f"


def _schema(fields: FieldTable, name: str) -> str:
    """A schema, by its whole name if it stands below: another module may have one that is called so."""
    return f"{name}Schema" if name in fields.m.defined else f'f"{{__name__}}.{name}Schema"'


def _many(fields: FieldTable, list_: List) -> str:
    assert isinstance(list_.item, Ref)
    return f"fields.Nested({_schema(fields, list_.item.record)}, many=True)"


_TABLE: Mapping[str, Entry] = {
    **COMMON,
    "datetime": "fields.LocalDateTime()",
    "naive_datetime": f'fields.DateTime(format="{_NAIVE}")',
    "enum": "EnumField({})",
    "tuple": "TupleField({})",
    "map": "MapField({})",
    "record": lambda fields, ref: f"fields.Nested({_schema(fields, ref.record)})",
    **dict.fromkeys(("records", "late_records"), _many),
    "union": union_of_json(
        f"marshmallow 2 has no field for a union ({_DOCS}/api_reference.html#module-marshmallow.fields)"
    ),
}
# a nested schema takes `ordered` from what its field stands in
_CLASSES = [
    """class EnumField(fields.Field):
    def __init__(self, enum: Any, **options: Any) -> None:
        super().__init__(**options)
        self.enum = enum

    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        return None if value is None else value.value

    def _deserialize(self, value: Any, attr: str, data: Any) -> Any:
        try:
            return self.enum(value)
        except ValueError as error:
            raise ValidationError("Not a valid choice.") from error""",
    """class MapField(fields.Field):
    ordered = True

    def __init__(self, item: fields.Field, **options: Any) -> None:
        super().__init__(**options)
        self.item = item
        item.parent = self

    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        if value is None:
            return None
        dump = self.item._serialize
        return {key: dump(part, attr, obj) for key, part in value.items()}

    def _deserialize(self, value: Any, attr: str, data: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Not a valid mapping.")
        return {key: self.item.deserialize(part) for key, part in value.items()}""",
    """class TupleField(fields.Field):
    ordered = True

    def __init__(self, *items: fields.Field, **options: Any) -> None:
        super().__init__(**options)
        self.items = items
        for item in items:
            item.parent = self

    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        if value is None:
            return None
        pairs = zip(self.items, value)
        return [item._serialize(part, attr, obj) for item, part in pairs]

    def _deserialize(self, value: Any, attr: str, data: Any) -> Any:
        if not isinstance(value, (list, tuple)) or len(value) != len(self.items):
            raise ValidationError("Not a valid tuple.")
        return tuple(item.deserialize(part) for item, part in zip(self.items, value))""",
]


def _check_wire_names(schema: Schema) -> None:
    for record in schema.records:
        wires = {f.wire for f in record.fields}
        for f in record.fields:
            if f.alias == "":
                raise Unsupported(f"{record.name}: an empty load_from is taken for none ({_LOAD_FROM})")
            if f.alias is not None and f.name in wires:
                raise Unsupported(
                    f"{record.name}: load_from is used only if the key {f.name} is absent, but another field has that key "
                    f"({_LOAD_FROM})"
                )


def refuse_exact(codec: str, exact: frozenset[str]) -> None:
    """Check that the codec, which takes no subclasses of those in `exact`, takes what ordered schemas give.

    Raises:
        Unsupported: it does not.
    """
    if "dict" in exact:
        raise Unsupported(
            f"ordered schemas return OrderedDicts, but {codec} accepts only dicts ({_DOCS}/quickstart.html#ordering-output)"
        )


def dialect(*meta: str, decimal: str = "") -> Dialect:
    """The dialect of the second generation: strict, and ordered so that bytes are the same in each process.

    `meta` holds further lines of `Meta`, `decimal` the source of a class DecimalField if the library's own does not
    suffice.
    """
    return Dialect(
        _DOCS,
        f"{_DOCS}/api_reference.html#module-marshmallow.fields",
        table={**_TABLE, "decimal": "DecimalField()"} if decimal else _TABLE,
        keys=("load_from", "dump_to"),
        meta=(*meta, "ordered = True", "strict = True"),
        further=(),
        helpers=helper_blocks([decimal, *_CLASSES] if decimal else _CLASSES, "marshmallow:ValidationError"),
        check=_check_wire_names,
    )
