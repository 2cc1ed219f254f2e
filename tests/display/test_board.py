"""A board names nobody who is beaten where it counts, and its words agree with its rows; over all published runs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from serbench.api.reports.page.boards import boards, overview, steps
from serbench.display import words
from serbench.display.board import boards_of, findings, headline_of
from serbench.judge.compare import is_slower, least_difference, relation
from serbench.judge.leading import kind_key
from serbench.results import FLOOR
from serbench.store.archive import published, read_size_grid, resources


@cache
def sheets():
    """Every published run."""
    grids = [read_size_grid(path) for path in sorted(resources("data").rglob("rows.json.gz"))]
    return [*published(), *(one for one in grids if one is not None)]


@cache
def every_board():
    """Each board of the published runs."""
    return [board for sheet in sheets() for board in boards_of(sheet.rows, least_difference(sheet.control))]


@pytest.fixture(scope="module")
def told():
    """The data of the boards of three runs, with the rows that they count."""
    some = sheets()[:3]
    return boards(some), [row for sheet in some for row in sheet.rows]


def test_the_leader_is_beaten_by_none_of_its_kind():
    """No row of the leader's kind that takes part is proven faster, and the leader loses nothing that another keeps."""
    for board in every_board():
        if board.lead is None:
            assert [] == board.measured
            continue
        first = board.lead.first
        ranked = [row for row in board.measured if row.rank is not None]
        assert first.measured, board.title
        assert kind_key(first) == min(map(kind_key, ranked or board.measured))
        alike = [row for row in ranked if kind_key(row) == kind_key(first)]
        assert not [row for row in alike if is_slower(first, row) and row.work_class == first.work_class], board.title


def test_a_headline_claims_what_its_rows_prove():
    """Whoever it calls slower is proven slower; that no case is faster it says only if the whole ranking proves nothing."""
    for board in every_board():
        if board.lead is None:
            continue
        first, text = board.lead.first, board.headline
        slower = [row for row in board.lead.ranking if row.rank != first.rank and is_slower(row, first, board.least)]
        if "No combination" in text:
            assert not slower, text
        else:
            assert board.name(first) in text
        for factor, told in re.findall(r"([\d.,]+)× faster than (.+?)(?=, [\d.]+×|;|$)", text):
            named = {board.name(row): row for row in board.lead.ranking}
            for row in board.measured:
                if row not in board.lead.ranking:  # it says that it is of another
                    label = words.library_label(row, board.several)
                    of = f"{label} ({words.class_words(row.work_class)})"
                    named[board.name(row).replace(label, of, 1)] = row
            row = named[told.removesuffix(" (the baseline)")]
            assert is_slower(row, first, board.least), text
            assert f"{factor}×" == words.factor_text(relation(row, first).ratio)


def test_what_stands_beside_a_row_does_not_contradict_its_rank():
    """A row that shares the leader's rank has no proven difference beside it; no row is told faster in its own ranking."""
    for board in every_board():
        for row in board.measured:
            told = board.against(row)
            if board.lead is None or row is board.lead.first:
                assert told == ""
                continue
            if any(row is one for one in board.lead.tied):
                assert words.NO_DIFFERENCE == told
            if any(row is one for one in board.lead.ranking):
                assert "faster" not in told, (board.title, board.name(row), told)


def test_what_is_proven_within_the_noise_alone_is_called_so(measured_board):
    """A row that its rank proves slower, but not by more than the noise, is no row that is "not proven" slower."""
    first, second, *_, last = measured_board.lead.ranking
    noisy = replace(measured_board, least=relation(second, first).ratio - 1)
    assert is_slower(last, first, noisy.least)
    assert f"; not proven faster beyond the noise than {noisy._called(second, noisy.lead)}" in noisy.headline


def test_floors_of_endpoints_lead_nothing():
    """What returns ready bytes is not ranked, so no sentence says that none of it is faster."""
    rows = next(sheet.rows for sheet in published() if any(row.codec == FLOOR for row in sheet.rows))
    told = [line for lines in findings(rows).values() for line in lines]
    assert any("fastapi" in line for line in told)
    assert [] == [line for line in told if "No combination" in line or line.startswith("encode, bytes")]


@pytest.fixture
def measured_board():
    """A published board whose leader is 1.1 to 9 times faster than all others of its ranking."""
    return next(
        board
        for board in every_board()
        if board.lead is not None
        and len(board.lead.ranking) > 2
        and not board.lead.tied
        and all(1.1 < relation(row, board.lead.first).ratio < 9 for row in board.lead.ranking[1:])
        and all(is_slower(row, board.lead.first) for row in board.lead.ranking[1:])
        and (board.lead.common is None or relation(board.lead.common, board.lead.first).ratio < 9)
    )


