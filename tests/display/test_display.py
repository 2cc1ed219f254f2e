"""What tables, pages and figures show, at the widths at which people read them."""

import csv
import io
import json
import re
import shlex
from dataclasses import replace

import plotly.graph_objects as go
import pytest
import synthetic
from rich.console import Console
from rich.measure import Measurement

from serbench.claims.ledger import against_published
from serbench.display import words
from serbench.display.board import boards_of
from serbench.display.closing import run_closing
from serbench.display.comparison import history_figure
from serbench.display.figures import budget_figure, phases, ranking, scaling, tradeoff
from serbench.display.matrices import _linked, matrix_figure
from serbench.display.result_table import table as table_of
from serbench.display.style import PALETTE, library_mark
from serbench.display.table import Brief, Column, Table, Tables
from serbench.display.values import csv_text, to_pandas
from serbench.display.views import PROPORTION
from serbench.judge.control import control as control_of
from serbench.judge.rows import as_data
from serbench.judge.rows import rows as rows_of
from serbench.render.framework import frameworks
from serbench.render.library import libraries
from serbench.store.archive import read_run, resources
from serbench.store.run import Run


def printed(renderable, width):
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(renderable)
    return out.getvalue()


@pytest.fixture
def control(cells, samples):
    return control_of(cells, samples)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_tables_fit_and_lose_nothing_that_matters(rows, control, info, width):
    """At every width no line is too long, and ranks, times, ratios, failures and accuracy are there."""
    text = printed(table_of(rows, control, ["noisy neighbour"], info), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert "decode client · 100 records · depth 2" in text
    together = " ".join(text.split())
    assert "1× (baseline)" in together
    assert "crashed: SIGSEGV in wave 2" in together
    assert "to be wrapped to a second line" in together
    assert "the run ended before it was measured" in together
    assert "Noise floor" in together
    assert "Abacus 9000, 2 cores, Linux 6.1, CPython 3.11.2" in together
    assert "msgspec 0.19.0" in together
    assert "! noisy neighbour" in together
    assert "…" not in text


def test_a_narrow_table_breaks_no_word():
    """A table takes the width that there is and folds between words; no narrower than its longest words."""
    rows = [{"name": "a_name_of_twenty_signs", "summary": "several words that fold, and another_long_name"}]
    table = Tables([Table.of_rows(rows)])
    for width in (30, 60, 70):
        needed = Measurement.get(Console(width=width), Console(width=1000).options, table).minimum
        lines = printed(table, max(width, needed)).splitlines()
        assert max(map(len, lines)) <= max(width, needed)
        assert {"a_name_of_twenty_signs", "another_long_name", "several"} <= set(" ".join(lines).split())


def test_details_are_four_lines_that_end_with_a_word():
    """What does not fit is cut between words; the last line says how many more there are."""
    warning = "garbage collector: on, as users run it; what set-up made was frozen"
    lines = printed(Brief([warning] * 6), 40).splitlines()
    assert 3 * ["garbage collector: on, as users run …"] == lines[:3]
    assert ["-v shows 3 more"] == lines[3:]


def test_footnotes_have_no_signs_of_markdown(rows, control, info):
    """A footnote of a table reads the same in Markdown as in the terminal, without escaped backticks."""
    assert "`" not in "".join(words.FOOTNOTES.values())
    assert "each decoder got" in table_of(rows, control, [], info).to_markdown()


def test_ties_share_a_marked_rank_and_classes_have_headers(rows, control, info):
    """Tied rows read 1=, each work class stands under its name, and no mark stands where an interval says the same."""
    lines = printed(table_of(rows, control, [], info), 120).splitlines()
    coercing = lines.index("coerces")
    assert ["1=", "1=", "3"] == [line.split()[0] for line in lines[coercing + 1 : coercing + 4]]
    assert lines.index("validates") < coercing
    assert lines[coercing + 3].split()[1] == "marshmallow"
    assert not [line for line in lines if "?" in line or line.startswith("§")]
    (pickled,) = [line for line in lines if "dataclasses" in line and "pickle" in line]
    assert "20.0†" in pickled


def test_less_important_columns_go_first(rows, control, info):
    """In a narrow terminal the speed in MB/s, which follows from time and size, is left out, and the ratio stays."""
    assert "MB/s" in printed(table_of(rows, control, [], info), 120)
    narrow = printed(table_of(rows, control, [], info), 66)
    assert "MB/s" not in narrow
    assert "ratio" in narrow


def test_one_record_needs_no_time_per_record(rows, control, info):
    """With one record the time per record is the time, and has no column."""
    single = [replace(row, records=1, time_per_record_ns=row.time_ns) for row in rows]
    assert "/record" not in printed(table_of(single, control, [], info), 120)


def test_a_table_of_failures_alone_is_a_table(cells, control, info):
    """Where nothing was measured the reasons are still shown."""
    text = printed(table_of(rows_of(cells, []), control, [], info), 80)
    assert "not measured" in text
    assert "µs/op" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.012345, "0.0123"), (1.0, "1.00"), (9.999, "10.0"), (12.34, "12.3"), (999.6, "1,000"), (2_345_678, "2,350,000")],
)
def test_three_digits(value, text):
    """Numbers have three significant digits and no exponent."""
    assert text == words.three_digits(value)


