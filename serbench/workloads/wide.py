"""Machine reports with a hundred fields of mixed scalar types.

The work per field decides here, not that per object; generated code, keyword arguments and hashing
of keys behave otherwise at a hundred fields than at three.
"""

from __future__ import annotations

from random import Random

from serbench.schema import BOOL, FLOAT, INT, STR, Field, Record, Ref
from serbench.workloads._contract import Values, Workload
from serbench.workloads._draw import letters, words

_PARTS = words(
    "pump motor valve boiler turbine filter compressor conveyor sensor heater "
    "cooler mixer press lathe drill oven tank fan battery inverter"
)
_COLUMNS = (("serial", STR), ("cycles", INT), ("temperature", FLOAT), ("running", BOOL), ("load", FLOAT))
REPORT = Record("Report", tuple(Field(f"{part}_{column}", type_) for part in _PARTS for column, type_ in _COLUMNS))


def values(random: Random, records: int, _depth: int) -> Values:
    """Reports about twenty parts of a machine, five fields each."""
    reports: Values = []
    for _ in range(records):
        report: dict[str, object] = {}
        for part in _PARTS:
            report[f"{part}_serial"] = letters(random, 10)
            report[f"{part}_cycles"] = random.getrandbits(24)
            report[f"{part}_temperature"] = random.random() * 200 - 40
            report[f"{part}_running"] = random.random() < 0.8
            report[f"{part}_load"] = int(random.random() * 1000) / 1000
        reports.append(report)
    return reports


WORKLOAD = Workload(
    name="wide",
    summary="a hundred fields of mixed scalar types",
    records=100,
    depth=1,
    item=Ref("Report"),
    types=(REPORT,),
    values=values,
)
