"""serpyco-rs: a serializer for dataclasses, compiled in Rust from their annotations, that validates what it loads.

- Its own JSON and MessagePack go between objects and bytes in one call; other codecs go around `dump` and `load`.
- Dates, times, UUIDs and decimals are text, an enum its value, bytes are themselves where the codec carries them.
- A timedelta is its seconds, a set a list, and bytes are base64 in JSON, by a `custom_type_resolver`.
- Wire names are `Alias`, a tag is a Literal field that the union's `Discriminator` names.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import INTEGER_KINDS, List, Record, Scalar, Schema, Union
from serbench.source.by_hand import from_text, to_text
from serbench.source.layout import Keyword, Module, call, class_block, function, lay_out, parsed
from serbench.source.models import (
    add_enums,
    annotation,
    assignment,
    field_lines,
    literal,
    ordered_records,
    root_name,
    tag_field,
)

_DOCS = "https://github.com/ermakov-oleg/serpyco-rs"
_JSON = frozenset({"str", *INTEGER_KINDS, "float", "bool"})
_OWN = {"json": "JSON", "msgpack": "MSGPACK"}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a Serializer for the whole document."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the dataclasses as they are: serpyco-rs has no part in it ({_DOCS})")
    own = codec.name == "serpyco-rs"
    for type_ in () if own else schema.types():
        if isinstance(type_, Union) and type_.tag is None and not _plain(type_):
            raise Unsupported(
                f"without its own codec, the first member of an untagged union dumps any value as it is ({_DOCS})"
            )
    # A Discriminator takes no tag whose annotation has become text, as the future import makes all.
    module = Module(future="recursion" in schema.features and not schema.tags)
    add_enums(schema, module)
    defined: set[str] = set()
    for record in ordered_records(schema):
        module.use("dataclasses", "dataclass")
        module.add(class_block(["@dataclass", f"class {record.name}:"], _lines(module, schema, record, defined)))
        defined.add(record.name)
    use_codec(module, codec)
    type_text = annotation(schema.root, module, lambda union, members: _tagged(module, union, members))
    options: list[Keyword] = []
    if _add_custom_types(module, schema, codec):
        options.append(Keyword("custom_type_resolver=", "resolve"))
    module.use("serpyco_rs", "Serializer")
    if own:
        module.use("serpyco_rs", _OWN[codec.format])
        options.append(Keyword("codec=", _OWN[codec.format]))
    module.state(lay_out(call("Serializer", parsed(type_text), *options), before="serializer = "))
    if own:
        return Rendered(
            module, encode=call("serializer.dump", root_name(schema)), decode=call("serializer.load", "blob")
        )
    return Rendered(
        module,
        dump=lambda value: call("serializer.dump", value),
        load=lambda value: call("serializer.load", value),
    )


def _plain(union: Union) -> bool:
    """Whether every member is as JSON has it."""
    items = [member.item if isinstance(member, List) else member for member in union.members]
    return all(isinstance(item, Scalar) and item.kind in _JSON for item in items)


def _lines(module: Module, schema: Schema, record: Record, defined: set[str]) -> list[str]:
    if record.name in schema.tags and tag_field(schema, record).alias is not None:
        key = schema.tags[record.name]
        raise Unsupported(f"its Discriminator finds no field with an alias, and {key!r} needs one ({_DOCS})")
    return field_lines(
        module,
        schema,
        record,
        lambda f: assignment(module, f, "dataclasses:field", "default_factory"),
        tag=True,
        tagged=lambda union, members: _tagged(module, union, members),
        alias="serpyco_rs.metadata:Alias",
        defined=None if module.future else defined,
    )


def _tagged(module: Module, union: Union, members: str) -> str:
    module.use("serpyco_rs.metadata", "Discriminator")
    module.use("typing", "Annotated")
    return f"Annotated[{members}, Discriminator({literal(union.tag)})]"


def _add_custom_types(module: Module, schema: Schema, codec: Codec) -> bool:
    """Add the types that the library does not know, and the function that finds them; say whether there are any."""
    tests = []
    for kind in sorted({"bytes", "timedelta"} & schema.features - (codec.encodes & codec.decodes)):
        class_, load = from_text(module, kind)
        _, dump = to_text(module, kind)
        raw, json_type = ("str", "string") if kind == "bytes" else ("float", "number")
        name = f"{kind.title()}Type"
        steps = {"serialize": (class_, raw, dump), "deserialize": (raw, class_, load)}
        lines = [line for step, (takes, gives, made) in steps.items() for line in _method(step, takes, gives, made)]
        _add_type(module, name, f"{class_}, {raw}", lines, json_type)
        tests += [f"    if type_ is {class_}:", f"        return {name}()"]
    if "set" in schema.features:
        module.use("typing", "get_args", "get_origin")
        lines = [
            "def __init__(self, item: Any) -> None:",
            "    self.items = Serializer(list[item], custom_type_resolver=resolve)",
            "",
            "def serialize(self, value: set[Any]) -> list[Any]:",
            "    items: list[Any] = self.items.dump(list(value))",
            "    return items",
            "",
            "def deserialize(self, value: list[Any]) -> set[Any]:",
            "    return set(self.items.load(value))",
            "",
        ]
        _add_type(module, "SetType", "set[Any], list[Any]", lines, "array")
        tests += ["    if get_origin(type_) is set:", "        return SetType(*get_args(type_))"]
    if tests:
        module.add(function("resolve", ["type_: Any"], "CustomType[Any, Any] | None", *tests, "    return None"))
    return bool(tests)


def _method(step: str, takes: str, gives: str, made: str) -> list[str]:
    body = made.removeprefix("lambda value: ") if made.startswith("lambda") else f"{made}(value)"
    return [f"def {step}(self, value: {takes}) -> {gives}:", f"    return {body}", ""]


def _add_type(module: Module, name: str, arguments: str, lines: list[str], json_type: str) -> None:
    module.use("typing", "Any")
    module.use("serpyco_rs", "CustomType")
    schema = ["def get_json_schema(self) -> dict[str, Any]:", f'    return {{"type": "{json_type}"}}']
    module.add(class_block([f"class {name}(CustomType[{arguments}]):"], [*lines, *schema]))


LIBRARY = Library(
    name="serpyco-rs",
    summary="a validating serializer for dataclasses, compiled in Rust",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("serpyco-rs",),
    modules=("serpyco_rs",),
    pins=("serpyco-rs==1.23.0", "attributes-doc==0.5.0", "typing-extensions==4.16.0"),
    recommended={"json": "serpyco-rs", "msgpack": "serpyco-rs"},
)
