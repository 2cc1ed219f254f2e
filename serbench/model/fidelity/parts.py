"""Shared parts of all comparisons: differences of scalars, keys and any two objects."""

import decimal
import enum
import re
import sys
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Callable, Dict, List, Optional

from .kinds import CLASSES, KINDS

Spec = Dict[str, Any]
Type = List[Any]
Compare = Callable[..., Optional[str]]


def scalar_difference(kind: str, expected: Any, actual: Any) -> Optional[str]:
    """Describe how two scalars differ, including class, sign of zero, digits and offset.

    In an untagged union, the neutral value may be of another member than `kind`, and then differs from anything.
    """
    cls, key = CLASSES[kind], KINDS[kind].key
    if type(actual) is not cls or type(expected) is not cls:
        return ": expected {} of type {}, got {} of type {}".format(
            short(expected), type(expected).__name__, short(actual), type(actual).__name__
        )
    if cls is float and expected and expected == actual:  # only zeros that are equal may differ
        return None
    same = expected == actual if key is None else key(expected) == key(actual)
    return None if same else ": expected {}, got {}".format(short(expected), short(actual))


def items_difference(compare: Compare, expected: Any, actual: Any) -> Optional[str]:
    """Describe how two sequences differ, item by item."""
    if len(expected) != len(actual):
        return ": expected {} items, got {}".format(len(expected), len(actual))
    pairs = enumerate(zip(expected, actual))
    return first(("[{}]".format(index), compare(*pair)) for index, pair in pairs)


def keys_difference(expected: Any, actual: Any) -> str:
    """Describe how two objects' keys differ."""
    absent, surplus = [k for k in expected if k not in actual], [k for k in actual if k not in expected]
    if surplus or not absent:
        return ": expected the keys {}, got {}".format(short(list(expected)), short(list(actual)))
    null = all(expected[key] is None for key in absent)
    what = (
        ", which is null; here all libraries write null" if null else ", perhaps a default; here all libraries write it"
    )
    return ": leaves out {}{}, so that all do the same work".format(short(absent), what)


def tag_of(record: Any, actual: Any) -> Any:
    """Return the tag that a decoded record holds: that of its class, unless it is a dict or has an attribute for it."""
    key, value, name = record["tag"]
    if type(actual) is dict:
        return actual[key]
    held = getattr(actual, name, value)
    return value if callable(held) else held  # a method of that name is no tag


def surplus(record: Any, objects: List[Any]) -> List[str]:
    """Return what objects of one class hold beside the record's fields, its tag, private and computed attributes."""
    cls = type(objects[0])
    names = set(chain.from_iterable(map(vars, objects))) if hasattr(objects[0], "__dict__") else set()
    if hasattr(cls, "__pydantic_extra__"):
        names.update(*(one.__pydantic_extra__ or () for one in objects))
    names.difference_update(f[0] for f in record["fields"])
    names.difference_update(record["tag"][2:] if record["tag"] else ())
    return sorted(name for name in names if not name.startswith("_") and not is_computed(cls, name))


def is_computed(cls: Any, name: str) -> bool:
    """Return whether an attribute is one that the class computes, as a cached property does."""
    return hasattr(getattr(cls, name, None), "__get__")


def first(parts: Any) -> Optional[str]:
    """Return the first difference, prefixed with its step of the path."""
    for step, text in parts:
        if text is not None:
            return "{}{}".format(step, text)
    return None


def short(value: Any) -> str:
    """Return a short ASCII representation of a value."""
    try:
        text = ascii(value)
    except Exception:  # the class of a wrong object may raise anything
        text = "a {} that has no text".format(type(value).__name__)
    return text if len(text) <= 120 else "{}… ({} characters)".format(text[:60], len(text))