@pytest.mark.parametrize(
    ("ratio", "half", "text"),
    [
        (1.3249, 0.0203, "1.32× ± 0.02"),
        (13.44, 0.31, "13.4× ± 0.3"),
        (0.2312, 0.0041, "0.231× ± 0.004"),
        (76.3, 1.2, "76× ± 1"),
        (2.0, 0.098, "2.0× ± 0.1"),
        (1523.2, 20.0, "1,523× ± 20"),
        (1.94, 1.62, "1.9× ± 1.6"),
        (0.4, 0.3, "0.40× ± 0.30"),
    ],
)
def test_ratios_have_the_digits_that_are_known(rows, ratio, half, text):
    """A ratio is shown to the first digit of its interval."""
    row = replace(rows[0], ratio=ratio, ratio_low=ratio - half, ratio_high=ratio + half, reference=False, status="ok")
    assert text == words.ratio_label(row)


def test_one_unit_is_chosen_for_a_table():
    """The unit follows the middle value."""
    assert "µs" == words.unit_of([200.0, 5e4, 3e6])[1]
    assert "ns" == words.unit_of([2.0])[1]
    assert "ns" == words.unit_of([])[1]
    unit, name = words.unit_of([69.4, 5e6, 3e7])
    assert ("µs", "0.0694") == (name, words.number(69.4, unit))


def test_the_accuracy_is_a_sentence():
    """The A/A line says what was compared, how far it differed and how often an interval missed."""
    line = words.control_line({"aa_error": 0.008, "aa_miss_rate": 1 / 24, "aa_cases": 24})
    assert (
        "Noise floor 0.8%: identical code measured twice differed by less than this in 95% of cases; "
        "1 of 24 confidence intervals missed"
    ) == line
    assert "not known" in words.control_line({"aa_error": None, "aa_miss_rate": None, "aa_cases": 0})


def test_csv_has_every_field_and_every_row(rows):
    """The CSV reads back to the rows, with empty fields for what is not known."""
    found = list(csv.DictReader(io.StringIO(csv_text(rows))))
    assert [row.library for row in rows] == [line["library"] for line in found]
    assert list(as_data(rows[0])) == list(found[0])
    assert [""] * 2 == [line["time_ns"] for line in found if line["status"] in ("crashed", "unavailable")]


def test_pandas_has_the_same_columns(rows):
    """A data frame has a row for each row, and its columns even without one."""
    assert list(as_data(rows[0])) == list(to_pandas(rows).columns)
    assert (len(rows), 0) == (len(to_pandas(rows)), len(to_pandas([])))


def test_text_from_data_does_not_become_markup(rows, control, info):
    """Names with pipes, tags or brackets stay text in Markdown, HTML, the terminal and the figure."""
    evil = [replace(row, library="<b>|x|[red]") for row in rows]
    assert "| <b>|x|" not in table_of(evil, control, [], info).to_markdown()
    assert "<b>" not in table_of(evil, control, [], info).to_html()
    broken = [replace(row, library="two\nlines\r", reason=row.reason and "first\n\n# second") for row in rows]
    lines = table_of(broken, control, ["noisy\nneighbour"], info).to_markdown().splitlines()
    assert not [line for line in lines if line.startswith(("lines", "# second", "neighbour"))]
    assert len(broken) - 2 == sum("two lines" in line for line in lines if line.startswith("|"))
    assert "[red]" in printed(table_of(evil, control, [], info), 120)
    drawn = go.Figure(ranking(evil, info))
    assert "&lt;b&gt;" in drawn.data[0].name
    assert not any("<b>|" in str(label) for trace in drawn.data for label in trace.y)


