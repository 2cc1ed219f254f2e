"""What apischema's documentation says of settings, fallbacks and discriminators with names, each as a question."""

import json
from dataclasses import dataclass
from typing import Annotated, Union
from uuid import UUID

from apischema import (
    ValidationError,
    deserialization_method,
    discriminator,
    serialization_default,
    serialization_method,
    serialize,
    settings,
)


@dataclass
class Item:
    some_name: int


@dataclass
class Cat:
    love_dog: bool = False


@dataclass
class Dog:
    love_cat: bool = False


NAMED = deserialization_method(Annotated[Union[Cat, Dog], discriminator("type", {"dog": Dog})])


def keys_after_a_setting(way):
    """The keys of a method made before a setting, of one made after it, or of the function after it."""
    before = serialization_method(Item)
    serialize(Item, Item(1))
    settings.camel_case = True
    try:
        ways = {"before": before, "after": serialization_method(Item), "function": lambda item: serialize(Item, item)}
        return ", ".join(ways[way](Item(1)))
    finally:
        settings.camel_case = False


def prepare(argument=None):
    return argument


def fallback(_):
    """The JSON of objects that json does not know, by the default that apischema makes."""
    return json.dumps({"id": UUID(int=1), "item": Item(1)}, default=serialization_default())


def by_name(name):
    """What a document is by the name that its type has; empty if it is refused."""
    try:
        return type(NAMED({"type": name})).__name__
    except ValidationError:
        return ""
