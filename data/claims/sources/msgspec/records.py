"""A class of five fields in five libraries: it is defined, made and compared; each call does a hundred of them."""

import msgspec

BODY = "a: int\n    b: int\n    c: int\n    d: int\n    e: int"
NAMES = ("a", "b", "c", "d", "e")
SOURCES = {
    "msgspec": f"import msgspec\nclass Five(msgspec.Struct, order=True):\n    {BODY}",
    "attrs": f"import attrs\n@attrs.define(order=True)\nclass Five:\n    {BODY}",
    "dataclasses": f"import dataclasses\n@dataclasses.dataclass(order=True)\nclass Five:\n    {BODY}",
    "pydantic": f"import pydantic\nclass Five(pydantic.BaseModel):\n    {BODY}",
    "class": """
class Five:
    def __init__(self, a, b, c, d, e):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e

    def __eq__(self, other):
        return (
            type(self) is type(other)
            and self.a == other.a
            and self.b == other.b
            and self.c == other.c
            and self.d == other.d
            and self.e == other.e
        )

    def __lt__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return (self.a, self.b, self.c, self.d, self.e) < (other.a, other.b, other.c, other.d, other.e)
""",
}


def defined(code):
    scope = {"__name__": __name__}
    exec(code, scope)
    return scope["Five"]


def prepare(library, objects=False):
    """Return the source of the class; with `objects` the class, an object, its equal, and one whose last field is larger."""
    code = compile(SOURCES[library], library, "exec")
    if not objects:
        return code
    five = defined(code)
    return five, five(**VALUES), five(**VALUES), five(**{**VALUES, "e": 6})


VALUES = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}


def define(code):
    return defined(code)


def create(made):
    five = made[0]
    for _ in range(10):
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
        found = five(a=1, b=2, c=3, d=4, e=5)
    return found


def equal(made):
    _, one, other, _ = made
    for _ in range(10):
        one == other
        one == other
        one == other
        one == other
        one == other
        one == other
        one == other
        one == other
        one == other
    return one == other


def order(made):
    _, one, _, larger = made
    for _ in range(10):
        one < larger
        one < larger
        one < larger
        one < larger
        one < larger
        one < larger
        one < larger
        one < larger
        one < larger
    return one < larger


def answer(result):
    """Return the fields of an object; of a class, whether it makes one with them."""
    if isinstance(result, type):
        result = result(**VALUES)
    return result if isinstance(result, bool) else [getattr(result, name) for name in NAMES]