def test_markdown_tables_are_rectangular(rows, control, info):
    """Each line of a Markdown table has as many cells as its heading."""
    blocks = table_of(rows, control, ["noisy"], info).to_markdown().split("\n\n")
    tables = [block.splitlines() for block in blocks if block.startswith("| #")]
    assert 3 == len(tables)
    assert all(len({line.count(" | ") for line in table}) == 1 for table in tables)
    assert "- noisy\n" == blocks[-1]


def test_the_headline_names_the_leader_the_runner_up_and_the_common_choice(rows, info):
    """It says how many times as fast the leader is as the next that is no tie, and as pydantic; the class stands below."""
    (board,) = boards_of(rows)
    assert ["validates", "coerces", "no validation"] == [name for name, _ in board.sections]
    assert re.search(r"msgspec decodes client 7× faster than pydantic$", board.headline)
    slower = [replace(row, library="typical", codec="typical") if row.library == "pydantic" else row for row in rows]
    coercing = [row for row in slower if row.work_class != "objects, strict"]
    (board,) = boards_of([*coercing, replace(slower[1], library="pydantic", codec="pydantic")])
    assert board.setting.endswith("100 records · depth 2 · one document repeated · no validation")
    assert re.search(r"dataclasses via pickle.*client.* 3\.5×.*pydantic \(validates\)$", board.headline)
    drawn = go.Figure(ranking(coercing, info))
    assert drawn.layout.title.text.startswith("<b>dataclasses via pickle")
    assert drawn.layout.title.subtitle.text.endswith("depth 2 · one document repeated · no validation")


def test_a_common_choice_that_does_less_is_told_as_faster(rows):
    """Of another work class than the leader's, and proven faster, it is not called "not proven slower"."""
    (leader, *_) = rows
    facts = ("time_ns", "time_ns_low", "time_ns_high", "ratio", "ratio_low", "ratio_high")
    times = {name: value / 5 for name in facts if (value := getattr(leader, name)) is not None}
    quick = replace(leader, library="pydantic", variant="dicts", work_class="dicts, none", rank=1, **times)
    (board,) = boards_of([*rows, quick])
    assert board.lead.first is leader
    assert re.search(
        r"; pydantic .* \(plain dicts, checks none\) via msgspec \(the baseline\) is 5× faster than msgspec", board.gain
    )
    assert "not proven" not in board.gain


def test_each_of_many_panels_has_axes_of_its_own(rows, info):
    """A ranking at twelve sizes, and at twenty, is a figure that Plotly takes, with as many pairs of axes."""
    for many in (12, 20):
        sizes = [replace(row, records=records) for records in range(1, many + 1) for row in rows]
        figure = go.Figure(ranking(sizes, info))
        assert many == len({(one.xaxis, one.yaxis) for one in figure.data})


def test_the_data_of_all_panels_is_said_once(rows, info):
    """Work classes are headings; of one board the data stands below the finding, of several above each panel."""
    deeper = [replace(row, depth=4) for row in rows]
    one, two = (ranking(given, info)["layout"] for given in (rows, [*rows, *deeper]))
    assert "<b>coerces</b>" in one["yaxis"]["ticktext"]
    titles = {words.board_title(given[0]) for given in (rows, deeper)}
    assert not titles & {note["text"] for note in one["annotations"]}
    assert titles <= {note["text"] for note in two["annotations"]}


