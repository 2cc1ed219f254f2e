"""All operations of a case beside each other: sections, order, what is missing, and the same table everywhere."""

from __future__ import annotations

from dataclasses import replace

import pytest
from synthetic import cell, measure

from serbench.display.result_table import side_by_side
from serbench.display.result_table import table as table_of
from serbench.display.table import as_text
from serbench.judge.rows import rows as rows_of

LOSSY = "objects, strict, lossy (at: offset)"
SIZES = {"size_bytes": 2_000, "size_gzip_bytes": 700, "size_zstd_bytes": 600, "gzip_ns": 9_000, "gunzip_ns": 4_000}


@pytest.fixture
def rows():
    """Four cases in two formats: one exact, one that only reads, one of the format's objects, one lossy."""
    times = {
        ("plain", "json", "objects, strict"): {"encode": 20e3, "decode": 40e3, "read": 1e3},
        ("quick", "msgpack", "objects, unchecked"): {"encode": 10e3, "decode": 20e3, "read": 1e3},
        ("reader", "json", "objects, unchecked"): {"decode": 5e3, "read": 1e3},
        ("lazy", "arrow", "generated objects, typed"): {"encode": 1e3, "decode": 1e2, "read": 90e3},
        ("loser", "json", LOSSY): {"encode": 5e3, "decode": 5e3, "read": 1e3},
    }
    pairs = []
    for (library, format_, work_class), each in times.items():
        for operation, time in each.items():
            words = work_class if operation == "decode" else work_class.replace(", strict", "")
            facts = {"operation": operation, "format": format_, "codec": format_, "work_class": words, **SIZES}
            pairs.append((cell(len(pairs), library, reference=library == "plain", **facts), time))
    return rows_of([one for one, _ in pairs], measure(pairs))


def lines(table):
    """The lines of each section, by heading."""
    headings = [column.heading for column in table.columns]
    return {
        name: [dict(zip(headings, cells, strict=True)) for cells in zip(*(c.cells for c in columns), strict=True)]
        for name, columns in table.parts()
    }


def test_what_users_end_up_with_and_losses_stand_apart(rows):
    """Sections are the user's objects, those of a format, and what is lost; the least sum of times is first in each."""
    (table,) = side_by_side(rows)
    found = lines(table)
    assert ["objects", "the format's own objects", "objects, lossy (at: offset)"] == list(found)
    assert ["quick via msgpack", "plain via json", "reader via json"] == [
        line["library + format"] for line in found["objects"]
    ]
    assert ["no validation", "validates", "no validation"] == [line["validation"] for line in found["objects"]]


def test_a_line_has_each_operation_and_each_size(rows):
    """A line has the times of all operations, the bytes raw, by gzip and by zstd, and what packing takes; "–" is not measured."""
    (table,) = side_by_side(rows)
    plain, reader = lines(table)["objects"][1:]
    assert [20, 40, 1.0] == [
        pytest.approx(float(plain[f"{name} µs"]), rel=0.05) for name in ("encode", "decode", "read")
    ]
    assert ["2.00", "0.700", "0.600"] == [plain[name] for name in ("kB", "gzip", "zstd")]
    assert ["9.00", "4.00"] == [plain[name] for name in ("gzip µs", "gunzip µs")]
    assert "–" == reader["encode µs"]


def test_it_is_there_for_formats_and_operations_only(rows):
    """Two operations, or one format, are what the boards show."""
    assert [] == side_by_side([row for row in rows if row.operation != "read"])
    assert [] == side_by_side([replace(row, format="json") for row in rows])


def test_terminal_markdown_and_notebook_have_the_same_table(rows, info):
    """The table stands below the boards in the terminal, in Markdown and in HTML, with its title and its sections."""
    shown = (
        as_text(table_of(rows, {}, [], info)),
        table_of(rows, {}, [], info).to_markdown(),
        table_of(rows, {}, [], info).to_html(),
    )
    for text in shown:
        at = text.index("all operations, the least of encode + decode + read first")
        assert text.index("read client") < at < text.replace("&#x27;", "'").index("the format's own objects", at)
