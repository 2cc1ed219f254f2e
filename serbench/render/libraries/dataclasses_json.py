"""dataclasses-json: a mixin that gives dataclasses `to_dict` and `from_dict`, by reflection at each call.

- UUIDs and decimals are text, an enum its value, a set a list.
- Dates and times are ISO 8601, a timedelta its seconds and bytes base64, by encoders and decoders of
  its global configuration: a datetime would otherwise be a timestamp that comes back in local time.
- Wire names are `config(field_name=…)` in a field's metadata.
- Nothing is validated; its `schema()`, which validates by way of marshmallow, has no part in it.
"""

from __future__ import annotations

from serbench.model.records import List, Schema, Union
from serbench.model.scalars import DATES
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.models import is_json
from serbench.render.source.module import Unsupported

_DOCS = "https://github.com/lidatong/dataclasses-json"
_CONVERTED = DATES | {"bytes", "timedelta"}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses with its mixin, and its methods around the codec."""
    m = models(schema, codec, "dataclasses")
    if not m.root_record:
        raise Unsupported(f"its methods exist only on dataclasses; this document is not one ({_DOCS})")
    for union in (t for t in schema.types() if isinstance(t, Union)):
        if not all(is_json(member.item if isinstance(member, List) else member) for member in union.members):
            raise Unsupported(
                f"in dataclasses-json 0.6.7, union members that are not dataclasses are not converted ({_DOCS})"
            )
    m.future = False  # its global configuration is asked for annotations as they are
    wire = "metadata=dataclasses_json:config(field_name={})"
    m.dataclasses(base="dataclasses_json:DataClassJsonMixin", wire=wire, quoted=True)
    for hook in hooks(m, schema.features & _CONVERTED - (codec.carries & {"bytes"})):
        m.use("dataclasses_json", "global_config")
        m.add(f"global_config.encoders[{hook.class_}] = {hook.dump}")
        m.add(f"global_config.decoders[{hook.class_}] = {hook.load}")
    if codec.name == "json" and not m.many:
        encode = f"{m.root_name}.to_json().encode()"
        return Rendered(m, encode=encode, decode=f"{m.root_record}.from_json(blob)")
    use_codec(m, codec)
    return Rendered(m, m.dumped("{}.to_dict(encode_json=True)"), m.loaded(f"{m.root_record}.from_dict({{}})"))


LIBRARY = Library(
    name="dataclasses-json",
    summary="a mixin that reads and writes dataclasses by reflection",
    docs=_DOCS,
    render=render,
    pins=(
        "dataclasses-json==0.6.7",
        "marshmallow==3.26.2",
        "mypy-extensions==1.2.0",
        "packaging==26.3",
        "typing-extensions==4.16.0",
        "typing-inspect==0.9.0",
    ),
    separate="it needs marshmallow 3",
    text=dict.fromkeys(
        (_CONVERTED | {"uuid"}) - {"bytes"},
        f"dataclasses-json 0.6.7 has one encoder per class for the whole process, which produces text for every codec ({_DOCS}#overriding)",
    ),
    lacks={
        "tagged_union": f"dataclasses-json 0.6.7 tries the classes of a union in turn, and writes a tag only with its schema() ({_DOCS})"
    },
)