def test_ties_are_no_runner_up(rows):
    """The leader is told with its ties against the first that is none, or, if all tie, against the reference."""
    coercing = [row for row in rows if row.measured and row.work_class == "objects, coercing"]
    (board,) = boards_of(coercing)
    assert re.search(r"tied with .* via .*client.* 25×.*marshmallow via json", board.headline)
    (board,) = boards_of([replace(row, rank=1) for row in coercing])
    assert re.match("No combination .*client", board.headline)
    (board,) = boards_of([*(replace(row, rank=1) for row in coercing), *(row for row in rows if row.reference)])
    assert "msgspec decodes client 3.1× faster than attrs (coerces) via orjson" == board.headline
    assert replace(board, sections=[]).headline.startswith("Nothing")


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("least", [0.0, 0.24])
def test_a_run_ends_with_the_answer(rows, width, least):
    """The last six lines say what to use, by how much that leads, what it costs, and the next command; no word is broken."""
    (strict, other) = rows[:2]
    both = [*rows, *(replace(row, operation="encode") for row in (strict, other))]
    facts = {"least": least, "command": "serbench run --effort quick --library all", "effort": "quick"}
    closing = run_closing(both, run="r1", store=" --store 'a store.sqlite'", **facts)
    lines = printed(closing, width).splitlines()
    assert ["use", "gain", "cost", "next"] == [line.split()[0] for line in lines if line[:1].strip()]
    assert len(lines) <= 1 + 6
    assert max(map(len, lines)) <= width
    said = {word for _, text in closing.lines for word in text.split()}
    assert {word for line in lines for word in line[6:].split()} <= said | {"…"} | {word.rstrip(",;:") for word in said}
    assert re.match("msgspec", closing.use)
    assert ("noise" in closing.gain) == bool(least)
    assert re.search(r"decodes 7× faster than pydantic", closing.gain)
    assert re.search(r"msgspec .*invalid input.*20\.0 kB", closing.cost)
    page = "serbench recommend --run r1 --store 'a store.sqlite' --present pydantic/pydantic/json"
    again = "serbench run --library all --store 'a store.sqlite' --effort normal"
    assert closing.next == (again if least else page)
    assert printed(run_closing([replace(rows[0], rank=None, time_ns=None)], run="r1"), width) == ""


def test_noise_is_no_lead(rows):
    """A lead that is smaller than the run's A/A error, or whose interval holds 1, is none."""
    (board,) = boards_of(rows)
    first, second = board.measured[:2]
    near = replace(second, ratio=first.ratio * 1.1, ratio_low=first.ratio * 1.08, ratio_high=first.ratio * 1.12)
    near = replace(near, time_ns=first.time_ns * 1.1, rank=2, work_class=first.work_class)
    (two,) = boards_of([first, near])
    assert "1.1× faster than" in two.headline
    noisy = replace(two, least=0.24).headline
    assert re.match(r"No combination .* provably .*; ignore differences below 24.0% \(noise\)$", noisy)
    (two,) = boards_of([first, replace(near, ratio_low=first.ratio * 0.9)])
    assert "No combination" in two.headline
    told = words.difference_words
    assert ["no proven difference", "2.7× faster (2.50 to 2.94)"] == [told(1.03, 0.982, 1.08), told(0.37, 0.34, 0.4)]
    assert ["1.2× slower (1.10 to 1.30)", words.NO_DIFFERENCE] == [told(1.2, 1.1, 1.3), told(1.2, 1.1, 1.3, 0.24)]
    assert [words.NO_DIFFERENCE] * 2 == [told(1.004, 1.001, 1.007), told(0.996, 0.993, 0.999)]


def test_what_a_leader_costs_is_said(rows):
    """A leader that checks nothing, or loses something, or is large, is told as that."""
    pickled = [row for row in rows if row.library == "dataclasses"]
    unchecked = replace(
        pickled[0], time_ns=15e3, work_class="objects, unchecked, lossy (at: offset)", size_bytes=30_000
    )
    unchecked = replace(unchecked, ratio=0.5, ratio_low=0.49, ratio_high=0.51)
    closing = run_closing([unchecked, *pickled[1:]], run="r1")
    assert re.search(r"dataclasses via pickle loses .*\(at: offset\).*invalid input.*30\.0 kB.*fewest", closing.cost)
    assert closing.next == "serbench report --html page --run r1"
    cost = run_closing([replace(unchecked, work_class="objects, unchecked"), *rows[:2]], run="r1").cost
    assert re.search(r"invalid input.*msgspec .* 2× the time", cost)
    assert re.search(r"30\.0 kB, 50% more than msgspec", cost)


def test_a_run_of_several_sizes_ends_with_the_largest(rows):
    """The line speaks of the largest data, and says at how many the same case is first."""
    many = [*rows, *(replace(row, records=1000) for row in rows), *(replace(row, records=10) for row in rows)]
    closing = run_closing(many, run="r1")
    assert re.search(r"7×.* \(client · 1,000 records · depth 2; first or tied at 3 of 3\)", closing.gain)
    assert closing.use.startswith("msgspec")


