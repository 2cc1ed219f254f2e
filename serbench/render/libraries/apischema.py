"""apischema: methods computed once for each type, which serialize dataclasses and validate what they build.

- Dates and times are ISO 8601, UUIDs text, an enum its value, a set a list; bytes are base64, and
  themselves where the codec has bytes, as is what a typed codec has a type for, by `pass_through`.
- A decimal would go by way of a float and lose digits, and a timedelta is not known: by conversions
  that are registered, the one is text and the other its seconds.
- A tag is a Literal field, by which the discriminator of its union finds the class; where records are
  recursive, making a discriminator would not end, and one class is tried after the other.
- An unknown key is refused; `additional_properties=True` drops it.
- On Python 3.14 apischema 0.19 finds the annotations of a class only below `from __future__ import annotations`.
- It copies no list or dict of plain values unless it is told `no_copy=False`; with `pass_through`
  what the codec encodes by itself is left to the codec, whole dataclasses included.
"""

from __future__ import annotations

from serbench.judge.outcomes import DROPPED
from serbench.model.records import Schema, Union, walk
from serbench.model.scalars import MOMENTS, TEXT_KINDS
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_lookalikes, refuse_mixed_datetimes
from serbench.render.source.models import Models, untagged_unions
from serbench.render.source.module import Unsupported, braced, call

_DOCS = "https://wyfo.github.io/apischema/0.19"
_TUNING = f"{_DOCS}/optimizations_and_benchmark/"
_AS_FLOAT = "its own Decimal"
_OVERRIDE = "override_dataclass_constructors"
_ADDITIONAL = "additional_properties=True"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and the two methods of the document's type."""
    # On a way that leads back to its union, apischema cannot have a discriminator.
    tagged = "" if "recursion" in schema.features else "apischema:discriminator({})"
    m = models(schema, codec, "dataclasses", tagged=tagged)
    m.future |= m.python >= (3, 14)
    refuse_lookalikes(
        schema, codec.native & {"bytes"}, "apischema"
    )  # in a union it makes text of whatever is not JSON's
    in_unions = {getattr(t, "kind", "") for t in walk(*untagged_unions(schema))}
    if kept := in_unions & codec.native - {"bytes"}:
        raise Unsupported(f"it cannot pass a {min(kept)} through in a union ({_TUNING})")
    if variant == "pass_through" and not (codec.kinds.encodes - {"bytes"}):
        raise Unsupported(f"{codec.name} does not encode any type that could be passed through ({_TUNING})")
    m.dataclasses(wire="metadata=apischema:alias({})", tag=True)
    text = {"timedelta"} if variant == _AS_FLOAT else {"decimal", "timedelta"}
    _add_conversions(m, text)
    use_codec(m, codec)
    options = ["no_copy=False"] if variant == "no_copy=False" else []
    refuse_mixed_datetimes(schema, codec.native, f"{_DOCS}/data_model/")
    carried = {hook.class_ for hook in hooks(m, schema.features & codec.native, codec.native) if hook.kept}
    passed = _pass_through(m, codec, carried, everything=variant == "pass_through")
    arguments = [f"pass_through={braced(sorted(carried))}"] if carried else []
    arguments += [variant] if variant == _ADDITIONAL else []
    type_ = m.annotation(schema.root)
    m.add(f"serialize = {call(m.imported('apischema', 'serialization_method'), type_, *options, *passed)}")
    # The setting is the whole process's, and counts when a method is made: the default is put back.
    override = m.imported("apischema", f"settings.deserialization.{_OVERRIDE}") if variant == _OVERRIDE else ""
    if override:
        m.add(f"{override} = True")
    m.add(f"deserialize = {call(m.imported('apischema', 'deserialization_method'), type_, *options, *arguments)}")
    if override:
        m.add(f"{override} = False")
    untyped = any(isinstance(t, Union) for t in walk(schema.root))
    return Rendered(m, dump="serialize({})", load="deserialize({})", untyped=untyped)


def _add_conversions(m: Models, kinds: set[str]) -> None:
    """Conversions in place of what the process has so far for a class: registering would add another choice."""
    for hook in hooks(m, m.schema.features & kinds):
        name = hook.class_
        m.add(m.imported("apischema.conversions", f"reset_deserializers({name})"))
        if hook.kind == "decimal":
            m.add(m.imported("apischema.conversions", f"as_str({name})"))
        else:
            m.use("apischema.conversions", "Conversion")
            m.add(m.imported("apischema", f"deserializer(Conversion({hook.load}, source=float, target={name}))"))
            m.add(m.imported("apischema", f"serializer(Conversion({hook.dump}, source={name}, target=float))"))


def _pass_through(m: Models, codec: Codec, carried: set[str], *, everything: bool) -> list[str]:
    schema = m.schema
    kinds = schema.features & codec.kinds.encodes & TEXT_KINDS if everything else frozenset()
    if "datetime" not in codec.kinds.encodes and "datetime" in schema.features:
        kinds -= MOMENTS  # which are one class
    names = sorted(carried | {m.annotation(t) for t in schema.types() if getattr(t, "kind", "") in kinds})
    options = []
    if everything:
        options = ["any=True", "collections=True"]
        options += ["dataclasses=True"] if "dataclass" in codec.objects.takes else []
        options += ["enums=True"] if "enum" in codec.kinds.encodes else []
    if names:
        options.append(f"types={braced(names)}")
    return [f"pass_through={call(m.imported('apischema', 'PassThroughOptions'), *options)}"] if options else []


LIBRARY = Library(
    name="apischema",
    summary="methods computed once per type, for dataclasses and the types of their fields",
    docs=_DOCS,
    render=render,
    pins=("apischema==0.19.0",),
    variants={
        **dict.fromkeys(("no_copy=False", "pass_through", _OVERRIDE), _TUNING),
        _ADDITIONAL: f"{_DOCS}/data_model/#additional--pattern-properties",
    },
    unknown_keys={DROPPED: _ADDITIONAL},
    pitfalls={_AS_FLOAT: f"{_DOCS}/data_model/"},
    recommended={"json": "orjson"},
)
