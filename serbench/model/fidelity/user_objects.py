"""Compares any two objects, such as parsed JSON, or what a user's class made of a document and what was decoded."""

import decimal
import enum
import sys
from typing import Any, Dict, Optional

from .parts import first, is_computed, items_difference, keys_difference, scalar_difference, short


def user_difference(expected: Any, actual: Any) -> Optional[str]:
    """Describe the first difference between two objects of any class, in type, items or attributes; None if none."""
    if type(expected) is not type(actual):
        return ": expected {} of type {}, got {} of type {}".format(
            short(expected), type(expected).__name__, short(actual), type(actual).__name__
        )
    if type(expected) in _PLAIN:
        return None if expected == actual else ": expected {}, got {}".format(short(expected), short(actual))
    if isinstance(expected, enum.Enum):
        return None if expected is actual else ": expected {}, got {}".format(short(expected), short(actual))
    if isinstance(expected, dict):
        keys = {key: key for key in actual}
        if expected.keys() != keys.keys() or any(type(key) is not type(keys[key]) for key in expected):
            return keys_difference(expected, actual)
        return first((".{}".format(key), user_difference(value, actual[key])) for key, value in expected.items())
    if isinstance(expected, (set, frozenset)):
        items = {item: item for item in actual}
        if expected != actual:
            return ": expected {}, got {}".format(short(expected), short(actual))
        return first((": the item", user_difference(item, items[item])) for item in expected)
    if isinstance(expected, (list, tuple)):
        return items_difference(user_difference, expected, actual)
    if type(expected) in (float, decimal.Decimal):  # the sign of a zero and the digits count
        return scalar_difference(type(expected).__name__.lower(), expected, actual)
    left, right = _attributes(expected), _attributes(actual)
    if left is not None and right is not None:
        if left.keys() != right.keys():
            return keys_difference(left, right)
        return first((".{}".format(name), user_difference(value, right[name])) for name, value in left.items())
    offsets = [getattr(one, "utcoffset", lambda: None)() for one in (expected, actual)]
    same = bool(expected == actual) and offsets[0] == offsets[1]
    return None if same else ": expected {}, got {}".format(short(expected), short(actual))


_PLAIN = frozenset({str, int, bool, type(None)})


def _attributes(value: Any) -> Optional[Dict[str, Any]]:
    """Return what a model holds; None for a value that can only be compared as a whole."""
    cls = type(value)
    if hasattr(cls, "__struct_fields__"):
        names = list(cls.__struct_fields__)
    elif hasattr(cls, "__attrs_attrs__"):
        names = [attr.name for attr in cls.__attrs_attrs__]
    elif hasattr(cls, "__dataclass_fields__"):
        names = [field.name for field in sys.modules["dataclasses"].fields(cls)]
    elif hasattr(cls, "__pydantic_extra__") or callable(getattr(cls, "parse_obj", None)):
        names = []
    elif getattr(cls, "__eq__", None) is object.__eq__:
        slots = [getattr(one, "__slots__", ()) for one in cls.__mro__]
        names = [name for some in slots for name in ([some] if isinstance(some, str) else some)]
    else:
        return None
    held = {name: getattr(value, name) for name in names if hasattr(value, name)}
    for name, one in getattr(value, "__dict__", {}).items():
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
