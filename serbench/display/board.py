"""A board: the rows of one point and operation in order, who leads and by how much, and every word on that.

Terminal, Markdown, notebook, page and app draw boards; none of them ranks rows or words an answer of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from serbench.display import words
from serbench.display.views import CHOICE, choice_sentences, step_findings
from serbench.display.words import case_name, case_words, class_words, codec_label, library_label, models_name
from serbench.judge.compare import is_slower, relation
from serbench.judge.leading import Lead, lead, strictest
from serbench.judge.outcomes import ABSENT, DEFAULTS, REST_IGNORED, WorkClass
from serbench.judge.rows import Row, case_of, differing_facts, merged
from serbench.results import YOURS, grouped

WRONG_INPUT = {
    "strict": "rejected every invalid input of this run",
    "coercing": "converts some invalid input to the right type",
    "unchecked": "lets some invalid input through",
    "typed": "relies on the format's schema for type checks",
}
"""How a work class checks input → what decoding does with wrong input."""
LEFT_OUT = {
    ABSENT: "leaves out absent values",
    DEFAULTS: "leaves out defaults",
    REST_IGNORED: "ignores the rest of the document",
}
"""What a work class says of a document that is read or written in part → the same as a verb."""


@dataclass(frozen=True)
class Board:
    """The rows of one point and operation: measured ones by work class in the order of their ranks, and the rest.

    Attributes:
        sections: the words for a work class, and its rows.
        failed: the rows that have no time.
        least: the smallest difference to trust; what is smaller is noise.
    """

    title: str
    sections: list[tuple[str, list[Row]]]
    failed: list[Row]
    least: float = 0.0

    @property
    def measured(self) -> list[Row]:
        """The measured rows of all sections."""
        return [row for _, rows in self.sections for row in rows]

    @cached_property
    def several(self) -> Mapping[str, AbstractSet[str]]:
        """Library → the facts that tell its rows apart."""
        return differing_facts([*self.measured, *self.failed])

    @cached_property
    def lead(self) -> Lead | None:
        """The leader with its ranking; None if nothing was measured."""
        return lead(self.sections)

    @cached_property
    def headline(self) -> str:
        """The leader, and how many times faster it is than others, in a sentence that can be a title."""
        if self.lead is None:
            return f"Nothing could be measured: {self.title}"
        return words.noisy(self.sentence(self.lead), self.least)

    @property
    def setting(self) -> str:
        """The data and the work class that the headline speaks of, for the line below it."""
        return self.title if self.lead is None else f"{self.title} · {self.lead.section}"

    def sentence(self, leading: Lead, *, intervals: bool = False, slowest: bool = False) -> str:
        """The leader of a ranking, and how many times faster it is than others."""
        verb, what = self._verb(leading.first), leading.first.workload
        verb += " of" if " " in verb else ""
        gains = self._gains(leading, intervals=intervals, slowest=slowest)
        if not gains:
            return f"No combination {verb} {what} provably faster than another"
        tied = f"{words.tied_words(leading.tied, self.several)}," if leading.tied else ""
        return f"{self.name(leading.first)}{tied} {verb} {what} {gains}"

    @property
    def use(self) -> str:
        """The leader, with those that tie."""
        return (self.lead and self.name(self.lead.first) + words.tied_words(self.lead.tied, self.several)) or ""

    @property
    def gain(self) -> str:
        """The leader's factors over others, for a line that names it."""
        if self.lead is None:
            return ""
        gains, verb = self._gains(self.lead), self._verb(self.lead.first)
        return f"{verb} {gains}" if gains else f"no combination {verb} provably faster than another"

    @property
    def cost(self) -> str:
        """The leader's cost: what it does with wrong input, what it loses, and its size."""
        if self.lead is None:
            return ""
        first = self.lead.first
        how, parts = WorkClass.parse(first.work_class).checks, lost_words(first)
        checks = WRONG_INPUT.get(how)
        has_own = any(row.library.startswith(YOURS) for row in self.measured)  # whose features others lack
        is_free = how == "strict" and not parts and not has_own
        strict = strictest(self.sections, first)
        if checks is not None and strict is not None:
            times = "with no proven difference in time"
            if is_slower(strict, first, self.least):
                times = f"at {words.factor_text(relation(strict, first).ratio)} the time"
            checks += f"; {self.name(strict)} rejects it {times}"
        parts += [checks] if checks else []
        sized = [row for row in self.measured if row.size_bytes]
        if first.size_bytes and sized:
            smallest = min(sized, key=lambda row: row.size_bytes or 0)
            more = first.size_bytes / (smallest.size_bytes or 1) - 1
            than = (
                f"{words.percent_words(more)} more than {self.name(smallest)}, the smallest"
                if more
                else "the fewest of all"
            )
            is_free = is_free and not more
            parts.append(f"{words.with_unit(first.size_bytes, words.BYTES)}, {than}")
        return f"{'none found: ' if is_free else ''}{self.name(first)} {'; '.join(parts)}"

    def name(self, row: Row) -> str:
        """A case as this board calls it."""
        return case_name(row, self.several)

    def against(self, row: Row) -> str:
        """The time of a row against that of the leader: "1.4× slower (1.3 to 1.5)", "no proven difference"."""
        if self.lead is None or row is self.lead.first:
            return ""
        if any(row is tied for tied in self.lead.tied):
            return words.NO_DIFFERENCE
        found = relation(row, self.lead.first)
        if found.low is None:
            way = "slower" if found.ratio > 1 else "faster"
            return f"about {words.factor_text(max(found.ratio, 1 / found.ratio))} {way}"
        return words.difference_words(found.ratio, found.low, found.high, self.least)

    @property
    def failures(self) -> list[tuple[str, str, str]]:
        """The cases that could not be measured, those that have the same reason together, with status and reason."""
        return [told for told, _ in self.failed_alike]

    @property
    def failed_alike(self) -> list[tuple[tuple[str, str, str], list[Row]]]:
        """Each failure with its rows."""

        def cause(row: Row) -> tuple[str, str]:
            return row.status, " ".join((row.reason or "").split())

        def label(row: Row) -> str:
            if row.environment != "main" and row.python is None:
                is_said = row.library in row.environment and not row.rewritten
                return row.environment if is_said else f"{models_name(row.library, row.rewritten)} @{row.environment}"
            return library_label(row, self.several)

        return [
            ((words.together([(label(row), codec_label(row)) for row in rows]), status, reason), rows)
            for (status, reason), rows in grouped(self.failed, cause).items()
        ]

    def _verb(self, row: Row) -> str:
        return words.VERBS.get(row.operation, row.operation)

    def _gains(self, leading: Lead, *, intervals: bool = False, slowest: bool = False) -> str:
        """A leader's factors over the first proven slower case and over the common choice; "" if there are none."""
        first, others = leading.first, [row for row in leading.ranking if row.rank != leading.first.rank]
        slower = [row for row in others if is_slower(row, first, self.least)]
        told = slower[:1]
        unproven = [row for row in others if not any(row is one for one in slower)]
        common, faster = leading.common, ""
        if common is not None and not any(common is row for row in (*told, *unproven)):
            if is_slower(first, common, self.least):  # one of another class, which does less
                faster = f"; {self._called(common, leading)} is {self._faster(common, first, leading, intervals)}"
            else:
                (told if is_slower(common, first, self.least) else unproven).append(common)
        parts = [self._faster(first, row, leading, intervals) for row in told]
        if slowest and slower and all(slower[-1] is not row for row in told):
            outside = common is not None and all(common is not row for row in leading.ranking)
            of = f" of {leading.section}" if outside else ""
            parts.append(f"{self._faster(first, slower[-1], leading, intervals)}, the slowest{of}")
        if not parts and len(leading.ranking) == 1:
            parts = [f"in {words.with_unit(first.time_ns or 0.0)} (nothing else is ranked under “{leading.section}”)"]
        if not parts:
            return ""
        alike = words.listed([self._called(row, leading) for row in unproven])
        beyond = " beyond the noise" if self.least else ""
        return ", ".join(parts) + (f"; not proven faster{beyond} than {alike}" if alike else "") + faster

    def _called(self, row: Row, leading: Lead) -> str:
        """A case in a sentence on a ranking, with its validation if the ranking is of another."""
        label = library_label(row, self.several)
        if all(row is not one for one in leading.ranking):
            label += f" ({class_words(row.work_class)})"
        baseline = " (the baseline)" if row.reference else ""
        return case_words(label, row.library, row.codec, row.format) + baseline

    def _faster(self, first: Row, row: Row, leading: Lead, intervals: bool) -> str:
        compared, ends = relation(row, first), ""
        if intervals and compared.low is not None and compared.high is not None:
            ends = f" ({words.ends_words(compared.low, compared.high)})"
        return f"{words.factor_text(compared.ratio)} faster than {self._called(row, leading)}{ends}"


