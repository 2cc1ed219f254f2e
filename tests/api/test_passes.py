"""What weigh prints, keeps and gives back."""

import json
import math
import random
import re

import pytest

import serbench
from serbench.api.command_line.program import main
from serbench.api.weighing import weight_tables
from serbench.judge.outcomes import Weight, median_interval
from serbench.results import Point


@pytest.fixture(scope="module")
def weighing(tmp_path_factory):
    """A weighing of two cases, and its store."""
    store = tmp_path_factory.mktemp("weighings") / "s.sqlite"
    found = serbench.weigh(
        "tiny",
        metrics="start,installed",
        processes=2,
        store=store,
        libraries="msgspec,dataclasses",
        formats="json/json",
    )
    return found, store


@pytest.mark.slow
def test_a_weighing_is_in_the_store_as_it_was_returned(weighing):
    """The store gives the same weighing by its id and as the latest, with the readings of every process."""
    found, store = weighing
    assert found.to_data() == serbench.weighing(store=store).to_data()
    assert found.to_data() == serbench.weighing(found.info.id[:-1], store=store).to_data()
    assert {2} == {len(row.readings) for row in found.rows if row.metric == "start"}
    assert [] == serbench.runs(store=store)


@pytest.mark.slow
def test_a_weighing_shows_itself(weighing):
    """There is a board for each metric, with a line for each case, as text and as Markdown."""
    found, _ = weighing
    for text in (str(found), found._repr_mimebundle_()["text/markdown"]):
        assert 1 == text.count("start: CPU time in a fresh process — tiny · 100 records · depth 1")
        assert 1 == text.count("installed: library and codec")
    assert [3, 3] == [len(re.findall(rf"{name} +json", str(found))) for name in ("msgspec", "dataclasses")]
    size = {row.library: row.value for row in found.rows if row.quantity == "installed"}
    assert (0, True) == (size["dataclasses"], size["msgspec"] > 100_000)


def test_the_command_prints_what_is_stored(weighing, capsys):
    """`--stored latest --json` prints the object of the last weighing and measures nothing."""
    found, store = weighing
    with pytest.raises(SystemExit) as exited:
        main(["weigh", "--stored", "latest", "--store", str(store), "--json"])
    assert 0 == exited.value.code
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.to_data()))


def test_the_interval_of_a_median_holds_it():
    """In 2,000 samples of seven from a skewed distribution the interval misses the median no more than 5% of the time."""
    draw = random.Random(1)
    truth = math.log(2)
    found = [median_interval([draw.expovariate(1) for _ in range(7)]) for _ in range(2000)]
    assert sum(not low <= truth <= high for low, high in found) <= 0.05 * 2000


@pytest.mark.parametrize(("count", "expected"), [(5, None), (6, (1, 6)), (8, (1, 8)), (9, (2, 8)), (20, (6, 15))])
def test_the_interval_is_of_the_textbook_s_order_statistics(count, expected):
    """The ranks are those of the sign test's 95% interval; five readings are too few for any."""
    assert expected == median_interval(list(range(1, count + 1)))


def test_a_board_tells_why_a_case_has_no_figure():
    """Cases stand in the order of their first quantity; one without it has its reason below."""

    def row(library, value, reason=None):
        facts = {**vars(Point("w", 2, 1, 0)), "library": library, "variant": "default"}
        facts |= {"version": None, "environment": "main", "python": None, "codec": "json", "format": "json"}
        facts |= {"metric": "memory", "quantity": "decode_peak", "unit": "bytes"}
        return Weight(**facts, reason=reason, readings=() if value is None else (value,))

    (table,) = weight_tables([row("slow", 3e6), row("fast", 2e6), row("tiny", None, "too small")])
    found = {column.heading: column.cells for column in table.columns}
    assert {"library": ["fast", "slow"], "codec": ["json"] * 2, "decode peak MB": ["2.00", "3.00"]} == found
    assert ["tiny via json: decode peak: too small"] == table.notes
