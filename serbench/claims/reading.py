"""Reads claims: a folder for each source, in it a TOML file for each claim and the snippets that they run."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from serbench.claims.entry import QUANTITIES, SENSES, TIMED, Claim, ClaimRow, PublishedFigure, Source, Versions
from serbench.errors import PlanError, check
from serbench.keep.archive import resources
from serbench.model.installed_plug_ins import installed
from serbench.render.source.syntax import tree
from serbench.results import OPERATIONS

SOURCES = resources("data") / "claims" / "sources"
NO_CLAIMS = ("source.toml", "items.toml")
"""What else is beside claims: where they were published, and what else an article says."""
_RELATIVE = re.compile(r"^from \.(\w+) import .*\n", re.MULTILINE)


def claims(folder: Path = SOURCES) -> dict[str, Claim]:
    """Every claim of a folder of sources by its id, in the order of their ids; with ours, those of installed plug-ins.

    Raises:
        PlanError: a file is not a claim; the message names it and the error.
    """
    return _published() if folder == SOURCES else _read_all(folder)


@cache
def _published() -> dict[str, Claim]:
    every = _read_all(SOURCES)

    def add(folder: Path) -> None:
        more = _read_all(folder)
        if double := every.keys() & more.keys():
            raise PlanError(f"there is a claim {min(double)} already; choose another name for its folder")
        every.update(more)

    installed("claims", Path, (), add)
    return dict(sorted(every.items()))


def _read_all(folder: Path) -> dict[str, Claim]:
    claims = [read(path) for path in sorted(folder.glob("*/*.toml")) if path.name not in NO_CLAIMS]
    if not claims:
        raise PlanError(f"{folder} has no claim; a claim is a TOML file in the folder of its source")
    return {claim.id: claim for claim in sorted(claims, key=lambda claim: claim.id)}


def read(path: Path) -> Claim:
    """The claim of a file; that of its source is beside it, in source.toml."""
    name = f"{path.parent.name}-{path.stem}"
    try:
        return _claim(name, path)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise PlanError(f"claim {name} ({path.name}): {error}") from None


def source_of(folder: Path) -> Source:
    """The publication whose claims are in a folder."""
    return Source(folder.name, **tomllib.loads((folder / "source.toml").read_text(encoding="utf-8")))


def _claim(name: str, path: Path) -> Claim:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    versions = tuple(
        Versions(label, **_tuples(facts, "requirements", "tools"))
        for label, facts in data.pop("versions", {"now": {}}).items()
    )
    sets = [one.name for one in versions]
    rows = tuple(_row(facts, sets, path.parent) for facts in data.pop("row"))
    figures = (*_table(data.pop("table", None), rows), *(_figure(facts) for facts in data.pop("figure", ())))
    claim = Claim(
        id=name,
        source=source_of(path.parent),
        versions=versions,
        rows=rows,
        figures=figures,
        folder=path.parent,
        libraries=tuple(data.pop("libraries", ())),
        **data.pop("data", {}),
        **data,
    )
    _check(claim)
    return claim


def _row(facts: Mapping[str, Any], sets: Iterable[str], folder: Path) -> ClaimRow:
    known = dict(facts)
    library, python = known.pop("library", {}), known.pop("python", {})
    row = ClaimRow(
        library=dict.fromkeys(sets, library) if isinstance(library, str) else library,
        python=dict.fromkeys(sets, python) if isinstance(python, str) else python,
        requires={label: tuple(needed) for label, needed in known.pop("requires", {}).items()},
        separate=known.pop("apart", False),
        **_tuples(known, "only"),
    )
    if row.snippet:
        functions = _functions(snippet(folder / row.snippet))
        if row.call not in functions:
            raise ValueError(f"{row.name}: {row.snippet} has no function {row.call!r}, only {', '.join(functions)}")
        if row.parameters and "prepare" not in functions:
            raise ValueError(f"{row.name} has parameters, but {row.snippet} has no function `prepare` that takes them")
    else:
        check("operation", row.operation, OPERATIONS)
    return row


def _figure(facts: Mapping[str, Any]) -> PublishedFigure:
    known = _tuples(facts, "against")
    published = known.pop("published", 1.0)
    if isinstance(published, bool | str) or (isinstance(published, list) and known.get("quantity") == "answer"):
        return PublishedFigure(expected=published, **known)
    low, high = published if isinstance(published, list) else (published, published)
    return PublishedFigure(low=float(low), high=float(high), **known)


def _table(table: Mapping[str, Any] | None, rows: Iterable[ClaimRow]) -> Iterable[PublishedFigure]:
    """A figure for each row with a published value: its size if no row is named as `to`, else its ratio to that row."""
    if table is None:
        return
    values = {row.name: row.published for row in rows if row.published is not None}
    if "to" not in table:
        yield from (
            PublishedFigure(**{**table, "of": name, "low": size, "high": size}) for name, size in values.items()
        )
        return
    base = values.pop(table["to"])
    for name, value in values.items():
        ratio = value / base
        yield PublishedFigure(**{**table, "of": name, "low": ratio, "high": ratio})


def _check(claim: Claim) -> None:
    names = [row.name for row in claim.rows]
    sets = [one.name for one in claim.versions]
    if len(set(names)) < len(names) or not claim.figures:
        raise ValueError("two rows have the same name, or the claim has no figure")
    for row in claim.rows:
        for label in (*row.requires, *row.library, *row.python, *row.only):
            check("set of versions", label, sets)
        if row.corrects:
            check("row", row.corrects, names)
    for figure in claim.figures:
        kinds = {bool(row.snippet) for row in claim.rows if row.name in figure.rows}
        if len(kinds) > 1:
            raise ValueError(f"{figure.of} and {figure.to} are not timed together: one is a snippet, one a case")
        for name in figure.rows:
            check("row", name, names)
        if figure.against and (len(figure.against) != 2 or not figure.to or figure.quantity not in TIMED):
            raise ValueError(f"{figure.of}: `against` must name two timed rows")
        check("quantity", figure.quantity, QUANTITIES)
        check("sense", figure.sense, SENSES)


def snippet(path: Path) -> str:
    """The text of a snippet: a relative import stands for the file beside it, which snippets share; each file once."""
    seen: set[str] = set()

    def shared(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return text(path.with_name(f"{match[1]}.py"))

    def text(file: Path) -> str:
        return _RELATIVE.sub(shared, file.read_text(encoding="utf-8"))

    return text(path)


@cache
def _functions(text: str) -> tuple[str, ...]:
    return tuple(node.name for node in tree(text).body if isinstance(node, ast.FunctionDef))


def _tuples(facts: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: tuple(value) if name in names else value for name, value in facts.items()}
