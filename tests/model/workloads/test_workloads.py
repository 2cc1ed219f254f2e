"""Every workload's values match its schema, and are the same on every platform."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from waits import run

from serbench.errors import PlanError, WorkloadError
from serbench.model import workloads
from serbench.model.data.dataset import MOST_RECORDS, generate, get, workload_names
from serbench.model.records import List

NAMES = workload_names()
# sha256 of repr((schema.as_data(), value)) at 20 records and seed 7. A change here means that figures measured
# before and after it are not of the same data, so `UPDATE_SNAPSHOTS=1` adds new workloads and changes none.
PINNED = Path(__file__).parents[2] / "snapshots" / "workloads.json"
DIGESTS = json.loads(PINNED.read_text(encoding="utf-8"))


def digest(name: str) -> str:
    """Return the digest of a workload's data, computed as described at `DIGESTS`."""
    data = generate(name, records=20, seed=7)
    spec = data.schema.as_data()
    for record in spec["records"].values():
        record["tag"] = record["tag"] and record["tag"][:2]  # in JSON; the third item is the attribute of objects
    del spec["enums"]  # which are in the value as they are
    return hashlib.sha256(repr((spec, data.value)).encode()).hexdigest()[:16]


def levels(value: Any) -> int:
    """Return the number of nested dicts."""
    if isinstance(value, dict):
        return 1 + max(map(levels, value.values()), default=0)
    return max(map(levels, value), default=0) if isinstance(value, list) else 0


def test_names() -> None:
    """The workloads are the package's files, each named after its file."""
    files = Path(str(workloads.__file__)).parent.glob("[!_]*.py")
    assert sorted(path.stem.replace("_", "-") for path in files) == NAMES
    assert [get(name).name for name in NAMES] == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("deeper", [0, 3])
@pytest.mark.parametrize("records", [1, 50])
def test_values_fit_the_schema(name: str, deeper: int, records: int) -> None:
    """Every value has exactly its type in the schema, at any depth and number of records."""
    from serbench.selfcheck.conformance import fits  # reads all claims

    data = generate(name, records, get(name).depth + deeper)

    assert fits(data.value, data.schema.root, data.schema)
    assert isinstance(data.schema.root, List) == (records > 1)
    assert records == 1 or len(data.value) == records


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("deeper", [0, 1, 4])
def test_depth_is_the_number_of_levels(name: str, deeper: int) -> None:
    """Every record has exactly the requested depth."""
    depth = get(name).depth + deeper

    assert {levels(record) for record in generate(name, 5, depth).value} == {depth}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "tree"])
def test_inner_is_there_only_on_demand(name: str) -> None:
    """The natural depth has no field `inner`; a greater one adds it and changes nothing else in the outermost record."""
    plain, deep = generate(name, 3), generate(name, 3, get(name).depth + 2)

    assert all("inner" not in record for record in plain.value)
    assert [{k: v for k, v in record.items() if k != "inner"} for record in deep.value] == plain.value
    assert "recursion" in deep.schema.features - plain.schema.features


@pytest.mark.parametrize("name", NAMES)
def test_first_records_do_not_depend_on_their_number(name: str) -> None:
    """More records only add to fewer."""
    assert generate(name, 5).value == generate(name, 30).value[:5]
    assert generate(name, 1).value == generate(name, 30).value[0]


@pytest.mark.parametrize("name", NAMES)
def test_seeds_differ(name: str) -> None:
    """Another seed gives different values of the same schema."""
    one, other = generate(name, seed=1), generate(name, seed=2)

    assert one.value != other.value
    assert one.schema == other.schema


@pytest.mark.parametrize("name", NAMES)
def test_values_are_pinned(name: str) -> None:
    """The same seed gives the same data as in every version before."""
    if os.environ.get("UPDATE_SNAPSHOTS") and name not in DIGESTS:
        DIGESTS[name] = digest(name)
        PINNED.write_text(json.dumps(dict(sorted(DIGESTS.items())), indent=2) + "\n", encoding="utf-8")
    if name not in DIGESTS:
        command = f"UPDATE_SNAPSHOTS=1 pytest -q tests/model/workloads -k {name}"
        pytest.fail(f"{PINNED.name} does not pin the values of {name}: run `{command}`", pytrace=False)
    assert digest(name) == DIGESTS[name]


def test_pins_are_of_workloads() -> None:
    """No workload is gone: figures that were measured with it would have no data any more."""
    assert set(DIGESTS) == set(NAMES)


def test_values_do_not_depend_on_the_process() -> None:
    """A process with another hash seed, time zone and locale generates the same data."""
    code = "import test_workloads as t; print({name: t.digest(name) for name in t.NAMES} == t.DIGESTS)"
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": path}
    done = run([sys.executable, "-c", code], env=environment)

    assert (done.stdout.strip(), done.stderr) == ("True", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "clinet"}, "'clinet'.*client"),
        ({"name": "zzz"}, f"'zzz'.*{', '.join(NAMES)}"),
        ({"name": "_draw"}, "'_draw'"),
        ({"name": "client", "records": 0}, "records.* 1.* 0"),
        ({"name": "client", "records": 2.5}, r"records.*2\.5"),
        ({"name": "client", "records": True}, "records.*True"),
        ({"name": "client", "depth": 1}, "depth.* 2 .*'client'.* 1"),
        ({"name": "tree", "depth": 0}, "depth.* 1 .*'tree'.* 0"),
        ({"name": "client", "seed": -1}, "seed.* 0.* -1"),
        ({"name": "client", "seed": 2**63}, rf"seed.*2\^63.*{2**63}"),
        ({"name": "tree", "depth": 10**9}, f"10 records of depth 1000000000 .*{MOST_RECORDS:,}"),
        ({"name": "tiny", "depth": 10**9}, f"100 records of depth 1000000000 .*{MOST_RECORDS:,}"),
        ({"name": "tiny", "records": 10**9}, f"1000000000 records of depth 1 .*{MOST_RECORDS:,}"),
    ],
)
def test_bad_parameters(arguments: dict[str, Any], message: str) -> None:
    """A parameter out of range is refused in one line that says what to type instead."""
    with pytest.raises(WorkloadError if arguments["name"] in NAMES else PlanError, match=message) as caught:
        generate(**arguments)
    assert "\n" not in str(caught.value)