def test_a_run_of_several_conditions_ends_with_what_a_service_meets(rows):
    """The line speaks of varied documents, and says so."""
    many = [*rows, *(replace(row, conditions="varied") for row in rows)]
    closing = run_closing(many, run="r1")
    assert re.search(r"varied documents; first or tied at 2 of 2\)", closing.gain)


def test_a_variant_with_a_blank_is_one_argument(rows):
    """A command to copy names the case in two arguments."""
    row = replace(rows[0], variant="a=b c=d")
    assert [row.case.name, f"{row.codec}/{row.format}"] == shlex.split(words.case_arguments(row))


def test_a_heading_is_no_markup():
    """It may be the name of a file, and makes no further column."""
    text = Table("", [Column("a|<img src=x>.json", ["1"])]).to_markdown()
    assert r"\<img" in text
    assert 2 == text.splitlines()[0].replace("\\|", "").count("|")


@pytest.mark.parametrize(("word", "kept"), [("(https://a.org/b#c)", True), ("https://a.org/<img>", False)])
def test_only_an_address_stands_as_it_is(word, kept):
    """A reason may quote data beside it."""
    assert kept is (_linked(f"see {word}") == f"see {word}")


@pytest.mark.parametrize("command", ["serbench run -p it's.json", "python tool.py"])
def test_a_command_that_no_shell_takes_is_not_repeated(command):
    """What others have written into a run is told in words."""
    assert 'repeat it with effort="thorough", to see smaller differences' == words.again(command, "normal")


def test_a_reference_that_is_not_in_the_first_section_is_named_with_its_time(rows, control, info):
    """A reader of the ratios knows what they are to without looking through all sections."""
    first = printed(table_of(rows, control, [], info), 120)
    assert "· baseline" not in first
    late = [replace(row, work_class="dicts") if row.reference else row for row in reversed(rows)]
    assert "one document repeated · baseline msgspec, 30.1 µs" in printed(table_of(late, control, [], info), 120)


def test_reasons_are_told_once(rows):
    """Cases of several libraries that have the same reason are one line, as on the page."""
    failed = [row for row in rows if row.status == "crashed"]
    same = [replace(failed[0], library=name, codec="pickle", format="pickle", reason="no part") for name in "ab"]
    (board,) = boards_of([*same, replace(same[0], library="c", codec="json", format="json")])
    assert [("a via pickle, b via pickle, c via json", "crashed", "no part")] == board.failures
    (board,) = boards_of(same)
    assert [("a, b via pickle", "crashed", "no part")] == board.failures


def test_the_figure_shows_every_measured_case_once(rows, info, control):
    """Each measured row is one point with its interval, sorted, on a logarithmic axis, without bars."""
    drawn = go.Figure(ranking(rows, info, control=control))
    assert {"scatter"} == {trace.type for trace in drawn.data}
    dots = [trace for trace in drawn.data if trace.mode == "markers"]
    assert 6 == sum(len(trace.x) for trace in dots)
    assert all(low > 0 for trace in dots for low in trace.error_x.arrayminus)
    assert "log" == drawn.layout.xaxis.type
    assert any("marshmallow" in label for label in drawn.layout.yaxis.ticktext)
    footer = drawn.layout.annotations[-1].text
    for part in ("Abacus 9000", "protobuf (crashed)", "msgspec 0.19.0", "Noise floor", "95% intervals"):
        assert part in footer.replace("<br>", " ")
    assert len({trace.name for trace in dots}) == 5


def test_a_star_is_explained_in_each_figure_that_has_one(rows, info):
    """Rows by the wall clock have a star wherever their names stand, and a line says what it means; once, and only then."""
    starred = [replace(row, clock="wall") for row in rows]
    for figure in (ranking, tradeoff, phases, budget_figure):
        for some, times in ((rows, 0), (starred, 1)):
            assert times == " ".join(figure(some, info)["layout"]["meta"]["notes"]).lower().count("starred rows"), (
                figure
            )


def test_no_figure_offers_to_send_data_anywhere(rows, info):
    """The button of Plotly that uploads a chart to a service is in no figure, whoever shows it."""
    figures = [
        ranking(rows, info),
        tradeoff(rows, info),
        phases(rows, info),
        budget_figure(rows, info),
        scaling(rows, info, records=100, depth=2),
        matrix_figure([]),
        history_figure([], info),
        against_published([]),
    ]
    for figure in figures:
        assert "sendChartToCloud" in go.Figure(figure).layout.modebar.remove


