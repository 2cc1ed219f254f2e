"""A sweep finds the faults that only some values show, and tells each by a small value."""

from __future__ import annotations

import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import waits
from hypothesis import configuration
from hypothesis.internal import charmap

import serbench
from serbench.api import verifying
from serbench.machine.caretaker import with_us
from serbench.measure.plan import as_built
from serbench.measure.probes import sweeping
from serbench.measure.probes.drawing import SCALARS, drawn, smallest
from serbench.measure.probes.probing import each_probed
from serbench.measure.probes.sweeping import swept, swept_groups
from serbench.measure.session import RequestLimits
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Union
from serbench.model.scalars import BIGINT, Scalar
from serbench.render.codec import formats
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
            "10000000000",
        ),
        (
            "integer",
            {"writing": 'if value > 2**53:\n        data = [{"subject": value + 1}]'},
            "written",
            "90071992547409",
        ),
        (
            "float",
            {"reading": 'if b"0e+" in blob and value > 1e4:\n        data[0]["subject"] = 0.0'},
            "read",
            "",
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
    assert 0 < difference.values <= found.tried == found.kept + found.refused + difference.values
    assert step == "crashed" or difference.values < found.tried  # after three crashes nothing more is tried
    assert difference.value.startswith(value), difference
    assert step == "crashed" or len(difference.value) <= 22, difference


@pytest.mark.slow
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


BIG = Schema(List(Ref("Row")), (Record("Row", (Field("value", BIGINT),)),))
OF_EACH = Schema(
    List(Ref("Row")),
    (
        Record(
            "Row",
            (
                *(Field(kind, Scalar(kind)) for kind in SCALARS if kind != "key"),
                *(Field(f"f{n}", t) for n, t in enumerate((List(BIGINT), Set(BIGINT), Map(BIGINT), Optional(BIGINT)))),
                Field("pair", Tuple((BIGINT, BIGINT))),
            ),
        ),
    ),
)


@pytest.mark.slow
def test_a_seed_gives_its_values():
    """One seed gives the same values of every type each time, another seed others."""
    first = drawn.__wrapped__(OF_EACH, Ref("Row"), 30, 1)
    assert 30 == len(first)
    assert repr(first) == repr(drawn.__wrapped__(OF_EACH, Ref("Row"), 30, 1))
    assert repr(first) != repr(drawn.__wrapped__(OF_EACH, Ref("Row"), 30, 2))


@pytest.mark.slow
def test_a_seed_gives_its_values_whatever_is_imported(tmp_path):
    """Two processes, one of which has imported a module with other constants, draw the same and find the same smallest value."""
    source = """
        import sys
        from serbench.measure.probes.drawing import drawn, smallest
        from serbench.model.records import Field, List, Record, Ref, Schema
        from serbench.model.scalars import BIGINT, STR
        sys.path.append(sys.argv[1])
        for name in sys.argv[2:]:
            __import__(name)
        row = Record("Row", (Field("number", BIGINT), Field("text", STR)))
        given = Schema(List(Ref("Row")), (row,)), Ref("Row"), 60, 3
        shows = lambda rows: any(row["number"] > 10**20 and len(row["text"]) > 3 for row in rows)
        print(ascii([drawn(*given), smallest(*given, shows)]))
        """
    (tmp_path / "constants.py").write_text(f"NUMBERS = {[*range(1000)]}\nTEXTS = {[*map(str, range(1000))]}\n")
    command = [sys.executable, "-c", textwrap.dedent(source), str(tmp_path)]
    plain, other = (waits.run([*command, *more], **with_us()).stdout for more in ([], ["constants"]))
    assert len(plain) > 1000
    assert plain == other


def test_numbers_have_every_length():
    """Integers of most counts of digits are drawn, some of them beside a power of ten."""
    found = {row["value"] for row in drawn(BIG, Ref("Row"), 2000, 0)}
    assert len({len(str(abs(value))) for value in found}) > 30
    assert any(abs(abs(value) - 10**digits) == 1 for value in found for digits in range(2, 40))


@pytest.mark.parametrize("holder", [List, Map, Optional, lambda item: List(Union((item, BIGINT)))])
def test_a_record_that_holds_itself_is_drawn_whole(holder):
    """It ends at the deepest level that is drawn: Hypothesis gives up longer values, after minutes."""

    def depth(value):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return isinstance(value, dict) + max(map(depth, inner), default=0)

    schema = Schema(List(Ref("Node")), (Record("Node", (Field("inner", holder(Ref("Node"))),)),))
    depths = {depth(value) for value in drawn(schema, Ref("Node"), 200, 0)}
    assert {1, 2, 3} == {level if holder is not Map else level // 2 for level in depths}


def test_the_smallest_value_is_told():
    """Of the values of which something is true, the smallest one; none if it is true of none."""

    def shows(rows):
        return any(row["value"] > 10**20 for row in rows)

    (row,) = [row for row in smallest(BIG, Ref("Row"), 400, 0, shows) if shows([row])]
    assert 10**20 < row["value"] < 10**21
    assert [] == smallest(BIG, Ref("Row"), 40, 0, lambda _: False)


def test_threads_draw_one_after_the_other():
    """The environments of a sweep are threads, and what Hypothesis parses and patches is not safe for two of them."""
    inside, most = [], []
    schema = Schema(List(BIGINT))

    def shows(_values):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.01)  # the other thread would be in here too
        inside.pop()
        return False

    with ThreadPoolExecutor(2) as threads:
        for seed in range(2):
            threads.submit(smallest, schema, BIGINT, 20, seed, shows)
    assert len(most) > 20
    assert {1} == set(most)


def test_without_hypothesis_one_line_says_what_to_install(monkeypatch):
    """It is of an extra."""
    monkeypatch.setattr(verifying, "find_spec", lambda _: None)
    with pytest.raises(serbench.PlanError, match=r"a sweep needs Hypothesis: pip install '\.\[generate\]'"):
        serbench.sweep(1, "typeddict", "json/json")


@pytest.mark.slow
def test_another_writer_s_set_is_a_set(monkeypatch):
    """CBOR's tag for sets is written anew, so that what another writer makes of a set is no array."""
    monkeypatch.setattr(sweeping, "swept_groups", lambda: [one for one in swept_groups() if one.name == "set"])
    found = serbench.sweep(10, "dataclasses", "cbor2")
    assert [(10, 10)] == [(row.tried, row.kept) for row in found]


def test_drawing_ends_when_it_should_and_keeps_no_folder(tmp_path, monkeypatch):
    """An interrupt does not wait for 20,000 values, and Hypothesis leaves nothing where the command was given."""
    group, asked = swept_groups()[0], []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(charmap, "_charmap", None)
    monkeypatch.setattr(configuration, "__hypothesis_home_directory", tmp_path)

    def go_on():
        asked.append(1)
        if len(asked) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drawn(group.schema, group.schema.item, 20_000, 5, go_on)
    assert len(asked) == 3
    assert [] == list(tmp_path.iterdir())
