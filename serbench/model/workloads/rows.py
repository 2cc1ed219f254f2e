"""Rows of a database query: fifteen columns of the types that SQL has.

Web services send such data most: many flat records, with date, decimal and UUID columns, for which JSON has no types.
"""

from __future__ import annotations

import uuid
from datetime import date
from decimal import Decimal
from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import FIRST_NAMES, LAST_NAMES, random_datetime, sentence
from serbench.model.records import Enum, Field, Optional, Record, Ref
from serbench.model.scalars import BOOL, DATE, DATETIME, DECIMAL, FLOAT, INT, STR, UUID

STATUS = Enum("OrderStatus", (("open", "open"), ("paid", "paid"), ("shipped", "shipped"), ("returned", "returned")))
ROW = Record(
    "Row",
    (
        Field("id", INT),
        Field("order_key", UUID),
        Field("customer_id", INT),
        Field("customer_name", STR),
        Field("email", STR),
        Field("status", STATUS),
        Field("quantity", INT),
        Field("unit_price", DECIMAL),
        Field("weight_kg", FLOAT),
        Field("discount", FLOAT),
        Field("is_gift", BOOL),
        Field("ordered_at", DATETIME),
        Field("due_on", DATE),
        Field("coupon", Optional(STR), default=None),
        Field("note", Optional(STR), default=None),
    ),
)

_STATUSES = tuple(value for _, value in STATUS.members)
_FIRST_DAY = date(2024, 1, 1).toordinal()
_VERSION_4 = 0x4 << 76 | 0x2 << 62  # the bits that make a random number a UUID of version 4
_VERSION_MASK = ~(0xF << 76 | 0x3 << 62)


def value(random: Random, number: int, _depth: int) -> Value:
    """Return a row with its number as id; one in four has a coupon, one in ten a note."""
    draw = random.random
    first, last = FIRST_NAMES[int(draw() * len(FIRST_NAMES))], LAST_NAMES[int(draw() * len(LAST_NAMES))]
    cents = int(draw() * 100_000)
    return {
        "id": number,
        "order_key": uuid.UUID(int=random.getrandbits(128) & _VERSION_MASK | _VERSION_4),
        "customer_id": int(draw() * 1_000_000),
        "customer_name": f"{first} {last}",
        "email": f"{first}.{last}@example.com".lower(),
        "status": _STATUSES[int(draw() * 4)],
        "quantity": 1 + int(draw() * 20),
        "unit_price": Decimal(f"{cents // 100}.{cents % 100:02}"),
        "weight_kg": draw() * 30,
        "discount": int(draw() * 50) / 100,
        "is_gift": draw() < 0.1,
        "ordered_at": random_datetime(random),
        "due_on": date.fromordinal(_FIRST_DAY + int(draw() * 366)),
        "coupon": f"SAVE{int(draw() * 900) + 100}" if draw() < 0.25 else None,
        "note": sentence(random, 8) if draw() < 0.1 else None,
    }


WORKLOAD = Workload(
    name="rows",
    summary="rows of a database query, fifteen columns of SQL types",
    item=Ref("Row"),
    types=(ROW,),
    value=value,
)
