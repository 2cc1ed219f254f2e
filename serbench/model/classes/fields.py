"""The fields of a user's class, of any library: kind, annotations, field objects, `__init__` and paths."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import sys
import types
import typing
from collections import abc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import PurePath
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.names import field_names
from serbench.model.records import REQUIRED, Enum, List, Map, Optional, Ref, Tuple, Type
from serbench.model.scalars import ANY, STR, Scalar


class _Made:
    """Type of `MADE`, which marks a default that a function makes."""


MADE = _Made()


def plainly(default: Any, factory: abc.Callable[[], Any] | None = None) -> abc.Callable[[], Any]:
    """Return a function that gives a default, or what a factory makes, as JSON."""

    def filled() -> Any:
        value = default if factory is None else factory()
        return import_module("msgspec").to_builtins(value, enc_hook=_text_of, str_keys=True)

    return filled


def _text_of(value: Any) -> str:
    if isinstance(value, PurePath | Fraction | complex):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON")


@dataclasses.dataclass(frozen=True)
class ClassField:
    """A field as its class declares it.

    Attributes:
        name: the attribute or, if the class has dicts, the key.
        wire: the key in a document that the class reads; empty if it does not read the field.
        annotation: the annotation, or the field object.
        default: its default, whatever it is; `REQUIRED` if it has none, `MADE` if a function makes it.
        tag: the discriminator of its union.
        values: whether it holds enum values instead of members.
        written: the key in a document that the class writes; None if that is `wire`, empty if it is not written.
        limits: constraints beside the annotation, of any library.
        texts: whether bytes in it are written as text.
        absent: whether a document may lack it, and then it is not null.
        filled: gives the default as JSON; raises any exception if it has none.
    """

    name: str
    wire: str
    annotation: Any
    default: Any = REQUIRED
    tag: str | None = None
    values: bool = False
    written: str | None = None
    limits: tuple[Any, ...] = ()
    texts: bool = False
    absent: bool = False
    filled: abc.Callable[[], Any] = dataclasses.field(default=lambda: REQUIRED, compare=False)

    def key(self, *, writing: bool) -> str:
        """The key in a document of that direction; empty if the field is no part of it."""
        return self.wire if self.written is None or not writing else self.written


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
        validators = (
            []
            if nested
            else [getattr(validator, "__name__", type(validator).__name__) for validator in field.validators]
        )
        notes += [
            f"{name}.{key} ({validator})" for validator in validators if not validator.startswith("Prohibit")
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


_CLASSES = {
    "str": ("String Email URL Url IP", "CharField IPAddressField"),
    "int": ("Integer Int", "IntegerField"),
    "bool": ("Boolean Bool", "BooleanField"),
    "float": ("Float Number", "FloatField"),
    "decimal": ("Decimal", "DecimalField"),
    "datetime": ("DateTime AwareDateTime", "DateTimeField"),
    "date": ("Date", "DateField"),
    "time": ("Time", "TimeField"),
    "timedelta": ("TimeDelta", "DurationField"),
    "uuid": ("UUID", "UUIDField"),
    "any": ("Raw", "JSONField _UnvalidatedField"),
}
"""Kind → the field classes of marshmallow and of Django REST framework that hold it."""
_MARSHMALLOW, _REST_FRAMEWORK = (
    {name: Scalar(kind) for kind, names in _CLASSES.items() for name in names[library].split()} for library in (0, 1)
)


@dataclass(frozen=True)
class FieldObjects:
    """Reads the types of field objects.

    `record` reads a nested class, `choice` returns the type of a set of constants, and `notes` collects the
    constraints that a schema cannot express.
    """

    record: Callable[[Any], Ref]
    choice: Callable[[str, Iterable[Any]], Type]
    notes: list[str]
    limits: dict[str, tuple[Any, ...]]

    def type(self, kind: str, field: Any, where: str) -> tuple[Type, bool]:
        """Return a field's type and whether it may be null; `kind` is the kind of class that has the field."""
        if kind == "marshmallow":
            return self._marshmallow(field, where), field.allow_none
        return self._rest_framework(field, where), field.allow_null

    def _marshmallow(self, field: Any, where: str) -> Type:
        match type(field).__name__:
            case "List":
                return List(self._inner(field.inner, where))
            case "Tuple":
                return Tuple(tuple(self._inner(one, where) for one in field.tuple_fields))
            case "Dict" | "Mapping":
                key = STR if field.key_field is None else self._marshmallow(field.key_field, where)
                return Map(ANY if field.value_field is None else self._inner(field.value_field, where), key)
            case "Pluck":
                return self._marshmallow(field.schema.fields[field.field_name], where)
            case "Nested":
                ref = self.record(type(field.schema))
                return List(ref) if field.many or field.schema.many else ref
            case "Enum" if not field.by_value:
                return self.choice(where, [one.name for one in field.enum])
            case "Enum":
                return Enum(field.enum.__name__, tuple((one.name, one.value) for one in field.enum))
        if getattr(field, "format", None) not in (None, "iso", "iso8601"):
            return Scalar("foreign")  # a date in a form of its own
        return self._known(field, where, _MARSHMALLOW)

    def _rest_framework(self, field: Any, where: str) -> Type:
        match type(field).__name__:
            case "ListField" | "ListSerializer":
                return List(self._item(field.child, where))
            case "DictField" | "HStoreField":
                return Map(self._item(field.child, where))
            case "ChoiceField":
                self.notes.append(f"{where} (choices {', '.join(map(str, field.choices))})")
                return self.choice(where, field.choices)
        if hasattr(type(field), "_declared_fields"):
            return self.record(type(field))
        return self._known(field, where, _REST_FRAMEWORK)

    def _inner(self, field: Any, where: str) -> Type:
        self.limits[f"{where}[]"] = (*field.validators, field)
        return self._marshmallow(field, f"{where}[]")

    def _item(self, child: Any, where: str) -> Type:
        self.limits[f"{where}[]"] = (child,)
        type_ = self._rest_framework(child, f"{where}[]")
        return Optional(type_) if child.allow_null and type_ != ANY else type_

    def _known(self, field: Any, where: str, known: dict[str, Scalar]) -> Type:
        """Return the type of a field from its class or its nearest known base class."""
        kind = type(field).__name__
        base = next((c.__name__ for c in type(field).__mro__ if c.__name__ in known), None)
        if base is None:
            self.notes.append(f"{where} ({kind}, carried as what it writes)")
            return Scalar("foreign")
        if base != kind:
            self.notes.append(f"{where} ({kind}, carried as {base})")
        return known[base]


