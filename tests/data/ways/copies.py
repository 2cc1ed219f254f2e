"""A deep copy of a Struct: by the standard library, or by a round trip through bytes."""

import copy
import pickle

import msgspec


class Order(msgspec.Struct):
    id: int
    tags: list[str]
    lines: list[dict[str, float]]


decoder = msgspec.msgpack.Decoder(Order)
encoder = msgspec.msgpack.Encoder()


def make(number):
    return Order(number, ["a", "b"], [{"price": place / 3} for place in range(20)])


def deepcopy(order):
    return copy.deepcopy(order)


def by_pickle(order):
    return pickle.loads(pickle.dumps(order, protocol=5))


def by_msgpack(order):
    return decoder.decode(encoder.encode(order))
