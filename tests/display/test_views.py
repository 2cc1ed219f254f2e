"""The views beside the ranking: what each says, and that it says it of the right rows."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.display import views
from serbench.display.figures import budget_figure, phases, ranking, scaling, tradeoff
from serbench.display.style import THEMES, library_mark, log_axis
from serbench.display.views import growth
from serbench.judge.compare import relation
from serbench.judge.figures import depth_limits, pareto_front
from serbench.judge.rows import phase_times
from serbench.results import FLOOR
from serbench.store.archive import published


@pytest.fixture
def measured(rows):
    return [row for row in rows if row.measured]


def dotted(figure):
    """The traces of a figure that are not the texts beside others."""
    return [trace for trace in figure["data"] if trace.get("mode") != "text"]


def figures(rows, info, **options):
    """Every view of the rows."""
    return {
        "ranking": ranking(rows, info, **options),
        "scaling": scaling(rows, info, records=100, depth=2, **options),
        "tradeoff": tradeoff(rows, info, **options),
        "phases": phases(rows, info, **options),
        "budget": budget_figure(rows, info, **options),
    }


@pytest.mark.parametrize("theme", THEMES)
def test_a_figure_stands_by_itself(rows, info, theme):
    """Each is JSON that Plotly accepts, with a finding as its title, and says on what machine it was measured."""
    for name, figure in figures(rows, info, theme=theme).items():
        drawn = go.Figure(json.loads(json.dumps(figure, allow_nan=False)))
        assert drawn.layout.title.text, name
        assert "Abacus 9000" in drawn.layout.annotations[-1].text, name
        assert THEMES[theme].paper == drawn.layout.template.layout.paper_bgcolor, name


def test_a_figure_of_nothing_says_so(info):
    """Without a row each view is an empty figure with a title."""
    for name, figure in figures([], info).items():
        assert re.search("N(othing|o measured result) ", figure["layout"]["title"]["text"]), name
        assert [] == [x for trace in figure["data"] for x in trace.get("x", [])]


def test_a_library_has_one_colour_in_all_views(measured, info):
    """The ranking, the trade-off and the scaling draw it in the colour of its mark."""
    colour, _ = library_mark("pydantic")
    for name, figure in figures(measured, info).items():
        if name != "phases":
            traces = [trace for trace in figure["data"] if trace.get("name", "").startswith("pydantic")]
            assert traces, name
            assert {colour} == {trace["marker"]["color"] for trace in traces}, name


def test_a_case_of_one_direction_is_not_the_fastest_way_there_and_back(measured, info):
    """In the phases it stands below those that were measured both ways, and its label says what is missing."""
    first, *others = measured
    both = [replace(row, operation=name) for row in others for name in ("encode", "decode")]
    figure = phases([replace(first, operation="encode", time_ns=1.0), *both], info)
    labels = figure["layout"]["yaxis"]["ticktext"]
    assert labels[-1].endswith("no decode")
    assert not any("no " in label for label in labels[:-1])


def test_ties_share_a_rank_in_the_labels(measured, info):
    """Two rows of one rank have it in their labels with a sign, below the words for their work class."""
    tied = [row for row in measured if row.work_class == "objects, coercing"]
    heading, *labels = ranking(tied, info)["layout"]["yaxis"]["ticktext"]
    assert "<b>coerces</b>" == heading
    assert ["1=", "1=", "3"] == [label.split()[-1] for label in labels]


def test_no_interval_is_clipped(measured, info):
    """The axis of the ranking holds both ends of every interval."""
    figure = ranking([measured[0]], info)
    low, high = (10**end for end in figure["layout"]["xaxis"]["range"])
    (trace,) = dotted(figure)
    assert low < trace["x"][0] - trace["error_x"]["arrayminus"][0]
    assert trace["x"][0] + trace["error_x"]["array"][0] < high


def test_the_front_is_what_nobody_beats(measured):
    """Faster but larger, and slower but stricter, are both on the front; worse in all three is not."""
    base = measured[0]
    case = {
        "fast": replace(base, library="fast", time_ns=1.0, size_bytes=100, work_class="objects, unchecked"),
        "small": replace(base, library="small", time_ns=2.0, size_bytes=50, work_class="objects, unchecked"),
        "strict": replace(base, library="strict", time_ns=3.0, size_bytes=100, work_class="objects, strict"),
        "worse": replace(base, library="worse", time_ns=4.0, size_bytes=100, work_class="objects, coercing"),
    }
    assert ["fast", "small", "strict"] == [row.library for row in pareto_front(list(case.values()))]


def test_what_stands_apart_beats_nobody(measured, info):
    """A case that loses something is drawn and beats none that does not; among its like it is weighed."""
    kept = replace(measured[0], time_ns=2.0, size_bytes=100, work_class="objects, strict")
    lossy = replace(kept, time_ns=1.0, size_bytes=50, work_class="objects, strict, lossy (offset: at)")
    own = replace(kept, time_ns=1.0, size_bytes=50, work_class="generated objects, strict")
    assert [kept] == pareto_front([lossy, own, kept])
    assert [lossy] == pareto_front([lossy])
    drawn = tradeoff([lossy, own, kept], info)
    assert 3 == sum(len(trace["x"]) for trace in dotted(drawn))
    told = drawn["layout"]["meta"]["finding"]
    assert told.endswith("is fastest and smallest as the only one")
    told = tradeoff([lossy, kept, replace(kept, time_ns=3.0)], info)["layout"]["meta"]["finding"]
    assert told.endswith("of all 2 combinations compared, whatever they validate")


@pytest.mark.slow
@given(st.floats(1e-3, 1e9), st.floats(0, 8))
def test_a_log_axis_has_a_few_round_ticks(least, decades):
    """However far the values lie from each other, the axis holds them and has three to nine ticks, or Plotly's own within a decade."""
    values = [least, least * 10**decades]
    axis = log_axis(values, "")
    low, high = axis["range"]
    assert low < math.log10(values[0]) <= math.log10(values[1]) < high
    if high - low < 1:
        assert "dtick" not in axis
    else:
        a_decade = 3 if axis["dtick"] == "D2" else 1 / axis["dtick"]
        assert 2 < (high - low) * a_decade <= 9


