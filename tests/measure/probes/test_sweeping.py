"""A sweep finds the faults that only some values show, and tells each by a small value."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

import serbench
from serbench.measure.plan import as_built
from serbench.measure.probes import sweeping
from serbench.measure.probes.drawing import DRAWS, drawn, smaller
from serbench.measure.probes.probed_case import each_probed
from serbench.measure.probes.sweeping import swept, swept_groups
from serbench.measure.sessions.session import RequestLimits
from serbench.model.fidelity import wire_difference
from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import BIGINT, Scalar
from serbench.model.types import List, Map, Optional, Ref, Set, Tuple
from serbench.render.format import formats
from serbench.render.selection import ChosenCase, selection

READS = """def read(blob: bytes) -> Any:
    data = json.loads(blob)
    value = data[0]["subject"]
    {}
    return data"""
WRITES = """def write(data: Any) -> bytes:
    value = data[0]["subject"]
    {}
    return json.dumps(data).encode()"""
HARMLESS = "value = value"


@pytest.fixture
def swept_case(monkeypatch):
    """Sweep a dict with a faulty codec over one type."""

    def sweep(group, *, reading=HARMLESS, writing=HARMLESS, count=400):
        (choice,) = selection(["typeddict"], ["json/json"])
        codec = choice.codec.changed(
            dumps="write({})",
            loads="read({})",
            imports=("json", "os", "typing:Any"),
            functions=(READS.format(reading), WRITES.format(writing)),
            default="",
        )
        faulty = ChosenCase(choice.library, choice.variant, codec, choice.recipe)
        monkeypatch.setattr(sweeping, "swept_groups", lambda: [one for one in swept_groups() if one.name == group])
        limits = RequestLimits(20, 2 << 30)
        (found,) = each_probed([faulty], as_built({choice.recipe}), lambda probed: swept(probed, count, 0), limits)
        return found

    return sweep


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "fault", "step", "value"),
    [
        (
            "big integer",
            {"reading": 'if 10**20 < value:\n        data[0]["subject"] = value % 2**64'},
            "decoded",
            str(2 * 10**20),
        ),
        (
            "integer",
            {"writing": 'if value > 2**53:\n        data = [{"subject": value + 1}]'},
            "written",
            "9008000000000000",
        ),
        (
            "float",
            {"reading": 'if b"0e+" in blob and value > 1e4:\n        data[0]["subject"] = 0.0'},
            "read",
            "6e+17",
        ),
        ("text", {"reading": 'if value.startswith("\\x1b"):\n        os.kill(os.getpid(), 11)'}, "crashed", "'\\x1b"),
        ("text", {"reading": 'if "\\U00010000" <= value[:1]:\n        data[0]["subject"] = "?"'}, "decoded", "'\\U"),
    ],
)
def test_a_fault_of_some_values_is_found_and_told_by_a_small_one(swept_case, group, fault, step, value):
    """A codec that writes, reads or dies wrongly for a few values of a type is told so, and all other values are kept."""
    found = swept_case(group, **fault)
    assert 1 == len(found.differences), found.differences
    (difference,) = found.differences
    assert (group, step) == (difference.type, difference.step), difference
    assert 0 < difference.values < found.tried == found.kept + found.refused + difference.values
    assert difference.value.startswith(value), difference
    assert step == "crashed" or len(difference.value) <= 22, difference


def test_readers_that_do_not_agree_vouch_for_nothing(swept_case, monkeypatch):
    """Where two independent readers read other values in the same bytes, that is told, and not put down to the library."""
    monkeypatch.setitem(formats()["json"].readers, "msgspec", lambda _: [{"subject": 1}])
    (difference,) = swept_case("integer", count=20).differences
    assert ("readers", "0") == (difference.step, difference.value)
    assert "msgspec" in difference.detail


def test_what_a_case_refuses_is_no_difference(swept_case):
    """A value that is refused is counted as such."""
    found = swept_case("integer", writing="if value < 0:\n        raise ValueError(value)")
    assert ((), found.tried) == (found.differences, found.kept + found.refused)
    assert 0 < found.refused < found.tried


def test_a_seed_gives_its_values():
    """One seed gives the same values each time, another seed others."""
    schema = Schema(
        List(Ref("Row")), (Record("Row", tuple(Field(kind, Scalar(kind)) for kind in DRAWS if kind != "key")),)
    )
    first = drawn.__wrapped__(schema, Ref("Row"), 20, 1)
    assert repr(first) == repr(drawn.__wrapped__(schema, Ref("Row"), 20, 1))
    assert repr(first) != repr(drawn.__wrapped__(schema, Ref("Row"), 20, 2))


def test_numbers_have_every_length():
    """Integers of every count of digits are drawn, and some on either side of each power of ten."""
    found = drawn(Schema(List(BIGINT)), BIGINT, 20_000, 0)
    assert set(range(1, 41)) <= {len(str(abs(value))) for value in found}
    assert all(any(0.9 < abs(value) / 10**digits < 1 for value in found) for digits in range(2, 40))
    assert all(any(1 < abs(value) / 10**digits < 1.1 for value in found) for digits in range(2, 40))


@pytest.mark.parametrize("kind", [kind for kind in DRAWS if kind != "key"])
def test_values_become_smaller(kind):
    """What is smaller than a value is of its type and shorter or simpler, so that shrinking ends."""
    type_ = Scalar(kind)
    schema = Schema(List(type_))
    value = next(
        one for one in (DRAWS[kind](Random(seed)) for seed in range(99)) if len(repr(one)) > 12 or kind == "bool"
    )
    for _ in range(2000):
        less = smaller(schema, type_, value)
        assert kind == "any" or {type(value)} >= {type(one) for one in less}
        if not less:
            break
        value = less[-1]
    assert smaller(schema, type_, value) == []


def test_containers_become_smaller():
    """Lists, sets, maps, tuples and records lose items, and keep their types."""
    types = (List(BIGINT), Set(BIGINT), Map(BIGINT), Tuple((BIGINT, BIGINT)), Optional(BIGINT))
    record = Record("Row", tuple(Field(f"f{number}", type_) for number, type_ in enumerate(types)))
    value = {"f0": [70, 80], "f1": {70, 80}, "f2": {"ab": 70}, "f3": (70, 80), "f4": 12345}
    less = smaller(Schema(List(Ref("Row")), (record,)), Ref("Row"), value)
    for name, ones in {"f0": [[80], []], "f1": [set()], "f2": [{}, {"b": 70}], "f3": [(0, 80)], "f4": [None]}.items():
        assert all({**value, name: one} in less for one in ones), name
    assert all(one.keys() == value.keys() for one in less)


def test_no_value_is_no_sweep():
    """A sweep of no values is refused in one line."""
    with pytest.raises(serbench.PlanError, match="at least 1 value"):
        serbench.sweep(0, "typeddict", "json/json")


@pytest.mark.parametrize(("value", "written"), [(timedelta(900), "P2Y170D"), (timedelta(1000), 86_400_000_000_000.0)])
def test_durations_are_read_in_every_form(value, written):
    """A year of 365 days, as pydantic writes it, and many microseconds, as marshmallow does, mean the duration."""
    assert wire_difference({}, ["timedelta"], value, written) is None


def test_another_writer_s_set_is_a_set(monkeypatch):
    """CBOR's tag for sets is written anew, so that what another writer makes of a set is no array."""
    monkeypatch.setattr(sweeping, "swept_groups", lambda: [one for one in swept_groups() if one.name == "set"])
    found = serbench.sweep(10, "dataclasses", "cbor2")
    assert [(10, 10)] == [(row.tried, row.kept) for row in found]