Step: TypeAlias = str | int


def fields_at(paths: Iterable[tuple[Any, list[Step]]]) -> Iterator[tuple[str, Any, bool]]:
    """Yield each key of the document that has such fields, the type of what is there, and whether it is required."""
    held: dict[str, list[tuple[Any, list[Step]]]] = {}
    for info, (key, *rest) in paths:
        held.setdefault(str(key), []).append((info, rest))
    for key, inside in held.items():
        yield key, _type_of(key, inside), any(info.is_required() for info, _ in inside)


def _type_of(name: str, inside: list[tuple[Any, list[Step]]]) -> Any:
    """The type of a value that has fields at these paths: an object's keys, or an array's items up to the last."""
    ends = [info for info, rest in inside if not rest]
    if ends:
        return ends[0].annotation
    steps: dict[Step, list[tuple[Any, list[Step]]]] = {}
    for info, (step, *rest) in inside:
        steps.setdefault(step, []).append((info, rest))
    types = {step: _type_of(f"{name}_{step}", some) for step, some in steps.items()}
    if all(isinstance(step, int) for step in steps):
        last = max(*map(int, steps), -min(map(int, steps)) - 1)
        items = [types.get(index, types.get(index - last - 1, typing.Any)) for index in range(last + 1)]
        return tuple.__class_getitem__(tuple(items))
    made: Any = typing.TypedDict  # whose keys a checker wants to read
    return made(name, {str(step): type_ for step, type_ in types.items()})


def hints_of(class_: Any, names: Iterable[str] = (), *, lenient: bool = False) -> dict[str, Any]:
    """Return the annotations of a class; if some are names that only a type checker knows, those of these fields.

    With `lenient`, what cannot be resolved stays a text.

    Raises:
        SchemaError: the annotation of a field cannot be resolved.
    """
    try:
        return typing.get_type_hints(class_, include_extras=True)
    except Exception as error:  # an annotation may be any expression
        hints = {name: _hint(class_, name, lenient=lenient) for name in names}
        if not hints:
            raise _unresolved(class_, error) from None
        return hints


