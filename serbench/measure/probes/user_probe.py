"""Wrong inputs for a user's class."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from time import process_time
from typing import Any

from serbench.measure.probes.values.wrong import MISSING, FieldPath, StrictnessTest, WrongInput
from serbench.model.classes.documents import form_of
from serbench.model.fidelity import json_ready, without_further
from serbench.model.fidelity.kinds import KINDS
from serbench.model.normalise import fitting
from serbench.model.records import Enum, List, Map, Ref, Schema, Set, Tuple, Type, Union, bare, member_of, type_data
from serbench.model.scalars import INTEGER_KINDS, STR, Scalar
from serbench.render.user_class.documents import make_objects
from serbench.render.user_class.find import UserModel

_CONTAINERS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((List, Tuple), ("list", "tuple")),
    Set: ("set", "frozenset"),
    Map: ("dict",),
}
_WRONG: dict[str, tuple[Any, ...]] = {
    "str": (12, None),
    **dict.fromkeys(INTEGER_KINDS, ("x", "12", 1.5)),
    "float": ("x", "1.5"),
    "bool": ("maybe", "true"),
    "bytes": (12,),
    "any": (),
}
_NO_TEXT = "no such value"
_OF_FORM: dict[str, Any] = {"text": _NO_TEXT, "int": 12, "array": [[]]}
"""Form of a value → one that no type of another form takes."""
_EXTREME: dict[str, tuple[Any, ...]] = {
    "str": ("", "x" * 300, _NO_TEXT),
    **dict.fromkeys(INTEGER_KINDS, (-1, 0, 10**9)),
    "float": (-1.0, 0.0, 1e12),
    "any": (_NO_TEXT, 12, [[]]),
}
"""Kind of a value → others of the same type, which validators and limits often refuse."""
_MOST_WRONG, _LEAST_WRONG = 400, 40
_MOST_CHARACTERS = 4_000_000
"""Of all wrong inputs together as JSON: each row is given them."""
_ASKED_S = 1.0  # of CPU time in which a class is asked about values


@dataclass(frozen=True)
class _Spot:
    """A value in a document; `required` is None for an item, and `unions` has those that it stands in, with their other members."""

    path: FieldPath
    type: Type
    value: Any
    required: bool | None = None
    unions: tuple[tuple[_Spot, tuple[Type, ...]], ...] = ()

    @property
    def name(self) -> str:
        """The keys from the record to the value, joined by dots."""
        return ".".join(str(key) for _, key in self.path)


_Fits = Callable[[tuple[Type, ...], _Spot, WrongInput], bool]


def user_probe(
    schema: Schema,
    value: Any,
    model: UserModel | None = None,
    *,
    inferred: Schema | None = None,
    whole: bool = False,
) -> StrictnessTest | None:
    """A test with a document's first record and wrong versions of it; None if the document has no record.

    With a class, also what is wrong for it alone: members of unions that are any JSON in the schema, and values of the
    right type that the class refuses, as validators and limits do; `inferred` is that of the data set. With `whole`, the document stays a list if it is one,
    with this record alone.
    """
    item, first = schema.root, value
    if isinstance(schema.root, List):
        item, first = schema.root.item, value[0] if value else None
    if not isinstance(item, Ref) or first is None:
        return None
    listed = whole and isinstance(schema.root, List)
    root = _Spot((("", 0),) if listed else (), item, first)
    fits = _fitting(schema)
    wrong = [one for spot in _spots(schema, root, set()) for one in _wrong(spot, fits)]
    if model is not None:
        wrong += _in_unions(schema, item, first, model)
        wrong += _refused(schema, item, first, model, inferred)
    if listed:
        return StrictnessTest("user", schema, [first], _some(wrong, first), of_user=True)
    return StrictnessTest("user", Schema(item, schema.records), first, _some(wrong, first), of_user=True)


def _some(wrong: list[WrongInput], record: Any) -> tuple[WrongInput, ...]:
    """All wrong inputs, or evenly spread ones of a large class or record, which are enough to tell its work class."""
    most = min(_MOST_WRONG, max(_LEAST_WRONG, _MOST_CHARACTERS // len(json.dumps(json_ready(record)))))
    step = -(-len(wrong) // most) or 1
    return tuple(wrong[::step])


def _spots(schema: Schema, outer: _Spot, seen: set[str]) -> Iterator[_Spot]:
    """Each value inside another, with those inside it, and the fields of each class once."""
    for spot in _inside(schema, outer, seen):
        yield spot
        yield from _spots(schema, spot, seen)


def _inside(schema: Schema, outer: _Spot, seen: set[str]) -> Iterator[_Spot]:
    path, type_, value = outer.path, bare(outer.type), outer.value
    match type_:
        case List(item) if value:
            yield _Spot((*path, ("", 0)), item, value[0], unions=outer.unions)
        case Tuple(items) if value:
            pairs = enumerate(zip(items, value, strict=True))
            yield from (_Spot((*path, ("", number)), item, one, unions=outer.unions) for number, (item, one) in pairs)
        case Map(item, key) if value and key == STR:
            first = next(iter(value))
            yield _Spot((*path, (first, first)), item, value[first], unions=outer.unions)
        case Ref(name) if name not in seen and isinstance(value, dict) and not schema.record(name).root:
            seen.add(name)
            for f in schema.record(name).fields:
                yield _Spot((*path, (f.name, f.wire)), f.type, value.get(f.wire), f.required, outer.unions)
        case Union(members, tag) if isinstance(member := member_of(schema, type_, value), Ref):
            others = () if tag else tuple(other for other in members if other != member)
            yield from _inside(schema, replace(outer, type=member, unions=(*outer.unions, (outer, others))), seen)


def _wrong(spot: _Spot, fits: _Fits) -> Iterator[WrongInput]:
    """The record with wrong values in a place, and without it if it may not lack it."""
    type_ = bare(spot.type)
    right = _right(type_)
    if right is None:
        return
    nullable = spot.required is None or type_ is not spot.type
    values = [(f"{value!r}", value) for value in _values(type_) if value is not None or not nullable]
    values += [("missing", MISSING)] if spot.required else []  # another one's right type is that of its default
    for name, value in values:
        wrong = WrongInput(f"{spot.name}: {name}", spot.path, value, right)
        if not any(fits(others, within, wrong) for within, others in spot.unions):
            yield wrong


def _fitting(schema: Schema) -> _Fits:
    """What tells if the value of a union, made wrong inside, is right for another of its members."""
    data, known = schema.as_data(), fitting(schema)
    written: dict[FieldPath, Any] = {}  # place of a union → its value, which may be large

    def fits(members: tuple[Type, ...], within: _Spot, wrong: WrongInput) -> bool:
        if within.path not in written:
            written[within.path] = json_ready(within.value)
        document = _with(written[within.path], wrong.path[len(within.path) :], wrong.value)
        return any(known(member, without_further({**data, "root": type_data(member)}, document)) for member in members)

    return fits


def _with(value: Any, path: FieldPath, wrong: Any) -> Any:
    """The value with a wrong one at a place; all that is not around the place is shared."""
    if not path:
        return wrong
    (_, key), copy = path[0], value.copy()
    if wrong is MISSING and len(path) == 1:
        del copy[key]
    else:
        copy[key] = _with(value[key] if path[1:] else None, path[1:], wrong)
    return copy


def _in_unions(schema: Schema, item: Ref, value: Any, model: UserModel) -> Iterator[WrongInput]:
    """Wrong inputs in the members of the class's unions, where the schema has any JSON."""
    shared = _Spot((), item, value)
    anything = [spot.path for spot in _spots(schema, shared, set()) if _right(spot.type) is None]
    user_schema = model.parsed.user_schema
    if not anything or not _has(user_schema, item):
        return
    fits = _fitting(user_schema)
    for spot in _spots(user_schema, shared, set()):
        if any(spot.path[: len(path)] == path for path in anything):
            yield from _wrong(spot, fits)


