"""Compares decoded objects and parsed bytes with neutral values along their type: many at once, or up to the first difference."""

import base64
import datetime as dt
import decimal
import enum
import re
import uuid
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from .kinds import CLASSES, KINDS
from .parts import Spec, Type, keys_difference, scalar_difference, short, surplus, tag_of, user_difference

_HOLDERS = {"ref": dict, "map": dict, "list": list, "tuple": tuple, "set": set}  # of neutral values


class Comparison:
    """Compares neutral values with what has become of them.

    `kinds` are the scalars that are the same if they are of one class, and equal or of the same key in `KINDS`; `null` is
    what messages call None.
    """

    kinds: FrozenSet[str]
    null = "None"

    def unlike(self, kind: str, expected: Any, actual: Any) -> Optional[str]:
        """Describe what keeps the parts of two lists, tuples, sets or maps from being compared, or return None."""
        raise NotImplementedError

    def keyed(self, _expected: Any, actual: Any) -> Any:
        """Return a map with the keys of the expected one where its own mean the same; asked if the spec has `moments`."""
        return actual

    def record(self, spec: Spec, name: str, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Describe the first difference of two values of a record, or return None."""
        raise NotImplementedError

    def scalar(self, spec: Spec, type_: Type, expected: Any, actual: Any) -> Optional[str]:
        """Describe how two scalars or members of an enum differ, or return None."""
        raise NotImplementedError

    def difference(
        self, spec: Spec, type_: Type, expected: Any, actual: Any, seen: Optional[Set[str]] = None
    ) -> Optional[str]:
        """Describe the first difference between a neutral value and what has become of it, or return None.

        `seen` collects the kinds of records found: "objects" or "dicts".
        """
        seen = set() if seen is None else seen
        seen_in_columns = set(seen)
        if self.same(spec, type_, [expected], [actual], seen_in_columns):
            seen |= seen_in_columns
            return None
        return self.one(spec, type_, expected, actual, seen)

    def one(self, spec: Spec, type_: Type, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Do the same one by one, up to the first that differs."""
        kind = type_[0]
        if kind == "any":
            return user_difference(expected, actual)
        if kind == "optional":
            if expected is not None:
                return self.one(spec, type_[1], expected, actual, seen)
            return None if actual is None else ": expected {}, got {}".format(self.null, short(actual))
        if kind == "union":
            return self._of_member(spec, type_, expected, actual, seen)
        if kind == "ref":
            return self.record(spec, type_[1], expected, actual, seen)
        if kind not in ("list", "tuple", "set", "map"):
            return self.scalar(spec, type_, expected, actual)
        unlike = self.unlike(kind, expected, actual)
        if unlike is not None:
            return unlike
        if kind == "set":
            return self._unordered(spec, type_[1], expected, actual, seen)
        if kind == "map":
            actual = self.keyed(expected, actual) if spec.get("moments") else actual
            if expected.keys() != actual.keys():
                return keys_difference(expected, actual)
            return self.parts(spec, ".{}", ((key, type_[1], expected[key], actual[key]) for key in expected), seen)
        items = type_[1] if kind == "tuple" else repeat(type_[1])
        return self.parts(spec, "[{}]", ((i, *part) for i, part in enumerate(zip(items, expected, actual))), seen)

    def parts(
        self, spec: Spec, step: str, parts: Iterable[Tuple[Any, Type, Any, Any]], seen: Set[str]
    ) -> Optional[str]:
        """Describe the first difference of the parts of two values: the key of each, its type and its two values."""
        for key, type_, expected, actual in parts:
            text = self.one(spec, type_, expected, actual, seen)
            if text is not None:
                return step.format(key) + text
        return None

    def _of_member(self, spec: Spec, type_: Type, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Describe how a value differs from the member of a union to which the neutral value belongs."""
        members, tag = type_[1], type_[2]
        if tag is not None:
            member = next(m for m in members if spec["records"][m[1]]["tag"][1] == expected[tag])
            return self.one(spec, member, expected, actual, seen)
        texts = []
        for member in members:
            if type(expected) is not _HOLDERS.get(member[0], type(expected)):
                continue
            tried = set(seen)
            try:
                texts.append(self.one(spec, member, expected, actual, tried))
            except (TypeError, AttributeError, KeyError):
                continue  # the neutral value belongs to another member
            if texts[-1] is None:
                seen |= tried  # of this member alone
                return None
        if not texts:
            return ": {} is of no member of the union".format(short(expected))
        return max(texts, key=lambda text: not str(text).startswith(":"))  # one that differs further inside

    def _unordered(self, spec: Spec, item: Type, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Name a value of a set that has no match."""
        left = list(actual)
        if (
            item[0] in ("str", "int", "uint64", "bigint")
            and len(set(map(type, left)) | set(map(type, expected))) == 1
            and expected == set(left)
        ):
            return None  # fast path: no pairwise comparison
        row = KINDS.get(item[0])
        alike: Dict[Any, List[Any]] = {}
        for other in left:
            alike.setdefault(_hashable(other), []).append(other)
        unmatched: List[Any] = []
        for value in expected:  # most are found by their hash, or that of their JSON
            forms = [value, row.ready(value)] if row and row.ready else [value]
            near = [other for form in forms for other in alike.get(form, ())]
            match = next((other for other in near if self.one(spec, item, value, other, seen) is None), unmatched)
            if match is unmatched:
                unmatched.append(value)
            else:
                alike[_hashable(match)].remove(match)
        left = [other for some in alike.values() for other in some]
        for value in unmatched:
            found = next((i for i, other in enumerate(left) if self.one(spec, item, value, other, seen) is None), None)
            if found is None:
                return ": {} is missing from {}".format(short(value), short(actual))
            left.pop(found)
        return None

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
        return all(self.one(spec, type_, *pair, seen) is None for pair in zip(expected, actual))

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


def _hashable(item: Any) -> Any:
    """Return what finds an item of a set: the value of an enum, the item itself, or None if it has no hash."""
    value = getattr(item, "value", item)
    try:
        hash(value)
    except TypeError:
        return None
    return value


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
        """Describe the first difference between a record and what was decoded, an object or a dict; None if they are equal."""
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


_OBJECTS = Objects()
difference, same = _OBJECTS.difference, _OBJECTS.same


_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>[\d.]+)Y)?(?:(?P<weeks>[\d.]+)W)?(?:(?P<days>[\d.]+)D)?(?:T(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?"
)

_URL_SAFE = str.maketrans("-_", "+/")

# days and time, as Django writes a duration: "-1 23:59:58.5"
_CLOCK = re.compile(r"(?:(?P<days>-?\d+) )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)")


class Wire(Comparison):
    """Compares parsed bytes.

    Any documented text form is accepted. A record may also be an array of its fields in order (the tag first), as
    `array_like` writes it.
    """

    kinds = frozenset(kind for kind in CLASSES if not KINDS[kind].builtin)  # which nearly every format has
    null = "null"

    def unlike(self, kind: str, expected: Any, actual: Any) -> Optional[str]:
        """Describe that there is no array or object, or a difference in the number of items; or return None."""
        if kind == "map":
            return None if isinstance(actual, dict) else ": expected an object, got {}".format(short(actual))
        if not isinstance(actual, (list, tuple, set) if kind == "set" else (list, tuple)):
            return ": expected an array, got {}".format(short(actual))
        if len(expected) != len(actual):
            return ": expected {} items, got {}".format(len(expected), len(actual))
        return None

    def keyed(self, expected: Any, actual: Any) -> Any:
        """Return a map with the keys of the expected one where its own are the same moments."""
        if expected.keys() == actual.keys():
            return actual
        keys = {_moment(key): key for key in expected}
        return {keys.get(_moment(key), key): value for key, value in actual.items()}

    def record(self, spec: Spec, name: str, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Describe the first difference between a record and a JSON object or array; None if they are equal."""
        record = spec["records"][name]
        if isinstance(actual, list):
            keys = ([record["tag"][0]] if record["tag"] else []) + [f[1] for f in record["fields"]]
            if len(keys) != len(actual):
                return ": expected {} items, got {}".format(len(keys), len(actual))
            actual = dict(zip(keys, actual))
        if not isinstance(actual, dict):
            return ": expected an object, got {}".format(short(actual))
        surplus = {key for key in record.get("computed", ()) if key not in expected}
        if expected.keys() != actual.keys() - surplus:
            return keys_difference(expected, actual)
        types = [(f[1], f[2]) for f in record["fields"]] + ([(record["tag"][0], ["any"])] if record["tag"] else [])
        return self.parts(spec, ".{}", ((key, type_, expected[key], actual[key]) for key, type_ in types), seen)

    def scalar(self, _: Spec, type_: Type, expected: Any, actual: Any) -> Optional[str]:
        """Describe that a parsed scalar does not represent the expected one, or return None."""
        cls = CLASSES.get(type_[0], type(expected))
        try:
            same = type(expected) is cls and _means(expected, actual)  # or of another member
        except (ValueError, TypeError, ArithmeticError, AttributeError):
            same = False
        if same:
            return None
        ready = KINDS[type_[0]].ready if type(actual) is str and type(expected) is cls and type_[0] in KINDS else None
        text = ready(expected) if ready else None
        return ": expected {}, got {}".format(short(text if type(text) is str else expected), short(actual))


def _means(expected: Any, parsed: Any) -> bool:
    means = _MEANS.get(type(expected))
    return bool(means(expected, parsed) if means else type(parsed) is type(expected) and parsed == expected)


def _bytes_mean(expected: bytes, parsed: Any) -> bool:
    if not isinstance(parsed, str):
        return bool(parsed == expected)
    return expected in (_decoded(base64.b64decode, parsed.translate(_URL_SAFE)), _decoded(base64.b85decode, parsed))


def _decoded(decode: Callable[[str], bytes], text: str) -> Optional[bytes]:
    try:
        return decode(text)
    except ValueError:
        return None


def _date_means(expected: dt.date, parsed: Any) -> bool:
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        midnight = dt.datetime(expected.year, expected.month, expected.day, tzinfo=dt.timezone.utc)
        return parsed == midnight.timestamp()  # as cattrs writes it with msgpack
    return bool(parsed == expected) or dt.date.fromisoformat(parsed) == expected


def _datetime_means(expected: dt.datetime, parsed: Any) -> bool:
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        instants = [expected.timestamp(), expected.replace(tzinfo=expected.tzinfo or dt.timezone.utc).timestamp()]
        return any(abs(parsed - instant) < 5e-7 for instant in instants)
    if isinstance(parsed, str):
        parsed = dt.datetime.fromisoformat(re.sub("[zZ]$", "+00:00", parsed))
    return type(parsed) is dt.datetime and parsed == expected


def _moment(key: Any) -> Any:
    """Return the datetime that a key is or spells, or the key itself."""
    try:
        moment = key if isinstance(key, dt.datetime) else dt.datetime.fromisoformat(re.sub("[zZ]$", "+00:00", key))
    except (ValueError, TypeError, AttributeError):
        return key
    return moment if isinstance(key, dt.datetime) or len(key) > 10 else key  # a date is a text of its own


def _timedelta_means(expected: dt.timedelta, parsed: Any) -> bool:
    if isinstance(parsed, str):
        match = _DURATION.fullmatch(parsed)
        clock = _CLOCK.fullmatch(parsed)
        if clock:
            return dt.timedelta(**{key: float(value or 0) for key, value in clock.groupdict().items()}) == expected
        if not match:
            return False
        parts = {key: float(value or 0) for key, value in match.groupdict().items() if key != "sign"}
        parts["days"] += 365 * parts.pop("years")  # as pydantic writes and reads a year
        return dt.timedelta(**parts) * (-1 if match["sign"] else 1) == expected
    if isinstance(parsed, dt.timedelta):
        return parsed == expected
    if isinstance(parsed, bool):
        return False
    return dt.timedelta(microseconds=parsed) == expected or dt.timedelta(seconds=parsed) == expected


_MEANS: Dict[Any, Callable[[Any, Any], bool]] = {
    float: lambda expected, parsed: type(parsed) in (int, float) and float(parsed).hex() == expected.hex(),
    bytes: _bytes_mean,
    dt.datetime: _datetime_means,
    dt.date: _date_means,
    dt.time: lambda expected, parsed: parsed == expected or dt.time.fromisoformat(parsed) == expected,
    dt.timedelta: _timedelta_means,
    decimal.Decimal: lambda expected, parsed: decimal.Decimal(str(parsed)) == expected,
    uuid.UUID: lambda expected, parsed: parsed == expected or uuid.UUID(parsed) == expected,
}
"""Class → whether a parsed value represents one of it, in any documented form; all others only as they are."""

_WIRE = Wire()
wire_difference, wire_same = _WIRE.difference, _WIRE.same
