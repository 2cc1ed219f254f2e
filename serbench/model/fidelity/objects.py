"""Compares decoded objects with neutral values, field by field and type by type."""

import enum
from typing import Any, Optional, Set

from .comparison import Comparison
from .kinds import CLASSES
from .parts import Spec, Type, keys_difference, scalar_difference, short, surplus, tag_of

ABSENT = object()


class Objects(Comparison):
    """Compares decoded objects.

    If `spec` has "sparse", a dict may lack the keys whose value is None; if it has "whole", an int may stand in place of
    the float that equals it; if it has "any_class", records may be of any class, and members of enums their values.
    """

    kinds = frozenset(CLASSES)

    def scalar(self, spec: Spec, type_: Type, expected: Any, actual: Any) -> Optional[str]:
        """Describe how two scalars or members of an enum differ, or return None."""
        kind = type_[0]
        if kind in CLASSES:
            is_whole = kind == "float" and type(actual) is int and "whole" in spec and actual == expected
            return scalar_difference(kind, expected, float(actual) if is_whole else actual)
        if "any_class" in spec:
            plain = actual.value if isinstance(actual, enum.Enum) else actual
            return scalar_difference(type(expected).__name__, expected, plain)
        if not isinstance(actual, enum.Enum) or type(actual).__name__ != type_[1]:
            return ": expected a member of {}, got {}".format(type_[1], short(actual))
        return scalar_difference(type(expected).__name__, expected, actual.value)

    def unlike(self, kind: str, expected: Any, actual: Any) -> Optional[str]:
        """Describe a difference in class or number of items, or return None."""
        cls = {"list": list, "tuple": tuple, "set": set, "map": dict}[kind]
        if type(actual) is not cls:
            return ": expected a {}, got {} of type {}".format(cls.__name__, short(actual), type(actual).__name__)
        if len(expected) != len(actual):
            return ": expected {} items, got {}".format(len(expected), len(actual))
        return None

    def record(self, spec: Spec, name: str, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Describe the first difference of an object, or of a dict, or return None."""
        record = spec["records"][name]
        if type(actual) is dict:
            holder = "dicts"
            if "sparse" in spec:
                actual = {**{key: None for key, value in expected.items() if value is None}, **actual}
            if actual.keys() != expected.keys():
                return keys_difference(expected, actual)
            values = actual
        else:
            holder = "objects"
            if type(actual).__name__ != name and "any_class" not in spec:
                return ": expected a {}, got {} of type {}".format(name, short(actual), type(actual).__name__)
            more = surplus(record, [actual])
            if more:
                return ": the {} also has {}".format(name, short(more))
            values = {f[1]: getattr(actual, f[0], ABSENT) for f in record["fields"]}
        seen.add(holder)
        if len(seen) > 1:
            return ": some records are objects and others dicts"
        for attribute, wire, type_ in record["fields"]:
            text: Optional[str] = ": absent from the {}".format(name)
            if values[wire] is not ABSENT:
                text = self.one(spec, type_, expected[wire], values[wire], seen)
            if text is not None:
                return ".{}{}".format(attribute, text)
        tag = [(record["tag"][0], ["any"], expected[record["tag"][0]], tag_of(record, actual))] if record["tag"] else []
        return self.parts(spec, ".{}", tag, seen)


difference = Objects().difference
