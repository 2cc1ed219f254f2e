"""Whether what came back is what went in: objects against neutral values, and bytes' meaning too.

The worker runs this file by its path inside any environment, so it is standard library only,
imports nothing of serbench and runs on Python 3.8 and PyPy. `spec` is `Schema.as_data()`, `type_` a
type in the same form. Every comparison answers with None, or with a text "path: what differs".
"""

import base64
import datetime as dt
import decimal
import enum
import math
import re
import uuid
from typing import Any, Callable, Dict, List, Optional, Set

Spec = Dict[str, Any]
Type = List[Any]

_CLASSES = {
    "str": str,
    "int": int,
    "bigint": int,
    "float": float,
    "bool": bool,
    "bytes": bytes,
    "datetime": dt.datetime,
    "naive_datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "decimal": decimal.Decimal,
    "uuid": uuid.UUID,
}
_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<weeks>[\d.]+)W)?(?:(?P<days>[\d.]+)D)?(?:T(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?"
)

# days and time, as Django writes a duration: "-1 23:59:58.5"
_CLOCK = re.compile(r"(?:(?P<days>-?\d+) )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)")


def builder(spec: Spec, type_: Type, module: Any) -> Optional[Callable[[Any], Any]]:
    """A function that makes objects of `module`'s classes from neutral values of `type_`.

    None where the neutral value is the object already. Records are made by calling their class with
    keyword arguments, or with one mapping; a TypedDict is its neutral value with its items made.
    """
    known: Dict[str, Callable[[Any], Any]] = {}
    return _builder(spec, type_, module, known)


def _builder(
    spec: Spec, type_: Type, module: Any, known: Dict[str, Callable[[Any], Any]]
) -> Optional[Callable[[Any], Any]]:
    kind = type_[0]
    if kind == "enum":
        return getattr(module, type_[1])  # type: ignore[no-any-return]  # a class of a module that mypy cannot see
    if kind == "ref":
        return _record_builder(spec, type_[1], module, known)
    if kind == "union" and type_[2] is not None:
        tag = type_[2]
        makers = {spec["records"][m[1]]["tag"][1]: _record_builder(spec, m[1], module, known) for m in type_[1]}
        return lambda value: makers[value[tag]](value)
    if kind == "union":
        return _member_builder(spec, type_[1], module, known)
    if kind == "tuple":
        parts = [_builder(spec, item, module, known) for item in type_[1]]
        if not any(parts):
            return None
        return lambda value: tuple(make(v) if make else v for make, v in zip(parts, value))
    if kind not in ("optional", "list", "set", "map"):
        return None
    make = _builder(spec, type_[1], module, known)
    if make is None:
        return None
    inner: Callable[[Any], Any] = make
    if kind == "optional":
        return lambda value: None if value is None else inner(value)
    if kind == "map":
        return lambda value: {key: inner(item) for key, item in value.items()}
    if kind == "set":
        return lambda value: {inner(item) for item in value}
    return lambda value: [inner(item) for item in value]


def _member_builder(
    spec: Spec, members: List[Type], module: Any, known: Dict[str, Callable[[Any], Any]]
) -> Optional[Callable[[Any], Any]]:
    """For an untagged union, where the class of the neutral value says which member it is of."""
    made = {_neutral_class(member): _builder(spec, member, module, known) for member in members}
    makers = {cls: make for cls, make in made.items() if make}
    if not makers:
        return None

    def build(value: Any) -> Any:
        make = makers.get(type(value))
        return make(value) if make else value

    return build


def _neutral_class(type_: Type) -> Any:
    """The class of the neutral values of a type."""
    kind = type_[0]
    if kind == "enum":
        return str
    return _CLASSES.get(kind) or {"list": list, "tuple": tuple, "set": set}.get(kind, dict)


def _record_builder(spec: Spec, name: str, module: Any, known: Dict[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    if name in known:
        return lambda value: known[name](value)  # noqa: PLW0108  # recursive: looked up when it is called
    known[name] = dict  # until it is known
    cls = getattr(module, name)
    record = spec["records"][name]
    fields = [(f[0], f[1], _builder(spec, f[2], module, known)) for f in record["fields"]]
    if hasattr(cls, "__total__"):  # a TypedDict
        made = [(wire, make) for _, wire, make in fields if make]
        known[name] = lambda value: {**value, **{wire: make(value[wire]) for wire, make in made}}
    elif hasattr(cls, "import_data"):  # a Model of schematics, which takes one mapping
        known[name] = lambda value: cls({n: make(value[w]) if make else value[w] for n, w, make in fields})
    else:
        known[name] = lambda value: cls(**{n: make(value[w]) if make else value[w] for n, w, make in fields})
    return known[name]


def holders(spec: Spec, module: Any) -> Set[str]:
    """What the records of a module are: "objects" or "dicts"; nothing where the schema has none."""
    classes = [getattr(module, name, None) for name in spec["records"]]
    return {"dicts" if hasattr(cls, "__total__") else "objects" for cls in classes}


def difference(spec: Spec, type_: Type, expected: Any, actual: Any, seen: Optional[Set[str]] = None) -> Optional[str]:
    """What differs between a decoded object and the neutral value, field by field and type by type.

    `seen` collects what holds the records: "objects" or "dicts".
    """
    kind = type_[0]
    if kind == "any":
        return _json_difference(expected, actual)
    if kind in _CLASSES:
        return _scalar_difference(kind, expected, actual)
    if kind == "enum":
        if not isinstance(actual, enum.Enum) or type(actual).__name__ != type_[1]:
            return ": expected a member of {}, got {}".format(type_[1], _short(actual))
        return _scalar_difference(type(expected).__name__, expected, actual.value)
    if kind == "optional":
        if expected is None:
            return None if actual is None else ": expected None, got {}".format(_short(actual))
        return difference(spec, type_[1], expected, actual, seen)
    if kind == "union":
        return _union_difference(difference, spec, type_, expected, actual, seen)
    if kind == "ref":
        return _record_difference(spec, type_[1], expected, actual, seen)
    return _container_difference(spec, type_, expected, actual, seen)


def _scalar_difference(kind: str, expected: Any, actual: Any) -> Optional[str]:
    cls: Any = _CLASSES[kind]
    if type(actual) is not cls:
        return ": expected {} of type {}, got {} of type {}".format(
            _short(expected), cls.__name__, _short(actual), type(actual).__name__
        )
    if kind == "float":
        same = expected == actual and math.copysign(1, expected) == math.copysign(1, actual)
        same = same or (math.isnan(expected) and math.isnan(actual))
    elif kind == "decimal":
        same = expected.as_tuple() == actual.as_tuple()
    elif kind in ("datetime", "naive_datetime", "time"):
        same = expected == actual and expected.utcoffset() == actual.utcoffset()
    else:
        same = expected == actual
    return None if same else ": expected {}, got {}".format(_short(expected), _short(actual))


def _json_difference(expected: Any, actual: Any) -> Optional[str]:
    if type(expected) is not type(actual):
        return ": expected {} of type {}, got {} of type {}".format(
            _short(expected), type(expected).__name__, _short(actual), type(actual).__name__
        )
    if type(expected) is dict:
        if expected.keys() != actual.keys():
            return _keys_difference(expected, actual)
        return _first((".{}".format(key), _json_difference(value, actual[key])) for key, value in expected.items())
    if type(expected) is list:
        if len(expected) != len(actual):
            return ": expected {} items, got {}".format(len(expected), len(actual))
        pairs = enumerate(zip(expected, actual))
        return _first(("[{}]".format(index), _json_difference(*pair)) for index, pair in pairs)
    if type(expected) is float:
        return _scalar_difference("float", expected, actual)
    return None if expected == actual else ": expected {}, got {}".format(_short(expected), _short(actual))


def _keys_difference(expected: Any, actual: Any) -> str:
    """What differs between the keys of two objects that have not the same."""
    absent, surplus = [k for k in expected if k not in actual], [k for k in actual if k not in expected]
    if surplus or not absent:
        return ": expected the keys {}, got {}".format(_short(list(expected)), _short(list(actual)))
    null = all(expected[key] is None for key in absent)
    what = ", which is null: every" if null else "; if that is a default: every"
    return ": leaves out {}{} library here writes it, so that all do the same work".format(_short(absent), what)


def _record_difference(spec: Spec, name: str, expected: Any, actual: Any, seen: Optional[Set[str]]) -> Optional[str]:
    record = spec["records"][name]
    if type(actual) is dict:
        holder = "dicts"
        key = 1  # the wire's name
        if actual.keys() != expected.keys():
            key = 0  # the field's own, as in the dicts of a serializer whose fields have a source
            if actual.keys() != {f[0] for f in record["fields"]}:
                return _keys_difference(expected, actual)
        parts = [(f, actual[f[key]]) for f in record["fields"]]
    else:
        holder = "objects"
        if type(actual).__name__ != name:
            return ": expected a {}, got {} of type {}".format(name, _short(actual), type(actual).__name__)
        absent = [f[0] for f in record["fields"] if not hasattr(actual, f[0])]
        if absent:
            return ".{}: absent from the {}".format(absent[0], name)
        parts = [(f, getattr(actual, f[0])) for f in record["fields"]]
    if seen is not None:
        seen.add(holder)
        if len(seen) > 1:
            return ": some records are objects and others dicts"
    return _first((".{}".format(f[0]), difference(spec, f[2], expected[f[1]], value, seen)) for f, value in parts)


LOSSES: Dict[str, Callable[[Any], Any]] = {
    "utc": lambda value: value.astimezone(dt.timezone.utc),
    "utc milliseconds": lambda value: LOSSES["milliseconds"](value.astimezone(dt.timezone.utc)),
    "milliseconds": lambda value: value.replace(microsecond=value.microsecond // 1000 * 1000),
    "newlines": lambda value: value.replace("\r\n", "\n").replace("\r", "\n"),
    "null text": lambda _: "null",
    "none for empty": lambda value: value or None,
}
"""What becomes of a value that a format does not keep: the name of a loss → the value that comes back."""


def reduced(spec: Spec, type_: Type, value: Any, losses: Dict[str, str], lost: Dict[str, str], field: str = "") -> Any:
    """The neutral value as a format with these losses (kind → name in `LOSSES`) gives it back.

    `lost` learns which fields changed, and of what kind they are. "null" is the kind of None, "empty" that
    of optional text or bytes.
    """
    kind = type_[0]
    if kind == "optional" and value is None:
        return _lost("null", value, losses, lost, field)
    if kind == "optional" and type_[1][0] in ("str", "bytes") and "empty" in losses:
        return _lost("empty", value, losses, lost, field)
    if kind in _CLASSES:
        return _lost(kind, value, losses, lost, field)
    if kind == "optional":
        return reduced(spec, type_[1], value, losses, lost, field)
    if kind in ("list", "set"):
        items = [reduced(spec, type_[1], item, losses, lost, field) for item in value]
        return set(items) if kind == "set" else items
    if kind == "tuple":
        return tuple(reduced(spec, item, part, losses, lost, field) for item, part in zip(type_[1], value))
    if kind == "map":
        return {key: reduced(spec, type_[1], item, losses, lost, field) for key, item in value.items()}
    if kind == "union" and type_[2] is not None:
        member = next(m for m in type_[1] if spec["records"][m[1]]["tag"][1] == value[type_[2]])
        return reduced(spec, member, value, losses, lost, field)
    if kind == "ref":
        fields = spec["records"][type_[1]]["fields"]
        changed = {wire: reduced(spec, inner, value[wire], losses, lost, wire) for _, wire, inner in fields}
        return {**value, **changed}
    return value


def _lost(kind: str, value: Any, losses: Dict[str, str], lost: Dict[str, str], field: str) -> Any:
    if kind not in losses:
        return value
    left = LOSSES[losses[kind]](value)
    if _scalar_difference(kind, value, left) if kind in _CLASSES else left != value:
        lost[field or "the document"] = kind
    return left


def _container_difference(
    spec: Spec, type_: Type, expected: Any, actual: Any, seen: Optional[Set[str]]
) -> Optional[str]:
    kind = type_[0]
    cls = {"list": list, "tuple": tuple, "set": set, "map": dict}[kind]
    if type(actual) is not cls:
        return ": expected a {}, got {} of type {}".format(cls.__name__, _short(actual), type(actual).__name__)
    if len(expected) != len(actual):
        return ": expected {} items, got {}".format(len(expected), len(actual))
    if kind == "map":
        if expected.keys() != actual.keys():
            return _keys_difference(expected, actual)
        return _first(
            (".{}".format(key), difference(spec, type_[1], value, actual[key], seen)) for key, value in expected.items()
        )
    if kind == "set":
        return _unordered_difference(difference, spec, type_[1], expected, actual)
    items = type_[1] if kind == "tuple" else [type_[1]] * len(expected)
    rows = enumerate(zip(items, expected, actual))
    return _first(("[{}]".format(index), difference(spec, item, e, a, seen)) for index, (item, e, a) in rows)


def wire_difference(spec: Spec, type_: Type, expected: Any, parsed: Any) -> Optional[str]:
    """What differs between the neutral value and parsed bytes, any documented text form being accepted.

    A record may also be an array of its fields in order (the tag first), as `array_like` writes it.
    """
    kind = type_[0]
    if kind == "any":
        return _json_difference(expected, parsed)
    if kind == "optional":
        if expected is None:
            return None if parsed is None else ": expected null, got {}".format(_short(parsed))
        return wire_difference(spec, type_[1], expected, parsed)
    if kind == "union":
        return _union_difference(wire_difference, spec, type_, expected, parsed, None)
    if kind in ("list", "tuple", "set"):
        if not isinstance(parsed, (list, tuple, set) if kind == "set" else (list, tuple)):
            return ": expected an array, got {}".format(_short(parsed))
        if len(expected) != len(parsed):
            return ": expected {} items, got {}".format(len(expected), len(parsed))
        if kind == "set":
            return _unordered_difference(wire_difference, spec, type_[1], expected, parsed)
        items = type_[1] if kind == "tuple" else [type_[1]] * len(expected)
        rows = enumerate(zip(items, expected, parsed))
        return _first(("[{}]".format(index), wire_difference(spec, item, e, p)) for index, (item, e, p) in rows)
    if kind in ("map", "ref"):
        return _object_difference(spec, type_, expected, parsed)
    if kind == "enum":
        kind = type(expected).__name__
    try:
        same = _means(kind, expected, parsed)
    except (ValueError, TypeError, ArithmeticError, AttributeError):
        same = False
    return None if same else ": expected {}, got {}".format(_short(expected), _short(parsed))


def _object_difference(spec: Spec, type_: Type, expected: Any, parsed: Any) -> Optional[str]:
    record = spec["records"][type_[1]] if type_[0] == "ref" else None
    if record and isinstance(parsed, list):
        keys = ([record["tag"][0]] if record["tag"] else []) + [f[1] for f in record["fields"]]
        if len(keys) != len(parsed):
            return ": expected {} items, got {}".format(len(keys), len(parsed))
        parsed = dict(zip(keys, parsed))
    if not isinstance(parsed, dict):
        return ": expected an object, got {}".format(_short(parsed))
    computed = record.get("computed", ()) if record else ()
    if expected.keys() != parsed.keys() - {key for key in computed if key not in expected}:
        return _keys_difference(expected, parsed)
    if record is None:
        parts = [(key, type_[1]) for key in expected]
    else:
        parts = [(f[1], f[2]) for f in record["fields"]]
        if record["tag"]:
            parts.append((record["tag"][0], ["any"]))
    return _first((".{}".format(key), wire_difference(spec, t, expected[key], parsed[key])) for key, t in parts)


def _means(kind: str, expected: Any, parsed: Any) -> bool:
    """Whether a parsed scalar stands for the expected one."""
    if kind in ("str", "int", "bigint", "bool"):
        return type(parsed) is type(expected) and bool(parsed == expected)
    if kind == "float":
        return type(parsed) in (int, float) and float(parsed).hex() == expected.hex()
    if kind == "bytes":
        return bool(parsed == expected) or (
            isinstance(parsed, str)
            and expected
            in (
                _decoded(base64.b64decode, parsed),
                _decoded(base64.urlsafe_b64decode, parsed),
                _decoded(base64.b85decode, parsed),
            )
        )
    if kind in ("datetime", "naive_datetime"):
        return _datetime_means(expected, parsed)
    if kind == "date" and isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        midnight = dt.datetime(expected.year, expected.month, expected.day, tzinfo=dt.timezone.utc)
        return bool(parsed == midnight.timestamp())  # as cattrs writes it with msgpack
    if kind in ("date", "time"):
        return bool(parsed == expected) or bool(_CLASSES[kind].fromisoformat(parsed) == expected)  # type: ignore[attr-defined]  # both have it
    if kind == "timedelta":
        return _timedelta_means(expected, parsed)
    if kind == "decimal":
        return bool(decimal.Decimal(str(parsed)) == expected)
    return bool(parsed == expected) or uuid.UUID(parsed) == expected


def _decoded(decode: Callable[[str], bytes], text: str) -> Optional[bytes]:
    try:
        return decode(text)
    except ValueError:
        return None


def _datetime_means(expected: dt.datetime, parsed: Any) -> bool:
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        instants = [expected.timestamp(), expected.replace(tzinfo=expected.tzinfo or dt.timezone.utc).timestamp()]
        return any(abs(parsed - instant) < 5e-7 for instant in instants)
    if isinstance(parsed, str):
        parsed = dt.datetime.fromisoformat(re.sub("[zZ]$", "+00:00", parsed))
    return type(parsed) is dt.datetime and parsed == expected


def _timedelta_means(expected: dt.timedelta, parsed: Any) -> bool:
    if isinstance(parsed, str):
        found = _DURATION.fullmatch(parsed)
        clock = _CLOCK.fullmatch(parsed)
        if clock:
            return dt.timedelta(**{key: float(value or 0) for key, value in clock.groupdict().items()}) == expected
        if not found:
            return False
        parts = {key: float(value or 0) for key, value in found.groupdict().items() if key != "sign"}
        return dt.timedelta(**parts) * (-1 if found["sign"] else 1) == expected
    if isinstance(parsed, dt.timedelta):
        return parsed == expected
    return dt.timedelta(seconds=parsed) == expected or dt.timedelta(microseconds=parsed) == expected


def _union_difference(
    compare: Any, spec: Spec, type_: Type, expected: Any, actual: Any, seen: Optional[Set[str]]
) -> Optional[str]:
    members, tag = type_[1], type_[2]
    extra = () if compare is wire_difference else (seen,)
    if tag is not None:
        member = next(m for m in members if spec["records"][m[1]]["tag"][1] == expected[tag])
        found: Optional[str] = compare(spec, member, expected, actual, *extra)
        return found
    texts = []
    for member in members:
        try:
            texts.append(compare(spec, member, expected, actual, *extra))
        except (TypeError, AttributeError, KeyError):
            continue  # the neutral value is of another member
        if texts[-1] is None:
            return None
    return texts[0] if texts else ": {} is of no member of the union".format(_short(expected))


def _unordered_difference(compare: Any, spec: Spec, item: Type, expected: Any, actual: Any) -> Optional[str]:
    left = list(actual)
    if (
        item[0] in ("str", "int")
        and expected == set(left)
        and len({type(v) for v in left} | {type(v) for v in expected}) == 1
    ):
        return None  # without comparing each with each
    for value in expected:
        match = next((i for i, other in enumerate(left) if compare(spec, item, value, other) is None), None)
        if match is None:
            return ": {} is missing from {}".format(_short(value), _short(actual))
        left.pop(match)
    return None


def _first(parts: Any) -> Optional[str]:
    """The first difference, with its step of the path in front."""
    for step, text in parts:
        if text is not None:
            return "{}{}".format(step, text)
    return None


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else "{}… ({} characters)".format(text[:60], len(text))
