"""One page per library, made from its declaration, its rendered code and the published results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from serbench.ask.cases import show
from serbench.ask.matrices import PUBLISHED, published_matrices
from serbench.ask.reports.published import Published
from serbench.ask.reports.templates import page
from serbench.claims.ledger import ledger, verdict_words
from serbench.claims.reading import claims
from serbench.display import words
from serbench.display.escapes import escaped
from serbench.display.matrix_tables import kept_table, refused_inputs, with_recommended_codec
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
    return page("libraries", libraries=libraries().values())


def library_page(runs: Sequence[Published], name: str) -> str:
    """Return a library's page without its title."""
    check("library", name, libraries())
    library = libraries()[name]
    entries = _entries(runs, name)
    cases = [one for one in published_matrices() if (one.library, one.variant) == (name, "default")]
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
        fidelity=PUBLISHED,
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
        return f"{title}: at best rank {rank} of {_ranked(board)} in its work class."
    first = sum(one == 1 for one, _ in ranked)
    return f"{title}: fastest of its work class, or tied, in {first} of {len(ranked)} published rankings."


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
