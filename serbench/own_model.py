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
from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, libraries, use_codec
from serbench.names import PlanError
from serbench.schema import List, Ref, Schema, SchemaError
from serbench.schema.from_class import Parsed, from_class
from serbench.source.by_hand import TEXT_KINDS
from serbench.source.expressions import Bracketed, Expression, call
from serbench.source.layout import Module, function, lay_out
from serbench.source.models import literal, root_name

OWN = "yours"
"""What the user's class is called among the libraries, with what it is written with in brackets."""

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
"""What a class is written with → the library that serves such classes."""


@dataclass(frozen=True)
class OwnModel:
    """A class of the user's: where it is, and what was read of it."""

    folder: str
    module: str
    name: str
    parsed: Parsed

    @property
    def kind(self) -> str:
        """What it is written with."""
        return self.parsed.kind


def locate(text: str) -> str:
    """`module:Class` or `path/models.py:Class` as "folder:module:Class", which means the same anywhere.

    Raises:
        PlanError: the text has another form.
    """
    module, _, name = text.rpartition(":")
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
        PlanError: there is no such module or class, or it is no model that is known.
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
    """Whether it is a class of the user's."""
    return library.name.startswith(f"{OWN} (")


def _import_instead(module: Module, model: OwnModel, schema: Schema) -> None:
    """Put imports of the user's classes where the rendered ones are."""
    names = [record.name for record in schema.records] + [enum.name for enum in schema.enums]
    definition = re.compile(rf"(?:@.*\n)*(?:class )?(?:{'|'.join(map(re.escape, names))})(?:\(|:| = )")
    module.blocks = [block for block in module.blocks if not definition.match(block[1])]
    _import_from(module, model, _homes(model, names))


def _homes(model: OwnModel, names: list[str]) -> dict[str, str]:
    """The module of each class: that of the model, unless the class is not to be found there."""
    imported = sys.modules[model.module]
    found = {}
    for name in names:
        class_ = getattr(imported, name, None) or _reachable(imported, name)
        if class_ is None:
            raise Unsupported(f"the class {name} is not to be found in {model.module}; import it there")
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
    module.blocks[:0] = [(False, line) for line in lines]


def _pydantic(rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """With the aliases that the class has, whatever its configuration writes by default."""
    _add_validated(rendered.module, schema, "model_validate")
    if codec.name == "pickle" or "alias" not in schema.features:
        return rendered

    def by_alias(expression: Expression) -> Expression:
        assert isinstance(expression, Bracketed)
        return replace(expression, items=(*expression.items, "by_alias=True"))

    dump, encode = rendered.dump, rendered.encode
    return replace(
        rendered,
        encode=None if encode is None else by_alias(encode),
        dump=None if dump is None else lambda value: by_alias(dump(value)),
    )


def _pydantic1(model: OwnModel, rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """With the generation's own package, which is a part of pydantic 2, and the encoders of the class."""
    module, class_ = rendered.module, class_of(model)
    package = next(c.__module__ for c in class_.__mro__ if c.__name__ == "BaseModel").removesuffix(".main")
    _import_as(module, package)
    done = [f"{record.name}.update_forward_refs()" for record in schema.records]
    module.blocks = [block for block in module.blocks if block[1] not in done]
    _add_validated(module, schema, "parse_obj")
    load = rendered.load
    if load is not None:
        rendered = replace(rendered, load=lambda value: _import_as(module, package, load(value)))
    encoders = class_.__config__.json_encoders
    lacks = rendered.dump is not None and schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.encodes
    if encoders and lacks and codec.default:
        module.blocks = [block for block in module.blocks if not block[1].startswith("def to_builtin(")]
        rendered = replace(rendered, options=(f"{codec.default}={_item(schema)}.__json_encoder__",))
        if codec.name == "json" and isinstance(schema.root, Ref):
            aliased = ("by_alias=True",) if "alias" in schema.features else ()
            text = call(f"{root_name(schema)}.json", *aliased)
            rendered = replace(rendered, encode=Bracketed(text.opening, text.items, ").encode()"))
    elif lacks and "bytes" in lacks:
        raise Unsupported("pydantic 1 writes bytes as text in UTF-8 and takes no base64; give the class json_encoders")
    return rendered


def _import_as(module: Module, package: str, expression: Expression = "") -> Expression:
    """The expression, whose module takes from `package` what it took from pydantic."""
    for name in [name for name in module.names if name in ("pydantic", "pydantic.json")]:
        module.use(package + name.removeprefix("pydantic"), *module.names.pop(name))
    return expression


def _rest_framework(model: OwnModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's serializer around the codec, with dicts for objects as it takes and gives them.

    Its dicts are made by it as well, since their keys are each field's `source`.
    """
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dicts as they are: a serializer has no part in it")
    module, name = Module(future=True), root_name(schema)
    _import_from(module, model, {model.name: model.module})
    module.use("django")
    module.use("django.conf", "settings")
    module.use("django.utils", "timezone")
    module.use("datetime", "UTC")
    module.use("os")
    module.state(_SETTINGS)
    use_codec(module, codec)
    many = ("many=True",) if isinstance(schema.root, List) else ()
    made = lay_out(call(model.name, "data=data", *many), 4, "serializer = ")
    checked = "    serializer.is_valid(raise_exception=True)"
    module.use("typing", "Any")
    module.add(function("validated", ["data: Any"], "Any", made, checked, "    return serializer.validated_data"))
    _add_build(module, name, f"validated({name})")

    def dumped(value: str) -> Expression:
        serializer = call(model.name, value, *many)
        return Bracketed(serializer.opening, serializer.items, ").data")

    return Rendered(module, dumped, lambda value: call("validated", value))


_SETTINGS = """\
if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
    settings.configure(TIME_ZONE="UTC")
django.setup()
timezone.activate(UTC)"""  # whatever zone the project has: all data here is in UTC


def _marshmallow(model: OwnModel, schema: Schema, codec: Codec) -> Rendered:
    """The user's Schema around the codec; without a `post_load` it takes and gives dicts."""
    if codec.name == "pickle":
        raise Unsupported("pickle takes the objects as they are: marshmallow has no part in it")
    if "alias" in schema.features:
        raise Unsupported("a field with a data_key: its dicts have other keys than the bytes")
    module, name = Module(), root_name(schema)
    many = "many=True" if isinstance(schema.root, List) else ""
    _import_from(module, model, {model.name: model.module})
    use_codec(module, codec)
    module.state(f"schema = {model.name}({many})")
    _add_build(module, name, name)
    module.use("typing", "Any")
    module.blocks += [(False, f"{record.name} = Any") for record in schema.records]
    own = codec.name == "json"
    text = call("schema.dumps", name)
    return Rendered(
        module,
        dump=lambda value: call("schema.dump", value),
        load=lambda value: call("schema.load", value),
        encode=Bracketed(text.opening, text.items, ").encode()") if own else None,
        decode=call("schema.loads", "blob") if own else None,
        untyped=True,
    )


def _add_build(module: Module, name: str, made: str) -> None:
    """How objects are made of neutral values, where calling a class with its fields is not the way."""
    module.use("typing", "Any")
    module.add(function("build", [f"{name}: Any"], "Any", f"    return {made}"))


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
    """The class with each of these codecs that serves what it is written with."""
    model = load_model(located)
    base = libraries()[BASES[model.kind]]
    return [(own_library(model), "default", codec) for _, codec in combinations([base], served)]