def test_quotation_marks_of_data_are_shown_as_they_are(rows, info):
    """Plotly knows no entity for them, so a figure escapes nothing but what would be markup."""
    odd = [replace(row, library="<i>\"odd\" & 'one'") for row in rows]
    drawn = json.dumps(ranking(odd, info), ensure_ascii=False)
    assert "&lt;i&gt;\\\"odd\\\" &amp; 'one'" in drawn
    assert "&quot;" not in drawn
    assert "&#x27;" not in drawn


def test_a_library_looks_the_same_everywhere():
    """Its colour and symbol are the same in every figure; no two share both, no two of the core or of the frameworks a colour, every colour is used."""
    names = list({**libraries(), **frameworks()})
    marks = {name: library_mark(name) for name in names}
    assert marks == {name: library_mark(name) for name in reversed(names)}
    for together in ([name for name, library in libraries().items() if library.core], frameworks()):
        colours = [marks[name][0] for name in together]
        assert len(colours) == len(set(colours)) > 5
    assert len(set(marks.values())) == len(names)
    assert set(PALETTE) == {colour for colour, _ in marks.values()}


def published(name):
    """A run that serbench publishes."""
    return Run.from_store(read_run(resources("data") / name))


def test_a_json_api_learns_where_its_time_goes():
    """The answer on a run with steps says first if the bytes or the models take the time, as the figure beside it does."""
    run = published("api_pipeline")
    first, *others = next(iter(run.findings().by_point.values()))
    assert re.match(r"the models .*bytes in \d+ of 10 combinations.* \d+%", first)
    title = run.phases().layout.title.text
    assert all(share in title for share in re.findall(r"\d+%", first))
    assert any(line.startswith("load, coerces:") and "marshmallow" in line for line in others)


def test_a_figure_of_requests_says_which_endpoint_is_fastest():
    """Of endpoints, the figure of sizes has the words of the ranking at the size that it is asked for."""
    run = published("requests")
    for records in (1, 1000):
        (board,) = boards_of(
            [row for row in run.rows if row.records == records and row.operation == "encode"], run.least
        )
        title = " ".join(run.scaling("encode", records=records).layout.title.text.replace("<br>", " ").split())
        assert f"{records:,} record" in title
        assert board.headline in title


@pytest.mark.parametrize("workload", ["client", "client-rich"])
def test_a_figure_of_one_size_mixes_no_data(workload):
    """Of a run of several data, it is of those that are named, and says so; time per record grows between no two of them."""
    run = published("nested_models")
    for drawn in (run.tradeoff, run.budget):
        assert f"decode {workload} · 1 record" in drawn("decode", workload).layout.title.subtitle.text
    rows = [row for row in run.rows if (row.workload, row.operation) == (workload, "decode")]
    names = {row.case.key for row in rows if row.rank is not None}
    assert f"of all {len(names)} combinations" in " ".join(
        run.tradeoff("decode", workload).layout.title.text.replace("<br>", " ").split()
    )
    assert "Only one size is measured" in run.scaling("decode", workload).layout.title.text
    cases = {row.case.key for row in run.rows if row.workload == workload and row.measured}
    assert len(cases) == len(run.phases(workload).data[0].y)


def test_growth_is_of_the_sizes_that_a_run_has_reached():
    """A run that ended before its greatest size is drawn and told at those before it: none of them is missing for it."""
    run, untimed = published("scaling"), dict.fromkeys(("time_ns", "time_ns_low", "time_ns_high", "time_per_record_ns"))
    vars(run)["rows"] = [replace(row, **untimed) if row.records == 1000 else row for row in run.rows]
    figure = run.scaling("decode")
    assert "per record with 100 records than with 1" in figure.layout.title.text.replace("<br>", " ")
    assert "depth, with 100 records" == figure.layout.xaxis2.title.text
    assert "from records 1 to 100, at depth 2" in str(run.growth("decode"))


def test_columns_and_rows_are_added_up_with_every_field_read():
    """The answer on rows and columns holds the sum of all steps against each other, for each kind of object."""
    (lines,) = published("columnar").findings().by_point.values()
    assert [re.sub(": .*", "", line.removeprefix("all steps with every field read, ")) for line in lines[1:3]] == [
        "your own objects",
        "a format's own objects",
    ]


