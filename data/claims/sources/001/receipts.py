"""Messages (simple) and receipts (complex) as plain values, and what is told of what a library makes of them."""

from datetime import datetime
from enum import Enum

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


class Payment(str, Enum):
    CASH = "CASH"
    CREDIT_CARD = "CREDIT_CARD"


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def each(given):
    method, documents = given
    return [method(document) for document in documents]


def values(made):
    """The attributes of an object and of those in it, by the names that they have in documents."""
    if isinstance(made, Enum):
        return made.value
    if isinstance(made, datetime):
        return made.isoformat()
    if isinstance(made, list):
        return [values(one) for one in made]
    if isinstance(made, (str, int, float, dict, type(None))):
        return made
    names = getattr(made, "__dataclass_fields__", None) or getattr(type(made), "__annotations__", None) or vars(made)
    return {camel(name): values(getattr(made, name)) for name in names if getattr(made, name) is not None}


def answer(made):
    """Whether dicts or objects came out, and what is in them; a null is as good as nothing."""
    if isinstance(made[0], dict):
        return {"dicts": [{name: value for name, value in one.items() if value is not None} for one in made]}
    return {"objects": [values(one) for one in made]}
