"""A dict of many small objects, and a full pass of the garbage collector over it."""

import gc

import msgspec


class Plain:
    def __init__(self, x, y):
        self.x = x
        self.y = y


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


class Tracked(msgspec.Struct):
    x: int
    y: int


class Untracked(msgspec.Struct, gc=False):
    x: int
    y: int


CLASSES = {one.__name__: one for one in (Plain, Slotted, Tracked, Untracked)}


def prepare(name, count):
    """Return a dict of this many objects of the class."""
    make = CLASSES[name]
    return {number: make(number, number) for number in range(count)}


def collect(objects):
    gc.unfreeze()  # serbench takes what is prepared out of the collector's sight before it times
    gc.collect()
    return len(objects)
