"""Compares many values of one type at once, column by column, which takes a fraction of the time of one by one."""

from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any, Dict, FrozenSet, Iterable, List, Set, Tuple

from .kinds import KINDS
from .parts import Compare, Spec, Type, surplus, tag_of


class Columns:
    """Finds out whether values are surely the same.

    Args:
        kinds: the scalars that are the same if they are of one class, and equal or of the same key in `KINDS`.
        compare: describes the difference of two values of any other type.
    """

    def __init__(self, kinds: FrozenSet[str], compare: Compare) -> None:
        self.kinds, self.compare = kinds, compare

    def same(self, spec: Spec, type_: Type, expected: List[Any], actual: List[Any], seen: Set[str]) -> bool:
        """Return whether each value is surely the same as the neutral one; `seen` gets the kinds of records found."""
        kind = type_[0]
        if kind in self.kinds:
            return _same_scalars(kind, expected, actual)
        if kind == "optional":
            if [value is None for value in expected] != [value is None for value in actual]:
                return False
            left, right = ([value for value in values if value is not None] for values in (expected, actual))
            return self.same(spec, type_[1], left, right, seen)
        if kind == "list":
            if set(map(type, actual)) - {list} or list(map(len, expected)) != list(map(len, actual)):
                return False
            return self.same(spec, type_[1], _items(expected), _items(actual), seen)
        if kind == "map" and len(type_) == 2:  # its keys are texts
            if set(map(type, actual)) - {dict} or list(map(dict.keys, expected)) != list(map(dict.keys, actual)):
                return False
            values = [after[key] for before, after in zip(expected, actual) for key in before]
            return self.same(spec, type_[1], _items(map(dict.values, expected)), values, seen)
        if kind == "union" and type_[2] is not None:
            members = {spec["records"][member[1]]["tag"][1]: member for member in type_[1]}
            of_tag: Dict[Any, Tuple[List[Any], List[Any]]] = {tag: ([], []) for tag in members}
            for before, after in zip(expected, actual):
                of_tag[before[type_[2]]][0].append(before)
                of_tag[before[type_[2]]][1].append(after)
            return all(self.same(spec, members[tag], *of_tag[tag], seen) for tag in members)
        if kind == "ref" and expected:
            return self._same_records(spec, type_[1], expected, actual, seen)
        return all(self.compare(spec, type_, *pair, seen) is None for pair in zip(expected, actual))

    def _same_records(self, spec: Spec, name: str, expected: List[Any], actual: List[Any], seen: Set[str]) -> bool:
        record = spec["records"][name]
        classes = set(map(type, actual))
        dicts = classes == {dict}
        if not dicts and ([cls.__name__ for cls in classes] != [name] or surplus(record, actual)):
            return False
        if dicts and list(map(dict.keys, expected)) != list(map(dict.keys, actual)):
            return False
        seen.add("dicts" if dicts else "objects")
        if len(seen) > 1:
            return False
        take: Any = itemgetter if dicts else attrgetter
        try:
            columns = [
                (f[2], list(map(itemgetter(f[1]), expected)), list(map(take(f[1] if dicts else f[0]), actual)))
                for f in record["fields"]
            ]
            if record["tag"]:
                tags = list(map(itemgetter(record["tag"][0]), expected))
                columns.append((["any"], tags, [tag_of(record, one) for one in actual]))
        except (AttributeError, KeyError):
            return False
        return all(self.same(spec, *column, seen) for column in columns)


def _same_scalars(kind: str, expected: List[Any], actual: List[Any]) -> bool:
    if list(map(type, expected)) != list(map(type, actual)):
        return False
    key = KINDS[kind].key
    if key is None or (kind == "float" and 0.0 not in expected):  # a zero may have a sign
        return expected == actual
    return list(map(key, expected)) == list(map(key, actual))


def _items(lists: Iterable[Iterable[Any]]) -> List[Any]:
    return list(chain.from_iterable(lists))
