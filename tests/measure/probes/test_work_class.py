"""The work class is what decoding is seen to do with bad input."""

from __future__ import annotations

import pytest

from serbench.ask.verifying import verify
from serbench.measure.probes.strictness import work_class
from serbench.render.selection import find_case

EXPECTED = [
    ("msgspec", "msgspec/json", "objects, strict"),
    ("msgspec", "pickle", "objects, unchecked"),
    ("msgspec[array_like=True]", "msgspec/json", "objects, strict"),
    ("pydantic", "pydantic/json", "objects, coercing"),
    ("pydantic[strict]", "pydantic/json", "objects, strict"),
    ("dataclasses", "json/json", "objects, unchecked"),
    ("dataclasses", "msgspec/json", "objects, strict"),
    ("dacite", "json/json", "objects, strict"),
    ("dacite[check_types=False]", "json/json", "objects, unchecked"),
    ("typeddict", "json/json", "dicts, unchecked"),
    ("typeddict", "msgspec/json", "dicts, strict"),
    ("marshmallow", "json/json", "objects, coercing"),
]


@pytest.mark.parametrize(("library", "codec", "expected"), EXPECTED)
def test_the_work_class_is_measured(library, codec, expected):
    """Libraries known to check, to convert or to do neither are found out."""
    codec_name = find_case(library, codec)[2]
    cells = verify("tiny", records=1, libraries=library, formats=f"{codec_name.name}/{codec_name.format}")
    assert {cell.operation: cell.work_class for cell in cells} == {
        "encode": expected.partition(",")[0],
        "decode": expected,
    }


def test_steps_have_the_class_of_what_they_do():
    """`load` builds as decoding does, `dump` takes what encoding takes, and the codec knows no records."""
    assert work_class("load", "objects, strict") == "objects, strict"
    assert work_class("dump", "objects, strict") == "objects"
    assert work_class("loads", "objects, strict") == work_class("dumps", "dicts, unchecked") == "builtins"
    assert work_class("decode", "builtins") == "builtins"
