"""dataclass-wizard: turns dataclasses into dicts and back with code that it generates on first use.

- Dates and times are ISO 8601, decimals text, a UUID its 32 hexadecimal digits, bytes base64 with
  every codec, an enum its value, a set a list.
- A timedelta is its seconds by `register_type`: what it writes by itself it does not read back.
- A wire name is an Alias, the tags of a union stand in a Meta bound to its classes.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import List, Record, Ref, Schema
from serbench.source.layout import Bracketed, Comprehension, Keyword, Module, call, function, lay_out
from serbench.source.models import literal, ordered_records, snake
from serbench.source.records import add_dataclasses

_DOCS = "https://dcw.ritviknag.com/en/latest"
_UNIONS = f"{_DOCS}/common_use_cases/dataclasses_in_union_types.html"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, their Meta where they need one, and its functions around the codec."""
    if codec.name == "pickle":
        raise Unsupported(f"pickle takes the dataclasses as they are: dataclass-wizard has no part in it ({_DOCS})")
    match schema.root:
        case List(Ref(name)) | Ref(name):
            root = name
        case _:
            raise Unsupported(f"it converts dataclasses and lists of them, no other document ({_DOCS}/overview.html)")
    if len(set(schema.tags.values())) > 1:
        raise Unsupported(f"the tag's key is one for a class and all inside it ({_UNIONS})")
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema, alias="dataclass_wizard:Alias")
    for record in ordered_records(schema):
        _add_meta(module, schema, record, root)
    if "timedelta" in schema.features:
        _add_seconds(module, root)
    use_codec(module, codec)
    module.use("dataclass_wizard", "asdict")
    if isinstance(schema.root, Ref):
        module.use("dataclass_wizard", "fromdict")
        return Rendered(
            module, dump=lambda value: call("asdict", value), load=lambda value: call("fromdict", root, value)
        )
    module.use("dataclass_wizard", "fromlist")
    each = snake(root)
    return Rendered(
        module,
        dump=lambda value: Comprehension("[", call("asdict", each), f"for {each} in {value}", "]"),
        load=lambda value: call("fromlist", root, value),
    )


def _add_meta(module: Module, schema: Schema, record: Record, root: str) -> None:
    options = []
    if record.name in schema.tags:
        options.append(Keyword("tag=", literal(record.tag_value)))
    if schema.tags and record.name == root:
        options.append(Keyword("tag_key=", literal(min(schema.tags.values()))))
    if options:
        module.use("dataclass_wizard", "LoadMeta")
        made = call("LoadMeta", *options)
        module.state(lay_out(Bracketed(made.opening, made.items, f").bind_to({record.name})")))


def _add_seconds(module: Module, root: str) -> None:
    """Carry a timedelta as its seconds, in the class of the document and all that it holds."""
    module.use("datetime", "timedelta")
    module.use("dataclass_wizard", "register_type")
    module.add(function("to_seconds", ["value: timedelta"], "float", "    return value.total_seconds()"))
    module.add(function("from_seconds", ["value: float"], "timedelta", "    return timedelta(seconds=value)"))
    module.state(lay_out(call("register_type", root, "timedelta", "load=from_seconds", "dump=to_seconds")))


LIBRARY = Library(
    name="dataclass-wizard",
    summary="dicts from dataclasses and back, by code generated on first use",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("dataclass-wizard",),
    modules=("dataclass_wizard",),
    versions=">=1",
    pins=("dataclass-wizard==1.0.0", "typing-extensions==4.16.0"),
)
