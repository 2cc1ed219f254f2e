import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass
class Item:
    price: float


@dataclass
class Order:
    title: str
    placed: datetime
    items: list[Item]


def dump_item(item: Item) -> dict[str, Any]:
    return {"price": item.price}


def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed.isoformat(),
        "items": [dump_item(entry) for entry in order.items],
    }


def load_item(data: dict[str, Any]) -> Item:
    return Item(price=data["price"])


def load_order(data: dict[str, Any]) -> Order:
    return Order(
        title=data["title"],
        placed=datetime.fromisoformat(data["placed"]),
        items=[load_item(entry) for entry in data["items"]],
    )


def encode(orders: list[Order]) -> bytes:
    return json.dumps([dump_order(entry) for entry in orders]).encode()


def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in json.loads(blob)]


def dump(orders: list[Order]) -> Any:
    return [dump_order(entry) for entry in orders]


def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()


def loads(blob: bytes) -> Any:
    return json.loads(blob)


def load(data: Any) -> list[Order]:
    return [load_order(entry) for entry in data]
