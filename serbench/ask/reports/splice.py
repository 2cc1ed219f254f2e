"""Blocks of documents, between markers, that are made from published runs; they can be checked and rewritten.

A block begins with `<!-- serbench: KIND ARGUMENTS -->` and ends with `<!-- /serbench -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from serbench.ask.reports.pages import (
    all_articles,
    article_page,
    keywords,
    libraries_index,
    library_page,
    missing_pages,
)
from serbench.ask.reports.published import Published, named
from serbench.ask.reports.templates import page
from serbench.ask.selfcheck import selfcheck_file
from serbench.ask.verifying import published_matrices
from serbench.ask.weighing import leading, published_costs
from serbench.claims.ledger import ledger
from serbench.display import words
from serbench.display.board import Board, boards_of
from serbench.display.lookup import values_markdown
from serbench.display.result_table import board_table
from serbench.display.table import escaped
from serbench.errors import PlanError, check
from serbench.machine.files import write_file

BEGIN, END = re.compile(r"<!-- serbench: (?P<words>[^\n]*?) -->"), "<!-- /serbench -->"

Kinds = Mapping[str, tuple[Callable[..., str], tuple[str, ...]]]
"""Kinds of blocks: what makes one, and the names of its arguments."""
NO_MORE: Kinds = {}


def documents(folder: Path) -> list[Path]:
    """The Markdown files of a folder and of its `docs` that have a block."""
    paths = [*folder.glob("*.md"), *(folder / "docs").rglob("*.md")]
    return [path for path in sorted(paths) if BEGIN.search(path.read_text(encoding="utf-8"))]


def outdated_documents(folder: Path, runs: Sequence[Published], more: Kinds = NO_MORE) -> Iterator[tuple[Path, str]]:
    """Each document with a block that is not what the published runs give, and its text as it should be.

    Raises:
        PlanError: a marker that cannot be understood; the message names file and line.
    """
    texts = {path: path.read_bytes().decode() for path in documents(folder)}
    for path, text in {**texts, **dict(missing_pages(folder))}.items():
        made = spliced(text, runs, path.name, more)
        if made != texts.get(path):
            yield path, made


def splice(folder: Path, runs: Sequence[Published], more: Kinds = NO_MORE) -> list[Path]:
    """Write every block of the folder's documents anew; tell which documents have changed."""
    return [write_file(path, text) for path, text in list(outdated_documents(folder, runs, more))]


def spliced(text: str, runs: Sequence[Published], name: str = "the text", more: Kinds = NO_MORE) -> str:
    """The text with each block as the published runs give it."""

    def made(found: re.Match[str]) -> str:
        inner, line = BEGIN.search(found["inside"]), text.count("\n", 0, found.start()) + 1
        try:
            if inner:
                line += found["inside"].count("\n", 0, inner.start())
                raise PlanError(f"a block begins before the previous one ends with {END}")
            if not found["end"]:
                raise PlanError(f"the block has no end; put {END} below it")
            return f"{found[1]}\n\n{block(found['words'].split(), runs, more)}\n\n{END}"
        except PlanError as error:
            raise PlanError(f"{name}, line {line}: {error}") from None

    return re.sub(f"({BEGIN.pattern})(?P<inside>.*?)(?P<end>{END}|\\Z)", made, text, flags=re.DOTALL)


def block(words: Sequence[str], runs: Sequence[Published], more: Kinds = NO_MORE) -> str:
    """What stands between the markers: `words` are its kind and its arguments."""
    kind, *arguments = words or [""]
    kinds = {**BLOCKS, **more}
    check("block", kind, kinds)
    make, takes = kinds[kind]
    if len(arguments) != len(takes):
        raise PlanError(f"write a block {kind} as `{' '.join([kind, *takes])}`, not `{' '.join(words)}`")
    return make(runs, *arguments)


def leaders(runs: Sequence[Published], result: str, operation: str, workload: str, count: str) -> str:
    """The finding on one operation, the first few of each work class, and when, where and with what they were measured."""
    if not count.isdigit():
        raise PlanError(f"leaders takes a whole number where {count!r} is")
    one, board = _board(runs, result, operation, workload)
    few = replace(board_table(board).flat("work class", int(count)), title="", failures=())
    shown = [row for _, members in board.sections for row in members[: int(count)]]
    return "\n\n".join([_answer(board), few.to_markdown(), _origin(one, words.footnotes(shown))])


def answer(runs: Sequence[Published], result: str, operation: str, workload: str) -> str:
    """The finding on one operation, and the data and the work class that it is of."""
    return _answer(_board(runs, result, operation, workload)[1])


def _board(runs: Sequence[Published], result: str, operation: str, workload: str) -> tuple[Published, Board]:
    one = named(list(runs), result)
    rows = [row for row in one.run.rows if (row.operation, row.workload) == (operation, workload)]
    if not rows:
        raise PlanError(f"the result {result} has no {operation} {workload}")
    return one, boards_of((row for row in rows if row.conditions == rows[0].conditions), one.run.least)[0]


def _answer(board: Board) -> str:
    return f"**{escaped(board.headline)}.**\\\n{escaped(board.setting)}"


def accuracy(runs: Sequence[Published]) -> str:
    """The accuracy of each published run by its own control."""
    return page("accuracy", runs=runs)


def selfcheck(_: Sequence[Published], file: str) -> str:
    """The self-check's table, from the file that `serbench selfcheck --output` wrote."""
    return selfcheck_file(Path(file)).to_markdown().strip()


def claims(_: Sequence[Published]) -> str:
    """The ledger of published claims."""
    known = ledger()
    if not known.outcomes:
        raise PlanError("no claims are published yet; `serbench claims --output data/claims` measures them")
    return known.to_markdown().strip()


def costs(_: Sequence[Published], name: str, count: str) -> str:
    """The first lines of the tables of published costs."""
    if not count.isdigit():
        raise PlanError(f"COUNT is a number of lines, not {count!r}")
    return leading(published_costs(), name, int(count))


def values(_: Sequence[Published]) -> str:
    """What happens to each value of the published matrices."""
    return values_markdown(published_matrices())


BLOCKS: Kinds = {
    "leaders": (leaders, ("RESULT", "OPERATION", "WORKLOAD", "COUNT")),
    "answer": (answer, ("RESULT", "OPERATION", "WORKLOAD")),
    "accuracy": (accuracy, ()),
    "selfcheck": (selfcheck, ("FILE",)),
    "claims": (claims, ()),
    "articles": (all_articles, ()),
    "article": (article_page, ("NAME",)),
    "keywords": (keywords, ()),
    "costs": (costs, ("NAME", "COUNT")),
    "values": (values, ()),
    "libraries": (libraries_index, ()),
    "library": (library_page, ("NAME",)),
}


def _origin(published: Published, notes: Sequence[str]) -> str:
    info = published.run.info
    about = [
        *notes,
        f"Measured on {info.started[:10]}: {words.machine_line(info.machine)}; {words.versions_line(info.versions)}",
        words.control_line(published.run.control),
    ]
    return "\\\n".join(
        [*map(escaped, about), f"All rows: [{escaped(published.question)}]({published.folder.as_posix()}/results.md)"]
    )
