"""Reads the schema of a user's class, of any kind that `fields.py` lists, or of an alias that names such classes."""

from __future__ import annotations

import collections
import dataclasses
import enum
import keyword
import re
import sys
import types
import typing
from collections import abc
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from math import isfinite
from pathlib import PurePath
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.classes.documents import LIBRARIES, defaults, documented
from serbench.model.classes.fields import (
    ClassField,
    FieldObjects,
    bound,
    computed_of,
    fields_of,
    hints_in,
    hints_of,
    is_array,
    is_known,
    kind_of,
    origin_of,
    stands_for,
)
from serbench.model.fidelity import user_maker
from serbench.model.names import field_name, function_key, record_name
from serbench.model.records import (
    REQUIRED,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
    replace_inner,
)
from serbench.model.scalars import ANY, BOOL, CLASSES, FLOAT, INT, STR, USER_CLASSES, Scalar

Value: TypeAlias = str | int
_UNIONS = (typing.Union, types.UnionType)
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly", "Final")
_CHAINED = 100  # aliases of aliases
_KINDS = ("pydantic", "pydantic1", "msgspec", "attrs", "dataclass", "namedtuple", "typeddict")
"""The kinds whose classes an alias may name, those whose library also takes the classes of a later one first."""


def is_alias(annotation: Any) -> bool:
    """Return True for what `type X = …` makes, with or without parameters."""
    return hasattr(origin_of(annotation), "__value__") and hasattr(origin_of(annotation), "__type_params__")


def aliased(annotation: Any) -> Any:
    """The type that an alias stands for."""
    alias = origin_of(annotation)
    return bound(alias.__value__, dict(zip(alias.__type_params__, typing.get_args(annotation), strict=False)))


def is_qualified(annotation: Any) -> bool:
    """Return True for what says something of a field and not of its type: `Required`, `ReadOnly`, `Final` and the like."""
    form = typing.get_origin(annotation) or annotation
    return not isinstance(form, type) and getattr(form, "_name", None) in _QUALIFIERS  # also of typing_extensions


def is_of_pydantic1(annotation: Any, *bases: type) -> bool:
    """Return True for a constrained type of pydantic 1 that derives from one of these, as `conlist` and `constr` make."""
    known = isinstance(annotation, type) and issubclass(annotation, bases)
    return known and any(one.__module__.split(".")[0] == "pydantic" for one in annotation.__mro__)


def _is_boolean1(annotation: Any) -> bool:
    """Return True for a class of pydantic 1 that is an int to Python and a boolean in JSON, as StrictBool is."""
    said: dict[str, Any] = {}
    with suppress(Exception):  # of an own class
        annotation.__modify_schema__(said)
    return said.get("type") == "boolean"


def unwrapped(annotation: Any) -> Any:
    """The type inside annotations, qualifiers, new types and aliases."""
    for _ in range(_CHAINED):
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif is_qualified(annotation):
            annotation = (*typing.get_args(annotation), Any)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif is_alias(annotation):
            annotation = aliased(annotation)
        else:
            return annotation
    raise SchemaError(f"{annotation} is an alias of itself; name a type")


def item_of(annotation: Any) -> Any:
    """The type of the items of a list, or of an alias of one; anything else as it is."""
    list_ = aliased(annotation) if is_alias(annotation) else annotation
    arguments = typing.get_args(list_)
    return arguments[0] if typing.get_origin(list_) is list and arguments else annotation


def is_union(annotation: Any) -> bool:
    """Return True for a union, not for an alias of one."""
    return typing.get_origin(annotation) in _UNIONS


def members_of(annotation: Any) -> Iterator[Any]:
    """The members of a union, with those of the unions inside it; anything else alone."""
    inner = unwrapped(annotation)
    if not is_union(inner):
        yield annotation
        return
    for member in typing.get_args(inner):
        yield from members_of(member)


