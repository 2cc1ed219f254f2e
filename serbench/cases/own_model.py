"""The user's own class as one more library, measured as it is beside what is rendered for all others."""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from serbench.cases import combinations
from serbench.cases.own_class import OwnModel, class_of, load_model
from serbench.formats import ANY_MODEL, Codec
from serbench.libraries import Library, Rendered, Unsupported, libraries, use_codec
from serbench.schema import Enum, List, Map, Ref, Schema
from serbench.source.by_hand import TEXT_KINDS
from serbench.source.marshmallow import calls
from serbench.source.models import literal
from serbench.source.module import Module, call
from serbench.source.names import root_name
from serbench.workloads import Dataset

OWN = "yours"
"""The name of the user's class among the libraries, in front of the library that it is written with, in brackets."""

BASES = {
    "dataclass": "dataclasses",
    "attrs": "cattrs",
    "pydantic": "pydantic",
    "pydantic1": "pydantic1",
    "msgspec": "msgspec",
    "namedtuple": "namedtuple",
    "typeddict": "typeddict",
    "marshmallow": "marshmallow",
    "djangorestframework": "djangorestframework",
}
"""The library that a class is written with → the one that serves such classes here."""


_PRECONF = "https://catt.rs/en/stable/preconf.html"
_STRICT = "https://docs.pydantic.dev/latest/concepts/conversion_table/"

READY = ("marshmallow",)
"""Kinds whose classes are given values as JSON has them."""


def directed(library: Library, dataset: Dataset) -> Library:
    """The library; if it is a class that reads another document than it writes, only what it does with this one."""
    if not library.own or not dataset.direction:
        return library
    cannot, other = {"reads": ("encode", "writes"), "writes": ("decode", "reads")}[dataset.direction]
    render: Any = library.render
    said = {cannot: f"it reads another document than it writes; see what it {other}"}
    return replace(library, cannot=said, render=partial(render, dataset=dataset))


def _with_root(own: Schema, schema: Schema) -> Schema:
    root = own.root
    assert isinstance(root, List)
    return own if isinstance(schema.root, List) else Schema(root.item, own.records)


def own_library(model: OwnModel) -> Library:
    """The class as a library of its own, named `yours (…)`."""
    base = libraries()[BASES[model.kind]]

    def rendered(described: Schema, codec: Codec, schema: Schema) -> Rendered:
        if model.kind == "marshmallow":
            return _marshmallow(model, described, codec)
        if model.kind == "djangorestframework":
            return _rest_framework(model, described, codec)
        found = replace(base.render(schema, codec, "default"), schema=schema)
        _import_instead(found.module, model, schema)
        if model.kind == "pydantic1":
            return _pydantic1(model, found, schema, codec)
        if model.kind == "pydantic":
            return _pydantic(model, found, schema, codec)
        if model.kind == "msgspec" and "key" in schema.features:
            dump, load = (text and f"{text[:-1]}, str_keys=True)" for text in (found.dump, found.load))
            return replace(found, dump=dump, load=load)
        return found

    def render(described: Schema, codec: Codec, _variant: str, dataset: Dataset | None = None) -> Rendered:
        if dataset is not None and codec.format == "pickle":
            raise Unsupported("pickle encodes the objects themselves, which correspond to neither document")
        _refuse(model, codec)
        writing = dataset is not None and dataset.direction == "writes"
        found = rendered(described, codec, _with_root((model.written if writing else model.parsed).own, described))
        spec = _with_root(model.parsed.own, described).as_data()
        return replace(found, own={"spec": spec, "ready": model.kind in READY, "writes": writing})

    return replace(
        base,
        name=f"{OWN} ({model.kind})",
        summary=f"{model.module}:{model.name}",
        render=render,
        variants={},
        omits={},
        lacks={},
        own=True,
    )


def is_own(library: Library) -> bool:
    """Return True for a class of the user's."""
    return library.own