def hints_in(holder: Any, names: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of a holder that is not a class; `names` resolve the texts in them.

    The second names are a copy: otherwise typing, which has `Union["Cat", "Dog"]` once, resolves it as in another module.
    """
    return typing.get_type_hints(holder, names, dict(names), include_extras=True)


def _hint(class_: Any, name: str, *, lenient: bool) -> Any:
    owner = next((one for one in class_.__mro__ if name in vars(one).get("__annotations__", ())), class_)
    written = vars(owner).get("__annotations__", {}).get(name, Any)
    holder = types.SimpleNamespace(__annotations__={name: written})
    try:
        return typing.get_type_hints(holder, vars(sys.modules[owner.__module__]), dict(vars(owner)), True)[name]
    except Exception as error:  # as above
        if lenient:
            return written
        raise _unresolved(class_, error) from None


def _unresolved(class_: Any, error: Exception) -> SchemaError:
    return SchemaError(f"{class_.__name__}: an annotation cannot be resolved ({error}); import that name in its module")


def has_forward_references(class_: Any) -> bool:
    """Return True for an attrs class in which a part of an annotation is a text, which cattrs does not resolve."""
    if not hasattr(class_, "__attrs_attrs__"):
        return False
    written = [one for owner in class_.__mro__ for one in vars(owner).get("__annotations__", {}).values()]

    def is_forward(annotation: Any) -> bool:
        return isinstance(annotation, typing.ForwardRef) or any(map(is_forward, typing.get_args(annotation)))

    return any(is_forward(one) for one in written if not isinstance(one, str))


def init_parameters(class_: Any) -> dict[str, tuple[Any, Any]] | None:
    """The annotation and the default of each for a model of pydantic, which hands it what a document has.

    None if the class has no `__init__` of its own, or one of any keys; a root model is handed no keys.
    """
    if not getattr(class_, "__pydantic_custom_init__", False) or getattr(class_, "__pydantic_root_model__", False):
        return None
    _, *parameters = inspect.signature(class_.__init__).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    hints: dict[str, Any] = {}
    with suppress(Exception):  # an annotation may be any expression
        hints = hints_in(class_.__init__, class_.__init__.__globals__)
    return {
        parameter.name: (
            hints.get(parameter.name, Any),
            REQUIRED if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }


def kind_of(class_: Any) -> str:
    """Return the library or construct that defines the class, such as "pydantic" or "dataclass".

    Raises:
        SchemaError: the class is of no supported kind.
    """
    class_ = origin_of(class_)
    bare = isinstance(class_, type) and len(class_.__mro__) == 2  # as pydantic's BaseModel itself, which is any model
    if not bare and hasattr(class_, "__pydantic_core_schema__") and hasattr(class_, "model_config"):
        return "pydantic"
    if hasattr(class_, "__struct_fields__"):
        return "msgspec"
    if hasattr(class_, "__attrs_attrs__"):
        return "attrs"
    if dataclasses.is_dataclass(class_):
        return "dataclass"
    if isinstance(class_, type) and issubclass(class_, tuple) and hasattr(class_, "_fields"):
        return "namedtuple"
    if (
        isinstance(class_, type) and issubclass(class_, dict) and hasattr(class_, "__total__")
    ):  # of typing_extensions too
        return "typeddict"
    if hasattr(class_, "_declared_fields") and hasattr(class_, "to_internal_value"):
        return "djangorestframework"
    if hasattr(class_, "_declared_fields"):
        return "marshmallow"
    if hasattr(class_, "__validators__") and hasattr(class_, "parse_obj") and not bare:
        return "pydantic1"
    name = getattr(class_, "__name__", repr(class_))
    raise SchemaError(
        f"{name} is not a model; use a dataclass, attrs class, pydantic model, msgspec Struct, NamedTuple, TypedDict,"
        " marshmallow schema or Django REST framework serializer"
    )


def is_known(class_: Any) -> bool:
    """Return True for a class, or a parametrised one, of a supported kind."""
    try:
        return bool(kind_of(class_))
    except SchemaError:
        return False


def origin_of(class_: Any) -> Any:
    """The generic class of a parametrised one; any other class itself."""
    return typing.get_origin(class_) or class_


def is_array(class_: Any) -> bool:
    """Return True for a Struct that takes an array in place of an object."""
    return bool(getattr(getattr(origin_of(class_), "__struct_config__", None), "array_like", False))


_SETTING = {"__post_init__", "from_dict"}
"""Methods that may set or write an attribute that `__init__` leaves to the class."""


def _of_dataclass(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    hints = hints_of(class_, [f.name for f in dataclasses.fields(class_)], lenient=True)
    if hasattr(class_, "__post_init__"):
        notes.append(f"{class_.__name__}.__post_init__")
    stored = {f.name for f in dataclasses.fields(class_)}
    for f in class_.__dataclass_fields__.values():
        factory = None if f.default_factory is dataclasses.MISSING else f.default_factory
        default = MADE if factory else REQUIRED if f.default is dataclasses.MISSING else f.default
        hint, filled = hints.get(f.name, typing.ClassVar), plainly(default, factory)
        if f.name in stored:
            read, written = _mashumaro_keys(class_, f)
            if not f.init and getattr(class_, f.name, None) is f.default and not _SETTING & {*dir(class_)}:
                continue  # an attribute of the class, not of its objects
            yield ClassField(f.name, read if f.init else "", hint, default, written=written, filled=filled)
        elif typing.get_origin(hint) is not typing.ClassVar and hint is not typing.ClassVar:  # an InitVar
            yield ClassField(f.name, f.name, getattr(hint, "type", hint), default, written="", filled=filled)


def _mashumaro_keys(class_: Any, field: Any) -> tuple[str, str]:
    """The keys under which mashumaro reads and writes a field of a dataclass; for any other dataclass the field's name."""
    if not hasattr(class_, "from_dict") and "serialization_strategy" not in field.metadata:
        return field.name, field.name
    config = getattr(class_, "Config", None)
    alias = field.metadata.get("alias") or getattr(config, "aliases", {}).get(field.name)
    read = alias if isinstance(alias, str) else field.name
    return read, read if getattr(config, "serialize_by_alias", False) else field.name


def _of_attrs(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    hints = hints_of(class_, [a.name for a in class_.__attrs_attrs__])
    for a in class_.__attrs_attrs__:
        notes += [f"{class_.__name__}.{a.name} ({what})" for what in ("validator", "converter") if getattr(a, what)]
        factory = getattr(a.default, "factory", None)
        made = factory is not None and not a.default.takes_self
        default = MADE if factory else REQUIRED if type(a.default).__name__ == "_Nothing" else a.default
        filled = plainly(default, factory if made else None)
        limits = (a.validator,) if a.validator else ()
        if a.init:  # cattrs leaves out the others
            hint = hints.get(a.name, Any if a.type is None else a.type)  # `attr.ib(type=int)` is no annotation
            yield ClassField(a.name, a.name, hint, default, limits=limits, filled=filled)


def _of_msgspec(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    import msgspec

    if hasattr(class_, "__post_init__"):
        notes.append(f"{class_.__name__}.__post_init__")
    try:
        fields = msgspec.structs.fields(class_)
    except Exception as error:  # an annotation may be any expression
        text = " ".join(str(error).split())
        said = f"msgspec itself refuses {class_.__name__}: {type(error).__name__}: {text}"
        raise SchemaError(f"{said}; import or define in its module every name in its annotations") from None
    for f in fields:
        absent, plain = f.default is msgspec.UNSET, REQUIRED if f.default is msgspec.NODEFAULT else f.default
        if type(plain) is msgspec.Raw:
            absent = not bytes(plain) and class_.__struct_config__.omit_defaults
            plain = _json_of(plain)
        factory = None if f.default_factory is msgspec.NODEFAULT else f.default_factory
        default = None if absent else MADE if factory else plain
        filled = plainly(default, factory)
        yield ClassField(f.name, f.encode_name, f.type, default, absent=absent, filled=filled)


def _json_of(raw: Any) -> Any:
    """The value that a `msgspec.Raw` has the JSON of; none if it is empty, or in another format."""
    try:
        return json.loads(bytes(raw))
    except ValueError:
        return REQUIRED


def _of_tuple(class_: Any, _notes: list[str]) -> abc.Iterator[ClassField]:
    made = inspect.signature(class_.__new__).parameters
    hints = hints_of(class_, class_._fields, lenient=True)
    if not hints:  # of `collections.namedtuple`
        with suppress(Exception):  # an annotation may be any expression
            hints = typing.get_type_hints(class_.__new__, include_extras=True)
    for name in class_._fields:
        default = class_._field_defaults.get(name, made[name].default if name in made else REQUIRED)
        default = REQUIRED if default is inspect.Parameter.empty else default
        yield ClassField(name, name, hints.get(name, Any), default, filled=plainly(default))


def _of_typeddict(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    further = getattr(
        class_, "__extra_items__", None
    )  # None and a mark say nothing, Never and `closed` that there are none
    if getattr(class_, "__closed__", None) or further in (typing.Never, typing.NoReturn):
        notes.append(f"{class_.__name__} (no other keys)")
    elif further is not None and type(further).__name__ != "NoExtraItemsType":
        notes.append(f"{class_.__name__} (other keys, each {getattr(further, '__name__', further)})")
    hints = hints_of(class_, class_.__annotations__, lenient=True)
    names = field_names(hints)
    for key, hint in hints.items():
        origin = typing.get_origin(hint)  # with annotations as texts, `__required_keys__` does not know of it
        required = key in class_.__required_keys__
        said = getattr(origin, "_name", "")  # also of typing_extensions
        absent = said == "NotRequired" or (not required and said != "Required")
        yield ClassField(names[key], key, hint, None if absent else REQUIRED, absent=absent)


def _completed(class_: Any) -> None:
    """Have pydantic read the annotations that named classes below this one.

    Raises:
        SchemaError: a name is still unknown.
    """
    if getattr(class_, "__pydantic_complete__", True):
        return
    try:
        class_.model_rebuild()
    except Exception as error:  # an annotation may be any expression
        said = " ".join(str(error).split())[:200]
        raise SchemaError(f"{class_.__name__}: an annotation cannot be resolved ({said})") from None


def _pydantic_default(info: Any) -> Any:
    value = info.get_default(call_default_factory=True)
    return import_module("pydantic").TypeAdapter(info.annotation).dump_python(value, mode="json", by_alias=True)


_ADDRESSED = re.compile(r"<(?:function )?(\S+)(?: object)? at 0x[0-9a-fA-F]+>")


def _of_pydantic(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    _completed(class_)
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
    config = class_.model_config
    texts = config.get("ser_json_bytes", "utf8") == "utf8"
    paths: list[tuple[Any, list[str | int]]] = []
    parameters = init_parameters(class_)
    for name, info in class_.model_fields.items():
        said = [_ADDRESSED.sub(r"\1", str(limit)) for limit in info.metadata if _counts(limit)]
        if said:
            notes.append(f"{class_.__name__}.{name} ({', '.join(said)})")
        made = info.default_factory is not None
        default = MADE if made else REQUIRED if info.is_required() else info.default
        tag = info.discriminator if isinstance(info.discriminator, str) else None
        values = bool(config.get("use_enum_values"))
        written = info.serialization_alias or info.alias or name
        read = _read_keys(class_, name, info) or [""]
        if read == [""]:
            alias = info.validation_alias  # which has only paths; the first counts
            paths.append((info, list(getattr(alias, "choices", [alias])[0].path)))
        if parameters is not None:
            read = [key for key in read if key in parameters] or [""]
        wire, written = (read[0], "") if info.exclude else (written if written in read else read[0], written)
        limits, filled = tuple(info.metadata), partial(_pydantic_default, info)
        yield ClassField(name, wire, info.annotation, default, tag, values, written, limits, texts, filled=filled)
    known = {key for name, info in class_.model_fields.items() for key in _read_keys(class_, name, info)}
    more = [(key, hint, REQUIRED if required else None, not required) for key, hint, required in fields_at(paths)]
    more += [(key, hint, usual, False) for key, (hint, usual) in (parameters or {}).items() if key not in known]
    names = field_names((key for key, *_ in more), reserved=class_.model_fields)
    for key, hint, default, absent in more:
        yield ClassField(names[key], key, hint, default, written="", absent=absent)


def _counts(limit: Any) -> bool:
    """Return True for metadata that pydantic applies to a value; it ignores what it does not know."""
    known = type(limit).__module__.partition(".")[0] in ("pydantic", "annotated_types")
    known = known or hasattr(limit, "__get_pydantic_core_schema__")
    return known and type(limit).__name__ not in ("FieldInfo", "Discriminator")


def _read_keys(class_: Any, name: str, info: Any) -> list[str]:
    """The keys under which a model of pydantic takes a field; none if it only takes it from inside another value."""
    alias, config = info.validation_alias, class_.model_config
    known = [name if one is None else one for one in getattr(alias, "choices", [alias])]
    if config.get("populate_by_name") or config.get("validate_by_name"):
        known.append(name)
    return [one for one in known if isinstance(one, str)]


def _of_pydantic1(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    name, hints = class_.__name__, hints_of(class_, class_.__fields__)
    checks = [validator.func for validators in class_.__validators__.values() for validator in validators]
    roots = [*class_.__pre_root_validators__, *(check for _, check in class_.__post_root_validators__)]
    for what, functions in (("validator", checks), ("root validator", roots)):
        notes += dict.fromkeys(f"{name}.{function.__name__} ({what})" for function in functions)
    encoders = class_.__config__.json_encoders
    if encoders:
        notes.append(f"{name}.Config.json_encoders")
    for key, field in class_.__fields__.items():
        info = field.field_info
        if limits := sorted(info.get_constraints()):
            notes.append(f"{name}.{key} ({', '.join(f'{limit}={getattr(info, limit)}' for limit in limits)})")
        made = field.default_factory
        default = MADE if made else REQUIRED if field.required else field.default
        values = bool(class_.__config__.use_enum_values)
        annotation = hints.get(key, field.outer_type_)
        written = "" if info.exclude else None
        tag, texts = field.discriminator_key, (info, annotation)
        filled = plainly(default, made)
        yield ClassField(
            key, field.alias, annotation, default, tag, values, written, texts, not encoders, filled=filled
        )


_READERS = {
    "dataclass": _of_dataclass,
    "attrs": _of_attrs,
    "msgspec": _of_msgspec,
    "namedtuple": _of_tuple,
    "typeddict": _of_typeddict,
    "pydantic": _of_pydantic,
    "pydantic1": _of_pydantic1,
    "marshmallow": of_marshmallow,
    "djangorestframework": of_rest_framework,
}


def fields_of(class_: Any, notes: list[str]) -> list[ClassField]:
    """Return the fields of a class; append constraints that a schema cannot express to `notes`.

    Raises:
        SchemaError: the class is not a model, or cannot read its own output.
    """
    class_fields = list(_READERS[kind_of(class_)](origin_of(class_), notes))
    arguments = _parameters(class_)
    return (
        [dataclasses.replace(field, annotation=bound(field.annotation, arguments)) for field in class_fields]
        if arguments
        else class_fields
    )


def _parameters(class_: Any) -> dict[Any, Any]:
    """The types that stand for the parameters of a generic class: those given, else as `stands_for` says."""
    names = getattr(origin_of(class_), "__parameters__", ())
    names = names or getattr(origin_of(class_), "__pydantic_generic_metadata__", {}).get("parameters", ())
    arguments = typing.get_args(class_)
    if arguments:
        return dict(zip(names, arguments, strict=False))
    return {name: stands_for(name) for name in names if hasattr(name, "__bound__")}


def stands_for(variable: Any) -> Any:
    """The type that stands for a parameter that is not given: its default, bound or first constraint, or any."""
    default = getattr(variable, "__default__", None)  # also of typing_extensions, which has a mark for none
    if default is not None and type(default).__name__ != "NoDefaultType":
        return default
    return variable.__bound__ or (variable.__constraints__ or (Any,))[0]


def bound(annotation: Any, arguments: dict[Any, Any]) -> Any:
    """The annotation with types in place of parameters."""
    if isinstance(annotation, typing.TypeVar):
        return arguments.get(annotation, annotation)
    inner = getattr(annotation, "__parameters__", ())
    if isinstance(annotation, type) or not inner:
        return annotation
    return annotation[tuple(arguments.get(one, one) for one in inner)]


def computed_of(class_: Any) -> tuple[str, ...]:
    """Return the keys of the class's computed fields."""
    kind = kind_of(class_)
    if kind == "pydantic":
        computed = (
            class_.__pydantic_decorators__.computed_fields
        )  # `model_computed_fields` is none of the class before 2.11
        return tuple(one.info.alias or name for name, one in computed.items())
    if kind == "djangorestframework":
        fields = serializer_fields(class_).items()
        return tuple(key for key, field in fields if type(field).__name__ == "SerializerMethodField")
    return ()
