"""A client and its user with a role and a real time stamp.

It is `client` as an application would model it: what a library does about an enumeration and a
`datetime` is most of its work, and strings alone do not show it.
"""

from __future__ import annotations

from random import Random

from serbench.schema import DATETIME, STR, Enum, Field, Record, Ref
from serbench.workloads._contract import Values, Workload
from serbench.workloads._draw import FIRST_NAMES, LAST_NAMES, letters, moment, pick

USER_ROLE = Enum("UserRole", (("normal", 10), ("admin", 20), ("owner", 30)))
CLIENT = Record("Client", (Field("user", Ref("User")), Field("last_contact", DATETIME)))
USER = Record("User", (Field("fullname", STR), Field("email", STR), Field("role", USER_ROLE)))


def values(random: Random, records: int, _depth: int) -> Values:
    """Clients, one in three of each role."""
    return [
        {
            "user": {
                "fullname": f"{pick(random, FIRST_NAMES)} {pick(random, LAST_NAMES)}",
                "email": f"{letters(random, 8)}@example.com",
                "role": pick(random, (10, 20, 30)),
            },
            "last_contact": moment(random),
        }
        for _ in range(records)
    ]


WORKLOAD = Workload(
    name="client-rich",
    summary="a client and its user with an enumeration and a datetime",
    records=100,
    depth=2,
    item=Ref("Client"),
    types=(CLIENT, USER),
    values=values,
)