def _refuse(model: OwnModel, codec: Codec) -> None:
    """Check that a codec knows what the class has, if it takes or makes such objects itself.

    Raises:
        Unsupported: the class has such a field.
    """
    own, base = model.parsed.own, libraries()[BASES[model.kind]]
    keys = {type(type_.key) for type_ in own.types() if isinstance(type_, Map)} - {type(None)}
    foreign = "key" in own.features and codec.name != "json"
    if model.kind in ("marshmallow", "pydantic1") and foreign and codec.format == "json":
        raise Unsupported(
            f"the class writes keys that are not strings, which {codec.name} does not support ({codec.docs})"
        )
    if model.kind == "attrs" and codec.name == "orjson" and Enum in keys:
        raise Unsupported(
            f"cattrs's orjson converter writes an enum key as its name, which it cannot read back ({_PRECONF})"
        )
    class_ = class_of(model)
    if (
        model.kind == "attrs"
        and codec.name == "msgspec"
        and not all(one.init for one in getattr(class_, "__attrs_attrs__", ()))
    ):
        raise Unsupported(
            f"msgspec writes fields that cattrs leaves out because they are not arguments (init=False; {_PRECONF})"
        )
    if (
        base.model in codec.makes
        and codec.makes != ANY_MODEL
        and model.kind in ("dataclass", "namedtuple", "typeddict")
    ):
        mixed = [enum.name for enum in own.enums if len({type(value) for _, value in enum.members}) > 1]
        if mixed:
            raise Unsupported(
                f"{codec.name} does not support enums with values of different types, such as {mixed[0]} ({codec.docs})"
            )
        if own != model.written.own:
            raise Unsupported(
                f"{codec.name} passes all fields to the class, even those that are not arguments ({codec.docs})"
            )


def _import_instead(module: Module, model: OwnModel, schema: Schema) -> None:
    """Put imports of the user's classes where the rendered ones are."""
    names = [record.name for record in schema.records] + [enum.name for enum in schema.enums]
    definition = re.compile(rf"(?:@.*\n)*(?:class )?(?:{'|'.join(map(re.escape, names))})(?:\(|:| = )")
    module.blocks = [block for block in module.blocks if not definition.match(block)]
    found = model.parsed.classes | model.written.classes
    homes: dict[str, str] = {}
    aliases = []
    for name in names:
        text = _spelled(model, found[name], homes)
        if text != name:
            aliases.append(f"{name} = {text}")
    _import_from(module, model, homes)
    module.blocks[1 + len(homes) : 1 + len(homes)] = aliases


def _spelled(model: OwnModel, class_: Any, homes: dict[str, str]) -> str:
    """The expression that gives a class; `homes` collects the names that it needs, with their modules."""
    if class_ is class_of(model) and "[" in model.name:
        known = vars(sys.modules[model.module])
        homes |= dict.fromkeys((name for name in re.findall(r"[\w.]+", model.name) if name in known), model.module)
        return model.name
    metadata = getattr(class_, "__pydantic_generic_metadata__", None) or {}
    origin = metadata.get("origin") or typing.get_origin(class_)
    if origin is not None:
        arguments = metadata.get("args") or typing.get_args(class_)
        return f"{_spelled(model, origin, homes)}[{', '.join(_spelled(model, one, homes) for one in arguments)}]"
    if not isinstance(class_, type) and not hasattr(class_, "__qualname__"):
        raise Unsupported(f"a generic class has the parameter {class_}, which is not a class")
    if class_.__module__ == "builtins":
        return str(class_.__name__)
    imported = sys.modules[model.module]
    first = class_.__qualname__.partition(".")[0]
    named = next((name for name, value in vars(imported).items() if value is class_ and name.isidentifier()), None)
    if named is not None:
        homes[named] = model.module
        return named
    if "<locals>" in class_.__qualname__ or not hasattr(sys.modules.get(class_.__module__), first):
        raise Unsupported(
            f"{class_.__qualname__} cannot be found in its module; define it at the top level of {class_.__module__}"
        )
    homes[first] = class_.__module__
    return str(class_.__qualname__)


def _import_from(module: Module, model: OwnModel, homes: dict[str, str]) -> None:
    lines = [f"sys.path.insert(0, {literal(model.folder)})"]
    lines += [f"from {home} import {name}  # noqa: E402" for name, home in homes.items()]
    module.use("sys")
    module.blocks[:0] = lines


