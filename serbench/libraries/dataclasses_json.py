"""dataclasses-json: a mixin that gives dataclasses `to_dict` and `from_dict`, by reflection at each call.

- UUIDs and decimals are text, an enum its value, a set a list.
- Dates and times are ISO 8601, a timedelta its seconds and bytes base64, by encoders and decoders of
  its global configuration: a datetime would otherwise be a timestamp that comes back in local time.
- Wire names are `config(field_name=…)` in a field's metadata.
- Nothing is validated; its `schema()`, which validates by way of marshmallow, has no part in it.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import INTEGER_KINDS, Field, List, Ref, Scalar, Schema, Union
from serbench.source.by_hand import from_text, to_text
from serbench.source.layout import (
    Comprehension,
    Expression,
    Keyword,
    Module,
    call,
    class_block,
    lay_out,
)
from serbench.source.models import add_enums, assignment, field_lines, literal, ordered_records, root_name, snake

_DOCS = "https://github.com/lidatong/dataclasses-json"
_OWN = ("bytes", "date", "datetime", "naive_datetime", "time", "timedelta")
_JSON = frozenset({"str", *INTEGER_KINDS, "float", "bool"})


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses with its mixin, and its methods around the codec."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the dataclasses as they are: dataclasses-json has no part in it ({_DOCS})")
    match schema.root:
        case List(Ref(name)) | Ref(name):
            root = name
        case _:
            raise Unsupported(f"its methods are those of a dataclass, no other document has them ({_DOCS})")
    for type_ in schema.types():
        if isinstance(type_, Union) and not all(_plain(member) for member in type_.members):
            raise Unsupported(f"what is in a union and is no dataclass is taken as it came ({_DOCS})")
    module = Module()
    _add_models(module, schema)
    _configure(module, schema, codec)
    if codec.name == "json" and isinstance(schema.root, Ref):
        return Rendered(
            module,
            encode=f"{root_name(schema)}.to_json().encode()",
            decode=call(f"{root}.from_json", "blob"),
        )
    use_codec(module, codec)
    if isinstance(schema.root, Ref):
        return Rendered(
            module,
            dump=lambda value: f"{value}.to_dict(encode_json=True)",
            load=lambda value: call(f"{root}.from_dict", value),
        )
    each = snake(root)
    return Rendered(
        module,
        dump=lambda value: Comprehension("[", f"{each}.to_dict(encode_json=True)", f"for {each} in {value}", "]"),
        load=lambda value: Comprehension("[", call(f"{root}.from_dict", each), f"for {each} in {value}", "]"),
    )


def _plain(type_: object) -> bool:
    item = type_.item if isinstance(type_, List) else type_
    return isinstance(item, Scalar) and item.kind in _JSON


def _add_models(module: Module, schema: Schema) -> None:
    def assigned(f: Field) -> Expression | None:
        if f.alias is None:
            return assignment(module, f, "dataclasses:field", "default_factory")
        module.use("dataclasses_json", "config")
        metadata = Keyword("metadata=", call("config", f"field_name={literal(f.alias)}"))
        return assignment(module, f, "dataclasses:field", "default_factory", metadata)

    add_enums(schema, module)
    module.use("dataclasses_json", "DataClassJsonMixin")
    defined: set[str] = set()
    for record in ordered_records(schema):
        module.use("dataclasses", "dataclass")
        # Its global configuration is asked for annotations as they are, which the future import would make text.
        lines = field_lines(module, schema, record, assigned, defined=defined)
        module.add(class_block(["@dataclass", f"class {record.name}(DataClassJsonMixin):"], lines))
        defined.add(record.name)


def _configure(module: Module, schema: Schema, codec: Codec) -> None:
    """Its global configuration, for what it writes otherwise or not at all."""
    done = set()
    for kind in _OWN:
        if kind not in schema.features - (codec.encodes & codec.decodes & {"bytes"}):
            continue
        name, dump = to_text(module, kind)
        _, load = from_text(module, kind)
        if name in done:
            continue
        done.add(name)
        module.use("dataclasses_json", "global_config")
        module.state(lay_out(dump, before=f"global_config.encoders[{name}] = "))
        module.state(lay_out(load, before=f"global_config.decoders[{name}] = "))


LIBRARY = Library(
    name="dataclasses-json",
    summary="a mixin that reads and writes dataclasses by reflection",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("dataclasses-json",),
    modules=("dataclasses_json",),
    pins=(
        "dataclasses-json==0.6.7",
        "marshmallow==3.26.2",
        "mypy-extensions==1.2.0",
        "packaging==26.3",
        "typing-extensions==4.16.0",
        "typing-inspect==0.9.0",
    ),
    lacks={"tagged_union": f"it tries the classes of a union in turn and writes no tag but by its schema() ({_DOCS})"},
)
