"""Tests of the installed plug-ins, for their authors: `pytest --pyargs serbench.selfcheck.conformance`.

Each library and format is verified with every workload, and each workload with the core libraries, as `serbench verify`
does it: in fresh processes, and read by an implementation that has no part in the writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from serbench.api.verifying import verify
from serbench.claims.reading import SOURCES, claims
from serbench.model.data.dataset import generate, get, workload_names
from serbench.model.plug_ins import KINDS, brought, left_out
from serbench.model.records import Enum, Optional, Ref, Schema, Tuple, Type, Union, member_of, neutral_class, walk_value
from serbench.model.scalars import MOMENTS, Scalar, scalar_of
from serbench.render.codec import formats
from serbench.render.library import libraries
from serbench.results import Cell

_WITHOUT_LINK = r"needs a tag|pickle encodes the .* directly|writes no conversion by hand|would end a string"

for _list in (libraries, formats, workload_names, claims):
    _list()


def test_every_plug_in_takes_part() -> None:
    """There is a plug-in, and none is left out."""
    assert not left_out(), "; ".join(left_out())
    assert any(brought(kind) for kind in KINDS), "no plug-in is installed in this environment"


@pytest.mark.parametrize("library", brought("libraries"))
def test_library(library: str, tmp_path: Path) -> None:
    """With the core codecs and each of its variants it brings every workload back, or says with a link why not."""
    proven(verify("all", libraries=f"{library}[*]", records=10, store=tmp_path / "store"))


@pytest.mark.parametrize("format_", brought("formats"))
def test_format(format_: str, tmp_path: Path) -> None:
    """Each of its codecs brings every workload back, or says with a link why not; what is written for probes can be read."""
    one = formats()[format_]
    assert set(chain.from_iterable(codec.only for codec in one.codecs)) <= set(libraries())
    for codec in one.codecs:
        assert one.independent_readers(codec) or one.reader_in_worker or one.unread, f"{codec.name} vouches for itself"
    document = {"text": "é", "number": 5, "ratio": 1.5, "flag": True, "inner": {"k": [1, "x"]}, "items": [1.5]}
    if one.write and not one.typed:
        written = one.write(document)
        assert {name: read(written) for name, read in one.readers.items()} == dict.fromkeys(one.readers, document)
    proven(verify("all", libraries=("dataclasses", "typeddict"), formats=format_, records=10, store=tmp_path / "store"))


@pytest.mark.parametrize("workload", brought("workloads"))
def test_workload(workload: str, tmp_path: Path) -> None:
    """Its values have the types of its schema at any size and depth, depend on the seed alone, and come back."""
    one = get(workload)
    for records in (1, 50):
        for depth in (one.depth, one.depth + 3):
            data = generate(workload, records, depth)
            assert fits(data.value, data.schema.root, data.schema), f"{records} records of depth {depth}"
    assert generate(workload, 5).value == generate(workload, 30).value[:5]
    assert generate(workload, 5, seed=1).value != generate(workload, 5, seed=2).value
    proven(verify(workload, records=10, store=tmp_path / "store"))


@pytest.mark.parametrize("claim", [name for name, one in claims().items() if not one.folder.is_relative_to(SOURCES)])
def test_claim(claim: str) -> None:
    """It names known libraries and rows."""
    assert set(claims()[claim].libraries) <= set(libraries())


def is_documented(reason: str) -> bool:
    """Whether a reason has a link, or is one of serbench's own, which needs none."""
    return "https://" in reason or re.search(_WITHOUT_LINK, reason) is not None


def proven(cells: Iterable[Cell]) -> None:
    """Check that at least one case is proven, and that each other has a reason with a link."""
    listed = list(cells)
    wrong = {
        f"{cell.point.workload} {cell.library}[{cell.variant}] {cell.codec}/{cell.format} {cell.operation}": cell.reason
        for cell in listed
        if cell.status != "ok" and not (cell.status == "unsupported" and is_documented(cell.reason or ""))
    }
    assert not wrong, "; ".join(f"{case}: {reason}" for case, reason in wrong.items())
    assert any(cell.status == "ok" for cell in listed), "nothing is proven"


def fits(value: Any, type_: Type, schema: Schema) -> bool:
    """Whether a neutral value has exactly the type."""
    return all(_fits(schema, inner, part) for _, inner, part in walk_value(schema, type_, value))


def _fits(schema: Schema, type_: Type, value: Any) -> bool:
    """Whether a value has the class, the keys or the number of items that its type says."""
    match type_:
        case Optional() | Scalar("any"):
            return True
        case Union():
            return member_of(schema, type_, value) is not None
        case Enum(_, members):
            return value in [member for _, member in members]
        case Ref(name):
            tag = {schema.tags[name]: schema.record(name).tag_value} if name in schema.tags else {}
            wires = [*tag, *(f.wire for f in schema.record(name).fields)]
            return type(value) is dict and list(value) == wires and tag.items() <= value.items()
        case Tuple(items):
            return type(value) is tuple and len(value) == len(items)
        case Scalar(kind) if kind in MOMENTS:
            return scalar_of(value) == type_
    return type(value) is neutral_class(type_)
