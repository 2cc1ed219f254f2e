"""What is refused is timed where it is refused: a document whose first or last record is wrong."""

from __future__ import annotations

import json

import pytest

import serbench
from serbench.measure.probes.strictness import wrong_documents
from serbench.measure.session import Fault
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import INT, STR
from serbench.render.case import render
from serbench.render.codec import codec_named
from serbench.render.library import libraries

SCHEMA = Schema(
    List(Ref("Item")), (Record("Item", (Field("name", STR), Field("size", INT), Field("n", INT, default=0))),)
)
BLOB = json.dumps([{"name": name, "size": 1, "n": 2} for name in "abc"]).encode()


def case(library, codec, format_="json", schema=SCHEMA):
    """A rendered case."""
    return render(libraries()[library], "default", codec_named(f"{codec}/{format_}"), schema)


def test_one_record_lacks_its_last_required_field():
    """Only the record at the place is wrong, by a field that it must have; the right document stays as it was."""
    right, wrong = wrong_documents(case("dataclasses", "json"), SCHEMA, BLOB, {"reject": -1, "reject_first": 0})
    assert json.loads(BLOB) == json.loads(right)
    keys = {name: [list(row) for row in json.loads(blob)] for name, blob in wrong.items()}
    whole, short = ["name", "size", "n"], ["name", "n"]
    assert {"reject": [whole, whole, short], "reject_first": [short, whole, whole]} == keys


def test_what_cannot_be_wrong_says_so():
    """Bytes that serbench cannot write, and data that is no list of records or an empty one, have no wrong document."""
    with pytest.raises(Fault, match="pickle cannot be written wrong"):
        wrong_documents(case("dataclasses", "pickle", "pickle"), SCHEMA, b"", {"reject": -1})
    with pytest.raises(Fault, match="no record that could lack"):
        wrong_documents(case("dataclasses", "json"), SCHEMA, b"[]", {"reject": -1})
    numbers = Schema(List(INT))
    with pytest.raises(Fault, match="not a list of records"):
        wrong_documents(case("dataclasses", "json", schema=numbers), numbers, b"[]", {"reject": -1})


@pytest.mark.slow
def test_refusals_are_rows():
    """`reject` and `reject_first` are measured under the work class of decoding; what lets it through says so."""
    run = serbench.run(
        payload=[{"name": "a", "size": 1}, {"name": "b", "size": 2}],
        libraries="msgspec, typeddict",
        formats="msgspec/json, json/json, pickle",
        operations=["decode", "reject", "reject_first"],
        effort="quick",
        precision=0.5,
    )
    rows = {(row.library, row.codec, row.operation): row for row in run.rows}
    strict = [rows["msgspec", "msgspec", operation] for operation in ("decode", "reject", "reject_first")]
    assert {"objects, strict"} == {row.work_class for row in strict}
    assert all(row.time_ns for row in strict)
    assert "let through" in (rows["typeddict", "json", "reject"].reason or "")
    assert "cannot be written wrong" in (rows["msgspec", "pickle", "reject_first"].reason or "")
    assert rows["typeddict", "json", "decode"].time_ns
