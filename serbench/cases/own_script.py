"""A class of the user's as a plain script uses it: objects made of a document, and the document that they are written as."""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from typing import Any
from uuid import UUID

from serbench.cases.left_out import without_absent
from serbench.cases.own_class import OwnModel, class_of
from serbench.cases.own_guard import said, user_code
from serbench.cases.own_overrides import overrides
from serbench.schema.class_fields import is_array
from serbench.worker.fidelity import json_ready, own_maker

NATIVE = (datetime, date, time, timedelta, Decimal, UUID, bytes)
_PLAIN = ("dataclass", "attrs", "namedtuple", "typeddict")  # made by calling the class, and written by any library


@user_code("making its objects")
def make_objects(model: OwnModel, values: list[Any]) -> Any:
    """The class's objects of neutral values; raises what the class raises if it refuses them."""
    class_ = class_of(model)
    if model.kind in _PLAIN or is_array(class_):
        module = type("Classes", (), dict(model.parsed.classes))
        return own_maker(module, model.parsed.own.as_data(), ready=False)(values)
    values = without_absent(model.parsed.own, values)
    made: Callable[[Any], Any] = {
        "pydantic": lambda given: _adapter(class_).validate_json(json.dumps(json_ready(given))),
        "pydantic1": lambda given: [class_.parse_obj(one) for one in json_ready(given)],
        "msgspec": lambda given: import_module("msgspec").convert(
            given, _list_of(class_), builtin_types=NATIVE, str_keys=True
        ),
        "marshmallow": lambda given: class_(many=True).load(json_ready(given)),
        "djangorestframework": lambda given: _validated(class_, json_ready(given)),
    }[model.kind]
    return made(values)


@user_code("reading what it has written")
def read_document(model: OwnModel, written: list[Any]) -> Any:
    """The class's objects of a document that the class has written; raises what the class raises if it refuses it."""
    if model.kind == "msgspec":
        return import_module("msgspec").json.decode(json.dumps(written), type=_list_of(class_of(model)))
    return make_objects(model, written)


@user_code("writing a document")
def write_document(model: OwnModel, objects: Any) -> list[Any]:
    """The document that the class writes; raises what the class raises."""
    class_ = class_of(model)
    msgspec = import_module("msgspec")
    if model.kind in _PLAIN:
        found = msgspec.to_builtins(objects, builtin_types=NATIVE, enc_hook=str, str_keys=True)
        assert isinstance(found, list)
        return found
    written: Callable[[Any], Any] = {
        "pydantic": lambda given: _written_by_pydantic(class_, given),
        "pydantic1": lambda given: [json.loads(one.json(by_alias=True)) for one in given],
        "msgspec": lambda given: json.loads(msgspec.json.encode(given)),
        "marshmallow": lambda given: json.loads(json.dumps(class_(many=True).dump(given), default=str)),
        "djangorestframework": lambda given: json.loads(_rendered(class_(given, many=True).data)),
    }[model.kind]
    return list(written(objects))


def _written_by_pydantic(class_: Any, objects: Any) -> list[Any]:
    if overrides(class_, "model_dump_json"):
        return [json.loads(one.model_dump_json()) for one in objects]
    return list(json.loads(_adapter(class_).dump_json(objects, by_alias=True)))


def _list_of(class_: Any) -> Any:
    return types.GenericAlias(list, (class_,))


def writes_itself(model: OwnModel) -> bool:
    """Return True if the class's own library decides what is written."""
    return model.kind not in _PLAIN


def refusal(model: OwnModel, error: BaseException) -> str:
    """The reason why a class refused a value as one line, with the field if the class names it."""
    name = model.name.partition("[")[0]
    errors = getattr(error, "errors", None)
    if callable(errors):  # pydantic
        first = errors()[0]
        place = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
        return f"{name}.{place}: {first['msg']}".replace(f"{name}.:", f"{name}:")
    return f"{name}: {said(error)}"


@lru_cache(16)
def _adapter(class_: Any) -> Any:
    return import_module("pydantic").TypeAdapter(_list_of(class_))


def _validated(class_: Any, given: Any) -> Any:
    serializer = class_(data=given, many=True)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


def _rendered(data: Any) -> bytes:
    found = import_module("rest_framework.renderers").JSONRenderer().render(data)
    return bytes(found)
