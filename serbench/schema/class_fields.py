"""Determines the kind of a user's class and lists its fields with their annotations or field objects."""

from __future__ import annotations

import dataclasses
import os
import types
import typing
from collections import abc
from importlib import import_module
from typing import Any

from serbench.errors import SchemaError
from serbench.schema.names import field_name
from serbench.schema.records import REQUIRED


def kind_of(class_: Any) -> str:
    """Return the library or construct that defines the class, such as "pydantic" or "dataclass".

    Raises:
        SchemaError: the class is of no supported kind.
    """
    if isinstance(class_, type) and hasattr(class_, "__pydantic_core_schema__") and hasattr(class_, "model_fields"):
        return "pydantic"
    if hasattr(class_, "__struct_fields__"):
        return "msgspec"
    if hasattr(class_, "__attrs_attrs__"):
        return "attrs"
    if dataclasses.is_dataclass(class_):
        return "dataclass"
    if isinstance(class_, type) and issubclass(class_, tuple) and hasattr(class_, "_fields"):
        return "namedtuple"
    if typing.is_typeddict(class_):
        return "typeddict"
    if hasattr(class_, "_declared_fields") and hasattr(class_, "to_internal_value"):
        return "djangorestframework"
    if hasattr(class_, "_declared_fields"):
        return "marshmallow"
    if hasattr(class_, "__fields__") and hasattr(class_, "parse_obj"):
        return "pydantic1"
    name = getattr(class_, "__name__", repr(class_))
    raise SchemaError(
        f"{name} is not a model; use a dataclass, attrs class, pydantic model, msgspec Struct, NamedTuple, TypedDict,"
        " marshmallow schema or Django REST framework serializer"
    )


@dataclasses.dataclass(frozen=True)
class ClassField:
    """A field as its class declares it; `wire` is its key in the bytes, `annotation` may be a field object."""

    name: str
    wire: str
    annotation: Any
    default: Any = REQUIRED
    tag: str | None = None  # discriminator of its union
    values: bool = False  # True if it holds enum values instead of members


