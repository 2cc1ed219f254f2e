"""typedload: loads builtins into whatever type is asked for, and dumps objects to builtins.

- Datetimes, dates and times are ISO 8601 as its `isodates` has them, UUIDs and decimals text by
  `strconstructed`, a timedelta its seconds, an enum its value, a set a list.
- Bytes are base64, by handlers of our own; where the codec has bytes they are a basic type.
- Fields that have their default are dumped like any other (`hidedefault=False`).
- A wire name is a field's metadata; a tag is a Literal field, by which the class of a union is found.
- Values are cast to the type that is asked for, unless the variant `basiccast=False` forbids it.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Field, Optional, Schema, Union
from serbench.schema.types import walk
from serbench.source.expressions import Bracketed, Expression, Keyword, call
from serbench.source.layout import Module, lay_out, parsed
from serbench.source.models import annotation, literal
from serbench.source.records import add_dataclasses

_DOCS = "https://ltworf.codeberg.page/typedload"
_TYPES = f"{_DOCS}/supported_types.html"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a loader and a dumper."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: typedload has no part in it")
    if any(f.alias == "" for record in schema.records for f in record.fields):
        raise Unsupported(f"an empty name in a field's metadata is taken for none ({_DOCS}/examples.html)")
    module = Module(future="recursion" in schema.features)
    _add_models(module, schema)
    module.use("typedload.datadumper", "Dumper")
    module.use("typedload.dataloader", "Loader")
    use_codec(module, codec)
    options = [] if variant == "default" else [variant]
    options += ["pep563=True"] if module.future else []
    module.state(lay_out(call("Loader", *options), before="loader = "))
    module.state("dumper = Dumper(isodates=True, hidedefault=False)")
    _add_types(module, schema, codec)
    type_ = annotation(schema.root, module)
    if any(isinstance(part, Optional | Union) for part in walk(schema.root)):
        # what it knows of a union is kept under the id of the type, which another one may have once that is gone
        module.state(lay_out(parsed(type_), before="ROOT_TYPE = "))
        type_ = "ROOT_TYPE"
    return Rendered(
        module,
        dump=lambda value: call("dumper.dump", value, type_),
        load=lambda value: call("loader.load", value, type_),
        untyped=True,
    )


def _add_models(module: Module, schema: Schema) -> None:
    def options(f: Field) -> tuple[Expression, ...]:
        if f.alias is None:
            return ()
        return (Keyword("metadata=", f'{{"name": {literal(f.alias)}}}'),)

    add_dataclasses(module, schema, tag=True, options=options)


def _add_types(module: Module, schema: Schema, codec: Codec) -> None:
    """What the loader and the dumper have to be told of types."""
    if "decimal" in schema.features:
        module.use("decimal", "Decimal")
        module.state("loader.strconstructed.add(Decimal)")
        module.state("dumper.strconstructed.add(Decimal)")
    if "bytes" not in schema.features:
        return
    if "bytes" in codec.encodes & codec.decodes:
        module.state("loader.basictypes.add(bytes)")
        module.state("dumper.basictypes.add(bytes)")
        return
    module.use("base64")
    load = ("lambda type_: type_ is bytes", "lambda loader, value, type_: base64.b64decode(value)")
    dump = (
        "lambda value: isinstance(value, bytes)",
        "lambda dumper, value, type_: base64.b64encode(value).decode()",
    )
    for name, handler in (("loader", load), ("dumper", dump)):
        made = Bracketed("(", handler, ")")
        module.state(lay_out(call(f"{name}.handlers.append", made)))


LIBRARY = Library(
    name="typedload",
    summary="loads builtins into any type that is asked for, and dumps them again",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("typedload",),
    pins=("typedload==2.41",),
    variants={"basiccast=False": f"{_TYPES}#basic-types"},
)
