"""The tests by which a conversion written by hand knows to which member of an untagged union a value belongs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

from serbench.model.records import Schema
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union
from serbench.render.source.annotations import annotation
from serbench.render.source.module import Module, Unsupported
from serbench.render.source.names import snake
from serbench.render.source.refusals import said
from serbench.render.source.texts import any_of

_FORMS = {"str": "text", "list": "arrays", "dict": "objects"}


@dataclass(frozen=True)
class MemberTests:
    """Tells members by the class of a value; an enum also by its values, before other texts or integers.

    `native` are the kinds that the codec carries in this direction. With `loading`, values are what it has read, and
    otherwise the model's, whose records are dicts with `items`.
    """

    module: Module
    schema: Schema
    native: frozenset[str]
    loading: bool
    items: bool

    def of(self, union: Union, differing: Collection[Type]) -> Iterator[tuple[Type, str]]:
        """Yield each member that takes a conversion and its test, `{}` for the value, in the order in which to try them.

        Raises:
            Unsupported: a value of such a member may be of another one, too.
        """
        classes = {one: self._class(one) for one in union.members}
        for one, other in combinations(union.members, 2):
            if classes[one] == classes[other] and {one, other} & set(differing) and not _by_value(one, other):
                what = _FORMS.get(classes[one], classes[one])
                told = f"{said(one)} and {said(other)} are both {what}: their union needs a tag"
                raise Unsupported(f"in a conversion by hand, {told}")
        for member in sorted(differing, key=lambda one: not isinstance(one, Enum)):
            others = {classes[one] for one in union.members if one != member}
            yield member, self._test(member, classes[member], others)

    def _test(self, member: Type, class_: str, others: set[str]) -> str:
        if not isinstance(member, Enum) or not self.loading:
            moments = " and not isinstance({}, datetime)" if class_ == "date" and "datetime" in others else ""
            return f"isinstance({{}}, {class_}){moments}"
        kind = "type({}) is int" if class_ == "int" else f"isinstance({{}}, {class_})"  # a bool is an int, too
        tests = [kind] if others != {class_} else []
        if others & {class_, ""}:
            tests.append(f"{{}} in {self._values(member)}")
        return " and ".join(tests)

    def _values(self, enum: Enum) -> str:
        """The name of a set of an enum's values, which is added to the module once."""
        name, values = f"{snake(enum.name)}_values".upper(), f"{{one.value for one in {enum.name}}}"
        while any(block.startswith(f"{name} = ") and block != f"{name} = {values}" for block in self.module.blocks):
            name += "_"
        if f"{name} = {values}" not in self.module.blocks:
            self.module.add(f"{name} = {values}")
        return name

    def _class(self, member: Type) -> str:
        """The class of a member's values; none for any JSON, which is what no other member takes."""
        match member:
            case Optional(item):
                return self._class(item)
            case Scalar("any" | "opaque"):
                return ""
            case Map():
                return "dict"
            case Ref(name) if self.loading or self.items:
                record = self.schema.record(name)
                return self._class(record.fields[0].type) if record.root else "dict"
            case Union(_, str()) if self.loading or self.items:
                return "dict"
            case Union(members, str()):
                return any_of(self.module, [one.record for one in members if isinstance(one, Ref)])
            case Enum(name, values) if self.loading and "enum" not in self.native:
                kinds = {type(value).__name__ for _, value in values}
                if len(kinds) == 1:
                    return kinds.pop()
                raise Unsupported(f"by hand, the values of {name} are texts and integers, which a union keeps apart")
            case Ref(name) | Enum(name):
                return name
            case List(_, held) | Set(_, held):
                native = not self.loading or (isinstance(member, Set) and "set" in self.native)
                return held if native else "list"
            case Tuple():
                return "tuple" if not self.loading or "tuple" in self.native else "list"
            case Scalar("timedelta") if self.loading and "timedelta" not in self.native:
                return "float"
            case Scalar(kind) if not self.loading or kind in {*self.native, *INTEGER_KINDS, "float", "bool"}:
                return annotation(member, self.module)
            case Scalar():
                return "str"
        raise Unsupported("serbench writes no conversion by hand for a union in a union")


def _by_value(one: Type, other: Type) -> bool:
    """Return True if the values of an enum tell two members that are one class in JSON apart."""
    values = [{value for _, value in each.members} for each in (one, other) if isinstance(each, Enum)]
    return bool(values) and not (len(values) == 2 and values[0] & values[1])
