"""Checks and rewrites the generated blocks of documents, which come from published runs.

A block begins with `<!-- serbench: KIND ARGUMENTS -->` and ends with `<!-- /serbench -->`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from serbench.api.calling import arguments
from serbench.api.choices import GROUPS, OPTIONS
from serbench.api.command_line.program import COMMANDS, command_named, summary
from serbench.api.reports.pages import (
    all_articles,
    article_page,
    keywords,
    libraries_index,
    library_page,
    missing_pages,
)
from serbench.api.reports.published import Published, named, page
from serbench.api.reports.shown import figure_name
from serbench.api.running import run
from serbench.api.selfcheck import selfcheck_file
from serbench.api.verifying import published_matrices
from serbench.api.weighing import leading, published_costs
from serbench.claims.ledger import ledger
from serbench.claims.outcome import summary as summary_of
from serbench.display import words
from serbench.display.board import Board, boards_of
from serbench.display.lookup import scripts_markdown, values_markdown, wrong_markdown
from serbench.display.result_table import board_table
from serbench.display.table import escaped
from serbench.display.views import CHOICE, choice_sentences
from serbench.display.words import TERMS
from serbench.errors import PlanError, check
from serbench.machine.files import write_file

_GROUPS = {OPTIONS[name].flags[0]: group for group, names in GROUPS.items() for name in names}


def options(_: Sequence[Any], name: str) -> str:
    """Return the table of a command's arguments and options; what is as for `run` is named together."""
    check("command", name, COMMANDS)
    command = command_named(name)
    below: Mapping[str, Any] = getattr(command, "commands", {})
    rows = [
        (forms, f"`{word}`: {meaning}") for word, one in below.items() for forms, meaning in _parameters(one)
    ] or list(_parameters(command))
    if name != "run" and not below:
        rows = list(_beside_run(rows, dict(_parameters(command_named("run")))))
    return _table("| option | meaning |", rows)


