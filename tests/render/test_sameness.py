"""Which operations are the very same code, and in which a library takes part."""

from __future__ import annotations

from dataclasses import replace

import pytest

from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import DATE, STR
from serbench.render.case import code_of, render, takes_part
from serbench.render.codec import codec_named
from serbench.render.library import libraries

ROWS = Schema(List(Ref("Row")), (Record("Row", (Field("x", STR), Field("day", DATE))),))


def case(library, codec="orjson/json", variant="default"):
    """The case with this codec."""
    return render(libraries()[library], variant, codec_named(codec), ROWS)


def test_the_codec_alone_encodes():
    """The dataclasses of dacite are encoded by orjson as those of dataclasses; they are decoded by other code."""
    one, other = case("dataclasses"), case("dacite")
    assert code_of(one, "encode") == code_of(other, "encode")
    assert code_of(one, "decode") != code_of(other, "decode")


def test_other_classes_are_other_code():
    """The same call with classes that are made otherwise is not the same code."""
    assert code_of(case("dataclasses"), "encode") != code_of(case("dataclasses", variant="slots"), "encode")


def test_what_stands_beside_an_operation_does_not_count():
    """A definition that the operation does not need changes nothing; one that it needs does."""
    one = case("dataclasses")
    unneeded = replace(one, source=one.source + "\n\ndef unneeded() -> None:\n    pass\n")
    assert code_of(unneeded, "encode") == code_of(one, "encode")
    assert code_of(replace(one, source=one.source + "\n\nRow.__slots__ = ()\n"), "encode") != code_of(one, "encode")


@pytest.mark.parametrize(
    ("library", "codec", "operations"),
    [
        ("dacite", "orjson/json", {"decode", "load", "loads"}),
        ("dacite", "json/json", {"decode", "load", "loads"}),
        ("dataclasses", "json/json", {"encode", "dump", "dumps", "decode", "load", "loads"}),
        ("pydantic", "json/json", {"encode", "dump", "dumps", "decode", "load", "loads"}),
        ("pydantic", "pickle/pickle", {"encode", "decode"}),
        ("attrs", "pickle/pickle", {"encode", "decode"}),
        ("cattrs", "pickle/pickle", set()),
    ],
)
def test_takes_part(library, codec, operations):
    """A library takes part in what its own code, or a class that it makes, is needed for."""
    made = case(library, codec)
    assert {operation for operation in made.operations if takes_part(made, operation)} == operations
