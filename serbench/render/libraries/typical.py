"""typical: coerces whatever comes in to what the annotations of plain classes say, by generated code.

- Datetimes are ISO 8601, UUIDs and decimals text, an enum its value, a set an array.
- Registered functions read dates and times, which would otherwise come back as pendulum's classes.
- Its `encode` and `decode` use orjson if that is installed; other codecs go around `primitive` and `transmute`.
- Wire names are in the class's `__serde_flags__`; a tag is a Literal field.
"""

from __future__ import annotations

from serbench.model.records import Enum, Optional, Schema
from serbench.model.scalars import TEXT_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import loaded
from serbench.render.source.classes import refuse_renamed_tags
from serbench.render.source.models import members, tagged_unions
from serbench.render.source.module import Unsupported

_DOCS = "https://python-typical.org"
_TYPES = f"{_DOCS}/usage/types/"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and the protocol of the document's type."""
    # it finds None in Optional[…], and not if an annotation says it with a bar
    m = models(schema, codec, "dataclasses", annotations=(3, 9))
    _refuse(schema)
    m.use("typic")
    m.dataclasses(tag=True, renamed="__serde_flags__ = typic.flags(fields={})")
    for kind in sorted(schema.features & {"date", "time"}):
        read = f"lambda value: None if value is None else {loaded(m, kind, 'value')}"
        m.add(f"typic.register({read}, lambda annotation: annotation is {kind})")
    use_codec(m, codec)
    m.add(f"protocol = typic.protocol({m.annotation(schema.root)})")
    # Its `decode` gives back the text of a document that is a scalar.
    by_protocol = codec.name == "orjson" and not isinstance(schema.root, Scalar | Optional | Enum)
    encode, decode = (f"protocol.encode({m.root_name})", "protocol.decode(blob)") if by_protocol else ("", "")
    return Rendered(m, "protocol.primitive({})", "protocol.transmute({})", encode, decode, untyped=True)


def _refuse(schema: Schema) -> None:
    if schema.root in {Scalar("date"), Scalar("time")}:
        raise Unsupported(
            f"in typical 2.9.0, a date or time that is the whole document comes back as pendulum's class ({_TYPES})"
        )
    refuse_renamed_tags(schema, f"{_DOCS}/usage/api/")
    for union in tagged_unions(schema):
        first, *others = members(schema, union)
        common = set.intersection(*({f.name for f in record.fields} for record in (first, *others)))
        for f in first.fields:
            if f.name in common and not f.required and not isinstance(f.default, list | dict | set):
                reason = f"typical 2.9.0 may take {f.name}, which all members of a union have, for the tag"
                raise Unsupported(f"{reason} ({_DOCS}/usage/advanced/)")


LIBRARY = Library(
    name="typical",
    summary="coerces data to the annotations of plain classes",
    docs=_DOCS,
    render=render,
    modules=("typic",),
    pins=(
        "typical==2.9.0",
        "future-typing==0.4.1",
        "inflection==0.5.1",
        "pendulum==3.3.0",
        "python-dateutil==4.0.0",
        "six==1.17.0",
        "tzdata==2026.6",
    ),
    unchecked=("arg-type", "return-value", "UP007", "UP045"),
    lacks={
        "naive_datetime": f"in typical 2.9.0, a datetime without an offset comes back in UTC ({_TYPES})",
        "timedelta": f"in typical 2.9.0, a timedelta comes back as pendulum's Duration ({_TYPES})",
        "tuple": f"in typical 2.9.0, all items of a tuple are serialized like the first ({_TYPES})",
        "recursion": "in typical 2.9.0, a recursive record is not resolved, or is resolved to a class of that name in another module"
        " (https://github.com/seandstewart/typical/issues/136)",
        "bytes": f"in typical 2.9.0, bytes are decoded as UTF-8 text, which fails for some bytes ({_TYPES})",
        "untagged_union": f"in typical 2.9.0, a value is coerced to the first type that accepts it, so text becomes a number ({_TYPES})",
    },
    text=dict.fromkeys(
        TEXT_KINDS, f"its protocol converts it to text and has no option to keep it ({_DOCS}/usage/api/)"
    ),
    recommended={"json": "orjson"},
)