def tag_of(
    classes: list[Any], named: str | None, fields_of: Callable[[Any], Iterable[ClassField]], *, writing: bool
) -> tuple[str, list[tuple[Value, ...]]] | None:
    """The key whose constants tell these classes apart, and those of each; None if there is none.

    `named` is the discriminator that the union names, as a field or a key.
    """
    configs = [getattr(origin_of(one), "__struct_config__", None) for one in classes]
    if any(config is not None for config in configs):
        return _tag_of_structs(configs)
    try:
        fields = [[one for one in fields_of(class_) if one.key(writing=writing)] for class_ in classes]
    except SchemaError:
        return None
    if len(fields) < 2:
        return None
    for first in fields[0]:
        if named in (None, first.wire, first.name):
            key = first.key(writing=writing)
            held = [next((one for one in some if one.key(writing=writing) == key), None) for some in fields]
            values: list[tuple[Value, ...]] = [() if one is None else constants(one.annotation) for one in held]
            every = [value for some in values for value in some]
            if all(values) and len(set(every)) == len(every):
                return key, values
    return None


def _tag_of_structs(configs: list[Any]) -> tuple[str, list[tuple[Value, ...]]] | None:
    keys = {getattr(config, "tag_field", None) for config in configs}
    values = [getattr(config, "tag", None) for config in configs]
    key = keys.pop() if len(keys) == 1 else None
    said = [value for value in values if value is not None]
    if key is None or len(set(said)) < len(values) or len(values) < 2:
        return None
    return str(key), [(value,) for value in said]


def constants(annotation: Any) -> tuple[Value, ...]:
    """The texts or numbers of a Literal; none for anything else."""
    inner = unwrapped(annotation)
    arguments = typing.get_args(inner) if typing.get_origin(inner) is typing.Literal else ()
    values = [getattr(argument, "value", argument) for argument in arguments]
    if any(isinstance(value, bool) or not isinstance(value, Value) for value in values):
        return ()
    return tuple(str(value) if isinstance(value, str) else value for value in values)


def discriminator_in(notes: Iterable[Any]) -> str | None:
    """The name that a note of pydantic gives for the tag of a union."""
    discriminators = (
        getattr(note, "discriminator", None) for note in notes if type(note).__module__.startswith("pydantic")
    )
    return next((name for name in discriminators if isinstance(name, str)), None)


def root_kind(type_: Any) -> str:
    """The kind of a class or, for an alias, of the classes in it.

    Raises:
        SchemaError: it is neither a model nor made of other types.
    """
    inner = unwrapped(type_)
    origin = typing.get_origin(inner)
    if not is_union(inner) and not (isinstance(origin, type) and issubclass(origin, Collection)):
        kind = kind_of(inner)
        return "pydantic" if kind == "dataclass" and _is_noted(origin or inner) else kind
    kinds = set(_kinds_in(type_))
    return next((kind for kind in _KINDS if kind in kinds), "msgspec")


def _is_noted(class_: Any) -> bool:
    """Return True for a dataclass of pydantic, or one with notes of it in annotations: it reads and writes these."""
    if hasattr(class_, "from_dict"):
        return False
    hints = hints_of(class_, [f.name for f in dataclasses.fields(class_)], lenient=True)
    return "__pydantic_validator__" in vars(class_) or any(
        "pydantic" in _kinds_of_notes(hint) for hint in hints.values()
    )


def _kinds_of_notes(annotation: Any) -> set[str]:
    """The libraries whose notes stand in an annotation."""
    arguments = typing.get_args(annotation)
    notes = arguments[1:] if typing.get_origin(annotation) is typing.Annotated else ()
    return {type(note).__module__.partition(".")[0] for note in notes}.union(*map(_kinds_of_notes, arguments))