def test_a_name_stands_where_there_is_room(measured, info):
    """Of the cases that none beats, each has its name beside its dot, on the side of the axis that is farther away."""
    fast, small = (
        replace(measured[0], time_ns=n, time_ns_low=n, time_ns_high=n, size_bytes=one)
        for n, one in ((1.0, 400), (2.0, 100))
    )
    names = tradeoff([fast, small], info)["data"][-1]
    assert ([1.0, 2.0], [400, 100]) == (names["x"], names["y"])
    assert ["top right", "bottom left"] == names["textposition"]
    above, below = names["text"]
    assert above.split("<br>")[1].isspace(), "its name would cross the dots of the same size"
    assert below.split("<br>")[0].isspace()


def test_phases_stack_steps_or_the_whole(measured):
    """A case whose steps were all measured shows those, another the whole operation."""
    whole = replace(measured[0], time_ns=10.0)
    steps = [replace(whole, operation=name, time_ns=time) for name, time in (("loads", 4.0), ("load", 5.0))]
    assert {"loads": 4.0, "load": 5.0} == phase_times([whole, *steps])[0][1]
    assert {"decode": 10.0} == phase_times([whole, steps[0]])[0][1]


def test_scaling_draws_a_map_where_there_is_one(measured, info):
    """Two sizes and two depths of a case make a map; one size does not."""
    grid = [replace(measured[0], records=records, depth=depth) for records in (1, 10) for depth in (2, 4)]
    kinds = [trace["type"] for trace in scaling(grid, info, records=10, depth=2)["data"]]
    assert 1 == kinds.count("heatmap")
    flat = scaling(grid[:2], info, records=1, depth=2)["data"]
    assert "heatmap" not in [trace["type"] for trace in flat]