def _beside_run(rows: Sequence[tuple[str, str]], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Return one row each for the data, the cases and all others that are as for `run`, between what is not."""
    same = {forms: _GROUPS.get(forms.split("`")[1], "") for forms, told in rows if known.get(forms) == told}
    yield from ((forms, told) for forms, told in rows if not forms.startswith("`-"))
    for group, what in (("data", "the data, as for `run`"), ("cases", "what is measured, as for `run`")):
        if group in same.values():
            yield "; ".join(forms for forms, one in same.items() if one == group), what
    for forms, told in rows:
        if forms not in same and forms.startswith("`-"):
            help_, _, default = told.partition(" (default: ")
            like_run = known.get(forms, "").partition(" (default: ")[0] == help_
            yield forms, f"as for `run` (default: {default}" if like_run and default else told
    if "" in same.values():
        yield "; ".join(forms for forms, one in same.items() if not one), "as for `run`"


def _parameters(command: Any) -> Iterator[tuple[str, str]]:
    for param in command.params:
        forms = param.opts if param.opts[0].startswith("-") else [param.metavar or param.name.upper()]
        yield ", ".join(f"`{form}`" for form in forms), param.help


def call(_: Sequence[Any]) -> str:
    """Return the table of the arguments of `serbench.run`."""
    lines = []
    for name, (option, plain, default) in arguments(run).items():
        type_ = re.sub(r"[\w.]+\.(?=\w)", "", inspect.formatannotation(plain))
        type_ = re.sub(r"^Union\[(\w+), (.*)\]$", r"\1 | \2", type_)
        flag = f"`{option.flags[0]}`" if option.flags else ""
        meaning = option.python_note if flag else option.help
        shown = f"`{default!r}`" if default is not None else option.default or "`None`"
        lines.append((f"`{name}`", flag, f"`{type_}`", shown, meaning))
    return _table("| argument | option | type | default | meaning |", lines)


def commands(_: Sequence[Any]) -> str:
    """Return a line for each command, with a link to its page."""
    return _table("| command | |", ((f"[{name}]({name}.md)", summary(name)) for name in COMMANDS))


def functions(_: Sequence[Any]) -> str:
    """Return each public name with its signature and docstring."""
    parts, public = [], importlib.import_module("serbench")
    for name in public.__all__:
        value = getattr(public, name)
        if callable(value):
            text = inspect.cleandoc(value.__doc__ or "")
            if inspect.isclass(value) and "__init__" in vars(value) and (of_call := value.__init__.__doc__):
                text += f"\n\n{inspect.cleandoc(of_call)}"
            parts.append(f"## serbench.{name}\n\n```text\n{name}{_signature(value)}\n\n{text}\n```")
    return "\n\n".join(parts)


def terms(_: Sequence[Any]) -> str:
    """Return the table of the glossary."""
    return _table("| word | meaning |", TERMS.items())


def _signature(value: Any) -> str:
    """Return the names and defaults of a function's parameters; of a class, which serbench makes itself, nothing."""
    if inspect.isclass(value):
        return ""
    parameters = inspect.signature(value).parameters.values()
    return str(inspect.Signature([parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]))


def _table(head: str, lines: Iterable[Sequence[str]]) -> str:
    """A table of Markdown below its head; its cells are Markdown in which a bar stands for itself."""
    rows = (" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)
    return "\n".join([head, "---".join("|" * head.count("|")), *(f"| {row} |" for row in rows)])


BEGIN, END = re.compile(r"<!-- serbench: (?P<words>[^\n]*?) -->"), "<!-- /serbench -->"

Kinds = Mapping[str, tuple[Callable[..., str], tuple[str, ...]]]
"""Kinds of blocks: what makes one, and the names of its arguments."""


def documents(folder: Path) -> list[Path]:
    """The Markdown files of a folder and of its `docs`, and the notebooks, that have a block."""
    paths = [*folder.glob("*.md"), *(folder / "docs").rglob("*.md"), *(folder / "notebooks").glob("*.ipynb")]
    return [path for path in sorted(paths) if BEGIN.search(path.read_text(encoding="utf-8"))]


def outdated_documents(folder: Path, runs: Sequence[Published]) -> Iterator[tuple[Path, str]]:
    """Each document with a block that is not what the published runs give, and its text as it should be.

    Raises:
        PlanError: a marker that cannot be understood; the message names file and line.
    """
    texts = {path: path.read_bytes().decode() for path in documents(folder)}
    for path, text in {**texts, **dict(missing_pages(folder))}.items():
        splice_text = spliced_cells if path.suffix == ".ipynb" else spliced
        made = splice_text(text, runs, path.name)
        if made != texts.get(path):
            yield path, made


def splice(folder: Path, runs: Sequence[Published]) -> list[Path]:
    """Write every block of the folder's documents anew; tell which documents have changed."""
    return [write_file(path, text) for path, text in list(outdated_documents(folder, runs))]


def spliced(text: str, runs: Sequence[Published], name: str = "the text") -> str:
    """The text with each block as the published runs give it."""

    def made(found: re.Match[str]) -> str:
        inner, line = BEGIN.search(found["inside"]), text.count("\n", 0, found.start()) + 1
        try:
            if inner:
                line += found["inside"].count("\n", 0, inner.start())
                raise PlanError(f"a block begins before the previous one ends with {END}")
            if not found["end"]:
                raise PlanError(f"the block has no end; put {END} below it")
            return f"{found[1]}\n\n{block(found['words'].split(), runs)}\n\n{END}"
        except PlanError as error:
            raise PlanError(f"{name}, line {line}: {error}") from None

    return re.sub(f"({BEGIN.pattern})(?P<inside>.*?)(?P<end>{END}|\\Z)", made, text, flags=re.DOTALL)


def spliced_cells(text: str, runs: Sequence[Published], name: str) -> str:
    """A notebook with each block of its cells of Markdown as the published runs give it."""
    notebook = json.loads(text)
    for cell in (cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"):
        cell["source"] = spliced("".join(cell["source"]), runs, name).splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def block(words: Sequence[str], runs: Sequence[Published]) -> str:
    """What stands between the markers: `words` are its kind and its arguments."""
    kind, *arguments = words or [""]
    check("block", kind, BLOCKS)
    make, takes = BLOCKS[kind]
    if len(arguments) != len(takes):
        raise PlanError(f"write a block {kind} as `{' '.join([kind, *takes])}`, not `{' '.join(words)}`")
    return make(runs, *arguments)


def leaders(runs: Sequence[Published], result: str, operation: str, workload: str, count: str) -> str:
    """The finding on one operation, the first few of each work class, and when, where and with what they were measured."""
    if not count.isdigit():
        raise PlanError(f"leaders needs a whole number in place of {count!r}")
    one, board = _board(runs, result, operation, workload)
    few = replace(board_table(board).flat(words.VALIDATION, int(count)), title="", failures=())
    shown = [row for _, members in board.sections for row in members[: int(count)]]
    return "\n\n".join([_answer(board), few.to_markdown(), _origin(one, words.footnotes(shown))])


def answer(runs: Sequence[Published], result: str, operation: str, workload: str) -> str:
    """The finding on one operation, and the data and the work class that it is of."""
    return _answer(_board(runs, result, operation, workload)[1])


def choice(runs: Sequence[Published], result: str, framework: str) -> str:
    """From which body size on the choice of serializer matters with a framework, for the kind of work that stands first."""
    run = named(list(runs), result).run
    told = choice_sentences([row for row in run.rows if row.library == framework], run.least)
    if not told:
        raise PlanError(f"the result {result} has no endpoints of {framework} with several sizes")
    return f"**{CHOICE.capitalize()}:** {escaped(told[0])}."


def choices(runs: Sequence[Published], result: str) -> str:
    """The same for every framework and kind of work."""
    run = named(list(runs), result).run
    return "\n".join(f"- {escaped(text)}" for text in choice_sentences(run.rows, run.least))


def picture(runs: Sequence[Published], result: str, operation: str, workload: str) -> str:
    """The figure of one operation, which shows the finding, and has it as its text."""
    run, board = _board(runs, result, operation, workload)
    return f"![{escaped(board.headline)}](../data/{run.name}/{figure_name(operation, workload)}.svg)"


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


def verdicts(_: Sequence[Published]) -> str:
    """The figure of the published claims, which says how many hold, then and now, and has that as its text."""
    return f"![{summary_of(ledger().outcomes)}](../data/claims/ledger.svg)"


def costs(_: Sequence[Published], name: str, count: str) -> str:
    """The first lines of the tables of published costs."""
    if not count.isdigit():
        raise PlanError(f"COUNT is a number of lines, not {count!r}")
    return leading(published_costs(), name, int(count))


def values(_: Sequence[Published]) -> str:
    """What happens to each value of the published matrices."""
    return values_markdown(published_matrices(), "silent-changes.md")


def wrong_input(_: Sequence[Published]) -> str:
    """What happens to each wrong input of the published matrices."""
    return wrong_markdown(published_matrices())


def scripts(_: Sequence[Published]) -> str:
    """The scripts that show what is changed in silence."""
    return scripts_markdown(published_matrices())


BLOCKS: Kinds = {
    "leaders": (leaders, ("RESULT", "OPERATION", "WORKLOAD", "COUNT")),
    "answer": (answer, ("RESULT", "OPERATION", "WORKLOAD")),
    "choice": (choice, ("RESULT", "FRAMEWORK")),
    "choices": (choices, ("RESULT",)),
    "picture": (picture, ("RESULT", "OPERATION", "WORKLOAD")),
    "accuracy": (accuracy, ()),
    "selfcheck": (selfcheck, ("FILE",)),
    "claims": (claims, ()),
    "verdicts": (verdicts, ()),
    "articles": (all_articles, ()),
    "article": (article_page, ("NAME",)),
    "keywords": (keywords, ()),
    "costs": (costs, ("NAME", "COUNT")),
    "values": (values, ()),
    "wrong-input": (wrong_input, ()),
    "scripts": (scripts, ()),
    "libraries": (libraries_index, ()),
    "library": (library_page, ("NAME",)),
    "commands": (commands, ()),
    "options": (options, ("COMMAND",)),
    "arguments": (call, ()),
    "functions": (functions, ()),
    "terms": (terms, ()),
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
