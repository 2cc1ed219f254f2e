"""What reviewers have seen: a small schema in every library and codec, and what no codec of a library carries.

One source is whole, `dataclasses_json_models.py`; each other file has the statements in which its source differs from
that of the file that it names. Of sources that differ in the lines of the codec alone one is kept; each codec has its
lines in a source of dataclasses.
After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/render/libraries/test_snapshots.py`, then
read the difference.
"""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from feature_schemas import EXAMPLES
from round_trip import cases, shown, skip_if_rendered_otherwise

from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import DATETIME, FLOAT, INT, STR
from serbench.render.case import Case, lay_out, render
from serbench.render.codec import Codec, codecs
from serbench.render.library import Library, libraries

_FOLDER = Path(__file__).parents[2] / "snapshots"
_GAPS = _FOLDER / "gaps.txt"
_UPDATE = "run `UPDATE_SNAPSHOTS=1 pytest -q tests/render/libraries/test_snapshots.py`, and read what it writes"
_ITEM = Record("Item", (Field("price", FLOAT),))
_ORDER = Record("Order", (Field("title", STR), Field("placed", DATETIME), Field("items", List(Ref("Item")))))
_SCHEMA = Schema(List(Ref("Order")), (_ITEM, _ORDER))
_FLAT = Schema(List(Ref("Order")), (Record("Order", (Field("title", STR), Field("count", INT))),))
"""For a codec that has no datetime, list or every float."""
_EVERY_CODEC = ("dataclasses", "generated")
_WHOLE = ("dataclasses", "json json")
_SHARED = ("marshmallow", "orjson json")
"""What sources of other libraries may be compared with, beside those of dataclasses."""


def _key(library: str, codec: Codec) -> tuple[str, str]:
    return library, f"{codec.name} {codec.format}"


def _rendered(library: Library, codec: Codec) -> Case:
    case = render(library, "default", codec, _SCHEMA)
    return case if case.source or library.name != "dataclasses" else render(library, "default", codec, _FLAT)


_SHOWN = {_key(library.name, codec): case for library, codec in shown() if (case := _rendered(library, codec)).source}
_LAID_OUT = dict(zip(_SHOWN, lay_out(_SHOWN.values()), strict=True))


def _reviewed() -> Iterator[tuple[str, str]]:
    """The keys of the cases whose sources are kept."""
    seen = set()
    for key, case in _LAID_OUT.items():
        lines = [
            line
            for line in ast.unparse(ast.parse(case.source)).splitlines()
            if key[0] in _EVERY_CODEC or not any(name in line for name in case.codec.calls.imports)
        ]
        if (key[0], *lines) not in seen:
            seen.add((key[0], *lines))
            yield key


@cache
def _statements(key: tuple[str, str]) -> dict[str, str]:
    """The statements of a source, and the name that each binds."""
    source, found = _LAID_OUT[key].source, {}
    for node in ast.parse(source).body:
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        target = getattr(node, "target", None) or (node.targets[0] if isinstance(node, ast.Assign) else None)
        name = getattr(node, "name", "") or getattr(target, "id", "")
        found["\n".join(source.splitlines()[first - 1 : node.end_lineno])] = name
    return found


def _compared(key: tuple[str, str]) -> tuple[str, str] | None:
    """The source that differs from this one in the fewest lines, of those before it that it can be compared with."""
    before = [one for one in _CASES[: _CASES.index(key)] if one[0] in ("dataclasses", key[0]) or one == _SHARED]
    return min(before, key=lambda base: len(_difference(key, base)), default=None)


def _difference(key: tuple[str, str], base: tuple[str, str]) -> list[str]:
    """The lines of the statements that the base does not have; the names that are the base's alone."""
    mine, others = _statements(key), _statements(base)
    lines = [line for statement in mine if statement not in others for line in statement.splitlines()]
    missing = [name for name in others.values() if name and name not in mine.values()]
    return [*lines, *([f"# without {', '.join(missing)}"] if missing else [])]


def _snapshot(key: tuple[str, str]) -> str:
    """What the file of a case has."""
    base = _compared(key)
    if base is None:
        return _LAID_OUT[key].source
    difference = _difference(key, base)
    head = f"# as {_LAID_OUT[base].module_name}.py" + (", but for:" if difference else "")
    return "".join(f"{line}\n" for line in (head, *difference))


_CASES = sorted(_reviewed(), key=lambda key: (key != _WHOLE, key[0] != "dataclasses", key != _SHARED))


@pytest.mark.parametrize("key", [pytest.param(key, id="-".join((key[0], *key[1].split()))) for key in _CASES])
def test_snapshot(key):
    """The rendered source is the one that was reviewed."""
    skip_if_rendered_otherwise(key[0])
    path = _FOLDER / f"{_LAID_OUT[key].module_name}.py"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(_snapshot(key), encoding="utf-8")
    if not path.is_file():
        pytest.fail(f"tests/snapshots/{path.name} is missing: {_UPDATE}", pytrace=False)
    assert path.read_text(encoding="utf-8") == _snapshot(key)


def _gaps() -> dict[str, set[str]]:
    """The features that a library does not carry, as they were reviewed: each line has a feature and its libraries."""
    found = defaultdict(set)
    for line in _GAPS.read_text(encoding="utf-8").splitlines():
        feature, _, names = line.partition(": ")
        for name in names.split():
            found[name] |= {feature} - {"nothing"}
    return found


@pytest.mark.xdist_group("gaps")  # one file
@pytest.mark.parametrize("library", libraries())
def test_gaps(library):
    """The features that a library carries with no codec are those that were reviewed, so that a new gap is a decision."""
    skip_if_rendered_otherwise(library)
    gaps = {name for name, (schema, _) in EXAMPLES.items() if not any(case.source for case in cases(library, schema))}
    reviewed = _gaps()
    if os.environ.get("UPDATE_SNAPSHOTS"):
        reviewed[library] = gaps
        rows = {feature: [name for name in sorted(reviewed) if feature in reviewed[name]] for feature in EXAMPLES}
        rows["nothing"] = [name for name in sorted(reviewed) if not reviewed[name]]
        text = "".join(f"{feature}: {' '.join(names)}\n" for feature, names in rows.items() if names)
        _GAPS.write_text(text, encoding="utf-8")
    if library not in reviewed:
        pytest.fail(f"tests/snapshots/gaps.txt does not have {library}: {_UPDATE}", pytrace=False)
    assert reviewed[library] == gaps


def test_no_missing_or_stale_snapshot():
    """Every library and every codec has a snapshot, and every snapshot belongs to a case or a library."""
    assert {path.stem for path in _FOLDER.glob("*.py")} == {_LAID_OUT[key].module_name for key in _CASES}
    assert {library for library, _ in _CASES} == set(libraries())
    usual = {_key("", codec)[1] for codec in codecs() if "[" not in codec.name}
    assert usual == {codec for _, codec in _CASES}
    assert _gaps().keys() == set(libraries())
