"""A client and its user with a role and a real time stamp.

It is `client` as an application would model it. Converting an enumeration and a `datetime` is most of a library's work,
which strings alone do not show.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import FIRST_NAMES, LAST_NAMES, letters, pick, random_datetime
from serbench.model.records import Enum, Field, Record, Ref
from serbench.model.scalars import DATETIME, STR

USER_ROLE = Enum("UserRole", (("normal", 10), ("admin", 20), ("owner", 30)))
CLIENT = Record("Client", (Field("user", Ref("User")), Field("last_contact", DATETIME)))
USER = Record("User", (Field("fullname", STR), Field("email", STR), Field("role", USER_ROLE)))


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return a client; a third has each role."""
    return {
        "user": {
            "fullname": f"{pick(random, FIRST_NAMES)} {pick(random, LAST_NAMES)}",
            "email": f"{letters(random, 8)}@example.com",
            "role": pick(random, (10, 20, 30)),
        },
        "last_contact": random_datetime(random),
    }


WORKLOAD = Workload(
    name="client-rich",
    summary="a client and its user with an enumeration and a datetime",
    depth=2,
    item=Ref("Client"),
    types=(CLIENT, USER),
    value=value,
)
