"""Every workload's values match its schema, and are the same on every platform."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgpack
import orjson
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


def test_client_has_the_published_sizes() -> None:
    """Each client is 106 bytes by json.dumps, 100 by orjson and 86 as MessagePack, and its strings 2, 13 and 32 long."""
    for record in generate("client", 200, seed=3).value:
        assert (len(json.dumps(record)), len(orjson.dumps(record)), len(msgpack.packb(record))) == (106, 100, 86)
        assert [len(text) for text in (*record["user"].values(), record["last_contact"])] == [2, 13, 32]
        assert datetime.fromisoformat(record["last_contact"]).isoformat() == record["last_contact"]


@pytest.mark.parametrize(("name", "key"), [("client-rich", "last_contact"), ("rows", "ordered_at")])
def test_moments_are_utc_with_microseconds(name: str, key: str) -> None:
    """Every datetime is aware, in UTC, and never on a full second or millisecond."""
    moments = [record[key] for record in generate(name).value]

    assert all(moment.tzinfo is UTC and moment.microsecond for moment in moments)


def test_roles() -> None:
    """A role is a member's int value."""
    assert {record["user"]["role"] for record in generate("client-rich").value} == {10, 20, 30}


def test_text_is_encodable_and_hard() -> None:
    """Text has no lone surrogates, but has characters that need escaping or four bytes."""
    text = json.dumps(generate("text").value, ensure_ascii=False)

    assert text.encode().decode() == text
    assert all(part in text for part in ('\\"', "\\\\", "\\u0007", "\\n", "é", "🎉", "\u2028", "Привет", "你好"))


def test_numbers_are_of_all_magnitudes() -> None:
    """Integers stay within 64 bits with sign and come near both ends; floats need all their digits."""
    values = generate("numbers", 2000).value
    ints = [number for record in values for number in (record["id"], record["offset"])]

    assert -(2**63) <= min(ints) < -(2**61)
    assert 2**61 < max(ints) < 2**63
    assert min(map(abs, ints)) < 10
    assert sum(len(repr(record["deviation"])) >= 18 for record in values) > 1500


def test_events_are_of_every_type() -> None:
    """The tag comes first, and all four types occur."""
    values = generate("events").value

    assert {next(iter(record)) for record in values} == {"type"}
    assert len({record["type"] for record in values}) == 4


def test_wide_and_sparse_are_what_they_say() -> None:
    """Wide has a hundred fields of four types; sparse has forty optional fields, about four in five of them None."""
    wide, sparse = generate("wide").schema.record("Report"), generate("sparse")
    values = [value for record in sparse.value for key, value in record.items() if key != "id"]

    assert len(wide.fields) == 100
    assert len({f.type for f in wide.fields}) == 4
    assert len(sparse.schema.record("Profile").fields) == 41
    assert 0.75 < values.count(None) / len(values) < 0.85


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