def _hints(class_: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(class_, include_extras=True)
    except (NameError, TypeError) as error:
        raise SchemaError(
            f"{class_.__name__}: an annotation cannot be resolved ({error}); import that name in its module"
        ) from None


def _of_dataclass(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    hints = _hints(class_)
    if hasattr(class_, "__post_init__"):
        notes.append(f"{class_.__name__}.__post_init__")
    for f in dataclasses.fields(class_):
        default = REQUIRED if f.default is dataclasses.MISSING else f.default
        yield ClassField(f.name, f.name, hints[f.name], default)


def _of_attrs(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    hints = _hints(class_)
    for a in class_.__attrs_attrs__:
        notes += [f"{class_.__name__}.{a.name} ({what})" for what in ("validator", "converter") if getattr(a, what)]
        simple = type(a.default) in (str, int, float, bool, types.NoneType)
        yield ClassField(a.name, a.name, hints.get(a.name, Any), a.default if simple else REQUIRED)


def _of_msgspec(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    import msgspec

    if hasattr(class_, "__post_init__"):
        notes.append(f"{class_.__name__}.__post_init__")
    for f in msgspec.structs.fields(class_):
        default = REQUIRED if f.default is msgspec.NODEFAULT else f.default
        yield ClassField(f.name, f.encode_name, f.type, default)


def _of_tuple(class_: Any, _notes: list[str]) -> abc.Iterator[ClassField]:
    hints = _hints(class_)
    for name in class_._fields:
        yield ClassField(name, name, hints.get(name, Any), class_._field_defaults.get(name, REQUIRED))


def _of_typeddict(class_: Any, _notes: list[str]) -> abc.Iterator[ClassField]:
    for key, hint in _hints(class_).items():
        yield ClassField(field_name(key), key, hint, REQUIRED if key in class_.__required_keys__ else None)


def _of_pydantic(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    decorators = class_.__pydantic_decorators__
    for what in (
        "field_validators",
        "model_validators",
        "field_serializers",
        "model_serializers",
        "validators",
        "root_validators",
    ):
        notes += [f"{class_.__name__}.{name} ({what[:-1].replace('_', ' ')})" for name in getattr(decorators, what)]
    for name, info in class_.model_fields.items():
        wire = info.serialization_alias or info.alias or name
        limits = [str(limit) for limit in info.metadata if type(limit).__name__ not in ("FieldInfo", "Discriminator")]
        if limits:
            notes.append(f"{class_.__name__}.{name} ({', '.join(limits)})")
        default = REQUIRED if info.is_required() or info.default_factory is not None else info.default
        tag = info.discriminator if isinstance(info.discriminator, str) else None
        values = bool(class_.model_config.get("use_enum_values"))
        yield ClassField(name, wire, info.annotation, default, tag, values)


def _of_pydantic1(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    name, hints = class_.__name__, _hints(class_)
    if "__root__" in class_.__fields__:
        raise SchemaError(f"{name} has a custom root type; give the model inside it instead")
    checks = [one.func for found in class_.__validators__.values() for one in found]
    roots = [*class_.__pre_root_validators__, *(check for _, check in class_.__post_root_validators__)]
    for what, functions in (("validator", checks), ("root validator", roots)):
        notes += dict.fromkeys(f"{name}.{function.__name__} ({what})" for function in functions)
    if class_.__config__.json_encoders:
        notes.append(f"{name}.Config.json_encoders")
    for key, field in class_.__fields__.items():
        info = field.field_info
        if info.exclude:
            raise SchemaError(f"{name}.{key} is excluded from the output, so it cannot round-trip; remove the field")
        if limits := sorted(info.get_constraints()):
            notes.append(f"{name}.{key} ({', '.join(f'{limit}={getattr(info, limit)}' for limit in limits)})")
        default = REQUIRED if field.required or field.default_factory is not None else field.default
        values = bool(class_.__config__.use_enum_values)
        annotation = hints.get(key, field.outer_type_)
        yield ClassField(key, field.alias, annotation, default, field.discriminator_key, values)


def _of_marshmallow(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    name = class_.__name__
    hooks = [hook for found in getattr(class_, "_hooks", {}).values() for hook in found]
    notes += [f"{name}.{hook if isinstance(hook, str) else hook[0]} (hook)" for hook in hooks]
    declared: dict[str, Any] = vars(class_)["_declared_fields"]
    for key, field in declared.items():
        if field.validators:
            notes.append(f"{name}.{key} (validator)")
        yield ClassField(key, field.data_key or key, field, REQUIRED if field.required else None)


def _of_rest_framework(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    name, fields = class_.__name__, _serializer_fields(class_)
    checks = [key for key in dir(class_) if key.startswith("validate_") and key.removeprefix("validate_") in fields]
    ours = ("validate", "to_internal_value", "to_representation")
    checks += [key for key in ours if not getattr(class_, key).__module__.startswith("rest_framework.")]
    notes += [f"{name}.{key} (method)" for key in checks]
    meta = getattr(getattr(class_, "Meta", None), "validators", ())
    notes += [f"{name}.Meta.validators ({type(one).__name__})" for one in meta]
    for key, field in fields.items():
        if type(field).__name__ == "SerializerMethodField":
            continue  # computed
        if field.read_only or field.write_only:
            which, so = ("read", "is ignored in input") if field.read_only else ("write", "is missing from output")
            raise SchemaError(f"{name}.{key} is {which}-only and {so}; use a serializer that omits it")
        if not field.source.isidentifier():
            raise SchemaError(f"{name}.{key} has source {field.source!r}, which is not a single key; remove the field")
        nested = hasattr(type(field), "_declared_fields")  # read as a class of its own
        given = [] if nested else [getattr(one, "__name__", type(one).__name__) for one in field.validators]
        notes += [
            f"{name}.{key} ({one})" for one in given if not one.startswith("Prohibit")
        ]  # validators that every text field has
        if field.source != key:
            notes.append(f"{name}.{key} (source={field.source})")
        simple = type(field.default) in (str, int, float, bool)
        yield ClassField(field.source, key, field, REQUIRED if field.required else field.default if simple else None)


def _serializer_fields(class_: Any) -> dict[str, Any]:
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


_GIVEN = {
    "dataclass": _of_dataclass,
    "attrs": _of_attrs,
    "msgspec": _of_msgspec,
    "namedtuple": _of_tuple,
    "typeddict": _of_typeddict,
    "pydantic": _of_pydantic,
    "pydantic1": _of_pydantic1,
    "marshmallow": _of_marshmallow,
    "djangorestframework": _of_rest_framework,
}


def fields_of(class_: Any, notes: list[str]) -> list[ClassField]:
    """Return the fields of a class; append constraints that a schema cannot express to `notes`.

    Raises:
        SchemaError: the class is not a model, or cannot read its own output.
    """
    return list(_GIVEN[kind_of(class_)](class_, notes))


def computed_of(class_: Any) -> tuple[str, ...]:
    """Return the keys of the class's computed fields."""
    kind = kind_of(class_)
    if kind == "pydantic":
        return tuple(info.alias or name for name, info in class_.model_computed_fields.items())
    if kind == "djangorestframework":
        fields = _serializer_fields(class_).items()
        return tuple(key for key, field in fields if type(field).__name__ == "SerializerMethodField")
    return ()


def class_record_name(class_: Any) -> str:
    """Return the record name for a class: the class name, stripped of "Schema" or "Serializer".

    Raises:
        SchemaError: the name is not an identifier, as for a parametrised generic.
    """
    endings = {"marshmallow": "Schema", "djangorestframework": "Serializer"}
    found: str = class_.__name__
    name = found.removesuffix(endings.get(kind_of(class_), "")) or found
    if not name.isidentifier():
        raise SchemaError(f"{name} is a parametrised generic; subclass it under a name of its own: class Name({name})")
    return name
