"""typedload: loads builtins into whatever type is asked for, and dumps objects to builtins.

- Datetimes, dates and times are ISO 8601 as its `isodates` has them, UUIDs and decimals text by
  `strconstructed`, a timedelta its seconds, an enum its value, a set a list.
- Bytes are base64, by handlers of our own; where the codec has bytes they are a basic type.
- Fields that have their default are dumped like any other (`hidedefault=False`).
- A wire name is a field's metadata; a tag is a Literal field, by which the class of a union is found.
- Values are cast to the type that is asked for, unless the variant `basiccast=False` forbids it.
- An unknown key is dropped; `failonextra=True` refuses it.
"""

from __future__ import annotations

from serbench.judge.outcomes import REFUSED
from serbench.model.records import Optional, Schema, Union, walk
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.models import Models
from serbench.render.source.module import call

_DOCS = "https://ltworf.codeberg.page/typedload"
_TYPES = f"{_DOCS}/supported_types.html"
_FORBIDDING = "failonextra=True"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a loader and a dumper."""
    m = models(schema, codec, "dataclasses")
    m.dataclasses(f"{_DOCS}/examples.html", empty="name in a field's metadata", wire='metadata={"name": {}}', tag=True)
    m.use("typedload.datadumper", "Dumper")
    m.use("typedload.dataloader", "Loader")
    use_codec(m, codec)
    options = [] if variant == "default" else [variant]
    options += ["pep563=True"] if m.future else []
    m.add(f"loader = {call('Loader', *options)}")
    m.add("dumper = Dumper(isodates=True, hidedefault=False)")
    _add_types(m, codec)
    type_ = m.annotation(schema.root)
    if any(isinstance(part, Optional | Union) for part in walk(schema.root)):
        # what it knows of a union is kept under the id of the type, which another one may have once that is gone
        m.add(f"ROOT_TYPE = {type_}")
        type_ = "ROOT_TYPE"
    return Rendered(m, f"dumper.dump({{}}, {type_})", f"loader.load({{}}, {type_})", untyped=True)


def _add_types(m: Models, codec: Codec) -> None:
    for hook in hooks(m, m.schema.features & {"decimal"}):
        m.add(f"loader.strconstructed.add({hook.class_})")
        m.add(f"dumper.strconstructed.add({hook.class_})")
    for hook in hooks(m, m.schema.features & (codec.native | {"bytes"}), codec.native):
        if hook.kept:
            m.add(f"loader.basictypes.add({hook.class_})")
            m.add(f"dumper.basictypes.add({hook.class_})")
        else:
            known, held = f"lambda type_: type_ is {hook.class_}", f"lambda value: isinstance(value, {hook.class_})"
            m.add(f"loader.handlers.append(({known}, lambda loader, value, type_: {hook.loaded}))")
            m.add(f"dumper.handlers.append(({held}, lambda dumper, value, type_: {hook.dumped}))")


LIBRARY = Library(
    name="typedload",
    summary="loads builtins into any type that is asked for, and dumps them again",
    docs=_DOCS,
    render=render,
    pins=("typedload==2.41",),
    separate="its licence is GPL-3.0-only, that of serbench MIT",
    variants={"basiccast=False": f"{_TYPES}#basic-types", _FORBIDDING: f"{_TYPES}#objects"},
    unknown_keys={REFUSED: _FORBIDDING},
)
