"""Kinds of scalar that are text where no codec carries them: their conversions as expressions, functions and hooks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from serbench.model.scalars import Scalar
from serbench.render.source.annotations import annotation
from serbench.render.source.models import Models
from serbench.render.source.module import Module, Unsupported

# kind → import, to builtins, from builtins; "{}" is the value
_TEXT = {
    "datetime": (("datetime", "datetime"), "{}.isoformat()", "datetime.fromisoformat({})"),
    "naive_datetime": (("datetime", "datetime"), "{}.isoformat()", "datetime.fromisoformat({})"),
    "date": (("datetime", "date"), "{}.isoformat()", "date.fromisoformat({})"),
    "time": (("datetime", "time"), "{}.isoformat()", "time.fromisoformat({})"),
    "timedelta": (("datetime", "timedelta"), "{}.total_seconds()", "timedelta(seconds={})"),
    "decimal": (("decimal", "Decimal"), "str({})", "Decimal({})"),
    "uuid": (("uuid", "UUID"), "str({})", "UUID({})"),
    "bytes": (("base64",), "base64.b64encode({}).decode()", "base64.b64decode({})"),
    "path": (("pathlib", "Path"), "str({})", "Path({})"),
    "fraction": (("fractions", "Fraction"), "str({})", "Fraction({})"),
    "complex": ((), "str({})", "complex({})"),
    "bytearray": (("base64",), "base64.b64encode({}).decode()", "bytearray(base64.b64decode({}))"),
}
TEXT_KINDS = frozenset({*_TEXT, "foreign"})


def loaded(module: Module, kind: str, value: str) -> str:
    """The expression that makes a value of a kind from its text (a timedelta from its seconds)."""
    source, _, load = _text(kind)
    if source:
        module.use(*source)
    return load.format(value)


def _text(kind: str) -> tuple[tuple[str, ...], str, str]:
    if kind == "foreign":
        raise Unsupported("a field has a type that only its class's own library can write")
    return _TEXT[kind]


def dumped(module: Module, kind: str, value: str) -> str:
    """The expression that makes text of a value of a kind (a timedelta's seconds)."""
    source, dump, _ = _text(kind)
    if source == ("base64",):
        module.use(*source)
    return dump.format(value)


def from_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes it from its text (a timedelta from its seconds)."""
    load = loaded(module, kind, "{}")
    function_ = load.removesuffix("({})") if load.endswith("({})") else f"lambda value: {load.format('value')}"
    return annotation(Scalar(kind), module), function_


def to_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes its text (a timedelta's seconds)."""
    source, dump, _ = _text(kind)
    class_ = annotation(Scalar(kind), module)
    if dump == "str({})":
        return class_, "str"
    if dump.startswith("{}."):
        return class_, f"{class_}{dump[2:-2]}"
    module.use(*source)
    return class_, f"lambda value: {dump.format('value')}"


@dataclass(frozen=True)
class Hook:
    """The conversion of a class that a library or codec does not know, as source.

    Attributes:
        kind: the kind of scalar, the first one of its class.
        class_: the class.
        dump: the function to text (a timedelta's seconds).
        load: the function back.
        kept: whether both leave each value as it is, because the codec carries it.
    """

    kind: str
    class_: str
    dump: str
    load: str
    kept: bool = False

    @property
    def dumped(self) -> str:
        """`dump` applied to `value`."""
        return _applied(self.dump)

    @property
    def loaded(self) -> str:
        """`load` applied to `value`."""
        return _applied(self.load)


def _applied(function: str) -> str:
    return function.removeprefix("lambda value: ") if function.startswith("lambda") else f"{function}(value)"


_MOMENTS = frozenset({"datetime", "naive_datetime"})  # the kinds of one class


def hooks(m: Models, kinds: Iterable[str], native: frozenset[str] = frozenset()) -> list[Hook]:
    """A hook for each class of these kinds, in their alphabetic order; other kinds than those of text have none.

    `native` are kinds to leave as they are. If dates are, datetimes have a hook, too: a datetime is a date.
    """
    by_class: dict[str, Hook] = {}
    asked = TEXT_KINDS.intersection(kinds)
    if "date" in asked & native:
        asked |= m.schema.features & _MOMENTS
    for kind in sorted(asked):
        of_class = m.schema.features & _MOMENTS if kind in _MOMENTS else {kind}
        class_, load = from_text(m, kind)
        _, dump = to_text(m, kind)
        if kept := of_class <= native:
            dump = load = "lambda value: value"
        elif of_class & native:  # some are told from others by their offset, or by coming back as text
            ways = ("value", dumped(m, kind, "value"))
            aware, naive = ways if "datetime" in native else ways[::-1]
            dump = f"lambda value: {aware} if value.tzinfo else {naive}"
            load = f"lambda value: value if isinstance(value, {class_}) else {loaded(m, kind, 'value')}"
        by_class.setdefault(class_, Hook(kind, class_, dump, load, kept))
    return list(by_class.values())


def add_default_hook(module: Module, kinds: frozenset[str]) -> str:
    """Add the function that makes builtins of single values, for a codec to call; return its name."""
    classes: dict[str, list[str]] = {}
    for kind in sorted(kinds & set(_TEXT)):
        source, dump, _ = _TEXT[kind]
        if source:
            module.use(*source)
        classes.setdefault(dump.format("value"), []).append(annotation(Scalar(kind), module))
    if "enum" in kinds:
        module.use("enum", "Enum")
        classes["value.value"] = ["Enum"]
    if "set" in kinds:
        classes["list(value)"] = ["set"]
    module.use("typing", "Any")
    tests = [
        line
        for expression, names in classes.items()
        for line in (f"if isinstance(value, {any_of(module, names)}):", f"    return {expression}")
    ]
    failure = 'raise TypeError(f"{type(value).__name__} is not serializable")'
    module.define("def to_builtin(value: Any) -> Any:", [*tests, failure])
    return "to_builtin"


def any_of(module: Module, names: list[str]) -> str:
    """These classes as the second argument of `isinstance`."""
    distinct = list(dict.fromkeys(names))
    if module.python >= (3, 10) or len(distinct) == 1:
        return " | ".join(distinct)
    return f"({', '.join(distinct)})"
