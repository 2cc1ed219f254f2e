"""The annotation of each type, in the syntax of the oldest Python that a module has to run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from serbench.model.fidelity.kinds import KINDS
from serbench.model.records import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union
from serbench.model.scalars import Scalar
from serbench.render.source.module import Module


def class_name(kind: str, module: Module) -> str:
    """The class of a kind of scalar, imported into `module`."""
    cls = KINDS[kind].cls or Any
    source = cls.__module__.partition(".")[0]  # Python 3.13 has Path in `pathlib._local`
    if source != "builtins":
        module.use(source, cls.__name__)
    return str(cls.__name__)


def annotation(
    type_: Type,
    module: Module,
    tagged: Callable[[Union, str], str] | None = None,
    classes: Mapping[str, str] | None = None,
) -> str:
    """The annotation of a type, importing into `module` what it names.

    `tagged` writes a tagged union from its description and its members' union; by default it is the members' union.
    `classes` maps kinds of scalars, "enum" and "set" to what replaces the annotation, in which `{}` stands for it.
    """
    kind = getattr(type_, "kind", type(type_).__name__.lower())
    text = _annotation(type_, module, tagged, lambda item: annotation(item, module, tagged, classes))
    return (classes or {}).get(kind, "{}").replace("{}", text)


def _annotation(
    type_: Type, module: Module, tagged: Callable[[Union, str], str] | None, inner: Callable[[Type], str]
) -> str:
    match type_:
        case Scalar(kind):
            return class_name(kind, module)
        case Enum(name) | Ref(name):
            return name
        case Optional(item):
            return alternatives(module, inner(item), "None")
        case List(item, held) | Set(item, held):
            return generic(module, held, inner(item), *(["..."] if held == "tuple" else []))
        case Tuple(items):
            return generic(module, "tuple", *map(inner, items))
        case Map(value, key):
            return generic(module, "dict", inner(key), inner(value))
        case Union(members, tag):
            union = alternatives(module, *map(inner, members))
            return tagged(type_, union) if tagged and tag is not None else union


def generic(module: Module, container: str, *arguments: str) -> str:
    """`list[int]`, or `List[int]` on Python 3.8."""
    if module.python < (3, 9):
        container = container.title()
        module.use("typing", container)
    return f"{container}[{', '.join(arguments)}]"


def alternatives(module: Module, *members: str) -> str:
    """`int | None`, or `Optional[int]` before Python 3.10; `Union[…]` likewise."""
    if module.python >= (3, 10):
        return " | ".join(members)
    name = "Optional" if members[-1] == "None" and len(members) == 2 else "Union"
    module.use("typing", name)
    return f"{name}[{', '.join(members[:1] if name == 'Optional' else members)}]"
