"""What weigh prints, keeps and gives back."""

import json
import math
import random
import re
import sys
from pathlib import Path

import pytest

import serbench
from serbench.ask.command_line.program import main
from serbench.display.costs import weight_tables
from serbench.judge.weights import Weight, median_interval
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
    """In 2,000 samples of seven from a skewed distribution the interval misses the median no more than 5 % of the time."""
    draw = random.Random(1)
    truth = math.log(2)
    found = [median_interval([draw.expovariate(1) for _ in range(7)]) for _ in range(2000)]
    assert sum(not low <= truth <= high for low, high in found) <= 0.05 * 2000


@pytest.mark.parametrize(("count", "expected"), [(5, None), (6, (1, 6)), (8, (1, 8)), (9, (2, 8)), (20, (6, 15))])
def test_the_interval_is_of_the_textbook_s_order_statistics(count, expected):
    """The ranks are those of the sign test's 95 % interval; five readings are too few for any."""
    assert expected == median_interval(list(range(1, count + 1)))


MODULES = {
    "eager.py": "import decimal\n\nkept = [b'x' * (8 << 20)]\n\ndef use():\n    return kept\n",
    "lazy.py": "kept = []\n\ndef use():\n    import decimal\n    kept.append(b'x' * (8 << 20))\n\ndef leaking():\n    kept.append(object())\n\ndef clean():\n    return [object()]\n",
}


@pytest.fixture
def user_modules(tmp_path, monkeypatch):
    """Two modules in the present folder."""
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells resident memory page by page")
def test_two_modules_are_weighed_side_by_side(user_modules):
    """Each is a line: the eager one has its memory after the import, the lazy one after its first use."""
    found = serbench.weigh(modules=["eager.py:use", "lazy.py:use"], processes=2, store="s.sqlite")
    value = {(row.library, row.quantity): row.value for row in found.rows}
    assert {"import", "first_use", "after_import", "after_first_use"} == {quantity for _, quantity in value}
    after = {name: value[f"{name}.py:use", "after_import"] for name in ("eager", "lazy")}
    assert after["eager"] - after["lazy"] > 7 << 20
    assert value["lazy.py:use", "after_first_use"] - after["lazy"] > 7 << 20
    assert ("module" in str(found), "codec" in str(found)) == (True, False)
    assert found.to_data() == serbench.weighing(store="s.sqlite").to_data()


@pytest.mark.slow
def test_the_leak_of_a_function_is_told(user_modules):
    """The leak is a line in words; a clean function is not accused."""
    found = serbench.weigh(modules=["lazy.py:leaking", "lazy.py:clean"], metrics="leak", processes=6, store="s.sqlite")
    leaks = {(row.library, row.quantity): row.leaks for row in found.rows}
    assert (True, False) == (leaks["lazy.py:leaking", "call_blocks"], leaks["lazy.py:clean", "call_blocks"])
    assert "lazy.py:leaking leaks in call: " in str(found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"modules": "gone.py"}, "there is no file gone.py"),
        ({"modules": "lazy.py", "metrics": "leak"}, "leak calls a function; name one as lazy.py:function"),
        ({"modules": "lazy.py", "metrics": "threads"}, "modules are weighed by start and leak, not threads"),
    ],
)
def test_modules_that_cannot_be_weighed_are_a_line(options, words, user_modules):
    """Nothing is written."""
    with pytest.raises(serbench.PlanError, match=words):
        serbench.weigh(**options, store="s.sqlite")
    assert not Path("s.sqlite").exists()


def test_a_module_that_fails_has_its_reason(user_modules):
    """The other has its figures."""
    Path("broken.py").write_text("raise OSError('no such thing')\n", encoding="utf-8")
    found = serbench.weigh(modules=["broken.py", "lazy.py"], processes=1, store="s.sqlite")
    assert {"broken.py"} == {row.library for row in found.rows if row.value is None}
    assert "broken.py: OSError: no such thing" in str(found)


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


@pytest.mark.full
def test_a_profile_shows_itself_and_is_written(tmp_path, capsys):
    """The command prints the hottest functions as JSON, and the flame graph asks nobody for anything."""
    path = tmp_path / "decode.svg"
    with pytest.raises(SystemExit) as exited:
        main(["explain", "dataclasses", "json", "--profile", "-w", "client", "-n", "5", "--flame", str(path), "--json"])
    assert 0 == exited.value.code
    found = json.loads(capsys.readouterr().out)
    assert "decode: dataclasses via json, client, 5 records, depth 2" == found["title"]
    assert "decode" == found["flame"]["function"]["name"]
    assert 1 == pytest.approx(sum(one["share"] for one in found["functions"]))
    assert 1 == path.read_text(encoding="utf-8").count("http")  # the name of SVG itself
    shown = serbench.profile("dataclasses", "json", "tiny", operation="encode")
    assert shown.title in str(shown)
    assert shown._repr_mimebundle_()["image/svg+xml"] == shown.to_svg()