def lost_words(row: Row) -> list[str]:
    """What a case loses or leaves out of a document, each with a verb."""
    _, _, left_out, lossy = WorkClass.parse(row.work_class)
    left = [says + left_out.removeprefix(what) for what, says in LEFT_OUT.items() if left_out.startswith(what)]
    return [*([f"loses some of the data{lossy.removeprefix('lossy')}"] if lossy else []), *left]


def boards_of(rows: Iterable[Row], least: float = 0.0, *, across_classes: bool = False) -> list[Board]:
    """The rows of each point and operation as a board; differences below `least` are noise."""
    groups = grouped(merged(list(rows)), lambda row: (row.point, row.operation))
    return [_board(group, least, across_classes) for group in groups.values()]


def _board(rows: list[Row], least: float, across_classes: bool) -> Board:
    sections = grouped(
        (row for row in rows if row.measured),
        lambda row: "all kinds of validation" if across_classes else class_words(row.work_class),
    )
    for section in sections.values():
        section.sort(key=lambda row: (row.rank or math.inf, row.time_ns or 0.0))
    failed = [row for row in rows if not row.measured]
    return Board(words.board_title(rows[0]), list(sections.items()), failed, least)


def headline_of(boards: Sequence[Board]) -> str:
    """The headline of the first board, and in how many of several its leader leads or ties."""
    if not boards or boards[0].lead is None:
        return boards[0].headline if boards else "Nothing could be measured"
    first, text = boards[0].lead.first, boards[0].sentence(boards[0].lead)
    led = [(lead.first, *lead.tied) for board in boards if (lead := board.lead) is not None]
    if len(boards) > 1 and text.startswith(boards[0].name(first)):
        count = sum(case_of(first) in map(case_of, leaders) for leaders in led)
        text += f"; first or tied in {count} of {len(boards)} panels"
    return words.noisy(text, boards[0].least)


