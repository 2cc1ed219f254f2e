"""Checks and rewrites the generated blocks of documents, which come from published runs.

Among them are whole pages: of libraries, of articles, and of the keywords of JSON Schema. A block begins with `<!-- serbench: KIND ARGUMENTS -->` and ends with `<!-- /serbench -->`.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from serbench.api import running
from serbench.api.calling import arguments
from serbench.api.choices import GROUPS, OPTIONS
from serbench.api.command_line.program import COMMANDS, command_named, summary
from serbench.api.reports.published import Published, figure_name, named, page
from serbench.api.selfcheck import selfcheck_file
from serbench.api.showing import show
from serbench.api.verifying import published_matrices
from serbench.api.weighing import leading, published_costs
from serbench.claims.judging import Judged, Outcome
from serbench.claims.judging import summary as summary_of
from serbench.claims.ledger import Ledger, interval_words, ledger, published_words, verdict_words
from serbench.claims.reading import STATES, Column, Item, PrintedTable, articles, claims
from serbench.display import words
from serbench.display.board import Board, boards_of
from serbench.display.lookup import scripts_markdown, values_markdown, wrong_markdown
from serbench.display.matrices import kept_table, refused_inputs, with_recommended_codec
from serbench.display.result_table import board_table
from serbench.display.table import Side, Table, escaped
from serbench.display.views import CHOICE, choice_sentences
from serbench.display.words import TERMS, three_digits
from serbench.errors import PlanError, SchemaError, check
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import Row
from serbench.machine.files import write_file
from serbench.model.json_schema.read import from_json_schema
from serbench.render.case import combinations
from serbench.render.library import Library, libraries
from serbench.render.selection import chosen_codecs
from serbench.results import grouped

FOLDER = Path("docs") / "libraries"
INDEX = "index.md"
_Entry = tuple[Published, Row, Sequence[Row]]
"""A published run, a row of it, and the ranking that the row stands in."""
WORKLOAD = "client-rich"
"""The workload whose rendered code a page shows."""


def missing_pages(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path of each library's page that does not exist yet, and its text with an empty block."""
    pages = folder / FOLDER
    if (pages / INDEX).exists():
        for name in libraries():
            if not (pages / f"{name}.md").exists():
                yield pages / f"{name}.md", f"# {name}\n\n<!-- serbench: library {name} -->\n\n<!-- /serbench -->\n"


def library_page(runs: Sequence[Published], name: str) -> str:
    """Return a library's page without its title."""
    check("library", name, libraries())
    library = libraries()[name]
    entries = _entries(runs, name)
    cases = [matrix for matrix in published_matrices() if (matrix.library, matrix.variant) == (name, "default")]
    known = with_recommended_codec(cases).values()
    codecs = {"most codecs": cases, **{f"{case.codec}/{case.format}": [case] for case in known}}
    items = [f"- Variant [`{variant}`]({link})" for variant, link in library.variants.items()]
    items += [f"- It has no `{operation}`: {escaped(why)}" for operation, why in library.cannot.items()]
    items += [f"- No {feature}: {escaped(why)}" for feature, why in sorted(library.lacks.items())]
    return page(
        "library",
        library=library,
        answers=list(
            filter(None, (_best(entries, "decode", "Decoding"), _best(entries, "encode", "Encoding"), *_kept(known)))
        ),
        items=items,
        entries=entries,
        ranked=_ranked,
        kept=kept_table(codecs) if any(case.fidelity for case in cases) else "",
        refused=[refused_inputs(case) for case in known],
        claims=[row for row in ledger().rows() if name in claims()[row["id"]].libraries],
        verdict=verdict_words,
        code=_code(library),
    )


def _kept(cases: Iterable[Behaviour]) -> Iterator[str]:
    for case in cases:
        values = Counter(finding.outcome for finding in case.fidelity.values() if finding.outcome != "unsupported")
        wrong = Counter(finding.outcome for finding in case.strictness.values())
        if values and wrong:
            yield f"With {words.codec_label(case)}, {values['exact']} of {values.total()} awkward values come back exactly,"
            yield f"and {wrong['rejected']} of {wrong.total()} wrong inputs are rejected."


def _best(entries: Sequence[_Entry], operation: str, title: str) -> str:
    """Return how often the library leads, or the best rank that it has."""
    ranked = [(row.rank, board) for _, row, board in entries if row.operation == operation and row.rank is not None]
    if not ranked:
        return ""
    rank, board = min(ranked, key=lambda pair: (pair[0], -len(pair[1])))
    if rank > 1:
        return f"{title}: at best rank {rank} of {_ranked(board)} with the same validation."
    first = sum(one == 1 for one, _ in ranked)
    return f"{title}: fastest with the same validation, or tied, in {first} of {len(ranked)} published rankings."


