"""Classes that stand around the codec with their own conversion: a Schema, a serializer, what a package documents."""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.model.types import List, Ref
from serbench.render.codec import Codec
from serbench.render.library import Rendered, use_codec
from serbench.render.source.marshmallow import calls
from serbench.render.source.module import Module, Unsupported, call
from serbench.render.source.names import root_name
from serbench.render.user_class.conversion import Conversion
from serbench.render.user_class.find import UserModel
from serbench.render.user_class.imports import ClassImports


def rest_framework(model: UserModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's serializer around the codec, with dicts for objects as it takes and gives them.

    Its dicts are made by it as well, since their keys are each field's `source`.
    """
    if codec.format == "pickle":
        raise Unsupported("pickle encodes the dicts directly; the serializer is not involved")
    module, name = Module(future=True), root_name(schema)
    _import_named(module, model)
    module.plain |= {"django", "os"}
    for source, used in (("django.conf", "settings"), ("django.utils", "timezone"), ("datetime", "UTC")):
        module.use(source, used)
    module.add(_SETTINGS)
    use_codec(module, codec)
    many = ("many=True",) if isinstance(schema.root, List) else ()
    made = f"serializer = {call(model.name, 'data=data', *many)}"
    checked = "serializer.is_valid(raise_exception=True)"
    module.define("def validated(data: Any) -> Any:", [made, checked, "return serializer.validated_data"])
    add_build(module, name, f"validated({name})")
    return Rendered(module, f"{call(model.name, '{}', *many)}.data", "validated({})")


_SETTINGS = """\
if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
    settings.configure(TIME_ZONE="UTC")
django.setup()
timezone.activate(UTC)"""  # whatever zone the project has: all data here is in UTC


def marshmallow(model: UserModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's Schema around the codec; if it has no `post_load`, it takes and gives dicts."""
    if codec.name == "pickle":
        raise Unsupported("pickle encodes the objects directly; marshmallow is not involved")
    module, name = Module(), root_name(schema)
    many = "many=True" if isinstance(schema.root, List) else ""
    _import_named(module, model)
    use_codec(module, codec)
    module.add(f"schema = {model.name}({many})")
    add_build(module, name, f"schema.load({name})")
    module.use("typing", "Any")
    module.blocks += [f"{record.name} = Any" for record in schema.records]
    return Rendered(module, *calls(schema, codec.name), untyped=True)


def converted(model: UserModel, conversion: Conversion, schema: Schema, codec: Codec) -> Rendered:
    """The conversion of the class's package around the codec."""
    module, name, imports = Module(), root_name(schema), ClassImports(model, {})
    item, prepared = imports.as_named(), conversion.prepared(imports.imported)
    module.blocks[:0] = [*imports.lines(module), *filter(None, [prepared])]
    use_codec(module, codec)
    if (record := item_of(schema)) != item:
        module.add(f"{record} = {item}")
    many = isinstance(schema.root, List)
    dump, load = conversion.writes[many].format(item, "{}"), conversion.reads[many].format(item, "{}")
    add_build(module, name, load.replace("{}", name))
    dump, load = ("", "") if codec.format == "pickle" else (dump, load)  # which encodes the objects themselves
    return Rendered(module, dump, load, untyped=True, user_facts={"ready": True})


def _import_named(module: Module, model: UserModel) -> None:
    """Put an import of the user's class alone at the top."""
    imports = ClassImports(model, {})
    imports.as_named()
    module.blocks[:0] = imports.lines(module)


def add_build(module: Module, name: str, made: str) -> None:
    """Add `build`, for objects that are not made by calling a class with its fields."""
    module.use("typing", "Any")
    module.add(f"def build({name}: Any) -> Any:\n    return {made}")


def item_of(schema: Schema) -> str:
    """The name of the root's record."""
    item = schema.root.item if isinstance(schema.root, List) else schema.root
    assert isinstance(item, Ref)
    return item.record