def _pydantic(model: OwnModel, rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """With the aliases that the class has, whatever its configuration writes by default."""
    _add_validated(rendered.module, schema, "model_validate")
    if codec.format == "pickle":
        return rendered
    strict = any(getattr(one, "model_config", {}).get("strict") for one in model.parsed.classes.values())
    inexact = schema.features & (TEXT_KINDS | {"enum", "set", "tuple"}) - codec.decodes
    if strict and rendered.load and not rendered.decode and inexact:
        raise Unsupported(
            f"a strict model accepts {min(inexact)} only as that type, which {codec.name} does not return ({_STRICT})"
        )
    if rendered.dump == "adapter.dump_python({})" and "key" in schema.features and not codec.typed:
        rendered = replace(rendered, dump='adapter.dump_python({}, mode="json")')
    if "alias" not in schema.features:
        return rendered

    def by_alias(expression: str) -> str:
        return expression and f"{expression[:-1]}, by_alias=True)"

    return replace(rendered, encode=by_alias(rendered.encode), dump=by_alias(rendered.dump))


def _pydantic1(model: OwnModel, rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """With the generation's own package, which is a part of pydantic 2, and the encoders of the class."""
    module, class_ = rendered.module, class_of(model)
    package = next(c.__module__ for c in class_.__mro__ if c.__name__ == "BaseModel").removesuffix(".main")
    _import_as(module, package)
    done = [f"{record.name}.update_forward_refs()" for record in schema.records]
    module.blocks = [block for block in module.blocks if block not in done]
    _add_validated(module, schema, "parse_obj")
    encoders = class_.__config__.json_encoders
    lacks = bool(rendered.dump) and schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.encodes
    if encoders and lacks and codec.asks_about(lacks):
        module.blocks = [block for block in module.blocks if not block.startswith("def to_builtin(")]
        rendered = replace(rendered, options=(f"{codec.default}={_item(schema)}.__json_encoder__",))
        if codec.name == "json" and isinstance(schema.root, Ref):
            aliased = ("by_alias=True",) if "alias" in schema.features else ()
            text = call(f"{root_name(schema)}.json", *aliased)
            rendered = replace(rendered, encode=f"{text}.encode()")
    elif lacks and "bytes" in lacks:
        raise Unsupported(
            "pydantic 1 writes bytes as UTF-8 text and does not read base64; give the class json_encoders"
        )
    return rendered


def _import_as(module: Module, package: str) -> None:
    for name in [name for name in module.names if name in ("pydantic", "pydantic.json")]:
        module.use(package + name.removeprefix("pydantic"), *module.names.pop(name))


def _rest_framework(model: OwnModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's serializer around the codec, with dicts for objects as it takes and gives them.

    Its dicts are made by it as well, since their keys are each field's `source`.
    """
    if codec.format == "pickle":
        raise Unsupported("pickle encodes the dicts directly; the serializer is not involved")
    module, name = Module(future=True), root_name(schema)
    _import_from(module, model, {model.name: model.module})
    module.plain |= {"django", "os"}
    for source, used in (("django.conf", "settings"), ("django.utils", "timezone"), ("datetime", "UTC")):
        module.use(source, used)
    module.add(_SETTINGS)
    use_codec(module, codec)
    many = ("many=True",) if isinstance(schema.root, List) else ()
    made = f"serializer = {call(model.name, 'data=data', *many)}"
    checked = "serializer.is_valid(raise_exception=True)"
    module.define("def validated(data: Any) -> Any:", [made, checked, "return serializer.validated_data"])
    _add_build(module, name, f"validated({name})")
    return Rendered(module, f"{call(model.name, '{}', *many)}.data", "validated({})")


_SETTINGS = """\
if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
    settings.configure(TIME_ZONE="UTC")
django.setup()
timezone.activate(UTC)"""  # whatever zone the project has: all data here is in UTC


def _marshmallow(model: OwnModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's Schema around the codec; if it has no `post_load`, it takes and gives dicts."""
    if codec.name == "pickle":
        raise Unsupported("pickle encodes the objects directly; marshmallow is not involved")
    module, name = Module(), root_name(schema)
    many = "many=True" if isinstance(schema.root, List) else ""
    _import_from(module, model, {model.name: model.module})
    use_codec(module, codec)
    module.add(f"schema = {model.name}({many})")
    _add_build(module, name, f"schema.load({name})")
    module.use("typing", "Any")
    module.blocks += [f"{record.name} = Any" for record in schema.records]
    return Rendered(module, *calls(schema, codec.name), untyped=True)


def _add_build(module: Module, name: str, made: str) -> None:
    """Add `build`, for objects that are not made by calling a class with its fields."""
    module.use("typing", "Any")
    module.add(f"def build({name}: Any) -> Any:\n    return {made}")


def _add_validated(module: Module, schema: Schema, method: str) -> None:
    """Objects made by the class's own method for dicts, which respects its aliases."""
    name, made = root_name(schema), f"{_item(schema)}.{method}"
    _add_build(
        module, name, f"[{made}(value) for value in {name}]" if isinstance(schema.root, List) else f"{made}({name})"
    )


def _item(schema: Schema) -> str:
    item = schema.root.item if isinstance(schema.root, List) else schema.root
    assert isinstance(item, Ref)
    return item.record


def own_cases(located: str, served: Iterable[Codec]) -> list[tuple[Library, str, Codec]]:
    """The class with each of these codecs that serves its library."""
    model = load_model(located)
    base = libraries()[BASES[model.kind]]
    return [(own_library(model), "default", codec) for _, codec in combinations([base], served)]
