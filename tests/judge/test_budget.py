"""Messages per second: the lesser of what the cores and the line can do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from serbench.api.command_line import judging
from serbench.display.figures import budget_figure
from serbench.display.views import budget_sentence
from serbench.judge.figures import best, budget, budgets, is_fewer, why_incomparable
from serbench.judge.rows import Row
from serbench.results import CaseId, Point

ROW = Row(
    id=0,
    **vars(Point("client", 100, 2, 0)),
    **vars(CaseId("msgspec", "default", "msgspec", "json", version="1.0")),
    operation="encode",
    work_class="objects",
    status="ok",
    rank=1,
    time_ns=10_000.0,
    size_bytes=10_000,
    size_gzip_bytes=1_000,
    size_zstd_bytes=2_000,
    gzip_ns=90_000,
    gunzip_ns=30_000,
    zstd_ns=10_000,
    unzstd_ns=5_000,
)


def test_a_narrow_line_is_the_bottleneck():
    """10 Mbit/s carry 125 messages of 10,000 bytes a second, of which one core could make 100,000."""
    found = budget(ROW, 10e6, 1)
    assert ("line", 125.0, 100_000.0) == (found.bottleneck, found.per_s, found.cpu_per_s)


def test_a_wide_line_leaves_it_to_the_cores():
    """With 10 Gbit/s the core is the bottleneck, and two cores do twice as much."""
    found = budget(ROW, 10e9, 1)
    assert ("cores", 100_000.0, 125_000.0) == (found.bottleneck, found.per_s, found.line_per_s)
    assert budget(ROW, 1e12, 2).per_s == 200_000


def test_compression_trades_time_for_bytes():
    """Compressing adds its time and takes the smaller size; reading adds the time of decompressing."""
    assert 10e6 / 8 / 1_000 == budget(ROW, 10e6, 1, "gzip").per_s
    assert 1e9 / 100_000 == budget(ROW, 10e9, 1, "gzip").per_s
    assert 1e9 / 15_000 == budget(replace(ROW, operation="decode"), 10e9, 1, "zstd").cpu_per_s


def test_the_winner_depends_on_the_line():
    """On a narrow line the smallest bytes win, on a wide one the fastest code."""
    small = replace(ROW, library="small", time_ns=50_000.0, size_bytes=500, size_gzip_bytes=400, size_zstd_bytes=450)
    narrow, wide = budgets([ROW, small], 10e6, 1), budgets([ROW, small], 100e9, 1)
    assert ("small", "gzip", "line") == (narrow[0].row.library, narrow[0].compression, narrow[0].bottleneck)
    assert ("msgspec", "none", "cores") == (wide[0].row.library, wide[0].compression, wide[0].bottleneck)
    assert [one.per_s for one in narrow] == sorted((one.per_s for one in narrow), reverse=True)


def test_the_best_compression_of_each():
    """Of each row the best compression is kept, in the order of messages per second."""
    found = best(budgets([ROW, replace(ROW, library="other")], 10e6, 1))
    assert [("msgspec", "gzip"), ("other", "gzip")] == [(one.row.library, one.compression) for one in found]


def test_losses_and_objects_of_a_format_stand_apart(info):
    """They come after all others however fast they are, below headings, and the finding does not speak of them."""
    classes = {
        "loser": "objects, strict, lossy (generated: offset)",
        "both": "generated objects, typed, lossy (at: offset)",
        "lazy": "generated objects, typed",
        "slow": "objects, strict",
        "quick": "dicts, unchecked",
    }
    rows = [
        replace(ROW, library=name, work_class=work_class, time_ns=1000.0 * (1 + place))
        for place, (name, work_class) in enumerate(classes.items())
    ]
    assert ["slow", "quick", "lazy", "both", "loser"] == [one.row.library for one in best(budgets(rows, 1e12, 1))]
    assert ["lossy", "a format's own objects, lossy", "a format's own objects", "", ""] == [
        why_incomparable(row) for row in rows
    ]
    assert "not ranked" == why_incomparable(replace(rows[3], rank=None))
    drawn = budget_figure(rows, info, bandwidth_bits_per_s=1e12)
    lines = [line.partition(" via")[0] for line in drawn["layout"]["yaxis"]["ticktext"]]
    headings = [f"<i>{why_incomparable(row)}</i>" for row in rows[:3]]
    assert ["slow", "quick", headings[2], "lazy", headings[1], "both", headings[0], "loser"] == lines
    assert "slow" in drawn["layout"]["title"]["text"]
    assert "loser" not in drawn["layout"]["title"]["text"]


def test_what_is_not_measured_has_no_budget():
    """A row without a time or without sizes has none, and there is a sentence for that."""
    assert budget(replace(ROW, time_ns=None), 1e6, 1) is None
    assert budget(replace(ROW, zstd_ns=None, unzstd_ns=None), 1e6, 1, "zstd") is None
    assert "no measured result" in budget_sentence([])


def test_the_sentence_says_why():
    """The sentence names the winner, the messages a second and the bottleneck with its figure."""
    assert "the line is full at 1,000 bytes a message" in budget_sentence(budgets([ROW], 10e6, 1))
    assert "the cores are busy for 10.0 µs a message" in budget_sentence(budgets([ROW], 100e9, 1))


def test_a_row_says_of_which_size_and_version_it_is():
    """Two depths or two versions of a library are told apart, in the sentence as well."""
    older = replace(ROW, environment="0.9", version="0.9", time_ns=11_000.0)
    found = budgets([ROW, replace(ROW, depth=3), older], 10e9, 1)
    names = ("workload", "records", "depth", "environment", "version", "library", "codec")
    assert 3 == len({tuple(judging._budget_row(budget)[name] for name in names) for budget in best(found)})
    said = budget_sentence(best(budgets([ROW, older], 100e9, 1)))
    assert said.startswith("encode: msgspec 1.0, 100,000 messages") or "msgspec 1.0, tied with msgspec 0.9" in said


def timed(library, low, time, high, **facts):
    """A row whose time has this interval, in ns."""
    return replace(ROW, library=library, time_ns=time, time_ns_low=low, time_ns_high=high, **facts)


def test_fewer_messages_are_proven_by_the_interval_of_the_time(info):
    """Where the cores limit, overlapping intervals tie, and so does what differs by less than the noise; a full line is exact."""
    fast, close = timed("fast", 9e3, 10e3, 11e3), timed("close", 10.5e3, 11.5e3, 12.5e3)
    slow, large = (
        timed("slow", 19e3, 20e3, 21e3),
        timed("large", 9e3, 10e3, 11e3, size_bytes=10_001, size_gzip_bytes=1_001, size_zstd_bytes=2_001),
    )
    wide = {row.library: budget(row, 1e12, 1) for row in (fast, close, slow)}
    assert [False, True] == [is_fewer(wide[name], wide["fast"]) for name in ("close", "slow")]
    assert not is_fewer(wide["slow"], wide["fast"], 1.5)
    zipped = [budget(row, 1e12, 1, "gzip") for row in (slow, fast)]
    assert is_fewer(*zipped)
    assert is_fewer(budget(large, 1e6, 1), budget(fast, 1e6, 1), 1.5)

    def title(rows, **options):
        text = budget_figure(rows, info, **options)["layout"]["title"]["text"]
        return text.replace("<br>", " ")

    said = title([fast, close, slow], bandwidth_bits_per_s=1e12, cores=1)
    assert "fast via msgspec, tied with close via msgspec, encodes 100,000 messages per second" in said
    assert said.removesuffix("</b>").endswith("; slow via msgspec 50,000")
    noisy = title([fast, close, slow], bandwidth_bits_per_s=1e12, cores=1, least=1.5)
    assert noisy.removesuffix("</b>").endswith("; ignore differences below 150.0% (noise)")
    assert "tied with close via msgspec and slow via msgspec, encodes" in noisy
    assert ", tied with close via msgspec, 100,000 messages" in budget_sentence(
        [wide["fast"], wide["close"], wide["slow"]]
    )


@pytest.mark.parametrize(("bits", "cores"), [(0, 1), (-1, 1), (float("inf"), 1), (1e6, 0), (float("nan"), 1)])
def test_impossible_lines_and_cores_are_refused(bits, cores):
    """A bandwidth or a number of cores that cannot be is a ValueError that names it."""
    with pytest.raises(ValueError, match="must be more than 0"):
        budget(ROW, bits, cores)