def _has(schema: Schema, item: Ref) -> bool:
    return any(record.name == item.record for record in schema.records)


def _refused(schema: Schema, item: Ref, value: Any, model: UserModel, inferred: Schema | None) -> Iterator[WrongInput]:
    """Inputs with a value of the right type that the class refuses; none if it refuses the record as it is."""
    if _refuses(model, inferred, value):
        return
    began = process_time()
    for spot in _spots(schema, _Spot((), item, value), set()):
        if process_time() - began > _ASKED_S:
            break
        for extreme in _extremes(spot):
            wrong = WrongInput(f"{spot.name}: {extreme!r:.40}, which the class refuses", spot.path, extreme)
            with suppress(LookupError, TypeError):  # a place in what cannot be changed, such as a tuple
                if _refuses(model, inferred, wrong.document(value)):
                    yield wrong


def _extremes(spot: _Spot) -> tuple[Any, ...]:
    type_ = bare(spot.type)
    if isinstance(type_, List):
        return ([],) if spot.value else ()
    if type_ == Scalar("bool"):
        return (not spot.value,)
    return _EXTREME.get(type_.kind, ()) if isinstance(type_, Scalar) else ()


def _refuses(model: UserModel, inferred: Schema | None, record: Mapping[str, Any]) -> bool:
    try:
        make_objects(model, [record], inferred)
    except Exception:  # whatever the class raises
        return True
    return False


def _values(type_: Type) -> tuple[Any, ...]:
    if isinstance(type_, Scalar):
        return _WRONG.get(type_.kind, (_NO_TEXT,))
    if isinstance(type_, Union):
        forms = {form_of(member) for member in type_.members}
        forms |= {"int"} if forms & {"float", "bool"} else set()
        digits = ("12",) if "int" in forms and "text" not in forms else ()
        return (*[wrong for form, wrong in _OF_FORM.items() if form not in forms][:2], *digits)
    return ("ab", 5) if isinstance(type_, List | Set | Tuple) else (_NO_TEXT,)


def _right(type_: Type) -> tuple[str, ...] | None:
    """The names of the classes that values of the type have; None for one that anything may be."""
    match bare(type_):
        case Scalar("any" | "opaque"):
            return None
        case Scalar(kind):
            return (getattr(KINDS[kind].cls, "__name__", kind),)
        case Enum(name):
            return (name,)
        case Ref(name):
            return (name, "dict")
        case Union(members):
            rights = [_right(member) for member in members]
            return None if None in rights else tuple(dict.fromkeys(chain.from_iterable(filter(None, rights))))
        case other:
            return _CONTAINERS.get(type(other))
