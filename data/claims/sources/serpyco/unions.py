"""Unions of dataclasses with serpyco-rs: found by trying, and by a discriminator."""

from dataclasses import asdict, dataclass
from typing import Annotated, List, Literal, Union

from serpyco_rs import Serializer
from serpyco_rs.metadata import Discriminator


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: int


@dataclass
class Square:
    kind: Literal["square"]
    side: int


@dataclass
class Text:
    kind: Literal["text"]
    words: str


PLAIN = Serializer(List[Union[Circle, Square, Text]])
TAGGED = Serializer(List[Annotated[Union[Circle, Square, Text], Discriminator("kind")]])
VALUES = [{"kind": "circle", "radius": 1}, {"kind": "square", "side": 2}, {"kind": "text", "words": "x"}] * 30


def prepare():
    return VALUES


def by_trying(values):
    return PLAIN.load(values)


def by_name(values):
    return TAGGED.load(values)


def answer(result):
    """Return plain values."""
    return [asdict(one) for one in result]