def test_growth_is_held_against_that_of_the_data():
    """What takes more time for each record, or at greater depth for each byte, is called faster only if that is proven."""
    found = published("scaling").growth("decode").by_point
    sized, deep = [dict(line.split(": ") for line in lines) for lines in list(found.values())[:2]]
    times = [heading for heading in found if heading.startswith("time per ")]
    assert "time per record from records 1 to 1,000, at depth 2" == times[0]
    for called, heading in zip((sized, deep), times, strict=True):
        for line in found[heading]:
            name, middle, half = re.fullmatch(r"(.*): ([\d.]+)× ± ([\d.]+)", line).groups()
            low, high = float(middle) - float(half), float(middle) + float(half)
            proven = "faster" if low > PROPORTION else "slower" if high < 1 / PROPORTION else "in proportion to the"
            (names,) = (names for how, names in called.items() if how.startswith(proven))
            assert name in names.split(", ")
    assert deep["faster than the bytes"].count("orjson") == 5
    assert "how time grows with depth" in found


def test_ties_are_counted_in_answers():
    """A sentence on a ranking says who ties with the leader, and how many of all cases share a rank."""
    (lines,) = published("relative_speed").findings().by_point.values()
    (coercing,) = [line for line in lines if line.startswith("decode, coerces")]
    assert re.search(r", tied with .*, .* faster than .* via .*; \d+ of \d+ share a rank$", coercing)


def test_a_long_table_is_folded_on_a_page(rows, control, info):
    """A page shows the first lines of each section, and all of them behind a click; a short table is shown whole."""
    many = [replace(row, variant=f"v{number}") for row in rows for number in range(5)]
    text = table_of(many, control, [], info).to_html()
    before, _, behind = text.partition("<details><summary>all 30 lines</summary>")
    assert [9, 30] == [before.count("<tr><td"), behind.count("<tr><td")]
    assert "SIGSEGV" in behind
    assert "<details>" not in table_of(rows, control, [], info).to_html()


def test_models_beside_a_class_of_the_users_say_that_they_are_rewritten():
    """Wherever the class goes through another library, every name of the models that were written anew says so."""
    libraries = ("yours via msgspec", "msgspec", "pydantic")
    cells = [
        synthetic.cell(number, name, codec="msgspec", reference=number == 0) for number, name in enumerate(libraries)
    ]
    rows = rows_of(cells, synthetic.measure([(cell, 100.0 + cell.id) for cell in cells], waves=8, process_sd=0.001))
    assert {"yours via msgspec", "rewritten for msgspec", "rewritten for pydantic via msgspec"} == set(
        map(words.case_name, rows)
    )
    assert list(libraries) == [row.library for row in rows]
    alone = rows_of(cells[1:], synthetic.measure([(cell, 100.0) for cell in cells[1:]], waves=8, process_sd=0.001))
    assert {"msgspec", "pydantic via msgspec"} == set(map(words.case_name, alone))


def test_a_machine_that_others_describe_is_told_as_far_as_it_can_be():
    """Cores that are no number are left out, as all that is unknown."""
    assert "C, 2 cores, Linux" == words.machine_line({"cpu": "C", "cores": 2, "system": "Linux"})
    assert "C, Linux" == words.machine_line({"cpu": "C", "cores": "two", "system": "Linux"})


def test_a_factor_lies_within_its_interval():
    """It has a third digit if its interval is too narrow for two."""
    ends = [(2.52, 2.66, 2.98), (1.13, 1.156, 1.18), (1.1, 1.13, 1.16)]
    told = [words.difference_words(1 / factor, 1 / high, 1 / low) for low, factor, high in ends]

    assert ["2.7× faster (2.52 to 2.98)", "1.16× faster (1.13 to 1.18)", "1.13× faster (1.10 to 1.16)"] == told


def test_a_user_s_class_has_its_name():
    """The class, and what goes through another library; of several classes of one name each has its module."""
    names = [
        "yours (msgspec)",
        "yours (msgspec, cell_85a151bb:Mine)",
        "yours via cattrs",
        "yours via cattrs (a:Other)",
        "msgspec",
    ]
    assert ["Order", "Mine", "Order via cattrs", "Other via cattrs"] == list(
        words.class_labels("/x:shop:Order", names).values()
    )
    assert {"yours (attrs)": "shop:Order", "yours (attrs, a:Order)": "a:Order"} == words.class_labels(
        "/x:shop:Order", ["yours (attrs)", "yours (attrs, a:Order)"]
    )
    assert {} == words.class_labels("", ["yours (attrs)", "orjson"])