def findings(rows: Iterable[Row], least: float = 0.0) -> dict[str, list[str]]:
    """Workload point → sentences on its steps, if there are any, on each ranking, and on the sizes of the bytes.

    Of endpoints with several sizes, `CHOICE` → what their choice changes stands in front.

    Differences below `least` are noise, which the first sentence then says.
    """
    table = list(rows)
    sentences = {
        words.point_words(point): step_findings(members)
        for point, members in grouped(table, lambda row: row.point).items()
    }
    sizes: dict[str, list[Row]] = {}
    for board in boards_of(table, least):
        members = board.measured + board.failed
        operation, point = members[0].operation, words.point_words(members[0].point)
        lines = sentences[point]
        if board.lead is None:
            lines.append(f"{operation}: nothing could be measured")
        for section in board.sections:
            best = board.lead
            leading = best if best is not None and best.section == section[0] else lead([section])
            if leading is not None and leading.first.rank is not None:  # floors of endpoints, for one, are not ranked
                text = board.sentence(leading, intervals=True, slowest=True) + _ties(leading)
                lines.append(f"{operation}, {section[0]}: {text.replace('No combination', 'no combination', 1)}")
        sizes.setdefault(point, []).extend(row for row in members if row.size_bytes is not None)
    for point, sized in sizes.items():
        if sized:
            sentences[point].append(_sizes(sized))
    chosen = choice_sentences(table, least)
    sentences = ({CHOICE: chosen} if chosen else {}) | sentences
    if least:
        for lines in sentences.values():
            lines.insert(0, words.noise_words(least))
    return sentences


def _ties(leading: Lead) -> str:
    """Count the cases of a ranking that share a rank."""
    groups = [len(rows) for rows in grouped(leading.ranking, lambda row: row.rank).values()]
    tied = sum(size for size in groups if size > 1)
    return f"; {tied} of {sum(groups)} share a rank" if tied and len(groups) > 1 else ""


def _sizes(rows: Sequence[Row]) -> str:
    """The smallest and largest size in each format: "bytes: msgpack 86, json 100 to 106"."""
    formats = grouped(sorted(rows, key=lambda row: row.size_bytes or 0), lambda row: row.format)
    ends = {
        name: dict.fromkeys(f"{row.size_bytes:,}" for row in (sized[0], sized[-1])) for name, sized in formats.items()
    }
    return "bytes: " + ", ".join(f"{name} {' to '.join(sizes)}" for name, sizes in ends.items())
