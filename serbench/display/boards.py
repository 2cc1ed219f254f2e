"""Boards: the rows that stand in one table or figure, with those that could not be measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from serbench.display.words import board_title, class_words, codec_label, library_label, models_name
from serbench.judge.rows import Row, differing_facts, merged
from serbench.results import grouped


@dataclass(frozen=True)
class Board:
    """The rows of one point and operation: measured ones by work class in the order of their ranks, and the rest."""

    title: str
    sections: list[tuple[str, list[Row]]]
    failed: list[Row]

    @property
    def measured(self) -> list[Row]:
        """The measured rows of all sections."""
        return [row for _, rows in self.sections for row in rows]

    @property
    def several(self) -> dict[str, AbstractSet[str]]:
        """Library → the facts that tell its rows apart."""
        return differing_facts([*self.measured, *self.failed])

    @property
    def failures(self) -> list[str]:
        """The cases that could not be measured, those that have the same reason together."""
        several = self.several

        def cause(row: Row) -> tuple[str, str]:
            return row.status, " ".join((row.reason or "").split())

        def label(row: Row) -> str:
            if row.environment != "main" and row.python is None:
                is_said = row.library in row.environment and not row.rewritten
                return row.environment if is_said else f"{models_name(row.library, row.rewritten)} @{row.environment}"
            return library_label(row, several)

        return [
            f"{together([(label(row), codec_label(row)) for row in rows])}: {status}: {reason}"
            for (status, reason), rows in grouped(self.failed, cause).items()
        ]


def together(cases: Sequence[tuple[str, str]]) -> str:
    """Libraries with codecs: "a, b via x, y" if these are all the pairs, otherwise one by one."""
    labels, codecs = (list(dict.fromkeys(names)) for names in zip(*cases, strict=True))
    pairs = dict.fromkeys(f"{label} via {codec}" for label, codec in cases)
    every = len(pairs) == len(labels) * len(codecs)
    return f"{', '.join(labels)} via {', '.join(codecs)}" if every else ", ".join(pairs)


def boards_of(rows: Iterable[Row], *, across_classes: bool = False) -> list[Board]:
    """The rows of each point and operation together."""
    groups = grouped(merged(list(rows)), lambda row: (row.point, row.operation))
    return [_board(group, across_classes) for group in groups.values()]


def _board(rows: list[Row], across_classes: bool) -> Board:
    sections = grouped(
        (row for row in rows if row.measured),
        lambda row: "all work classes" if across_classes else class_words(row.work_class),
    )
    for section in sections.values():
        section.sort(key=lambda row: (row.rank or math.inf, row.time_ns or 0.0))
    return Board(board_title(rows[0]), list(sections.items()), [row for row in rows if not row.measured])
