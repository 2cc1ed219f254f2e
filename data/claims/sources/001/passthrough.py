"""apischema's pass-through: the method that serializes what needs no change."""

from apischema import serialization_method


def prepare(size):
    """The method, and a list of ints."""
    return serialization_method(list[int]), list(range(size))


def serialized(given):
    """What the method makes of the list, and the list."""
    method, ints = given
    return method(ints), ints


def answer(result):
    """Whether both are one object."""
    return result[0] is result[1]
