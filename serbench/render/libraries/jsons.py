"""jsons: turns almost any object into JSON's types and back, guided by annotations at each call.

- Dates and datetimes are RFC 3339, UUIDs and decimals text, a timedelta its seconds, a set a list.
- An enum is its value (`use_enum_name=False`); the default would be its name.
- Serializers are registered for the whole process.
- Registered serializers write bytes as base64 with every codec, and any JSON as it is.
- A class with wire names has a serializer that renames the keys around the default one.
- Registered serializers write times, and all datetimes if some are naive, as ISO 8601: jsons does not read
  back the microseconds of a time, and takes a naive datetime for local time.
- jsons writes attributes in alphabetical order, not in that of the class.
- Annotations are those of `typing`: jsons knows neither `int | None` nor `dict[str, int]`.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.model.scalars import TEXT_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import dumped, loaded
from serbench.render.source.models import Models, name_table, renamed_fields
from serbench.render.source.module import call

_DOCS = "https://jsons.readthedocs.io/en/latest"
_API = f"{_DOCS}/api.html"
_READS_JSON = f"jsons 1.6.3 reads JSON's own types only, so the value would not come back unchanged ({_API}#jsons.load)"
_UNIONS = f"jsons 1.6.3 chooses the first union member that a value can be coerced to, and has no tags ({_API})"

_CONVERTED = frozenset({"date", "datetime", "decimal", "timedelta", "uuid"})
_METHODS = frozenset({"json", "fork", "from_json", "dump", "dumps", "dumpb", "with_dump", "set_serializer"})
_METHODS |= {"load", "loads", "loadb", "with_load", "set_deserializer"}
"""Attributes of its own base class: jsons writes none of a dataclass either that is called like one of these."""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and its functions for JSON or around the codec."""
    m = models(schema, codec, "dataclasses", annotations=(3, 8))
    m.dataclasses(_API, reserved=_METHODS)
    m.use("jsons")
    _add_serializers(m)
    _add_names(m)
    type_ = m.annotation(schema.root)
    options = ["use_enum_name=False"] if schema.enums else []
    if codec.name == "json":
        encode, decode = call("jsons.dumpb", m.root_name, *options), call("jsons.loadb", "blob", type_, *options)
        return Rendered(m, encode=encode, decode=decode, untyped=True)
    use_codec(m, codec)
    return Rendered(m, call("jsons.dump", "{}", *options), call("jsons.load", "{}", type_, *options), untyped=True)


def _add_serializers(m: Models) -> None:
    for kind in sorted(TEXT_KINDS & m.schema.features - _CONVERTED):
        class_ = m.annotation(Scalar(kind))
        m.add(f"jsons.set_serializer(lambda value, **_: {dumped(m, kind, 'value')}, {class_})")
        m.add(f"jsons.set_deserializer(lambda value, _, **__: {loaded(m, kind, 'value')}, {class_})")
    if "any" in m.schema.features:
        m.use("typing", "Any")
        m.add("jsons.set_serializer(lambda value, **_: value, Any)")


def _add_names(m: Models) -> None:
    records = [record for record in m.schema.records if renamed_fields(record.fields)]
    if records:
        m.use("typing", "Any", "Dict")
        m.define(
            "def renamed(data: Dict[str, Any], names: Dict[str, str]) -> Dict[str, Any]:",
            ["return {names.get(key, key): value for key, value in data.items()}"],
        )
    for record in records:
        wires, names = (name_table(renamed_fields(record.fields), back=back) for back in (False, True))
        dump = f"renamed(jsons.default_object_serializer(value, cls, **options), {wires})"
        m.add(f"jsons.set_serializer(lambda value, cls=None, **options: {dump}, {record.name})")
        load = f"jsons.default_object_deserializer(renamed(value, {names}), cls, **options)"
        m.add(f"jsons.set_deserializer(lambda value, cls, **options: {load}, {record.name})")


LIBRARY = Library(
    name="jsons",
    summary="almost any object to JSON's types and back, by annotations",
    docs=_DOCS,
    render=render,
    pins=("jsons==1.6.3", "typish==1.9.3"),
    unchecked=("import-untyped", "no-any-return", "UP006", "UP035", "UP045"),
    text=dict.fromkeys(TEXT_KINDS, _READS_JSON),
    lacks={"tagged_union": _UNIONS, "untagged_union": _UNIONS},
    registers=True,
)