def _kinds_in(annotation: Any) -> Iterator[str]:
    if typing.get_origin(annotation) is typing.Annotated and any(
        type(arg).__module__.startswith("pydantic") for arg in typing.get_args(annotation)[1:]
    ):
        yield "pydantic"
    inner = unwrapped(annotation)
    try:
        yield kind_of(inner)
    except SchemaError:
        for arg in typing.get_args(inner):
            yield from _kinds_in(arg)


def json_kind(annotation: Any, *, writing: bool) -> str:
    """Return the type that pydantic's JSON Schema says for an annotation; empty if it says none or several."""
    try:
        adapter = import_module("pydantic").TypeAdapter(annotation)
        said = adapter.json_schema(mode="serialization" if writing else "validation").get("type")
    except Exception:  # it has no schema
        return ""
    return said if isinstance(said, str) else ""


def class_tag(class_: Any) -> list[ClassField]:
    """The tag of a Struct that stands alone, as a field with one value."""
    config = getattr(origin_of(class_), "__struct_config__", None)
    if config is None or config.tag is None:
        return []
    return [ClassField(field_name(config.tag_field), config.tag_field, typing.Literal[config.tag])]


_ENDINGS = {"marshmallow": "Schema", "djangorestframework": "Serializer"}


class ClassNames:
    """The names of what is read of classes: the same thing has the same name in each reading that continues another."""

    def __init__(self, like: ClassNames | None = None) -> None:
        self.names: dict[Hashable, str] = dict(like.names) if like else {}
        self.used: set[str] = set(like.used) if like else set()

    def of(self, key: Hashable, wanted: str) -> str:
        """Return the name of the thing with this key: the wanted one, if it is an identifier that no other has."""
        if key not in self.names:
            name = stem = wanted if is_name(wanted) else record_name(wanted)
            number = 1
            while name in self.used or function_key(name) in self.used:
                number += 1
                name = f"{stem}{number}"
            self.names[key] = name
            self.used |= {name, function_key(name)}
        return self.names[key]


def is_name(text: str) -> bool:
    """Return True for a text that a schema takes as the name of a record, a field or a member."""
    return text.isascii() and text.isidentifier() and not keyword.iskeyword(text)


def class_key(class_: Any) -> Hashable:
    """Return what identifies a class, or a parametrised one."""
    try:
        hash(class_)
    except TypeError:  # a parameter is a value that can change
        return repr(class_)
    return class_  # type: ignore[no-any-return]  # any class


def class_record_name(class_: Any) -> str:
    """Return the record name for a class: its name, stripped of "Schema" or "Serializer", with its parameters."""
    class_name: str = getattr(class_, "__name__", origin_of(class_).__name__)
    if not isinstance(class_, type):
        class_name += "_".join(["", *(getattr(arg, "__name__", str(arg)) for arg in typing.get_args(class_))])
    name = class_name.removesuffix(_ENDINGS.get(kind_of(class_), "")) or class_name
    return re.sub(r"\W+", "_", name).strip("_")


def path_start(class_: Any, name: str) -> str:
    """Return how the places of a class's values begin; `name` is that of its record."""
    shown = str(getattr(class_, "__name__", name))
    return shown if name in (shown, *(shown.removesuffix(ending) for ending in _ENDINGS.values())) else name


_SCALARS: dict[Any, Type] = {
    **CLASSES,
    **USER_CLASSES,
    **dict.fromkeys((object, Any, typing.Hashable), ANY),
    **dict.fromkeys((typing.AnyStr, getattr(typing, "LiteralString", str)), STR),
    PurePath: Scalar("path"),
}
_SEQUENCES = (list, collections.deque, abc.Sequence, abc.Iterable, abc.Collection, abc.MutableSequence)
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping, collections.OrderedDict, collections.defaultdict)
_SETS = (set, frozenset, abc.Set, abc.MutableSet)
_CONTAINERS = (*_SEQUENCES, *_MAPPINGS, *_SETS, tuple, collections.Counter)
_FIELD_OBJECTS = ("marshmallow", "djangorestframework")
_WITH_ARRAYS = ("pydantic", "pydantic1", "msgspec", "attrs")  # kinds whose library writes a NamedTuple as an array
_CALLED = ("attrs", "dataclass", "namedtuple")  # kinds whose objects are made by calling the class
_BY_TAG = ("pydantic", "pydantic1")  # kinds whose library knows several values of a member's tag
_JSON = {"string": Scalar("foreign"), "integer": INT, "number": FLOAT, "boolean": BOOL}
FOREIGN, OPAQUE = Scalar("foreign"), Scalar("opaque")


