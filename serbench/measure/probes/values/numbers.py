"""Numbers: integers at the limits of their representations, exact floats, exact decimals."""

import math
import random
import struct
from decimal import Decimal

from serbench.measure.probes.values import Probe, edges, group_of, with_more
from serbench.model.records import List, Union
from serbench.model.scalars import BIGINT, DECIMAL, FLOAT, INT, UINT64

_TOO_LARGE = {
    "json": b'[{"subject": 1e400}]',
    "yaml": b"- subject: 1.0e+400\n",
    "toml": b"[[items]]\nsubject = 1e400\n",
}


def _doubles(seed: int, count: int) -> list[float]:
    """Return finite doubles with random bits, which cover all magnitudes."""
    rng = random.Random(seed)
    doubles = (struct.unpack("<d", rng.randbytes(8))[0] for _ in range(2 * count))
    return [value for value in doubles if math.isfinite(value)][:count]


GROUPS = (
    with_more(
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
        Probe("int of a subclass", make=("Number", 7), edge=True),
    ),
    group_of("unsigned integer", UINT64, ("int 2^63", 2**63), ("int 2^64 - 1", 2**64 - 1)),
    group_of("big integer", BIGINT, ("int 2^64", 2**64), ("int 10^40", 10**40), ("int -10^40", -(10**40))),
    with_more(
        group_of(
            "float",
            FLOAT,
            ("float 0.1", 0.1),
            ("float 1.0", 1.0),
            ("float 1e16", 1e16),
            ("float 1e22", 1e22),
            ("float 2^53 + 2", float(2**53 + 2)),
            ("float 5e-324", 5e-324),
            ("float 1.7976931348623157e308", 1.7976931348623157e308),
            ("float -0.0", -0.0),
        ),
        *edges(("float nan", math.nan), ("float inf", math.inf), ("float -inf", -math.inf)),
        Probe("float that is written as 1e400", {"subject": math.inf}, edge=True, raw=_TOO_LARGE),
        Probe("float of a subclass", make=("Ratio", 7), edge=True),
    ),
    group_of(
        "float list",
        List(FLOAT),
        ("list of whole floats", [1.0, 2.0]),
        ("float 0.0 beside -0.0", [0.0, -0.0]),
        ("float -0.0 beside 0.0", [-0.0, 0.0]),
        ("float of 1,000 random bit patterns", _doubles(9, 1000)),
    ),
    group_of("int or float", Union((INT, FLOAT)), ("int 1 of int | float", 1), ("float 1.0 of int | float", 1.0)),
    group_of("float or int", Union((FLOAT, INT)), ("int 1 of float | int", 1), ("float 1.0 of float | int", 1.0)),
    with_more(
        group_of(
            "decimal",
            DECIMAL,
            ("Decimal 1.10", Decimal("1.10")),
            ("Decimal 0.1", Decimal("0.1")),
            ("Decimal 1E+2", Decimal("1E+2")),
            ("Decimal of 40 digits", Decimal("1234567890123456789012345678.901234567890")),
        ),
        *edges(("Decimal -0.00", Decimal("-0.00"))),
    ),
    group_of(
        "decimals", List(DECIMAL), ("Decimal 1.5 beside 1.25 and 100", [Decimal(d) for d in ("1.5", "1.25", "100")])
    ),
)
