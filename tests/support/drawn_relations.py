"""Draws how classes refer to one another: by unions, tags, names that are used twice, and names of classes below."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

HEADS = {
    "pydantic": "class {}(pydantic.BaseModel):",
    "dataclass": "@dataclass\nclass {}:",
    "attrs": "@attrs.define\nclass {}:",
    "msgspec": "class {}(msgspec.Struct):",
    "typeddict": "class {}(typing.TypedDict):",
}
OTHERS = {
    "pydantic": (
        "Point",
        "list[Point]",
        "Labels",
        "dict[Path, int]",
        "typing.List",
        "typing.Dict | None",
        "Callable[[int], int] | None",
        "Json",
        "tuple[int, int] | tuple[int, int, int]",
        "UUID | str",
        "date | datetime | str",
        "list[int] | dict[str, int]",
        "deque[int]",
        "typing.Self | None",
    ),
    "msgspec": ("Point", "list[Point]", "Labels", "typing.List", "typing.Dict | None", "list[int] | dict[str, int]"),
    "typeddict": ("Labels", "list[Labels]", "typing.List", "typing.Dict | None", "dict[str, Labels]"),
    "attrs": ("dict[Path, int]", "typing.List", "typing.Dict | None", "Snow", "list[Snow]"),
    "dataclass": (
        "dict[Path, int]",
        "typing.List",
        "Callable[[int], int] | None",
        "Snow",
        "dict[str, Snow]",
        "Handle | None",
    ),
}
HEAD = """\
import typing, typing_extensions
from collections import deque
from collections.abc import Callable
from pathlib import Path
from pydantic.alias_generators import to_camel

class Handle:
    pass

class Snow(int):
    pass

class Labels(typing_extensions.TypedDict):
    key: str
    weight: typing_extensions.NotRequired[int]

Point = typing.NamedTuple("Point", [("lon", float), ("lat", float)])
Json = typing_extensions.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")

"""


BELOW = ("size: int = 1", "again: Model | None = None")


@dataclass
class Relations:
    """Classes above and below the drawn ones, the types of fields that refer to them, and the root, if it is an alias."""

    above: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    root: str = ""


@st.composite
def relations(draw: st.DrawFn, kind: str) -> Relations:
    """What the drawn classes of a kind may refer to."""
    found = Relations(types=draw(st.lists(st.sampled_from(OTHERS[kind]), max_size=2)))
    if draw(st.booleans()):
        found.below.append(
            _class(kind, "Below", *(line.partition(" = ")[0] if kind == "typeddict" else line for line in BELOW))
        )
        found.types += ["Below | None", "list[Below]"]
    if draw(st.booleans()):
        inner = _class(kind, "Part", "length: float")
        found.above.append(_class(kind, "Holder", *inner.splitlines(), "part: Holder.Part"))
        found.types += ["Holder", "Holder.Part | None"]
    if draw(st.booleans()):
        _add_tagged(draw, kind, found)
    if kind == "pydantic" and draw(st.booleans()):
        found.above += [
            _class(kind, "First", "x: int", "note: str | None = None"),
            _class(kind, "Second", "x: int", "y: float"),
        ]
        found.types += ["First | Second", "list[First | Second]", "First | int | None"]
    return found


def _add_tagged(draw: st.DrawFn, kind: str, found: Relations) -> None:
    """Add classes that a constant tells apart, types of their unions, and perhaps such a union as the root."""
    several = ', "disc"' if kind == "pydantic" and draw(st.booleans()) else ""
    default = draw(st.sampled_from(("", " = {}"))) if kind not in ("msgspec", "typeddict") else ""
    for name, values, number in (
        ("Circle", f'"circle"{several}', "radius"),
        ("Square", '"square"', "side"),
        ("Dot", '"dot"', "at"),
    ):
        head = f"class {name}(msgspec.Struct, tag={values}):" if kind == "msgspec" else ""
        tag = [f"kind: Literal[{values}]{default.format(values.partition(',')[0])}"] if kind != "msgspec" else []
        lines = [f"{number}: int", *tag] if default else [*tag, f"{number}: int"]
        found.above.append(_class(kind, name, *lines, head=head))
    unions = ["Circle | Square", "list[Circle | Square | Dot]", "Circle | Square | None"]
    if kind == "pydantic":
        unions += [
            'Annotated[Circle | Square, pydantic.Field(discriminator="kind")]',
            'Annotated[Circle | Annotated[Square | Dot, pydantic.Field(discriminator="kind")], pydantic.Field(discriminator="kind")]',
            'list[Annotated[Circle | Annotated[Dot, "noted"], pydantic.Field(discriminator="kind")]]',
        ]
    found.types += draw(st.lists(st.sampled_from(unions), min_size=1, max_size=2))
    if draw(st.integers(0, 3)) == 0:
        root = draw(st.sampled_from(unions))
        found.root = draw(st.sampled_from((root, f"list[{root}]", f"dict[str, {root}]")))


def _class(kind: str, name: str, *lines: str, head: str = "") -> str:
    return "\n".join([head or HEADS[kind].format(name), *(f"    {line}" for line in lines)])