def test_panels_with_the_same_axis_name_it_once(measured, info):
    """The title of the right panel's axis would touch the left panel; limits of depth that all reach are no panel."""
    grid = [replace(measured[0], records=records, depth=depth) for records in (1, 10) for depth in (2, 4)]
    layout = scaling(grid, info, records=10, depth=2)["layout"]
    assert layout["yaxis"]["title"]["text"].endswith("per record")
    assert layout["yaxis"]["range"] == layout["yaxis2"]["range"]
    assert "" == layout["yaxis2"]["title"]["text"]
    crashed = replace(grid[-1], status="crashed", time_ns=None, time_per_record_ns=None)
    for rows, is_shown in ((grid, False), ([*grid[::2], replace(crashed, records=1), crashed], True)):
        headings = [note["text"] for note in scaling(rows, info, records=10, depth=2)["layout"]["annotations"]]
        assert is_shown == ("How deep each library has gone" in headings)


def test_a_case_without_a_rank_is_explained(measured, info):
    """A figure says below why a case has no rank, if one has none; a run that has ranked nothing yet says nothing."""
    ranked, other = replace(measured[0], rank=1), replace(measured[0], library="other", rank=None)
    for rows, is_said in (([ranked], False), ([ranked, other], True), ([other], False)):
        notes = ranking(rows, info)["layout"]["meta"]["notes"]
        assert is_said == any(note.startswith("– not ranked: the library takes no part") for note in notes)


def test_hollow_marks_are_explained(measured, info):
    """A figure says below what hollow marks mean, if it has any, and only then."""
    known, unresolved = (replace(measured[0], status=status) for status in ("ok", "unresolved"))
    for row, is_hollow in ((known, False), (unresolved, True)):
        for drawn in (scaling([row], info, records=1, depth=2), ranking([row], info)):
            symbols = [symbol for trace in dotted(drawn) for symbol in trace["marker"]["symbol"]]
            assert is_hollow == any(symbol.endswith("-open") for symbol in symbols)
            assert is_hollow == ("hollow" in " ".join(drawn["layout"]["meta"]["notes"]))


def test_codecs_are_told_apart_by_dashes(measured, info):
    """Of several codecs each has a dash of its own, which the legend shows beside its name."""
    grid = [replace(measured[0], codec=codec, records=records) for codec in ("json", "orjson") for records in (1, 10)]
    lines = [trace for trace in scaling(grid, info, records=1, depth=2)["data"] if trace["showlegend"]]
    assert {"json": "solid", "orjson": "dash"} == {one["name"].split()[-1]: one["line"]["dash"] for one in lines}


def test_a_case_timed_by_two_clocks_is_one_line(measured, info):
    """A case whose time is by the wall clock at one of its sizes has one line and one name, with the star."""
    both = [replace(measured[0], clock=clock, records=size) for clock, size in (("cpu", 1), ("wall", 10))]
    (line,) = [trace for trace in scaling(both, info, records=1, depth=2)["data"] if trace["mode"] == "lines+markers"]
    assert ([1, 10], "*") == (line["x"], line["name"][-1])


def growing(row, each_ns):
    """A case at points of records and depth, with so many ns a record at each, known to 1%."""
    return [
        replace(
            row,
            records=records,
            depth=depth,
            time_ns=ns * records,
            time_ns_low=0.99 * ns * records,
            time_ns_high=1.01 * ns * records,
            time_per_record_ns=ns,
        )
        for (records, depth), ns in each_ns.items()
    ]


