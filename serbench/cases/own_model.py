"""The user's own class as one more library, measured as it is beside what is rendered for all others."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from serbench.cases import combinations
from serbench.errors import PlanError, SchemaError
from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, libraries, use_codec
from serbench.schema import List, Ref, Schema
from serbench.schema.from_class import ParsedClass, from_class
from serbench.source.by_hand import TEXT_KINDS
from serbench.source.marshmallow import calls
from serbench.source.models import literal
from serbench.source.module import Module, call
from serbench.source.names import root_name

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


@dataclass(frozen=True)
class OwnModel:
    """A class of the user's: its place, and the schema that was read from it."""

    folder: str
    module: str
    name: str
    parsed: ParsedClass

    @property
    def kind(self) -> str:
        """The library of the class, as a key of `BASES`."""
        return self.parsed.kind


def locate(text: str) -> str:
    """`module:Class` or `path/models.py:Class` as "folder:module:Class", which means the same anywhere and stays as it is.

    Raises:
        PlanError: the text has another form.
    """
    module, _, name = text.rpartition(":")
    if Path(module.rpartition(":")[0]).is_absolute():
        return text
    if not module or not name.isidentifier():
        raise PlanError(f"--model takes module:Class or models.py:Class, not {text!r}")
    if module.endswith(".py"):
        path = Path(module).absolute()
        return f"{path.parent}:{path.stem}:{name}"
    return f"{Path.cwd()}:{module}:{name}"


@cache
def load_model(located: str) -> OwnModel:
    """Import the class and read it.

    Raises:
        PlanError: the module or class does not exist, or the class is not a known kind of model.
    """
    folder, module, name = located.rsplit(":", 2)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        imported = importlib.import_module(module)
    except Exception as error:
        said = " ".join(str(error).split())
        raise PlanError(f"{module} cannot be imported from {folder}: {type(error).__name__}: {said}") from None
    if not hasattr(imported, name):
        raise PlanError(f"{module} has no {name}; name one of its classes")
    try:
        return OwnModel(folder, module, name, from_class(getattr(imported, name)))
    except SchemaError as error:
        raise PlanError(f"{module}:{name}: {error}") from None


def class_of(model: OwnModel) -> Any:
    """The class itself."""
    return getattr(sys.modules[model.module], model.name)


def own_library(model: OwnModel) -> Library:
    """The class as a library of its own, named `yours (…)`."""
    base = libraries()[BASES[model.kind]]

    def render(schema: Schema, codec: Codec, _variant: str) -> Rendered:
        if model.kind == "marshmallow":
            return _marshmallow(model, schema, codec)
        if model.kind == "djangorestframework":
            return _rest_framework(model, schema, codec)
        rendered = base.render(schema, codec, "default")
        _import_instead(rendered.module, model, schema)
        if model.kind == "pydantic1":
            return _pydantic1(model, rendered, schema, codec)
        return _pydantic(rendered, schema, codec) if model.kind == "pydantic" else rendered

    return replace(
        base, name=f"{OWN} ({model.kind})", summary=f"{model.module}:{model.name}", render=render, variants={}, lacks={}
    )


def is_own(library: Library) -> bool:
    """Return True for a class of the user's."""
    return library.name.startswith(f"{OWN} (")


def _import_instead(module: Module, model: OwnModel, schema: Schema) -> None:
    """Put imports of the user's classes where the rendered ones are."""
    names = [record.name for record in schema.records] + [enum.name for enum in schema.enums]
    definition = re.compile(rf"(?:@.*\n)*(?:class )?(?:{'|'.join(map(re.escape, names))})(?:\(|:| = )")
    module.blocks = [block for block in module.blocks if not definition.match(block)]
    _import_from(module, model, _homes(model, names))


def _homes(model: OwnModel, names: list[str]) -> dict[str, str]:
    """The module of each class: that of the model, unless it lacks the class."""
    imported = sys.modules[model.module]
    found = {}
    for name in names:
        class_ = getattr(imported, name, None) or _reachable(imported, name)
        if class_ is None:
            raise Unsupported(f"{model.module} has no class {name}; import it there")
        found[name] = model.module if hasattr(imported, name) else class_.__module__
    return found


def _reachable(imported: Any, name: str) -> Any:
    """A class of that name in a module from which the model's module took something."""
    homes = {getattr(value, "__module__", None) for value in vars(imported).values()}
    modules = (sys.modules[home] for home in homes if home in sys.modules)
    return next((getattr(module, name) for module in modules if hasattr(module, name)), None)


def _import_from(module: Module, model: OwnModel, homes: dict[str, str]) -> None:
    lines = [f"sys.path.insert(0, {literal(model.folder)})"]
    lines += [f"from {home} import {name}  # noqa: E402" for name, home in homes.items()]
    module.use("sys")
    module.blocks[:0] = lines


def _pydantic(rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """With the aliases that the class has, whatever its configuration writes by default."""
    _add_validated(rendered.module, schema, "model_validate")
    if codec.name == "pickle" or "alias" not in schema.features:
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
        raise Unsupported("pydantic 1 writes bytes as text in UTF-8 and takes no base64; give the class json_encoders")
    return rendered


def _import_as(module: Module, package: str) -> None:
    for name in [name for name in module.names if name in ("pydantic", "pydantic.json")]:
        module.use(package + name.removeprefix("pydantic"), *module.names.pop(name))


def _rest_framework(model: OwnModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's serializer around the codec, with dicts for objects as it takes and gives them.

    Its dicts are made by it as well, since their keys are each field's `source`.
    """
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dicts as they are: a serializer has no part in it")
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
        raise Unsupported("pickle takes the objects as they are: marshmallow has no part in it")
    if "alias" in schema.features:
        raise Unsupported("a field with a data_key: its dicts have other keys than the bytes")
    module, name = Module(), root_name(schema)
    many = "many=True" if isinstance(schema.root, List) else ""
    _import_from(module, model, {model.name: model.module})
    use_codec(module, codec)
    module.add(f"schema = {model.name}({many})")
    _add_build(module, name, name)
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