def _entries(runs: Sequence[Published], name: str) -> list[_Entry]:
    """Return the library's fastest row of each published ranking for encode and decode, with that ranking."""
    entries: list[_Entry] = []
    for run in runs:
        measured = [row for row in run.run.rows if row.measured and row.operation in ("encode", "decode")]
        if len({(row.records, row.depth) for row in measured}) > 1:  # a grid of sizes has no single ranking
            continue
        for board in grouped(measured, _ranking).values():
            rows = [row for row in board if (row.library, row.variant) == (name, "default")]
            if rows:
                entries.append((run, min(rows, key=lambda row: row.ratio or 0), board))
    return entries


def _ranking(row: Row) -> tuple[str, str, str, str]:
    return (row.workload, row.conditions, row.operation, row.work_class or "")


def _ranked(board: Sequence[Row]) -> int:
    return sum(row.rank is not None for row in board)


def _code(library: Library) -> str:
    codecs = [codec for _, codec in combinations([library], chosen_codecs(["all"]))]
    chosen = "json" if any(codec.format == "json" for codec in codecs) else codecs[0].format
    try:
        case = show(library.name, chosen, WORKLOAD)
    except PlanError as error:
        return escaped(f"{error}.")
    command = f"serbench show {library.name} {chosen} --workload {WORKLOAD}"
    return f"`{command}` prints this module:\n\n```python\n{case.source.strip()}\n```"


def article_page(_: Sequence[Published], name: str) -> str:
    """An article's page without its title: in one table what it says, what was published and measured; then why."""
    check("article", name, articles())
    article = articles()[name]
    outcomes = {outcome.id: outcome for outcome in ledger().outcomes}
    known = [outcomes[claim] for claim in dict.fromkeys(item.claim for item in article.items) if claim in outcomes]
    return page(
        "article",
        name=name,
        article=article,
        summary=summary_of(known),
        states=STATES,
        lines=[(item, *_measured(item, outcomes)) for item in article.items],
        shown_by=_shown_by,
        printed=lambda table: _printed(table, outcomes),
        known=known,
        verdict=lambda outcome: verdict_words(Ledger((outcome,)).rows()[0]),
        why=lambda outcome: claims()[outcome.id].why,
    )


def all_articles(_: Sequence[Published]) -> str:
    """Return three tables: the number of items of each article by state, the items that serbench does not show with the reasons, and all items."""
    known = list(articles().values())
    items = [(article, item) for article in known for item in article.items]
    return page("articles", articles=known, items=items, states=STATES, shown_by=_shown_by)


def _measured(item: Item, outcomes: dict[str, Outcome]) -> tuple[str, str]:
    """What was published of an item, and what was measured with its verdict in each set of versions."""
    if not item.claim:
        return "", "" if item.command else item.state
    if item.claim not in outcomes:
        return "", f"not measured yet: `serbench claims {item.claim} --effort normal --output data/claims`"
    figures = figures_of(outcomes[item.claim], item.figures)
    published = "<br>".join(dict.fromkeys(escaped(published_words(figure)) for figure in figures))
    return published, "<br>".join(
        escaped(f"{figure.versions} {interval_words(figure)}: {figure.verdict}") for figure in figures
    )


def _shown_by(item: Item) -> str:
    return f"`serbench claims {item.claim}`" if item.claim else f"`{item.command}`" if item.command else ""


def figures_of(outcome: Outcome, names: Iterable[str]) -> list[Judged]:
    """The figures of an outcome that have one of the claim's names, or the leading ones; a correction has the printed row's."""
    printed = {row.name: row.corrects or row.name for row in claims()[outcome.id].rows} if names else {}
    wanted = tuple(names)

    def is_named(figure: Judged) -> bool:
        of, to = printed.get(figure.of, figure.of), printed.get(figure.to, figure.to)
        return of in wanted or f"{of} / {to}" in wanted

    return [figure for figure in outcome.figures if is_named(figure)] if wanted else list(outcome.leading().values())


def _printed(table: PrintedTable, outcomes: dict[str, Outcome]) -> str:
    """A table as an article has it: for each of its columns what was published, and what was measured in each set."""
    sets = [
        (column, versions)
        for column in table.columns
        if column.claim in outcomes
        for versions in ("published", *outcomes[column.claim].verdicts())
    ]
    heads: dict[str, Side] = {"": "left"}
    heads |= {f"{column.heading}, {versions}": "right" for column, versions in sets}
    lines = [(row, *(_cell(row, column, versions, outcomes) for column, versions in sets)) for row in table.rows]
    return Table.of_lines(heads, lines).to_markdown()


