"""The classes of messages and receipts as apischema has them, with its limits."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NewType, Optional

from .receipts import MESSAGES, RECEIPTS, Payment


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
