"""The two-class model that serializer articles compare with: a client and its user, strings only.

It exists so that published figures can be checked: a record has their very sizes, 106 bytes by
`json.dumps`, 100 as compact JSON and 86 as MessagePack.
"""

from __future__ import annotations

from random import Random

from serbench.schema import STR, Field, Record, Ref
from serbench.workloads._contract import Values, Workload
from serbench.workloads._draw import letters, whole

CLIENT = Record("Client", (Field("user", Ref("User")), Field("last_contact", STR)))
USER = Record("User", (Field("fullname", STR), Field("email", STR)))


def values(random: Random, records: int, _depth: int) -> Values:
    """Clients whose strings all have the same lengths: 2, 13 and 32 characters."""
    return [
        {
            "user": {"fullname": letters(random, 2), "email": f"{letters(random, 5)}@{letters(random, 3)}.com"},
            "last_contact": _contact(random),
        }
        for _ in range(records)
    ]


def _contact(random: Random) -> str:
    month, day, hour = whole(random, 1, 12), whole(random, 1, 28), whole(random, 0, 23)
    second, microsecond = divmod(whole(random, 0, 3_599_999_999), 1_000_000)
    return f"2024-{month:02}-{day:02}T{hour:02}:{second // 60:02}:{second % 60:02}.{microsecond:06}+09:00"


WORKLOAD = Workload(
    name="client",
    summary="a client and its user, strings only, as in published comparisons",
    records=100,
    depth=2,
    item=Ref("Client"),
    types=(CLIENT, USER),
    values=values,
)
