"""A client and its user, strings only: the two-class model that articles about serializers use.

It allows published figures to be checked: a record has the published sizes, 106 bytes from `json.dumps`, 100 as compact
JSON and 86 as MessagePack.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import letters, random_int
from serbench.model.records import Field, Record, Ref
from serbench.model.scalars import STR

CLIENT = Record("Client", (Field("user", Ref("User")), Field("last_contact", STR)))
USER = Record("User", (Field("fullname", STR), Field("email", STR)))


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return a client whose strings have fixed lengths: 2, 13 and 32 characters."""
    return {
        "user": {"fullname": letters(random, 2), "email": f"{letters(random, 5)}@{letters(random, 3)}.com"},
        "last_contact": _contact(random),
    }


def _contact(random: Random) -> str:
    month, day, hour = random_int(random, 1, 12), random_int(random, 1, 28), random_int(random, 0, 23)
    second, microsecond = divmod(random_int(random, 0, 3_599_999_999), 1_000_000)
    return f"2024-{month:02}-{day:02}T{hour:02}:{second // 60:02}:{second % 60:02}.{microsecond:06}+09:00"


WORKLOAD = Workload(
    name="client",
    summary="a client and its user, strings only, as in published comparisons",
    depth=2,
    item=Ref("Client"),
    types=(CLIENT, USER),
    value=value,
)
