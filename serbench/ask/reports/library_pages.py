"""One page per library, made from its declaration, its rendered code and the published results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from serbench.ask.cases import show
from serbench.ask.matrices import PUBLISHED, published_matrices
from serbench.ask.reports.published import Published
from serbench.claims.ledger import ledger, verdict_words
from serbench.claims.reading import claims
from serbench.display import words
from serbench.display.escapes import escaped
from serbench.display.matrix_tables import kept_table, refused_inputs, with_recommended_codec
from serbench.display.table import Side, Table
from serbench.errors import PlanError, check
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import Row
from serbench.render.library import Library, libraries
from serbench.render.rendering import combinations
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


def libraries_index(_: Sequence[Published]) -> str:
    """Return a line for each library: what it is, its review, and a link to its page."""
    headings: dict[str, Side] = dict.fromkeys(("library", "what it is", "default", "reviewed"), "left")
    lines = [
        (
            f"[{escaped(one.name)}]({one.name}.md)",
            escaped(one.summary),
            "yes" if one.core else "",
            escaped(one.reviewed),
        )
        for one in libraries().values()
    ]
    return Table.of_lines(headings, lines, markup=True).to_markdown()


def library_page(runs: Sequence[Published], name: str) -> str:
    """Return a library's page without its title."""
    check("library", name, libraries())
    library = libraries()[name]
    entries = _entries(runs, name)
    parts = [
        _answer(library, entries),
        _about(library),
        "## Where it stands",
        _standing(name, entries),
        "## What it keeps and refuses",
        _outcomes(library),
        "## Published claims",
        _claims(name),
        "## The measured code",
        _code(library),
    ]
    return "\n\n".join(parts)


def _answer(library: Library, entries: Sequence[_Entry]) -> str:
    """Return what the page says in sentences: where the library stands, and what it keeps and refuses."""
    sentences = [_best(entries, "decode", "Decoding"), _best(entries, "encode", "Encoding")]
    for one in with_recommended_codec(_cases(library)).values():
        values = Counter(finding.outcome for finding in one.fidelity.values() if finding.outcome != "unsupported")
        wrong = Counter(finding.outcome for finding in one.strictness.values())
        if values and wrong:
            sentences.append(
                f"With {words.codec_label(one)}, {values['exact']} of {values.total()} awkward values come back exactly,"
            )
            sentences.append(f"and {wrong['rejected']} of {wrong.total()} wrong inputs are rejected.")
    return "\n".join(filter(None, sentences))


def _best(entries: Sequence[_Entry], operation: str, title: str) -> str:
    """Return how often the library leads, or the best rank that it has."""
    ranked = [(row.rank, board) for _, row, board in entries if row.operation == operation and row.rank is not None]
    if not ranked:
        return ""
    rank, board = min(ranked, key=lambda pair: (pair[0], -len(pair[1])))
    if rank > 1:
        return f"{title}: at best rank {rank} of {_ranked(board)} in its work class."
    first = sum(one == 1 for one, _ in ranked)
    return f"{title}: fastest of its work class, or tied, in {first} of {len(ranked)} published rankings."


def _about(library: Library) -> str:
    reviewed = (
        f"Reviewed by {library.reviewed}." if library.reviewed else "No author of this library has reviewed this page."
    )
    summary = library.summary[0].upper() + library.summary[1:]
    lines = [f"{escaped(summary)}: [documentation]({library.docs}).", reviewed]
    if library.distributions:
        lines.append(f"Installed as {', '.join(f'`{one}`' for one in library.distributions)}.")
    if library.separate:
        lines.append(f"serbench builds an environment for it: {escaped(library.separate)}.")
    lines += [f"- Variant [`{name}`]({link})" for name, link in library.variants.items()]
    lines += [f"- It has no `{operation}`: {escaped(why)}" for operation, why in library.cannot.items()]
    lines += [f"- No {feature}: {escaped(why)}" for feature, why in sorted(library.lacks.items())]
    items = [line for line in lines if line.startswith("- ")]
    return "\n".join([*lines[: len(lines) - len(items)], "", *items]).strip()


def _entries(runs: Sequence[Published], name: str) -> list[_Entry]:
    """Return the library's fastest row of each published ranking for encode and decode, with that ranking."""
    entries: list[_Entry] = []
    for one in runs:
        measured = [row for row in one.run.rows if row.measured and row.operation in ("encode", "decode")]
        if len({(row.records, row.depth) for row in measured}) > 1:  # a grid of sizes has no single ranking
            continue
        for board in grouped(measured, _ranking).values():
            rows = [row for row in board if (row.library, row.variant) == (name, "default")]
            if rows:
                entries.append((one, min(rows, key=lambda row: row.ratio or 0), board))
    return entries


def _standing(name: str, entries: Sequence[_Entry]) -> str:
    if not entries:
        return "No published run has this library; `serbench run --library " + name + "` measures it."
    headings: dict[str, Side] = dict.fromkeys(("result", "operation", "work class", "codec"), "left")
    headings |= dict.fromkeys(("time", "rank", "of"), "right")
    return Table.of_lines(headings, [_line(*entry) for entry in entries], markup=True).to_markdown()


def _ranking(row: Row) -> tuple[str, str, str, str]:
    return (row.workload, row.conditions, row.operation, row.work_class or "")


def _line(one: Published, row: Row, board: Sequence[Row]) -> tuple[str, ...]:
    operation = row.operation if row.conditions == "hot" else f"{row.operation}, {row.conditions}"
    result = f"[{escaped(one.name)}](../../{one.folder.as_posix()}/results.md)"
    time = words.with_unit(row.time_ns or 0.0).replace(" ", "\N{NO-BREAK SPACE}")
    shown = (result, f"{operation} {row.workload}", words.class_words(row.work_class), words.codec_label(row))
    return (*shown, time, f"{row.rank or '–'}", f"{_ranked(board)}")


def _ranked(board: Sequence[Row]) -> int:
    return sum(row.rank is not None for row in board)


def _cases(library: Library) -> list[Behaviour]:
    return [one for one in published_matrices() if (one.library, one.variant) == (library.name, "default")]


def _outcomes(library: Library) -> str:
    cases = _cases(library)
    if not any(one.fidelity for one in cases):
        return f"Not probed yet: `serbench verify --all --library {library.name}` does that."
    known = with_recommended_codec(cases).values()
    kept = kept_table({"most codecs": cases, **{f"{one.codec}/{one.format}": [one] for one in known}})
    return "\n\n".join([kept, *map(refused_inputs, known), f"By codec: [fidelity](../../data/{PUBLISHED}/results.md)."])


def _claims(name: str) -> str:
    """Return the published claims about the library, each with its verdict."""
    rows = [row for row in ledger().rows() if name in claims()[row["id"]].libraries]
    lines = [f"- {row['id']}, {verdict_words(row)}: {escaped(row['statement'])}" for row in rows]
    return "\n".join(lines) or "None is about this library."


def _code(library: Library) -> str:
    codecs = [codec for _, codec in combinations([library], chosen_codecs(["all"]))]
    chosen = "json" if any(codec.format == "json" for codec in codecs) else codecs[0].format
    try:
        case = show(library.name, chosen, WORKLOAD)
    except PlanError as error:
        return escaped(f"{error}.")
    command = f"serbench show {library.name} {chosen} --workload {WORKLOAD}"
    return f"`{command}` prints this module:\n\n```python\n{case.source.strip()}\n```"
