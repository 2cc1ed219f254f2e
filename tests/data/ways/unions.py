"""A list of models of three kinds: a union without and with a discriminator, which is a field or a function."""

from typing import Annotated, Literal

from pydantic import BaseModel, Discriminator, Field, Tag, TypeAdapter


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str
    tricks: list[str]


class Fish(BaseModel):
    kind: Literal["fish"]
    name: str
    litres: float


def kind_of(value):
    return value["kind"] if isinstance(value, dict) else value.kind


Plain = TypeAdapter(list[Cat | Dog | Fish])
Tagged = TypeAdapter(list[Annotated[Cat | Dog | Fish, Field(discriminator="kind")]])
Called = TypeAdapter(
    list[
        Annotated[
            Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")] | Annotated[Fish, Tag("fish")],
            Discriminator(kind_of),
        ]
    ]
)


def make(number):
    kinds = [
        {"kind": "cat", "name": f"c{number}", "lives": number % 9},
        {"kind": "dog", "name": "d", "tricks": ["sit", "roll"]},
        {"kind": "fish", "name": "f", "litres": 2.5},
    ]
    return [kinds[(number + place) % 3] for place in range(20)]


def smart(pets):
    return Plain.validate_python(pets)


def discriminated(pets):
    return Tagged.validate_python(pets)


def called(pets):
    return Called.validate_python(pets)


def make_models(number):
    return Plain.validate_python(make(number))


def dump_smart(pets):
    return Plain.dump_json(pets)


def dump_discriminated(pets):
    return Tagged.dump_json(pets)
