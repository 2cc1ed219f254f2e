"""dataclass-wizard: turns dataclasses into dicts and back with code that it generates on first use.

- Dates and times are ISO 8601, decimals text, a UUID its 32 hexadecimal digits, bytes base64 with
  every codec, an enum its value, a set a list.
- A timedelta is its seconds by `register_type`: what it writes by itself it does not read back.
- A document that is neither a record nor a list of records is the content of one more dataclass.
- A wire name is an Alias, the tags of a union stand in a Meta bound to its classes.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import List, Record, Ref, Schema, Union
from serbench.schema.types import walk
from serbench.source.expressions import Bracketed, Comprehension, Keyword, call, flat
from serbench.source.layout import WIDTH, Module, function, lay_out
from serbench.source.models import literal, ordered_records, snake
from serbench.source.records import add_dataclasses, enclosed

_DOCS = "https://dcw.ritviknag.com/en/latest"
_UNIONS = f"{_DOCS}/common_use_cases/dataclasses_in_union_types.html"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, their Meta where they need one, and its functions around the codec."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the dataclasses as they are: dataclass-wizard has no part in it ({_DOCS})")
    if len(set(schema.tags.values())) > 1:
        raise Unsupported(f"the tag's key is one for a class and all inside it ({_UNIONS})")
    for union in schema.types():
        if isinstance(union, Union) and union.tag is None and any(isinstance(t, Ref) for t in walk(union)):
            raise Unsupported(f"a union with a record in it needs a tag ({_UNIONS})")
    module = Module(future="recursion" in schema.features)
    root = schema.root.item if isinstance(schema.root, List) else schema.root
    models = schema if isinstance(root, Ref) else enclosed(schema)
    name = root.record if isinstance(root, Ref) else models.records[-1].name
    add_dataclasses(module, models, alias="dataclass_wizard:Alias")
    for record in ordered_records(models):
        _add_meta(module, models, record, name)
    if "timedelta" in schema.features:
        _add_seconds(module, name)
    use_codec(module, codec)
    if root is not schema.root and isinstance(root, Ref):
        module.use("dataclass_wizard", "asdict", "fromlist")
        each = snake(name)
        return Rendered(
            module,
            dump=lambda value: Comprehension("[", call("asdict", each), f"for {each} in {value}", "]"),
            load=lambda value: call("fromlist", name, value),
        )
    module.use("dataclass_wizard", "asdict", "fromdict")
    if models is schema:
        return Rendered(
            module, dump=lambda value: call("asdict", value), load=lambda value: call("fromdict", name, value)
        )
    return Rendered(
        module,
        dump=lambda value: Bracketed("asdict(", (f"{name}({value})",), ')["content"]'),
        load=lambda value: Bracketed("fromdict(", (name, f'{{"content": {value}}}'), ").content"),
    )


def _add_meta(module: Module, schema: Schema, record: Record, root: str) -> None:
    options = []
    if record.name in schema.tags:
        options.append(Keyword("tag=", literal(record.tag_value)))
    if schema.tags and record.name == root:
        options.append(Keyword("tag_key=", literal(min(schema.tags.values()))))
    if options:
        module.use("dataclass_wizard", "LoadMeta")
        bind = Bracketed(f"{flat(call('LoadMeta', *options))}.bind_to(", (record.name,), ")")
        if len(bind.opening) > WIDTH:
            bind = Bracketed("LoadMeta(", tuple(options), f").bind_to({record.name})")
        module.state(lay_out(bind))


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
