"""A union of two dataclasses, told apart by trying or by a discriminator."""

from dataclasses import dataclass
from typing import Annotated, Union

from apischema import deserialization_method, discriminator


@dataclass
class Cat:
    love_dog: bool = False


@dataclass
class Dog:
    love_cat: bool = False


BY_TRYING = deserialization_method(Union[Cat, Dog])
BY_NAME = deserialization_method(Annotated[Union[Cat, Dog], discriminator("type")])


def prepare(document):
    return document


def by_trying(document):
    return BY_TRYING(document)


def by_name(document):
    return BY_NAME(document)


def answer(made):
    return [type(made).__name__, vars(made)]
