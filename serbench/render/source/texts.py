"""Kinds of scalar that are text where no codec carries them: their conversions as expressions, functions and hooks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from serbench.model.fidelity.kinds import KINDS, Kind
from serbench.model.scalars import MOMENTS, TEXT_KINDS
from serbench.render.source.annotations import class_name
from serbench.render.source.models import Models
from serbench.render.source.module import Module, Unsupported


def loaded(module: Module, kind: str, value: str) -> str:
    """The expression that makes a value of a kind from its text (a timedelta from its seconds)."""
    load = _row(kind).load
    if "base64." in load:
        module.use("base64")
    else:
        class_name(kind, module)
    return load.format(value)


def _row(kind: str) -> Kind:
    if not KINDS[kind].dump:
        raise Unsupported("a field has a type that only its class's own library can write")
    return KINDS[kind]


def dumped(module: Module, kind: str, value: str) -> str:
    """The expression that makes text of a value of a kind (a timedelta's seconds)."""
    dump = _row(kind).dump
    if "base64." in dump:
        module.use("base64")
    return dump.format(value)


def from_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes it from its text (a timedelta from its seconds)."""
    load = loaded(module, kind, "{}")
    function_ = load.removesuffix("({})") if load.endswith("({})") else f"lambda value: {load.format('value')}"
    return class_name(kind, module), function_


def to_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes its text (a timedelta's seconds)."""
    dump, class_ = _row(kind).dump, class_name(kind, module)
    if dump == "str({})":
        return class_, "str"
    if dump.startswith("{}."):
        return class_, f"{class_}{dump[2:-2]}"
    return class_, f"lambda value: {dumped(module, kind, 'value')}"


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


def hooks(m: Models, kinds: Iterable[str], native: frozenset[str] = frozenset()) -> list[Hook]:
    """A hook for each class of these kinds, in their alphabetic order; other kinds than those of text have none.

    `native` are kinds to leave as they are. If dates are, datetimes have a hook, too: a datetime is a date.
    """
    by_class: dict[str, Hook] = {}
    asked = TEXT_KINDS.intersection(kinds)
    if "date" in asked & native:
        asked |= m.schema.features & MOMENTS
    for kind in sorted(asked):
        of_class = m.schema.features & MOMENTS if kind in MOMENTS else {kind}
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
    for kind in sorted(kinds & TEXT_KINDS - {"foreign"}):
        classes.setdefault(dumped(module, kind, "value"), []).append(class_name(kind, module))
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
