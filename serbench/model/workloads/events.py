"""A log of events of four types in a tagged union.

Tagged unions model messages and logs, and libraries differ most in handling them: some dispatch on the tag, others try
the members in turn.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import WORDS, letters, pick, random_int, sentence
from serbench.model.records import Field, Record, Ref, Union
from serbench.model.scalars import BOOL, FLOAT, INT, STR

LOGIN = Record("Login", (Field("user_id", INT), Field("device", STR), Field("success", BOOL)), "login")
VIEW = Record("View", (Field("user_id", INT), Field("page", STR), Field("seconds", FLOAT)), "view")
PURCHASE = Record(
    "Purchase", (Field("user_id", INT), Field("sku", STR), Field("quantity", INT), Field("amount", FLOAT)), "purchase"
)
FAILURE = Record("Failure", (Field("code", INT), Field("message", STR)), "failure")
EVENT = Union((Ref("Login"), Ref("View"), Ref("Purchase"), Ref("Failure")), tag="type")


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return an event; about equally many are of each type."""
    return pick(random, (_login, _view, _purchase, _failure))(random)


def _login(random: Random) -> Value:
    device = pick(random, ("phone", "tablet", "laptop"))
    return {
        "type": "login",
        "user_id": random_int(random, 1, 99_999),
        "device": device,
        "success": random.random() < 0.9,
    }


def _view(random: Random) -> Value:
    page = f"/{pick(random, WORDS)}/{pick(random, WORDS)}"
    return {"type": "view", "user_id": random_int(random, 1, 99_999), "page": page, "seconds": random.random() * 300}


def _purchase(random: Random) -> Value:
    return {
        "type": "purchase",
        "user_id": random_int(random, 1, 99_999),
        "sku": letters(random, 8).upper(),
        "quantity": random_int(random, 1, 9),
        "amount": random_int(random, 100, 99_999) / 100,
    }


def _failure(random: Random) -> Value:
    return {"type": "failure", "code": random_int(random, 400, 599), "message": sentence(random, 6)}


WORKLOAD = Workload(
    name="events",
    summary="events of four types in a tagged union",
    item=EVENT,
    types=(LOGIN, VIEW, PURCHASE, FAILURE),
    value=value,
)
