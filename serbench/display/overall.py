"""The geometric means over all data of a run, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from serbench.display.table import Column, Table
from serbench.display.words import class_words, codec_label, library_label, point_words, with_half_width
from serbench.judge.overall import Overall, overall
from serbench.judge.rows import Row, case_of, differing_facts, merged, six_digits
from serbench.results import grouped


def mean_data(one: Overall) -> dict[str, Any]:
    """A mean as JSON data, its points in words and its floats to six digits."""
    facts = {name: six_digits(value) for name, value in asdict(one).items()}
    return facts | {"points": list(map(point_words, one.points))}


def overall_tables(rows: Sequence[Row]) -> dict[tuple[str, str], Table]:
    """Operation and conditions → a table of geometric means with a section for each work class; none if there is one point."""
    rows = merged(rows)
    means, several = overall(rows), differing_facts(rows)
    cases = {case_of(row): row for row in rows}
    tables = {}
    for (operation, conditions), members in grouped(means, lambda one: (one.operation, one.conditions)).items():
        classes = Counter(one.work_class for one in members)
        points = {one.work_class: "; ".join(map(point_words, one.points)) for one in members}
        columns = [
            Column("library", [library_label(cases[case_of(one)], several) for one in members], "left"),
            Column("codec", [codec_label(one) for one in members], "left"),
            Column("mean ratio", [_label(one, classes[one.work_class]) for one in members]),
        ]
        sections = [
            (f"{class_words(name)}, over {points[name]}, the data that every case supports", count)
            for name, count in classes.items()
        ]
        title = f"{operation}, geometric mean over all data"
        tables[operation, conditions] = Table(title, columns, sections)
    return tables


def overall_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`overall_tables` as JSON data: operation, title, and the cells of each section's lines."""
    return [
        {
            "operation": operation,
            "conditions": conditions,
            "title": table.title,
            "sections": [
                [name, [list(line) for line in zip(*(column.cells for column in columns), strict=True)]]
                for name, columns in table.parts()
            ],
        }
        for (operation, conditions), table in overall_tables(rows).items()
    ]


def _label(one: Overall, of: int) -> str:
    if one.ratio_high <= one.ratio_low:
        return "1×" + (" (fastest)" if of > 1 else "")
    return with_half_width(one.ratio, one.ratio_low, one.ratio_high)