@pytest.mark.parametrize(
    ("each_ns", "told"),
    [
        (
            {(1, 2): 100, (9, 2): 70, (1000, 2): 50},
            "A is 2× faster (1.97 to 2.03) per record with 1,000 records than with 1",
        ),
        ({(1, 2): 100, (10, 2): 100.5}, "A shows no proven difference per record between 1 and 10 records"),
        (
            {(1, 2): 100, (10, 2): 300, (10, 4): 9000},
            (
                "A is 3× slower (2.96 to 3.04) per record with 10 records than with 1; "
                "it is 30× slower (29.6 to 30.4) per record at depth 4 than at depth 2"
            ),
        ),
        (
            {(10, 2): 100, (10, 4): 200},
            (
                "Only one size is measured, 10 records; several, such as 1, 10, 100 and 1,000 records, show how "
                "time grows; A is 2× slower (1.97 to 2.03) per record at depth 4 than at depth 2"
            ),
        ),
    ],
)
def test_scaling_says_first_how_time_grows_with_records(measured, info, each_ns, told):
    """The title is of the fastest case that ends in your own objects: its time per record by records, then by depth."""
    base = replace(measured[0], library="ours", codec="json", work_class="objects, strict")
    dicts = replace(base, library="dicts", work_class="dicts, unchecked")
    slow = growing(replace(base, library="slow"), dict.fromkeys(each_ns, 1000.0))
    faster = growing(dicts, dict.fromkeys(each_ns, 5.0))
    rows = [*slow, *faster, *growing(base, each_ns)]
    title = scaling(rows, info, records=max(records for records, _ in each_ns), depth=2)["layout"]["meta"]["finding"]
    assert told.replace("A ", "ours via json ") == title


def test_the_limit_of_depth_is_what_failed_beyond_what_worked(measured):
    """A library's limit is its deepest success and the first failure beyond, not what it never supports."""
    works = [replace(measured[0], depth=depth) for depth in (2, 8)]
    facts = {"time_ns": None, "time_per_record_ns": None}
    fails = replace(measured[0], depth=100, status="crashed", reason="SIGSEGV", **facts)
    never = replace(measured[0], library="other", status="unsupported", reason="no recursion", **facts)
    (limit,) = depth_limits([*works, fails, never])
    assert (measured[0].library, 8, 100, "crashed: SIGSEGV") == (
        limit.row.library,
        limit.deepest,
        limit.failed_at,
        limit.reason,
    )
    (line,) = growth([*works, fails])["deepest level reached"]
    assert line.endswith("8; depth 100 crashed: SIGSEGV")


def test_rows_of_other_data_are_compared_without_an_interval(measured):
    """A ratio across sizes has no interval: the two were not measured side by side."""
    one, other = measured[0], replace(measured[1], records=7)
    assert relation(one, measured[1]).low is not None
    assert relation(one, other).low is None


def test_versions_of_a_library_are_told_apart_in_every_view(measured, info):
    """Two versions of one library, each in its environment, have names of their own wherever they are drawn."""
    base = replace(measured[0], library="pydantic", codec="orjson")
    versions = {"1.10.2": 1.0, "2.5.0": 2.0}  # which is slower, and smaller: none beats the other
    both = [
        replace(base, version=name, environment=f"pydantic=={name}", time_ns=1e3 * far, size_bytes=int(100 / far))
        for name, far in versions.items()
    ]
    grid = [replace(row, records=size, depth=depth) for row in both for size in (1, 10) for depth in (2, 4)]
    for name, figure in figures([*both, *grid], info).items():
        drawn = json.dumps(figure)
        assert ("pydantic 1.10.2 via" in drawn, "pydantic 2.5.0 via" in drawn) == (True, True), name
    assert ["1.10.2", "2.5.0"] == [limit.row.version for limit in depth_limits(grid)]


def test_phases_of_whole_operations_have_a_finding(measured, info):
    """Where no step was timed by itself the title adds up what was, also of a single combination."""
    pair = [replace(measured[0], operation=name, time_ns=10.0) for name in ("encode", "decode")]
    slow = [replace(row, library="slow", codec="json", time_ns=50.0) for row in pair]
    title = phases([*pair, *slow], info)["layout"]["title"]["text"]
    assert "encode and decode together slow via json needs 5× the time of" in title.replace("<br>", " ")
    alone = phases(slow, info)["layout"]["title"]["text"]
    assert "For encode and decode together slow via json needs 100 ns" in alone.replace("<br>", " ")


def test_scaling_names_the_libraries_without_a_line():
    """A framework of which only the floor was measured has no line, and a note says so."""
    rows = next(sheet.rows for sheet in published() if any(row.codec == FLOOR for row in sheet.rows))
    asked = [row for row in rows if row.operation == "encode" and row.workload == "client-rich"]
    notes = views.scaling(asked, 1000, 2).notes
    assert "Not measured: django-ninja via pydantic (unsupported)" in notes[1:]
