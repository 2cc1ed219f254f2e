"""Unions of models within unions, none of which has a discriminator."""

from typing import Literal

from pydantic import BaseModel


class Leaf0(BaseModel):
    kind: Literal["k0"]
    value: int


class Leaf1(BaseModel):
    kind: Literal["k1"]
    value: int


class Leaf2(BaseModel):
    kind: Literal["k2"]
    value: int


class Leaf3(BaseModel):
    kind: Literal["k3"]
    value: int


class Group(BaseModel):
    items: list[Leaf0 | Leaf1 | Leaf2 | Leaf3]


class Named(BaseModel):
    items: list[Leaf0 | Leaf1 | Leaf2 | Leaf3]
    name: str = ""


class Part(BaseModel):
    groups: list[Group | Named]


class Whole(BaseModel):
    groups: list[Named | Group]
    weight: int = 0


class Query(BaseModel):
    parts: list[Whole | Part]


def document(number):
    items = [{"kind": f"k{(number + place) % 4}", "value": place} for place in range(5)]
    return {"parts": [{"groups": [{"items": items}] * 3}] * 3}


def make(number):
    return Query.model_validate(document(number))


def encode(query):
    return query.model_dump_json()


def decode(document):
    return Query.model_validate(document)
