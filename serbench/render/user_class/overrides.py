"""Classes that override how they are written: measured by the method that users call, or not at all."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from serbench.model.records import Schema
from serbench.model.types import List
from serbench.render.codec import Codec
from serbench.render.library import Rendered
from serbench.render.source.module import Unsupported, call
from serbench.render.source.names import root_name, snake
from serbench.render.user_class.conversion import conversion_of

_WRITERS = ("model_dump_json", "model_dump", "to_dict", "to_json", "as_dict", "asdict", "dict", "json", "serialize")
_LIBRARIES = ("pydantic", "pydantic_core", "pydantic_settings", "msgspec", "attr", "builtins")
_DOCS = "https://docs.pydantic.dev/latest/concepts/serialization/"


def overrides(class_: Any, method: str) -> bool:
    """Return True if a class, and not its library, has a method of this name."""
    owner = next((one for one in getattr(class_, "__mro__", ()) if method in vars(one)), None)
    return owner is not None and owner.__module__.partition(".")[0] not in _LIBRARIES


def unmeasured(class_: Any, kind: str) -> Iterator[str]:
    """The methods by which a class writes itself in a way of its own, and that are not measured."""
    measured = {"model_dump_json", "model_dump"} if kind == "pydantic" else set()
    conversion, _ = conversion_of(class_, kind)
    measured |= {"to_dict"} if conversion and not conversion.home else set()
    for name in _WRITERS:
        if name not in measured and overrides(class_, name) and callable(getattr(class_, name)):
            yield name


def as_overridden(class_: Any, rendered: Rendered, schema: Schema, codec: Codec) -> Rendered:
    """The rendered module, whose bytes are made by the methods that a model of pydantic overrides.

    Raises:
        Unsupported: the class overrides only `model_dump_json`, and the codec is another one than pydantic's.
    """
    plain, text = overrides(class_, "model_dump"), overrides(class_, "model_dump_json")
    if codec.name == "pydantic" and text:
        return replace(rendered, encode=_joined(schema))
    if codec.name == "pydantic" or not (plain or text):
        return rendered
    if not plain:
        raise Unsupported(f"the class overrides model_dump_json, which serves only pydantic's own JSON ({_DOCS})")
    wanted = {
        "mode": '"json"' if "json" in rendered.dump else "",
        "by_alias": "True" if "alias" in schema.features else "",
    }
    arguments = [f"{name}={value}" for name, value in wanted.items() if value and _takes(class_.model_dump, name)]
    if not isinstance(schema.root, List):
        return replace(rendered, dump=call("{}.model_dump", *arguments))
    one = snake(schema.root.item.record)  # type: ignore[union-attr]  # a class
    return replace(rendered, dump=f"[{call(f'{one}.model_dump', *arguments)} for {one} in {{}}]")


def _joined(schema: Schema) -> str:
    """The expression for the bytes of objects that each write themselves."""
    name = root_name(schema)
    if not isinstance(schema.root, List):
        return f"{name}.model_dump_json().encode()"
    one = snake(schema.root.item.record)  # type: ignore[union-attr]  # a class
    return f'("[" + ",".join({one}.model_dump_json() for {one} in {name}) + "]").encode()'


def _takes(method: Any, name: str) -> bool:
    parameters = inspect.signature(method).parameters
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())
