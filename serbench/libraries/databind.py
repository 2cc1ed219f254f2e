"""databind: binds configuration files to dataclasses, one converter for each kind of type; not made for speed.

- Dates and times are ISO 8601, UUIDs and decimals text, a set an array; bytes are base64.
- An enum would be the name of its member, a timedelta is not known, and a codec may have bytes itself:
  a converter is added that makes of these a value, seconds and bytes as they are.
- Wire names are annotations of the fields. A tag is a Literal field: the classes of a union are tried in turn.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Models, Rendered, Unsupported, models, use_codec
from serbench.schema import FLOAT, INTEGERS, Schema, Union
from serbench.source.by_hand import hooks
from serbench.source.models import tag_field

_DOCS = "https://niklasrosenstein.github.io/python-databind"
_JSON = "https://github.com/NiklasRosenstein/python-databind/blob/develop/docs/docs/json.md"
_CONVERTER = """\
class ClassConverter(Converter):
    \"\"\"Converts the values of a class by two functions.\"\"\"

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
        if not isinstance(hint, ClassTypeHint) or not issubclass(hint.type, self.class_):
            raise NotImplementedError
        if ctx.direction.is_serialize():
            return self.dump(ctx.value)
        return self.load(hint.type, ctx.value)"""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a mapper with the converters that the schema needs."""
    m = models(schema, codec, "dataclasses")
    for union in schema.types():
        if isinstance(union, Union) and FLOAT in union.members and INTEGERS & {*union.members}:
            raise Unsupported(f"an int and a float are converted into one another where nothing is lost ({_JSON})")
    if any(tag_field(schema, schema.record(name)).alias for name in schema.tags):
        raise Unsupported(f"a Literal, as which it is told a tag, cannot have another name on the wire ({_JSON})")
    for record in m.records():
        m.dataclass(record, tag=True, alias="databind.core:Alias")
    converters = _converters(m, codec)
    if converters:
        if "ClassConverter" in {record.name for record in schema.records}:
            raise Unsupported("the converter of its module is a ClassConverter, too; give the class another name")
        m.use("collections.abc", "Callable")
        m.use("databind.core", "Context", "Converter")
        m.use("typeapi", "AnnotatedTypeHint", "ClassTypeHint")
        m.use("typing", "Any")
        m.add(_CONVERTER)
    m.use("databind.json", "get_object_mapper")
    use_codec(m, codec)
    m.add("mapper = get_object_mapper()")
    for converter in converters:
        m.add(f"mapper.module.register(ClassConverter({converter}), first=True)")
    type_ = m.annotation(schema.root)
    return Rendered(m, f"mapper.serialize({{}}, {type_})", f"mapper.deserialize({{}}, {type_})", untyped=True)


def _converters(m: Models, codec: Codec) -> list[str]:
    """Class, function to builtins and function from builtins of what is converted in its own way."""
    found = []
    if m.schema.enums:
        found.append(f"{m.imported('enum', 'Enum')}, lambda value: value.value, lambda class_, value: class_(value)")
    durations = hooks(m, m.schema.features & {"timedelta"})
    found += [f"{hook.class_}, {hook.dump}, lambda _, value: {hook.loaded}" for hook in durations]
    if m.schema.features & codec.encodes & codec.decodes & {"bytes"}:
        found.append("bytes, lambda value: value, lambda _, value: value")
    return found


LIBRARY = Library(
    name="databind",
    summary="binds configuration files to dataclasses",
    docs=_DOCS,
    model="dataclass",
    render=render,
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
