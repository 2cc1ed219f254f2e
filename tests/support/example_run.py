from dataclasses import replace
from types import SimpleNamespace

import pytest
import synthetic
from synthetic import TIMES

from serbench.judge.rows import rows as rows_of


@pytest.fixture
def cells():
    """Six measured cases, a duplicate of one, and two that could not be measured."""
    reference = synthetic.cell(0, "msgspec", reference=True, version="0.19.0")
    strict = synthetic.cell(1, "pydantic", codec="pydantic", version="2.11.4")
    attrs = synthetic.cell(2, "attrs", codec="orjson", work_class="objects, coercing")
    tied = synthetic.cell(
        3, "attrs", variant="detailed_validation=False", codec="orjson", work_class="objects, coercing"
    )
    slow = synthetic.cell(4, "marshmallow", codec="json", work_class="objects, coercing", status="unresolved")
    pickled = synthetic.cell(5, "dataclasses", codec="pickle", format="pickle", work_class="objects, unchecked")
    reason = "SIGSEGV in wave 2, while it decoded a record whose reason is long enough to be wrapped\nto a second line"
    crashed = synthetic.cell(7, "protobuf", codec="protobuf", format="protobuf", status="crashed", reason=reason)
    never = synthetic.cell(8, "cattrs", status="unresolved")
    double = replace(attrs, id=6, control=True)
    return [reference, strict, attrs, tied, slow, pickled, double, crashed, never]


@pytest.fixture
def samples(cells):
    """Eight waves of the measured cases, whose true times are in `synthetic.TIMES`."""
    return synthetic.measure([(c, TIMES[c.id]) for c in cells if c.id in TIMES], waves=8, process_sd=0.008)


@pytest.fixture
def rows(cells, samples):
    """The rows of its cells."""
    return rows_of(cells, samples)


@pytest.fixture
def info():
    """What a run says of itself."""
    machine = {"cpu": "Abacus 9000", "cores": 2, "system": "Linux", "kernel": "6.1", "python": "CPython 3.11.2"}
    return SimpleNamespace(
        id="20250101-120000-abcd",
        started="2025-01-01T12:00:00Z",
        command="serbench run",
        machine=machine,
        versions={"python": "CPython 3.11.2", "msgspec": "0.19.0", "pydantic": "2.12.0"},
    )
