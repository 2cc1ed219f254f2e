"""databind: binds configuration files to dataclasses, one converter for each kind of type; not made for speed.

- Dates and times are ISO 8601, UUIDs and decimals text, a set an array; bytes are base64.
- An enum would be the name of its member, a timedelta is not known, and a codec may have bytes itself:
  a converter is added that makes of these a value, seconds and bytes as they are.
- Wire names are annotations of the fields. A tag is a Literal field: the classes of a union are tried in turn.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import FLOAT, INTEGERS, Field, Record, Schema, Union
from serbench.source.by_hand import from_text
from serbench.source.layout import Module, call, class_block, field_line, lay_out
from serbench.source.models import add_enums, annotation, assignment, literal, ordered_records, tag_field

_DOCS = "https://niklasrosenstein.github.io/python-databind"
_JSON = "https://github.com/NiklasRosenstein/python-databind/blob/develop/docs/docs/json.md"

_CONVERTER = """\
def __init__(
    self,
    class_: type[Any],
    dump: Callable[[Any], Any],
    load: Callable[[type[Any], Any], Any],
) -> None:
    self.class_, self.dump, self.load = class_, dump, load

def convert(self, ctx: Context) -> Any:
    hint = ctx.datatype
    if isinstance(hint, AnnotatedTypeHint):
        hint = hint[0]
    if not isinstance(hint, ClassTypeHint) or not issubclass(
        hint.type, self.class_
    ):
        raise NotImplementedError
    if ctx.direction.is_serialize():
        return self.dump(ctx.value)
    return self.load(hint.type, ctx.value)"""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a mapper with the converters that the schema needs."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: databind has no part in it")
    for union in schema.types():
        if isinstance(union, Union) and FLOAT in union.members and INTEGERS & {*union.members}:
            raise Unsupported(f"an int and a float are converted into one another where nothing is lost ({_JSON})")
    if any(tag_field(schema, schema.record(name)).alias for name in schema.tags):
        raise Unsupported(f"a Literal, as which it is told a tag, cannot have another name on the wire ({_JSON})")
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    for record in ordered_records(schema):
        module.use("dataclasses", "dataclass")
        module.add(class_block(["@dataclass", f"class {record.name}:"], _field_lines(module, schema, record)))
    converters = _converters(module, schema, codec)
    if converters and "ClassConverter" in {record.name for record in schema.records}:
        raise Unsupported("the converter of its module is a ClassConverter, too; give the class another name")
    if converters:
        _add_converter(module)
    module.use("databind.json", "get_object_mapper")
    use_codec(module, codec)
    module.state("mapper = get_object_mapper()")
    for name, dump, load in converters:
        made = call("ClassConverter", name, dump, load)
        module.state(lay_out(call("mapper.module.register", made, "first=True")))
    type_ = annotation(schema.root, module)
    return Rendered(
        module,
        dump=lambda value: call("mapper.serialize", value, type_),
        load=lambda value: call("mapper.deserialize", value, type_),
        untyped=True,
    )


def _field_lines(module: Module, schema: Schema, record: Record) -> list[str]:
    """The fields, those with a name of their own on the wire annotated with it."""
    lines = []
    tags = [tag_field(schema, record)] if record.name in schema.tags else []
    for f in (*record.fields, *tags):
        type_ = f"Literal[{literal(f.default)}]" if f in tags else annotation(f.type, module)
        if f in tags:
            module.use("typing", "Literal")
        lines.append(
            field_line(f.name, _named(module, f, type_), assignment(module, f, "dataclasses:field", "default_factory"))
        )
    return lines


def _named(module: Module, f: Field, type_: str) -> str:
    if f.alias is None:
        return type_
    module.use("databind.core", "Alias")
    module.use("typing", "Annotated")
    return f"Annotated[{type_}, Alias({literal(f.alias)})]"


def _converters(module: Module, schema: Schema, codec: Codec) -> list[tuple[str, str, str]]:
    """Class, function to builtins and function from builtins of what is converted in its own way."""
    found = []
    if schema.enums:
        module.use("enum", "Enum")
        found.append(("Enum", "lambda value: value.value", "lambda class_, value: class_(value)"))
    if "timedelta" in schema.features:
        name, load = from_text(module, "timedelta")
        found.append((name, f"{name}.total_seconds", load.replace("lambda value", "lambda _, value")))
    if schema.features & codec.encodes & codec.decodes & {"bytes"}:
        found.append(("bytes", "lambda value: value", "lambda _, value: value"))
    return found


def _add_converter(module: Module) -> None:
    module.use("collections.abc", "Callable")
    module.use("databind.core", "Context", "Converter")
    module.use("typeapi", "AnnotatedTypeHint", "ClassTypeHint")
    module.use("typing", "Any")
    head = ["class ClassConverter(Converter):"]
    lines = ['"""Converts the values of a class by two functions."""', "", *_CONVERTER.split("\n")]
    module.add(class_block(head, lines))


LIBRARY = Library(
    name="databind",
    summary="binds configuration files to dataclasses",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("databind",),
    modules=("databind", "typeapi"),
    unchecked=("arg-type", "union-attr"),
    pins=(
        "databind==4.5.5",
        "deprecated==1.3.1",
        "nr-date==2.1.0",
        "nr-stream==1.1.5",
        "typeapi==2.3.0",
        "typing-extensions==4.16.0",
        "wrapt==2.5.2",
    ),
)
