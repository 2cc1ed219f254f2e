"""Messages and receipts with apischema alone: compiled or as pure Python, and with or without its own way to make objects."""

import importlib.machinery
import sys
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import NewType, Optional

MESSAGES = [
    {
        "title": "Sunday",
        "body": "Bring your own cup and a friend",
        "addresses": ["http://a.example/x/"],
        "persistence": 20,
    },
    {"title": "Monday", "body": "Nothing planned yet."},
]
RECEIPTS = [
    {
        "store": "Corner shop",
        "address": "At the end of the long road",
        "date": "2021-12-29T15:10:00",
        "items": [
            {"name": "Green pears", "price": 1.25},
            {"name": "Brown bread", "price": 7.99, "quantity": 2},
            {"name": "Black beans", "price": 26.7},
        ],
        "payment": "CASH",
        "specialOffers": 1.07,
    },
    {
        "store": "Corner shop",
        "address": "At the end of the long road",
        "date": "2021-12-29T15:10:00",
        "items": [{"name": "Green pears", "price": 1.25}],
        "payment": "CREDIT_CARD",
        "client": {"id": 42, "firstName": "Marianne", "lastName": "Weber"},
    },
]


class SourceOnly:
    """Finds apischema's modules as source, beside which the compiled ones lie."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None or name.partition(".")[0] != "apischema":
            return None
        loaders = importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES
        return importlib.machinery.FileFinder(path[0], loaders).find_spec(name)


class Payment(str, Enum):
    CASH = "CASH"
    CREDIT_CARD = "CREDIT_CARD"


def models(apischema, frozen):
    Positive = NewType("Positive", float)
    apischema.schema(min=0)(Positive)

    @dataclass(frozen=frozen)
    class Message:
        title: str
        body: str
        addresses: Optional[list[str]] = None
        persistence: Optional[int] = None

    @dataclass(frozen=frozen)
    class Client:
        id: int = field(metadata=apischema.schema(min=0))
        first_name: str
        last_name: str

    @dataclass(frozen=frozen)
    class Item:
        name: str
        price: Positive
        quantity: int = field(default=1, metadata=apischema.schema(min=1))

    @dataclass(frozen=frozen)
    class Receipt:
        store: str
        address: str
        date: datetime
        items: list[Item]
        payment: Payment
        client: Optional[Client] = None
        special_offers: Optional[Positive] = None

    return {"simple": (Message, MESSAGES), "complex": (Receipt, RECEIPTS)}


def prepare(documents="complex", loads=True, pure=False, frozen=True, override=True, calls=False):
    """A method and the documents or objects for it, as in the benchmark unless it is asked for otherwise.

    With `calls`, only the classes of all objects, the inner ones first, and what their constructors are called with.
    """
    if pure:
        sys.meta_path.insert(0, SourceOnly)
    import apischema
    import apischema.deserialization.methods as compiled

    if pure != (type(compiled.__loader__) is importlib.machinery.SourceFileLoader):
        raise RuntimeError("apischema is " + ("compiled" if pure else "pure Python") + " here")
    apischema.settings.camel_case = True
    apischema.settings.deserialization.override_dataclass_constructors = override
    kind, plain = models(apischema, frozen)[documents]
    load, dump = apischema.deserialization_method(kind), apischema.serialization_method(kind)
    made = [load(one) for one in plain]
    if calls:
        objects = [
            one for each in made for one in (*getattr(each, "items", ()), getattr(each, "client", None), each) if one
        ]
        return [(type(one), [getattr(one, name) for name in one.__dataclass_fields__]) for one in objects]
    return (load, plain) if loads else (dump, made)


def each(given):
    method, documents = given
    return [method(document) for document in documents]


def construct(calls):
    """Nothing but the calls of the constructors, with the values that they are called with."""
    return [kind(*values) for kind, values in calls]


def values(made):
    """The attributes of an object and of those in it, by the names that they have in documents."""
    if isinstance(made, list):
        return [values(one) for one in made]
    if not hasattr(made, "__dataclass_fields__"):
        return made.value if isinstance(made, Enum) else made.isoformat() if isinstance(made, datetime) else made
    found = {camel(name): values(getattr(made, name)) for name in made.__dataclass_fields__}
    return {name: value for name, value in found.items() if value is not None}


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def answer(made):
    """Whether dicts or objects came out, and what is in them; a null is as good as nothing."""
    if isinstance(made[0], dict):
        return {"dicts": [{name: value for name, value in one.items() if value is not None} for one in made]}
    return {"objects": [values(one) for one in made]}