def user_difference(expected: Any, actual: Any, *, any_sequence: bool = False) -> Optional[str]:
    """Describe the first difference between two objects of any class, in type, items or attributes; None if none.

    With `any_sequence`, a tuple may stand in place of a list, as where the annotation is `Sequence`.
    """
    if type(expected) is not type(actual) and not (any_sequence and {type(expected), type(actual)} == {list, tuple}):
        return ": expected {} of type {}, got {} of type {}".format(
            short(expected), type(expected).__name__, short(actual), type(actual).__name__
        )
    if type(expected) in _PLAIN:
        return None if expected == actual else ": expected {}, got {}".format(short(expected), short(actual))
    if isinstance(expected, enum.Enum):
        return None if expected is actual else ": expected {}, got {}".format(short(expected), short(actual))
    compare = partial(user_difference, any_sequence=any_sequence) if any_sequence else user_difference
    if isinstance(expected, dict):
        keys = {key: key for key in actual}
        if expected.keys() != keys.keys() or any(type(key) is not type(keys[key]) for key in expected):
            return keys_difference(expected, actual)
        return first((".{}".format(key), compare(value, actual[key])) for key, value in expected.items())
    if isinstance(expected, (set, frozenset)):
        items = {item: item for item in actual}
        if expected != actual:
            return ": expected {}, got {}".format(short(expected), short(actual))
        return first((": the item", user_difference(item, items[item])) for item in expected)
    if isinstance(expected, (list, tuple)):
        return items_difference(compare, expected, actual)
    if type(expected) in (float, decimal.Decimal):  # the sign of a zero and the digits count
        return scalar_difference(type(expected).__name__.lower(), expected, actual)
    left, right = _attributes(expected), _attributes(actual)
    if left is not None and right is not None:
        if left.keys() != right.keys():
            return keys_difference(left, right)
        cls: Any = type(expected)
        return first(
            (".{}".format(name), user_difference(value, right[name], any_sequence=_is_any_sequence(cls, name)))
            for name, value in left.items()
            if type(value) not in _PLAIN or type(right[name]) is not type(value) or right[name] != value
        )
    offsets = [getattr(one, "utcoffset", lambda: None)() for one in (expected, actual)]
    same = bool(expected == actual) and offsets[0] == offsets[1]
    return None if same else ": expected {}, got {}".format(short(expected), short(actual))


_PLAIN = frozenset({str, int, bool, type(None)})


@lru_cache(maxsize=None)
def _is_any_sequence(cls: Any, name: str) -> bool:
    """Return whether the annotation of an attribute allows any sequence: a list, a tuple or another."""
    for owner in cls.__mro__:
        try:
            annotations = getattr(owner, "__annotations__", {})
        except NameError:  # from CPython 3.14 on, of a name that exists for type checkers only
            return False
        if name in annotations:
            text, known = annotations[name], vars(sys.modules.get(owner.__module__, sys))
            text = getattr(text, "__forward_arg__", text)
            text = re.sub(r"[\w.]+", partial(_class_named, known), text) if isinstance(text, str) else str(text)
            return _SEQUENCE.search(text) is not None
    return False


def has_any_sequence(cls: Any) -> bool:
    """Return whether a TypedDict has such an annotation, which the dicts that it stands for do not tell."""
    names = getattr(cls, "__annotations__", ()) if dict in getattr(cls, "__mro__", ()) else ()
    return any(_is_any_sequence(cls, name) for name in names)


_SEQUENCE = re.compile(r"\b(?:typing|collections\.abc)\.(?:Sequence|Iterable|Collection)\b")


def _class_named(known: Dict[str, Any], path: Any) -> str:
    """Return the text of what a name in an annotation is; one that its module does not know is of `typing`."""
    head, *rest = path[0].split(".")
    found = known.get(head)
    for part in rest:
        found = getattr(found, part, None)
    return "typing.{}".format((rest or [head])[-1]) if found is None else str(found)


@lru_cache(maxsize=None)
def _declared(cls: Any) -> Optional[List[str]]:
    """Return the names of the attributes that a class declares; None for one whose objects compare themselves."""
    if hasattr(cls, "__struct_fields__"):
        return list(cls.__struct_fields__)
    if hasattr(cls, "__attrs_attrs__"):
        return [attr.name for attr in cls.__attrs_attrs__]
    if hasattr(cls, "__dataclass_fields__"):
        return [field.name for field in sys.modules["dataclasses"].fields(cls)]
    if hasattr(cls, "__pydantic_extra__") or callable(getattr(cls, "parse_obj", None)):
        return []
    if getattr(cls, "__eq__", None) is object.__eq__:
        slots = [getattr(one, "__slots__", ()) for one in cls.__mro__]
        return [name for some in slots for name in ([some] if isinstance(some, str) else some)]
    return None


def _attributes(value: Any) -> Optional[Dict[str, Any]]:
    """Return what a model holds; None for a value that can only be compared as a whole."""
    cls: Any = type(value)
    names = _declared(cls)
    if names is None:
        return None
    attributes: Dict[str, Any] = getattr(value, "__dict__", {})
    if names and set(attributes) == set(names):
        return attributes
    held = {name: getattr(value, name) for name in names if hasattr(value, name)}
    for name, one in attributes.items():
        if name not in held and name != "__orig_class__" and not is_computed(cls, name):  # that is typing's
            held[name] = one
    if hasattr(cls, "__pydantic_extra__"):  # pydantic compares only the fields of models; other attributes must exist
        held.update({name: None for name in held if name not in cls.model_fields})
    held.update(getattr(value, "__pydantic_extra__", None) or {})
    return held


def holder_of(objects: Any) -> str:
    """Return the kind of the document's records: "objects", "dicts", or "builtins" if there is none."""
    if isinstance(objects, list):
        return holder_of(objects[0]) if objects else "builtins"
    return "dicts" if type(objects) is dict else "objects"
