"""Pairs of ways that pydantic's page on performance compares; both of each pair give the same values."""

import json
from typing import Any, List, Literal, Sequence, Union
from urllib.parse import urlparse

from pydantic import BaseModel, Field, HttpUrl, TypeAdapter, field_validator
from typing_extensions import Annotated, TypedDict


class InnerModel(BaseModel):
    name: str
    size: int


class OuterModel(BaseModel):
    inner: InnerModel


class InnerDict(TypedDict):
    name: str
    size: int


class OuterDict(TypedDict):
    inner: InnerDict


OUTER = TypeAdapter(OuterDict)


def as_models(values):
    return OuterModel.model_validate(values)


def as_typed_dicts(values):
    return OUTER.validate_python(values)


class Box(BaseModel):
    kind: Literal["box"] = "box"
    width: int
    contents: List[Any]


class Line(BaseModel):
    kind: Literal["line"] = "line"
    length: int
    text: str


class Press(BaseModel):
    kind: Literal["press"] = "press"
    text: str


class Entry(BaseModel):
    kind: Literal["entry"] = "entry"
    text: str


TAGGED = TypeAdapter(List[Annotated[Union[Box, Line, Press, Entry], Field(discriminator="kind")]])
UNTAGGED = TypeAdapter(List[Union[Box, Line, Press, Entry]])
NUMBERS, ANY_NUMBERS = TypeAdapter(List[int]), TypeAdapter(Sequence[int])
LINKS = TypeAdapter(dict[str, HttpUrl])


def tagged(values):
    return TAGGED.validate_python(values)


def untagged(values):
    return UNTAGGED.validate_python(values)


def as_list(values):
    return NUMBERS.validate_python(values)


def as_sequence(values):
    return ANY_NUMBERS.validate_python(values)


def adapter_once(values):
    return NUMBERS.validate_python(values)


def adapter_each_time(values):
    return TypeAdapter(List[int]).validate_python(values)


class Checked(BaseModel):
    name: str

    @field_validator("name", mode="wrap")
    @classmethod
    def check(cls, value, handler):
        return handler(value)


class Unwrapped(BaseModel):
    name: str

    @field_validator("name", mode="after")
    @classmethod
    def check(cls, value):
        return value


def with_wrap(values):
    return Checked.model_validate(values)


def with_after(values):
    return Unwrapped.model_validate(values)


def links_with_pydantic(text):
    return LINKS.validate_json(text)


def links_by_hand(text):
    found = {}
    for key, value in json.loads(text).items():
        assert isinstance(key, str)
        link = urlparse(value)
        assert link.scheme in ("https", "http")
        found[key] = link
    return found


SHAPES = [
    {"kind": "box", "width": 3, "contents": [1, 2]},
    {"kind": "line", "length": 4, "text": "x"},
    {"kind": "press", "text": "go"},
    {"kind": "entry", "text": "name"},
] * 25
VALUES = {
    "nested": {"inner": {"name": "a", "size": 2}},
    "shapes": SHAPES,
    "numbers": list(range(100)),
    "few": [1, 2, 3],
    "name": {"name": "a name"},
}


def prepare(kind):
    """Return the values of a kind; as links a text of 1,800 names with an address each."""
    if kind == "links":
        return json.dumps(
            {f"sign-{n}": f"https://images.example.org/signs/{n:05x}.png?v8" for n in range(1800)}
        ).encode()
    return VALUES[kind]


def answer(result):
    """Return plain values."""
    if isinstance(result, BaseModel):
        return result.model_dump()
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    return [plain(one) for one in result]


def plain(value):
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, (dict, list, int)):
        return value
    return value.geturl() if hasattr(value, "geturl") else str(value)
