"""A log of events of four types, told apart by a tag.

Tagged unions are how messages and logs are modelled, and libraries differ in them more than in
anything else: some dispatch on the tag, some try one member after the other.
"""

from __future__ import annotations

from random import Random

from serbench.schema import BOOL, FLOAT, INT, STR, Field, Record, Ref, Union
from serbench.workloads._contract import Values, Workload
from serbench.workloads._draw import WORDS, letters, pick, sentence, whole

LOGIN = Record("Login", (Field("user_id", INT), Field("device", STR), Field("success", BOOL)), "login")
VIEW = Record("View", (Field("user_id", INT), Field("page", STR), Field("seconds", FLOAT)), "view")
PURCHASE = Record(
    "Purchase", (Field("user_id", INT), Field("sku", STR), Field("quantity", INT), Field("amount", FLOAT)), "purchase"
)
FAILURE = Record("Failure", (Field("code", INT), Field("message", STR)), "failure")
EVENT = Union((Ref("Login"), Ref("View"), Ref("Purchase"), Ref("Failure")), tag="type")


def values(random: Random, records: int, _depth: int) -> Values:
    """Events, about as many of each type."""
    return [pick(random, (_login, _view, _purchase, _failure))(random) for _ in range(records)]


def _login(random: Random) -> dict[str, object]:
    device = pick(random, ("phone", "tablet", "laptop"))
    return {"type": "login", "user_id": whole(random, 1, 99_999), "device": device, "success": random.random() < 0.9}


def _view(random: Random) -> dict[str, object]:
    page = f"/{pick(random, WORDS)}/{pick(random, WORDS)}"
    return {"type": "view", "user_id": whole(random, 1, 99_999), "page": page, "seconds": random.random() * 300}


def _purchase(random: Random) -> dict[str, object]:
    return {
        "type": "purchase",
        "user_id": whole(random, 1, 99_999),
        "sku": letters(random, 8).upper(),
        "quantity": whole(random, 1, 9),
        "amount": whole(random, 100, 99_999) / 100,
    }


def _failure(random: Random) -> dict[str, object]:
    return {"type": "failure", "code": whole(random, 400, 599), "message": sentence(random, 6)}


WORKLOAD = Workload(
    name="events",
    summary="events of four types in a tagged union",
    records=100,
    depth=1,
    item=EVENT,
    types=(LOGIN, VIEW, PURCHASE, FAILURE),
    values=values,
)
