"""apischema: methods computed once for each type, which serialize dataclasses and validate what they build.

- Dates and times are ISO 8601, UUIDs text, an enum its value, a set a list; bytes are base64, and
  themselves where the codec has bytes, by `pass_through`.
- A decimal would go by way of a float and lose digits, and a timedelta is not known: by conversions
  that are registered, the one is text and the other its seconds.
- A tag is a Literal field, by which the discriminator of its union finds the class; where records are
  recursive, making a discriminator would not end, and one class is tried after the other.
- It copies no list or dict of plain values unless it is told `no_copy=False`; with `pass_through`
  what the codec encodes by itself is left to the codec, whole dataclasses included.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Field, Scalar, Schema, Union
from serbench.schema.types import walk
from serbench.source.by_hand import TEXT_KINDS, from_text, to_text
from serbench.source.expressions import Bracketed, Expression, Keyword, call
from serbench.source.layout import Module, lay_out, parsed
from serbench.source.models import annotation, literal
from serbench.source.records import add_dataclasses

_DOCS = "https://wyfo.github.io/apischema/0.19"
_TUNING = f"{_DOCS}/optimizations_and_benchmark/"
_AS_FLOAT = "its own Decimal"
_OVERRIDE = "settings.deserialization.override_dataclass_constructors"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and the two methods of the document's type."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: apischema has no part in it")
    if variant == "pass_through" and not (codec.encodes - {"bytes"}):
        raise Unsupported(f"{codec.name} encodes none of the types that could be passed through ({_TUNING})")
    module = Module(future="recursion" in schema.features)
    _add_models(module, schema)
    type_ = annotation(schema.root, module, lambda union, members: _tagged(module, union, members))
    _add_conversions(module, schema.features - {"decimal"} if variant == _AS_FLOAT else schema.features)
    use_codec(module, codec)
    copied = ("no_copy=False",) if variant == "no_copy=False" else ()
    carried = schema.features & codec.encodes & codec.decodes & {"bytes"}
    passed = _pass_through(module, schema, codec, carried, everything=variant == "pass_through")
    taken = ("pass_through={bytes}",) if carried else ()
    module.use("apischema", "deserialization_method", "serialization_method")
    serialize = call("serialization_method", parsed(type_), *copied, *passed)
    deserialize = call("deserialization_method", parsed(type_), *copied, *taken)
    module.state(lay_out(serialize, before="serialize = "))
    # The setting is the whole process's, and counts when a method is made: the default is put back.
    if variant == "override_dataclass_constructors":
        module.use("apischema", "settings")
        module.state(f"{_OVERRIDE} = True")
    module.state(lay_out(deserialize, before="deserialize = "))
    if variant == "override_dataclass_constructors":
        module.state(f"{_OVERRIDE} = False")
    return Rendered(
        module,
        dump=lambda value: call("serialize", value),
        load=lambda value: call("deserialize", value),
        untyped=any(isinstance(t, Union) for t in walk(schema.root)),
    )


def _add_models(module: Module, schema: Schema) -> None:
    def options(f: Field) -> tuple[Expression, ...]:
        if f.alias is None:
            return ()
        module.use("apischema", "alias")
        return (Keyword("metadata=", call("alias", literal(f.alias))),)

    def tagged(union: Union, members: str) -> str:
        return _tagged(module, union, members)

    add_dataclasses(module, schema, tag=True, tagged=tagged, options=options)


def _tagged(module: Module, union: Union, members: str) -> str:
    """The union with its discriminator, which apischema cannot have on a way that leads back to it."""
    if module.future:
        return members
    module.use("apischema", "discriminator")
    module.use("typing", "Annotated")
    return f"Annotated[{members}, discriminator({literal(union.tag)})]"


def _add_conversions(module: Module, features: frozenset[str]) -> None:
    """Conversions in place of what the process has so far for a class: registering would add another choice."""
    if "decimal" in features:
        module.use("apischema.conversions", "as_str", "reset_deserializers")
        name = annotation(Scalar("decimal"), module)
        module.state(f"reset_deserializers({name})")
        module.state(f"as_str({name})")
    if "timedelta" in features:
        module.use("apischema", "deserializer", "serializer")
        module.use("apischema.conversions", "Conversion", "reset_deserializers")
        (name, load), (_, dump) = from_text(module, "timedelta"), to_text(module, "timedelta")
        module.state(f"reset_deserializers({name})")
        module.state(lay_out(call("deserializer", call("Conversion", load, "source=float", f"target={name}"))))
        module.state(lay_out(call("serializer", call("Conversion", dump, f"source={name}", "target=float"))))


def _pass_through(
    module: Module, schema: Schema, codec: Codec, carried: frozenset[str], *, everything: bool
) -> tuple[Expression, ...]:
    """The option that names what is left to the codec."""
    kinds = schema.features & codec.encodes & TEXT_KINDS if everything else carried
    if "datetime" not in codec.encodes and "datetime" in schema.features:
        kinds -= {"naive_datetime"}  # of the same class
    names = sorted({annotation(t, module) for t in schema.types() if getattr(t, "kind", "") in kinds})
    options: list[Expression] = []
    if everything:
        options = ["any=True", "collections=True"]
        options += ["dataclasses=True"] if "dataclass" in codec.takes else []
        options += ["enums=True"] if "enum" in codec.encodes else []
    if names:
        options.append(Keyword("types=", Bracketed("{", tuple(names), "}")))
    if not options:
        return ()
    module.use("apischema", "PassThroughOptions")
    return (Keyword("pass_through=", call("PassThroughOptions", *options)),)


LIBRARY = Library(
    name="apischema",
    summary="methods computed once for each type, for dataclasses and whatever they hold",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("apischema",),
    pins=("apischema==0.19.0",),
    variants=dict.fromkeys(("no_copy=False", "pass_through", "override_dataclass_constructors"), _TUNING),
    pitfalls={_AS_FLOAT: f"{_DOCS}/data_model/"},
    recommended={"json": "orjson"},
)