def _cell(row: str, column: Column, versions: str, outcomes: dict[str, Outcome]) -> str:
    """The mean of a row's figures, and each of them if there are several; 1 for the row that the others are divided by."""
    outcome = outcomes[column.claim]
    figures = figures_of(outcome, [name.format(row) for name in column.figures])
    shown = [figure for figure in figures if versions in ("published", figure.versions)][: len(column.figures)]
    if not shown:
        return "1" if any(figure.to == row for figure in outcome.figures) else ""
    values = [one.published_low if versions == "published" else one.measured for one in shown]
    known = [value for value in values if value is not None]
    if len(known) < len(shown):
        return shown[0].reason or ""
    if shown[0].quantity == "size":
        return f"{known[0]:,.0f}"
    parts = f" ({' / '.join(map(three_digits, known))})" if len(known) > 1 else ""
    return three_digits(mean(known)) + parts


@dataclass(frozen=True)
class Sample:
    """Keywords, what is said by them, and a schema that says it."""

    keywords: str
    what: str
    schema: Any

    @property
    def read(self) -> tuple[str, str]:
        """How it is read, and the line that says so."""
        try:
            notes = from_json_schema(self.schema).notes
        except SchemaError as error:
            return "refused", str(error)
        kinds = ["widely" if "widely" in note else "narrowly" if "narrowly" in note else "not" for note in notes]
        how = {"widely": "more widely", "narrowly": "more narrowly", "not": "ignored"}
        return how[kinds[0]] if kinds else "exactly", "; ".join(notes)


SAMPLES = tuple(
    Sample(**sample) for sample in json.loads(Path(__file__).with_name("keywords.json").read_text(encoding="utf-8"))
)
"""Every keyword of the drafts 4 to 2020-12, in the order of the table."""


def keywords(_: Sequence[Published]) -> str:
    """Return a line for each sample."""
    return page("keywords", samples=SAMPLES, as_json=json.dumps)


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
        forms = param.opts if param.opts[0].startswith("-") else [param.metavar]
        yield ", ".join(f"`{form}`" for form in forms), param.help


def call(_: Sequence[Any]) -> str:
    """Return the table of the arguments of `serbench.run`."""
    lines = []
    for name, (option, plain, default) in arguments(running.run).items():
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
    most = _count(count)
    one, board = _board(runs, result, operation, workload)
    few = replace(board_table(board).flat(words.VALIDATION, most), title="", failures=())
    shown = [row for _, members in board.sections for row in members[:most]]
    return "\n\n".join([_answer(board), few.to_markdown(), _origin(one, words.footnotes(shown))])


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
    return f"**{escaped(board.headline)}.**\\\nPublished results: {escaped(board.setting)}"


def claims_ledger(_: Sequence[Published]) -> str:
    """The ledger of published claims."""
    known = ledger()
    if not known.outcomes:
        raise PlanError("no claims are published yet; `serbench claims --output data/claims` measures them")
    return known.to_markdown().strip()


def _count(text: str) -> int:
    if not text.isdigit():
        raise PlanError(f"COUNT is a whole number, not {text!r}")
    return int(text)


BLOCKS: Kinds = {
    "leaders": (leaders, ("RESULT", "OPERATION", "WORKLOAD", "COUNT")),
    "answer": (lambda runs, *of: _answer(_board(runs, *of)[1]), ("RESULT", "OPERATION", "WORKLOAD")),
    "choice": (choice, ("RESULT", "FRAMEWORK")),
    "choices": (choices, ("RESULT",)),
    "picture": (picture, ("RESULT", "OPERATION", "WORKLOAD")),
    "accuracy": (lambda runs: page("accuracy", runs=runs), ()),
    "selfcheck": (lambda _, file: selfcheck_file(Path(file)).to_markdown().strip(), ("FILE",)),
    "claims": (claims_ledger, ()),
    "verdicts": (lambda _: f"![{summary_of(ledger().outcomes)}](../data/claims/ledger.svg)", ()),
    "articles": (all_articles, ()),
    "article": (article_page, ("NAME",)),
    "keywords": (keywords, ()),
    "costs": (lambda _, name, count: leading(published_costs(), name, _count(count)), ("NAME", "COUNT")),
    "values": (lambda _: values_markdown(published_matrices(), "silent-changes.md"), ()),
    "wrong-input": (lambda _: wrong_markdown(published_matrices()), ()),
    "scripts": (lambda _: scripts_markdown(published_matrices()), ()),
    "libraries": (lambda _: page("libraries", libraries=libraries().values()), ()),
    "library": (library_page, ("NAME",)),
    "commands": (commands, ()),
    "options": (options, ("COMMAND",)),
    "arguments": (call, ()),
    "functions": (functions, ()),
    "terms": (lambda _: _table("| word | meaning |", TERMS.items()), ()),
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
