"""attrs classes to and from dicts: with and without detailed validation, in two versions, and tuples."""

from typing import Dict, List, Optional, Tuple

import attr
import cattr


@attr.s(auto_attribs=True)
class Inner:
    a: int
    b: str
    c: float
    d: bool


@attr.s(auto_attribs=True)
class Outer:
    one: Inner
    many: List[Inner]
    by_name: Dict[str, int]
    maybe: Optional[str]
    number: int
    text: str


INNER = {"a": 1, "b": "text", "c": 2.5, "d": True}
OUTER = {
    "one": INNER,
    "many": [INNER] * 10,
    "by_name": {"x": 1, "y": 2},
    "maybe": None,
    "number": 7,
    "text": "some text",
}


def converter(detailed=None):
    return cattr.GenConverter() if detailed is None else cattr.GenConverter(detailed_validation=detailed)


def prepare(detailed=None, objects=False, tuples=False):
    """Return a converter, and values or an object of them; with `tuples` a list of pairs and a converter for it."""
    made = converter(detailed)
    if tuples:
        return made, [(n, str(n), n / 2) for n in range(200)]
    return made, made.structure(OUTER, Outer) if objects else OUTER


def structure(asked):
    made, values = asked
    return made.structure(values, Outer)


def unstructure(asked):
    made, outer = asked
    return made.unstructure(outer)


def unstructure_tuples(asked):
    made, values = asked
    return made.unstructure(values, List[Tuple[int, str, float]])


def answer(result):
    """Return plain values, tuples as lists."""
    return attr.asdict(result) if attr.has(type(result)) else result
