"""jsons: turns almost any object into JSON's types and back, guided by annotations at each call.

- Dates and datetimes are RFC 3339, UUIDs and decimals text, a timedelta its seconds, a set a list.
- An enum is its value, for which it has to be told so; its own choice is the name.
- Bytes are base64 with every codec, and any JSON stays as it is, by serializers of our own.
- Wire names are put around its serializer of objects, for a class that has some.
- Times, and datetimes once there are naive ones, are ISO 8601 by serializers of our own: jsons does not
  read back the microseconds of a time, and takes a naive datetime for local time.
- Attributes are written in alphabetical order, not in that of the class.
- Annotations are those of `typing`: it does not know `int | None`, nor `dict[str, int]`.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Schema
from serbench.source.by_hand import loaded, to_text
from serbench.source.expressions import Bracketed, Keyword, call
from serbench.source.layout import Module, function, lay_out
from serbench.source.models import annotation, literal, root_name
from serbench.source.records import add_dataclasses

_DOCS = "https://jsons.readthedocs.io/en/latest"
_API = f"{_DOCS}/api.html"
_UNIONS = f"it takes the first member of a union that a value can be coerced into, and has no tags ({_API})"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and its functions for JSON or around the codec."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the dataclasses as they are: jsons has no part in it ({_DOCS})")
    module = Module(future="recursion" in schema.features, python=(3, 8))
    add_dataclasses(module, schema)
    module.use("jsons")
    _add_serializers(module, schema)
    _add_names(module, schema)
    type_ = annotation(schema.root, module)
    options = ["use_enum_name=False"] if schema.enums else []
    if codec.name == "json":
        return Rendered(
            module,
            encode=call("jsons.dumpb", root_name(schema), *options),
            decode=call("jsons.loadb", "blob", type_, *options),
            untyped=True,
        )
    use_codec(module, codec)
    return Rendered(
        module,
        dump=lambda value: call("jsons.dump", value, *options),
        load=lambda value: call("jsons.load", value, type_, *options),
        untyped=True,
    )


def _add_serializers(module: Module, schema: Schema) -> None:
    for kind in sorted({"bytes", "naive_datetime", "time"} & schema.features):
        class_, dump = to_text(module, kind)
        dump = dump.removeprefix("lambda value: ") if "lambda" in dump else "value.isoformat()"
        load = loaded(module, kind, "value")
        module.state(lay_out(call("jsons.set_serializer", f"lambda value, **_: {dump}", class_)))
        module.state(lay_out(call("jsons.set_deserializer", f"lambda value, _, **__: {load}", class_)))
    if "any" in schema.features:
        module.use("typing", "Any")
        module.state("jsons.set_serializer(lambda value, **_: value, Any)")


def _add_names(module: Module, schema: Schema) -> None:
    """Rename the keys of the classes that have wire names."""
    renamed = [record for record in schema.records if any(f.alias is not None for f in record.fields)]
    if not renamed:
        return
    module.use("typing", "Any", "Dict")
    parameters = ["data: Dict[str, Any]", "names: Dict[str, str]"]
    body = "    return {names.get(key, key): value for key, value in data.items()}"
    module.add(function("renamed", parameters, "Dict[str, Any]", body))
    for record in renamed:
        fields = [f for f in record.fields if f.alias is not None]
        wires = tuple(Keyword(f"{literal(f.name)}: ", literal(f.wire)) for f in fields)
        names = tuple(Keyword(f"{literal(f.wire)}: ", literal(f.name)) for f in fields)
        default = "jsons.default_object_serializer(value, cls, **options)"
        dump = Keyword("lambda value, cls=None, **options: ", call("renamed", default, Bracketed("{", wires, "}")))
        module.state(lay_out(call("jsons.set_serializer", dump, record.name)))
        back = call("renamed", "value", Bracketed("{", names, "}"))
        load = Keyword(
            "lambda value, cls, **options: ", call("jsons.default_object_deserializer", back, "cls", "**options")
        )
        module.state(lay_out(call("jsons.set_deserializer", load, record.name)))


LIBRARY = Library(
    name="jsons",
    summary="almost any object to JSON's types and back, by annotations",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("jsons",),
    pins=("jsons==1.6.3", "typish==1.9.3"),
    unchecked=("import-untyped", "no-any-return", "UP006", "UP035", "UP045"),
    lacks={"tagged_union": _UNIONS, "untagged_union": _UNIONS},
)
