"""apischema in the calls of its documentation: by function or by method, with and without copying."""

from dataclasses import dataclass

from apischema import deserialization_method, deserialize, serialization_method, serialize


@dataclass
class Foo:
    bar: int


DATA, OBJECT, INTS = {"bar": 0}, Foo(0), list(range(100))
MANY, OBJECTS = [{"bar": n} for n in range(100)], [Foo(n) for n in range(100)]


def prepare(method=None, many=False):
    kind = list[Foo] if many else Foo
    return {"load": deserialization_method(kind), "dump": serialization_method(kind)}.get(method)


def load_by_function(_):
    return deserialize(Foo, DATA)


def load_by_method(method):
    return method(DATA)


def dump_by_function(_):
    return serialize(Foo, OBJECT)


def dump_by_method(method):
    return method(OBJECT)


def load_100_by_function(_):
    return deserialize(list[Foo], MANY)


def load_100_by_method(method):
    return method(MANY)


def dump_100_by_function(_):
    return serialize(list[Foo], OBJECTS)


def dump_100_by_method(method):
    return method(OBJECTS)


def without_copy(_):
    return deserialize(list[int], INTS, no_copy=True)


def with_copy(_):
    return deserialize(list[int], INTS, no_copy=False)


def same_list(_):
    return deserialize(list[int], INTS, no_copy=True) is INTS


def other_list(_):
    return deserialize(list[int], INTS, no_copy=False) is INTS


def list_by_default(_):
    return deserialize(list[int], INTS) is INTS


def answer(made):
    """An object is told from a dict."""
    if isinstance(made, list):
        return [answer(one) for one in made]
    return {"Foo": made.bar} if isinstance(made, Foo) else made
