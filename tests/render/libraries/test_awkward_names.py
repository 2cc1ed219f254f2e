"""Fields and records with the names that rendered modules use themselves: a round trip with every library, or a reason."""

from __future__ import annotations

import ast
import builtins
import keyword
from functools import cache

import pytest
from any_document import outcomes, unhurried
from feature_schemas import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from round_trip import AT_HAND, shown

from serbench.render.case import render

SHOWN = ("alias of a list with a default", "enum", "list of decimal", "optional datetime", "root union tagged type")


@cache
def identifiers(library: str = "") -> list[str]:
    """Every identifier of the modules that are rendered for a few features, with the builtins and keywords.

    Of one library, only what its modules import, define and take from the builtins.
    """
    found = set() if library else {*dir(builtins), *keyword.kwlist, *keyword.softkwlist}
    for one, codec in shown():
        for feature in SHOWN if library in ("", one.name) else ():
            source = render(one, "default", codec, EXAMPLES[feature].schema).source
            for node in ast.walk(ast.parse(source)):
                parts = ("id", "name", "asname") if library else ("id", "arg", "attr", "name", "asname")
                names = (getattr(node, part, None) for part in parts)
                found |= {name for name in names if isinstance(name, str) and name.isidentifier()}
    return sorted(found)


VALUES = st.sampled_from(["x", 1, ["a"], "2024-01-01T00:00:00Z", "2024-02-29", 1.5, {"a-b": "x"}, {"c": [1]}])


@st.composite
def documents(draw, library):
    """Two records whose fields, and the records in them, have such names; in the second one some are absent."""
    names = st.sampled_from(identifiers(library)) | st.sampled_from(identifiers())
    first = draw(st.dictionaries(names, VALUES, min_size=1, max_size=12)) | {
        "key-1": ["x"],
        "moment": "2024-01-01T00:00Z",
    }
    absent = draw(st.sets(st.sampled_from(sorted(first))))
    return [first, {key: value for key, value in first.items() if key not in absent}]


@pytest.mark.slow
@pytest.mark.parametrize("examples", [pytest.param(4, id="few"), pytest.param(8, marks=pytest.mark.full, id="many")])
@pytest.mark.parametrize(
    "library",
    [pytest.param(name, marks=() if name == "pydantic" else pytest.mark.full) for name in AT_HAND],
)
def test_names_of_the_code_in_the_data(library, examples):
    """A field or record may have any name that the code of any module uses."""

    @settings(unhurried, max_examples=examples, derandomize=True)
    @given(document=documents(library))
    def comes_back(document):
        found = outcomes(library, document, briefly=True)
        assert dict.fromkeys(found) == found

    comes_back()


@pytest.mark.parametrize(
    "library", [pytest.param(name, marks=() if name == "attrs" else pytest.mark.full) for name in AT_HAND]
)
def test_names_that_tell_classes_apart(library):
    """A field may have the name of a method by which the worker knows the classes of a library."""
    document = [dict.fromkeys(("import_data", "parse_obj", "build", "plain", "encode", "decode"), "x")]
    found = outcomes(library, document, briefly=True)
    assert dict.fromkeys(found) == found


def test_names_of_an_attribute_of_jsons():
    """A field that is called like an attribute of the base class of jsons, which drops it, is refused beforehand."""
    own = pytest.importorskip("jsons").JsonSerializable
    for name in dir(own):
        if not name.startswith("_"):
            found = outcomes("jsons", [{name: "x", "other": 1}], briefly=True)
            assert dict.fromkeys(found) == found, name
