"""Numbers: integers at the limits of their representations, exact floats, exact decimals."""

import math
import random
import struct
from decimal import Decimal

from serbench.measure.probes.values import group_of
from serbench.model.records import List
from serbench.model.scalars import BIGINT, DECIMAL, FLOAT, INT, UINT64


def _doubles(seed: int, count: int) -> list[float]:
    """Return finite doubles with random bits, which cover all magnitudes."""
    rng = random.Random(seed)
    doubles = (struct.unpack("<d", rng.randbytes(8))[0] for _ in range(2 * count))
    return [value for value in doubles if math.isfinite(value)][:count]


GROUPS = (
    group_of(
        "integer",
        INT,
        ("int 0", 0),
        ("int -1", -1),
        ("int 2^31", 2**31),
        ("int 2^53 - 1", 2**53 - 1),
        ("int 2^53 + 1", 2**53 + 1),
        ("int 2^63 - 1", 2**63 - 1),
        ("int -2^63", -(2**63)),
    ),
    group_of("unsigned integer", UINT64, ("int 2^63", 2**63), ("int 2^64 - 1", 2**64 - 1)),
    group_of("big integer", BIGINT, ("int 2^64", 2**64), ("int 10^40", 10**40), ("int -10^40", -(10**40))),
    group_of(
        "float",
        FLOAT,
        ("float 0.1", 0.1),
        ("float 1.0", 1.0),
        ("float 1e22", 1e22),
        ("float 2^53 + 2", float(2**53 + 2)),
        ("float 5e-324", 5e-324),
        ("float 1.7976931348623157e308", 1.7976931348623157e308),
        ("float -0.0", -0.0),
    ),
    group_of("random floats", List(FLOAT), ("float of 1,000 random bit patterns", _doubles(9, 1000))),
    group_of(
        "not finite", FLOAT, ("float nan", math.nan), ("float inf", math.inf), ("float -inf", -math.inf), edge=True
    ),
    group_of(
        "decimal",
        DECIMAL,
        ("Decimal 1.10", Decimal("1.10")),
        ("Decimal 0.1", Decimal("0.1")),
        ("Decimal 1E+2", Decimal("1E+2")),
        ("Decimal of 40 digits", Decimal("1234567890123456789012345678.901234567890")),
    ),
    group_of("signed decimal", DECIMAL, ("Decimal -0.00", Decimal("-0.00")), edge=True),
)
