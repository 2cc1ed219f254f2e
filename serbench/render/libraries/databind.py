"""databind: binds configuration files to dataclasses, one converter for each kind of type; not made for speed.

- Dates and times are ISO 8601, UUIDs and decimals text, a set an array; bytes are base64.
- An enum would be the name of its member, and a timedelta is not known: a converter is added that makes of these a
  value and seconds. What the codec has a type for, such as bytes or dates, the converter leaves as it is.
- Wire names are annotations of the fields. A tag is a Literal field: the classes of a union are tried in turn.
"""

from __future__ import annotations

from serbench.model.records import Schema, Union
from serbench.model.scalars import FLOAT, INTEGERS
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_confusion, refuse_lookalikes, refuse_renamed_tags
from serbench.render.source.models import Models, helper_blocks
from serbench.render.source.module import Unsupported

_DOCS = "https://niklasrosenstein.github.io/python-databind"
_JSON = "https://github.com/NiklasRosenstein/python-databind/blob/develop/docs/docs/json.md"
_CONVERTER = """\
class ClassConverter(Converter):
    \"\"\"Converts the values of a class by two functions; databind asks the next converter about others.\"\"\"

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
            raise NotImplementedError("not a value of this converter's class")
        if ctx.direction.is_serialize():
            if not isinstance(ctx.value, hint.type):
                raise ConversionError.expected(self, ctx, hint.type)
            return self.dump(ctx.value)
        try:
            value = self.load(hint.type, ctx.value)
        except (TypeError, ValueError) as error:
            raise ConversionError(self, ctx, str(error)) from error
        if not isinstance(value, hint.type):
            raise ConversionError.expected(self, ctx, hint.type)
        return value"""
_HELPERS = helper_blocks(
    [_CONVERTER],
    *("collections.abc:Callable", *(f"databind.core:{name}" for name in ("Context", "ConversionError", "Converter"))),
    *("typeapi:AnnotatedTypeHint", "typeapi:ClassTypeHint", "typing:Any"),
)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a mapper with the converters that the schema needs."""
    m = models(schema, codec, "dataclasses", helpers=_HELPERS)
    # An int and a float are converted into one another where nothing is lost.
    refuse_confusion(schema, _JSON, lambda one, other: FLOAT in (one, other) and {one, other} & INTEGERS)
    refuse_renamed_tags(schema, _JSON)
    refuse_lookalikes(schema, codec.native, "databind")
    for record in schema.records:
        for f in record.fields:
            if f.alias is not None and isinstance(f.type, Union):
                raise Unsupported(f"a union cannot have an alias, as {record.name}.{f.name} does ({_JSON})")
    m.dataclasses(tag=True, alias="databind.core:Alias")
    m.emit_helpers()
    use_codec(m, codec)
    m.add(f"mapper = {m.imported('databind.json', 'get_object_mapper()')}")
    for converter in _converters(m, codec):
        m.add(f"mapper.module.register({m.helper('ClassConverter')}({converter}), first=True)")
    type_ = m.annotation(schema.root)
    return Rendered(m, f"mapper.serialize({{}}, {type_})", f"mapper.deserialize({{}}, {type_})", untyped=True)


def _converters(m: Models, codec: Codec) -> list[str]:
    """Class, function to builtins and function from builtins of what is converted in its own way."""
    converters = []
    if m.schema.enums:
        converters.append(
            f"{m.imported('enum', 'Enum')}, lambda value: value.value, lambda class_, value: class_(value)"
        )
    converted = hooks(m, m.schema.features & (codec.native | {"timedelta"}), codec.native)
    return converters + [f"{hook.class_}, {hook.dump}, lambda _, value: {hook.loaded}" for hook in converted]


LIBRARY = Library(
    name="databind",
    summary="binds configuration files to dataclasses",
    docs=_DOCS,
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