def test_the_data_of_a_board_are_the_board(told):
    """Each measured row stands once, in the order of the ranks, with rank and time; leader and headline are the board's."""
    data, rows = told
    boards_ = [b for sheet in sheets()[:3] for b in boards_of(sheet.rows, least_difference(sheet.control))]
    for one, board in zip(data, boards_, strict=True):
        assert one["headline"] == board.headline
        listed = [(name, [rows[entry[0]].identity for entry in entries]) for name, entries in one["sections"]]
        assert listed == [(name, [row.identity for row in members]) for name, members in board.sections]
        ranks = {entry[1] for _, entries in one["sections"] for entry in entries}
        assert all(ranks), "an empty rank"
        assert one["unranked"].startswith("– not ranked: ") == ("–" in ranks and len(ranks) > 1)
        assert one["cases"] == len(board.measured)
        if one["leader"] is not None:
            assert rows[one["leader"]].time_ns is not None
            assert one["cost"].removeprefix("none found: ").startswith(board.name(board.lead.first))
        for view in (one["tradeoff"], one["scaling"], *(one["budgets"] or {}).values()):
            assert view is None or view["title"]


def test_cases_of_other_sizes_are_named_as_absent():
    """A case that the run measured at another size only is absent where it has no row, and nowhere else."""
    sheet = next(sheet for sheet in sheets() if len({row.records for row in sheet.rows}) > 3)
    lost = next(row for row in sheet.rows if row.measured and not row.also and row.rank and row.rank > 1)
    less = replace(sheet, rows=[row for row in sheet.rows if row is not lost])
    for one in boards([less]):
        same = [one["at"][name] == getattr(lost, name) for name in ("workload", "conditions", "operation")]
        here = (one["at"]["records"], one["at"]["depth"]) == (lost.records, lost.depth)
        assert ([words.case_name(lost)] if all(same) and here else []) == [name for _, name in one["absent"]]


def test_an_overview_has_a_cell_for_each_library_that_was_measured(told):
    """A cell is the ratio to the fastest of its work class, which has 1×; no library stands twice with a workload."""
    some = sheets()
    data = boards(some)
    for table in overview(some, data).values():
        for place, (name, number) in enumerate(table["workloads"]):
            assert name == data[number]["at"]["workload"]
            lines = [line for _, lines in table["groups"] for line in lines if line[1][place]]
            assert len({library for library, _ in lines}) == len(lines)
            assert all(0 <= cells[place][1] <= 1 for _, cells in lines)


def test_steps_have_a_line_for_each_case(told):
    """Each line has the phases that were measured, and says why a direction is missing."""
    for one in steps(sheets()[:3]):
        assert one["title"]
        for _, times, beside, reason in one["lines"]:
            assert times
            assert beside
            assert (beside.startswith("no ") and not beside.endswith("not asked for")) == bool(reason)


def test_a_class_of_the_user_has_its_name_in_each_sentence():
    """A board names the class as its rows do, and never the module of a cell."""
    sheet = sheets()[0]
    told = boards([sheet])
    leader = sheet.rows[told[0]["leader"]].library
    rows = [
        replace(row, library="yours (msgspec, cell_85:Order)" if row.library == leader else row.library)
        for row in sheet.rows
    ]
    named = boards([replace(sheet, rows=rows)])
    assert named[0]["headline"].startswith("Order ")
    assert "cell_85" not in repr(named)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("rest ignored", "ignores the rest of the document; rejected every invalid input"),
        ("absent left out (but note)", "leaves out absent values (but note); rejected every invalid input"),
    ],
)
def test_a_cost_says_what_is_left_out(measured_board, part, said):
    """The leader of documents that are read or written in part says so as a sentence does."""
    (board,) = boards_of([replace(row, work_class=f"objects, strict, {part}") for row in measured_board.measured])
    assert said in board.cost
    (whole,) = boards_of([replace(row, work_class="objects, strict") for row in measured_board.measured])
    assert whole.cost.startswith("none found: ") == ("fewest" in whole.cost)


def test_a_leader_alone_in_its_ranking_is_compared_with_another(measured_board):
    """A row that alone validates is set against the fastest that does not, which is named with what it does."""
    first, other, *_ = measured_board.lead.ranking
    rows = [
        replace(row, library=name, work_class=f"objects, {checks}", rank=1, reference=False)
        for row, name, checks in ((first, "one", "strict"), (other, "other", "unchecked"))
    ]
    (board,) = boards_of(rows)
    assert re.search(r" [\d.]+× faster than other .*\(no validation\)", board.headline), board.headline
    (alone,) = boards_of(rows[:1])
    assert "nothing else is ranked" in alone.headline


def test_the_headline_of_several_boards_says_where_it_holds(measured_board):
    """Of the first board's leader is counted where it leads or ties; one board has its own headline."""
    first, other, *_ = measured_board.lead.ranking
    more = [replace(row, rank=rank, records=first.records + 1) for row, rank in ((first, 1), (other, 1))]
    last = [replace(row, rank=rank, records=first.records + 2) for row, rank in ((first, 2), (other, 1))]
    some = boards_of([first, other, *more, *last])
    assert f"{some[0].headline}; first or tied in 2 of 3 panels" == headline_of(some)
    assert some[0].headline == headline_of(some[:1])
    assert "Nothing could be measured" == headline_of([])