@dataclasses.dataclass
class ParsedClass:
    """Schema of a class, its kind, and one note per constraint that a schema cannot express.

    `schema` describes the documents, `user_schema` the class's objects: with types and keys that documents have as text.
    `type` is the class or alias itself, `classes` maps the names of records and enums to their classes, and `limits` the
    place of a value ("Model.x", and "Model.x[]" for its items) to what limits it.
    """

    user_schema: Schema
    kind: str
    type: Any
    notes: list[str]
    classes: dict[str, Any]
    limits: dict[str, tuple[Any, ...]]
    names: ClassNames

    @cached_property
    def schema(self) -> Schema:
        """The schema of the document."""
        return documented(self.user_schema, self.kind)

    @cached_property
    def make(self) -> Callable[[Any], Any]:
        """The function that makes objects of neutral values by calling the classes; it is compiled once."""
        module = type("Classes", (), dict(self.classes))
        return user_maker(module, self.user_schema.as_data(), ready=False)


def from_class(
    class_: Any, name: str = "Model", *, drawing: bool = False, writing: bool = False, like: ParsedClass | None = None
) -> ParsedClass:
    """Return the schema of a class and the classes it refers to; the root is a list of the class's records.

    `class_` may be an alias of a union or a container, which `name` then names; for one of a list, the root is that list.
    With `drawing=True` the schema fits for
    generating values: constants and choices become enumerations, and fields that may be absent but not null are always
    present. With `writing=True` it describes what the class writes, otherwise what it reads. `like` has names for
    classes, which are kept.

    Raises:
        SchemaError: the class is not a model.
    """
    class_ = item_of(class_)
    kind = root_kind(class_)
    reading = _ClassReader(kind, drawing, writing, ClassNames(like.names if like else None))
    root = reading.root(class_, name)
    user_schema = Schema(List(root), tuple(reading.records.values()))
    return ParsedClass(user_schema, kind, class_, reading.notes, reading.classes, reading.limits, reading.names)


