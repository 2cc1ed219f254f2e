"""Machine reports with a hundred fields of mixed scalar types.

The cost per field dominates the cost per object; generated code, keyword arguments and key hashing scale differently
with a hundred fields than with three.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import letters, words
from serbench.model.records import Field, Record, Ref
from serbench.model.scalars import BOOL, FLOAT, INT, STR

_PARTS = words(
    "pump motor valve boiler turbine filter compressor conveyor sensor heater "
    "cooler mixer press lathe drill oven tank fan battery inverter"
)
_COLUMNS = (("serial", STR), ("cycles", INT), ("temperature", FLOAT), ("running", BOOL), ("load", FLOAT))
REPORT = Record("Report", tuple(Field(f"{part}_{column}", type_) for part in _PARTS for column, type_ in _COLUMNS))


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return a report about twenty parts of a machine, five fields each."""
    report: Value = {}
    for part in _PARTS:
        report[f"{part}_serial"] = letters(random, 10)
        report[f"{part}_cycles"] = random.getrandbits(24)
        report[f"{part}_temperature"] = random.random() * 200 - 40
        report[f"{part}_running"] = random.random() < 0.8
        report[f"{part}_load"] = int(random.random() * 1000) / 1000
    return report


WORKLOAD = Workload(
    name="wide",
    summary="a hundred fields of mixed scalar types",
    item=Ref("Report"),
    types=(REPORT,),
    value=value,
)
