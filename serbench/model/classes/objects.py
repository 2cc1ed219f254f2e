"""The fields of classes that declare them as objects: marshmallow's schemas and Django REST framework's serializers."""

from __future__ import annotations

import os
from collections import abc
from importlib import import_module
from typing import Any

from serbench.errors import SchemaError
from serbench.model.classes.field import ClassField
from serbench.model.records import REQUIRED


def of_marshmallow(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    """The fields of a Schema of marshmallow."""
    name = class_.__name__
    hooks = [hook for of_event in getattr(class_, "_hooks", {}).values() for hook in of_event]
    notes += [f"{name}.{hook if isinstance(hook, str) else hook[0]} (hook)" for hook in hooks]
    declared: dict[str, Any] = vars(class_)["_declared_fields"]
    for key, field in declared.items():
        if field.validators:
            notes.append(f"{name}.{key} (validator)")
        computed = type(field).__name__ in ("Method", "Function") and not (
            getattr(field, "deserialize_method_name", None) or getattr(field, "deserialize_func", None)
        )
        wire = "" if field.dump_only or computed else field.data_key or key
        written = "" if field.load_only else field.data_key or key
        default = REQUIRED if field.required or not wire else None
        yield ClassField(key, wire, field, default, written=written, limits=(*field.validators, field))


def of_rest_framework(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    """The fields of a serializer of Django REST framework, but for those that it computes."""
    name, fields = class_.__name__, serializer_fields(class_)
    checks = [key for key in dir(class_) if key.startswith("validate_") and key.removeprefix("validate_") in fields]
    ours = ("validate", "to_internal_value", "to_representation")
    checks += [key for key in ours if not getattr(class_, key).__module__.startswith("rest_framework.")]
    notes += [f"{name}.{key} (method)" for key in checks]
    meta = getattr(getattr(class_, "Meta", None), "validators", ())
    notes += [f"{name}.Meta.validators ({type(one).__name__})" for one in meta]
    for key, field in fields.items():
        if type(field).__name__ == "SerializerMethodField":
            continue  # computed
        nested = hasattr(type(field), "_declared_fields")  # read as a class of its own
        validators = [] if nested else [getattr(one, "__name__", type(one).__name__) for one in field.validators]
        notes += [
            f"{name}.{key} ({one})" for one in validators if not one.startswith("Prohibit")
        ]  # validators that every text field has
        if field.source != key:
            notes.append(f"{name}.{key} (source={field.source})")
        simple = type(field.default) in (str, int, float, bool)
        default = REQUIRED if field.required or field.read_only else field.default if simple else None
        hidden = type(field).__name__ == "HiddenField"
        wire, written = "" if field.read_only or hidden else key, "" if field.write_only else key
        attribute = field.source if field.source.isidentifier() else key
        yield ClassField(attribute, wire, field, default, written=written, limits=(field,))


def serializer_fields(class_: Any) -> dict[str, Any]:
    """Return a serializer's fields; configures Django first, with TIME_ZONE="UTC" unless the project has settings."""
    try:
        django, settings = import_module("django"), import_module("django.conf").settings
        if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
            settings.configure(TIME_ZONE="UTC")
        django.setup()
        return dict(class_().fields)
    except Exception as error:  # the project's settings or models may raise anything
        said = " ".join(str(error).split())
        raise SchemaError(f"the fields of {class_.__name__} cannot be read: {type(error).__name__}: {said}") from None