class _ClassReader:
    """Reads one class; `records` collects the record types it finds."""

    def __init__(self, library: str, drawing: bool, writing: bool, names: ClassNames) -> None:
        self.records: dict[str, Record] = {}
        self.notes: list[str] = []
        self.library, self.drawing, self.writing, self.names = library, drawing, writing, names
        self.classes: dict[str, Any] = {}
        self.limits: dict[str, tuple[Any, ...]] = {}
        self._inside: list[tuple[Any, bool]] = []  # the classes being read, and whether bytes are texts there
        self._aliases: list[Any] = []  # the aliases being read
        self._known: dict[Any, list[ClassField]] = {}

    def root(self, class_: Any, name: str) -> Type:
        """Return the type of the class or alias."""
        if is_known(inner := unwrapped(class_)):
            if self.library == "pydantic1" and _is_root(inner, self.library):
                raise SchemaError(f"{name} has a custom root type; give the model inside it instead")
            return self.record(inner)
        if self.library not in ("pydantic", "msgspec"):
            return self.type(class_, name)
        name = self.names.of(("alias", name), name)  # which the library takes as it is
        self.classes[name] = class_
        return self._one(name, lambda: self.type(class_, f"{name}.root"), "alias")

    def _one(self, name: str, type_: Callable[[], Type], root: str) -> Ref:
        """Return the record of what is one value in a document."""
        self.records[name] = Record(name, (), root=root)  # placeholder, so that it may refer to itself
        self.records[name] = Record(name, (Field("root", type_()),), root=root)
        return Ref(name)

    def _fields_of(self, class_: Any) -> list[ClassField]:
        key = class_key(class_)
        if key not in self._known:
            self._known[key] = fields_of(class_, self.notes)
        return self._known[key]

    def record(self, class_: Any, tag: tuple[str, Value] | None = None) -> Ref:
        """Return the record of a class; if `tag` is given, that of a union's member which has this value under this key."""
        kind = kind_of(class_)
        name = self.names.of((class_key(class_), tag), class_record_name(class_))
        self.classes[name] = class_
        if name in self.records:
            return Ref(name)
        if kind == "namedtuple" and self.library in _WITH_ARRAYS:
            return self._one(name, lambda: self._items(class_, name), "items")
        self.records[name] = Record(name, ())  # placeholder, so that the class may refer to itself
        class_fields = self._fields_of(class_)
        if tag is None:
            class_fields = (
                [*class_tag(class_), *class_fields] if is_array(class_) else [*class_fields, *class_tag(class_)]
            )
        else:
            class_fields = [field for field in class_fields if field.key(writing=self.writing) != tag[0]]
        keyed = {field.key(writing=self.writing): field for field in reversed(class_fields)}  # two may have one key
        twice = [field for field in class_fields if field.wire and not self.writing and keyed[field.wire] is not field]
        is_called_by_key = kind == "dataclass" and not hasattr(class_, "from_dict")
        if twice and is_called_by_key:
            both = f"{keyed[twice[0].wire].name} and {twice[0].name}"
            raise SchemaError(f"{name} has one key for {both}, {twice[0].wire!r}: give each field a key of its own")
        read = [self._read(field, class_, name) for key, field in reversed(keyed.items()) if key]
        fields = [f for f in read if f is not None]
        if root := _is_root(class_, kind):
            fields = [dataclasses.replace(f, name="root", alias=None) for f in fields]
        computed = computed_of(class_)
        self.notes += [f"{origin_of(class_).__name__}.{key} (computed field)" for key in computed]
        if is_array(class_):  # its fields keep their order, so that none with a default stands before one without
            last = max((number for number, f in enumerate(fields) if f.required), default=0)
            fields[:last] = [dataclasses.replace(f, default=REQUIRED) for f in fields[:last]]
        ordered = tuple(sorted(fields, key=lambda f: not f.required))
        within = [class_, *(outer for outer, _ in self._inside)]
        endless = {f.wire for f in fields if f.default is None and self._is_of(f.type, within)}
        absent = tuple(field.wire for field in class_fields if field.absent or field.wire in endless)
        value, argument = (None, "") if tag is None else (tag[1], self._tag_argument(class_, tag[0]))
        self.records[name] = Record(name, ordered, value, computed, absent, "one" if root else "", argument)
        return Ref(name)

    def _is_of(self, type_: Type, classes: list[Any]) -> bool:
        """Return True for a record of one of these classes, which stands within itself unless its field is absent."""
        item = type_.item if isinstance(type_, Optional) else type_
        return isinstance(item, Ref) and self.classes[item.record] in classes

    def _tag_argument(self, class_: Any, key: str) -> str:
        """The argument that a class requires for its tag, if serbench calls it."""
        required = (one.name for one in self._fields_of(class_) if one.wire == key and one.default is REQUIRED)
        return next(required, "") if self.library in _CALLED else ""

    def _items(self, class_: Any, name: str) -> Type:
        where, fields = path_start(class_, name), self._fields_of(class_)
        items = tuple(self.type(field.annotation, f"{where}.{field.name}") for field in fields)
        return Tuple(items) if items else List(ANY, "tuple")

    def _read(self, class_field: ClassField, class_: Any, name: str) -> Field | None:
        kind, where = kind_of(class_), f"{path_start(class_, name)}.{class_field.name}"
        self.limits[where] = class_field.limits
        self._inside.append((class_, class_field.texts))
        field = self._object(kind, class_field, where) if kind in _FIELD_OBJECTS else self._field(class_field, where)
        self._inside.pop()
        if field is None:
            return None
        key = class_field.key(writing=self.writing)
        return dataclasses.replace(field, alias=None if key == field.name else key)

    def _field(self, class_field: ClassField, where: str) -> Field | None:
        type_ = self.type(class_field.annotation, where, class_field.tag)
        if class_field.values and not self.drawing:
            type_ = _as_values(type_)
        default, fill = defaults(class_field, type_)
        opaque = type_ in (OPAQUE, Optional(OPAQUE))
        if opaque and class_field.default is not REQUIRED and default is fill is REQUIRED:
            self.notes.append(f"{where} (left out: its default has no JSON)")
            return None
        may_be_null = default is None and (opaque or not self.drawing)
        if may_be_null and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        return Field(class_field.name, type_, None, default, fill)

    def _object(self, kind: str, class_field: ClassField, where: str) -> Field:
        reader = FieldObjects(self.record, self._choice, self.notes, self.limits)
        type_, null = reader.type(kind, class_field.annotation, where)
        null = null or (class_field.default is None and not self.drawing)
        return Field(class_field.name, Optional(type_) if null and type_ != ANY else type_, None, class_field.default)

    def _choice(self, where: str, constants: abc.Iterable[Any]) -> Type:
        """Return the type of a value that is one of these constants."""
        values = [getattr(constant, "value", constant) for constant in constants]
        kinds = {type(value) for value in values}
        if self.drawing and kinds <= {str, int, bool, types.NoneType}:
            name = re.sub(r"\W", "_", "".join(part.title() for part in where.split(".")))
            return Enum(record_name(name), tuple((f"value_{index}", value) for index, value in enumerate(values)))
        return _SCALARS.get(kinds.pop(), ANY) if len(kinds) == 1 else ANY

    def type(self, annotation: Any, where: str, tag: str | None = None) -> Type:
        """Return the type of an annotation."""
        if annotation in (None, types.NoneType):
            return ANY
        if isinstance(annotation, str | typing.ForwardRef):
            return self._named(annotation, where, tag)
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if is_of_pydantic1(annotation, list, set, frozenset):  # conlist or conset
            self.notes.append(f"{where} ({annotation.__name__})")
            self.limits[where] = (*self.limits.get(where, ()), annotation)
            origin, arguments = annotation.__origin__, (annotation.item_type,)
        if origin is typing.Annotated:
            self.limits[where] = (*self.limits.get(where, ()), *arguments[1:])
            return self.type(arguments[0], where, tag or discriminator_in(arguments[1:]))
        if is_qualified(annotation):
            return self.type((*arguments, Any)[0], where, tag)
        if is_alias(annotation):
            return self._alias(annotation, where, tag)
        if isinstance(annotation, typing.NewType):
            return self.type(annotation.__supertype__, where, tag)
        if isinstance(annotation, typing.TypeVar):
            return self.type(stands_for(annotation), where, tag)
        if is_union(annotation):
            return self._union(arguments, where, tag)
        if origin is typing.Literal:
            class_ = type(arguments[0])
            if issubclass(class_, enum.Enum) and all(type(one) is class_ and _is_plain(one.value) for one in arguments):
                return self._enum(class_, where, arguments)
            return self._choice(where, arguments)
        if origin is not None:
            return self._generic(annotation, origin, arguments, where, tag)
        return self._plain(annotation, where)

    def _named(self, name: str | typing.ForwardRef, where: str, tag: str | None) -> Type:
        """Return the type of an annotation that is a text, as in an alias."""
        holder = types.SimpleNamespace(__annotations__={"it": name})
        known = vars(sys.modules[self._inside[-1][0].__module__]) if self._inside else {}
        try:
            annotation = hints_in(holder, known)["it"]
        except Exception:  # any expression, or a name that is not there
            return self._foreign(name, where)
        if is_known(annotation):
            return self.record(annotation)
        if name in self._aliases:  # it contains itself
            return ANY
        self._aliases.append(name)
        type_ = self.type(annotation, where, tag)
        self._aliases.pop()
        return type_

    def _alias(self, annotation: Any, where: str, tag: str | None) -> Type:
        if annotation in self._aliases:  # it contains itself
            return ANY
        self._aliases.append(annotation)
        type_ = self.type(aliased(annotation), where, tag)
        self._aliases.pop()
        return type_

    def _plain(self, annotation: Any, where: str) -> Type:
        """Return the type of what has no parameters."""
        class_, texts = self._inside[-1] if self._inside else (None, False)
        if annotation is getattr(typing, "Self", REQUIRED) and class_ is not None:
            return self.record(class_)
        if annotation is bytes and texts:
            return FOREIGN
        if isinstance(annotation, abc.Hashable) and annotation in _SCALARS:
            return _SCALARS[annotation]
        if annotation in _CONTAINERS:
            return self._generic(annotation, annotation, (), where, None)
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return self._enum(annotation, where)
        return self._class(annotation, where)

    def _enum(self, class_: Any, where: str, some: tuple[Any, ...] = ()) -> Type:
        """Return the type of an enum's members; of some, if a Literal names these."""
        whole = list(dict.fromkeys(class_.__members__.values()))  # a flag of no bit, too
        every = [member for member in whole if not some or member in some]
        members = [member for member in every if _is_plain(member.value)]
        if not members and self.library.startswith(
            "pydantic"
        ):  # which refuses what is drawn, where others take anything
            return FOREIGN
        if not members:
            raise SchemaError(
                f"{where}: {class_.__name__} has no member that is a text or a number: values cannot be made"
            )
        if other := ", ".join(member.name for member in every if member not in members):
            self.notes.append(f"{where} ({class_.__name__} without {other}, no text or number)")
        name = self.names.of((class_, None if every == whole else tuple(every)), class_.__name__)
        self.classes[name] = class_
        named: dict[str, Any] = {}
        for member in members:
            value = member.value  # which may be of a class of its own
            if not isinstance(value, bool):
                to = next(kind for kind in (str, int, float) if isinstance(value, kind))
                value = getattr(to, f"__{to.__name__}__")(value)
            named[field_name(member.name, named) if not is_name(member.name) else member.name] = value
        return Enum(name, tuple(named.items()))

    def _class(self, annotation: Any, where: str) -> Type:
        if is_known(annotation):
            return self.record(annotation)
        name = getattr(annotation, "__name__", str(annotation))
        base = next((b for b in getattr(annotation, "__mro__", ()) if b in _SCALARS and b is not object), None)
        base = bool if base is int and _is_boolean1(annotation) else base
        by_base = (
            self.library not in LIBRARIES
            or base is str
            or str(getattr(annotation, "__module__", "")).startswith("pydantic")
        )
        if base is None or not by_base:
            return self._foreign(annotation, where)
        self.notes.append(f"{where} ({name}, carried as {base.__name__})")
        self.limits[where] = (*self.limits.get(where, ()), annotation)
        if self.library not in _CALLED:
            return _SCALARS[base]
        name = self.names.of((annotation, "one"), name)
        self.classes[name] = annotation
        return self._one(name, lambda: _SCALARS[base], "one")

    def _foreign(self, annotation: Any, where: str) -> Type:
        """Return the type of what only the class's own library knows: a text if it says so, otherwise any JSON."""
        name = str(getattr(annotation, "__name__", annotation))
        type_ = FOREIGN if self.library in LIBRARIES else OPAQUE
        if annotation is getattr(sys.modules.get("msgspec"), "Raw", REQUIRED):
            type_ = ANY
        elif self.library == "pydantic":
            type_ = _JSON.get(json_kind(annotation, writing=self.writing), OPAQUE)
        how = {FOREIGN: "text", OPAQUE: "any JSON", ANY: "any JSON"}.get(type_) or type_.kind
        self.notes.append(f"{where} ({name}, carried as {how})")
        self.limits[where] = (*self.limits.get(where, ()), annotation)
        return type_

    def _generic(self, annotation: Any, origin: Any, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        items, one = f"{where}[]", arguments[0] if arguments else Any
        if origin in _SEQUENCES:
            held = "deque" if origin is collections.deque and self.library in ("attrs", "pydantic") else "list"
            return List(self.type(one, items, tag), held)
        if origin in _SETS:
            return self._set(self.type(one, items), "frozenset" if origin is frozenset else "set")
        if origin in _MAPPINGS or origin is collections.Counter:
            key = self._key(one, f"{where}{{}}")
            value = INT if origin is collections.Counter else self.type((*arguments, Any, Any)[1], items, tag)
            return Map(value, key)
        if origin is tuple and (not arguments or arguments[1:] == (...,)):
            return List(self.type(one, items), "tuple")
        if origin is tuple:
            return Tuple(tuple(self.type(argument, f"{where}[{i}]") for i, argument in enumerate(arguments)))
        if is_known(annotation):
            return self.record(annotation)
        return self._foreign(annotation, where)

    def _key(self, annotation: Any, where: str) -> Type:
        """Return the type of the keys of a map: of a union that has no text, its first member."""
        type_ = self.type(annotation, where)
        if isinstance(type_, Union) and not any(unwrapped(one) is str for one in members_of(annotation)):
            type_ = type_.members[0]
        return type_ if isinstance(type_, Scalar | Enum) and type_ not in (ANY, OPAQUE) else STR

    def _set(self, item: Type, held: str) -> Type:
        if item in (ANY, OPAQUE):
            return Set(STR, held)
        if isinstance(item, Scalar | Enum):
            return Set(item, held)
        return List(item, held)

    def _union(self, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        members = [member for argument in arguments for member in members_of(argument)]
        some = [
            member
            for member in members
            if member is not types.NoneType and getattr(member, "__name__", "") != "UnsetType"
        ]
        told = tag_of([unwrapped(one) for one in some], tag, self._fields_of, writing=self.writing)
        if told is not None and (self.library in _BY_TAG or all(len(values) == 1 for values in told[1])):
            refs = [
                self.record(unwrapped(one), (told[0], value))
                for one, values in zip(some, told[1], strict=True)
                for value in values
            ]
            type_: Type = Union(tuple(refs), told[0])
        else:
            alike: dict[Type, Type] = {}  # of a list and a tuple of the same items JSON knows one
            for found in (self.type(one, where) for one in some):
                alike.setdefault(List(found.item) if isinstance(found, List) else found, found)
            types_ = tuple(alike.values())
            type_ = types_[0] if len(types_) == 1 else ANY if ANY in types_ else Union(types_)
        null = types.NoneType in members or (len(some) < len(members) and not self.drawing)
        return Optional(type_) if null and type_ != ANY else type_


def _is_root(class_: Any, kind: str) -> bool:
    """Return True for a RootModel of pydantic, or a model of pydantic 1 with `__root__`."""
    return "__root__" in class_.__fields__ if kind == "pydantic1" else getattr(class_, "__pydantic_root_model__", False)


def _is_plain(value: Any) -> bool:
    """Whether JSON has the value of an enum's member."""
    return isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))


def _as_values(type_: Type) -> Type:
    if isinstance(type_, Enum):
        return _SCALARS.get(type(type_.members[0][1]), ANY)
    return replace_inner(type_, _as_values)
