"""Every library with every codec, on every feature of a schema: a verified round trip, or a reason."""

from __future__ import annotations

import re

import pytest
from feature_schemas import EXAMPLES, KITCHEN_SINK, without
from round_trip import AT_HAND, cases, failure

from serbench.libraries import libraries
from serbench.schema import STR, Field, List, Record, Ref, Schema
from serbench.workloads import generate, workload_names


@pytest.mark.parametrize("library", AT_HAND)
@pytest.mark.parametrize("feature", EXAMPLES)
def test_round_trip_or_reason(library, feature, tmp_path):
    """A case brings its values back exactly and writes their meaning, or says why it does not exist."""
    schema, value = EXAMPLES[feature]
    outcomes = {}
    for case in cases(library, schema):
        assert bool(case.reason) != bool(case.source)
        if case.source:
            outcomes[case.module_name] = failure(case, schema, value, tmp_path)
    assert dict.fromkeys(outcomes) == outcomes


@pytest.mark.parametrize("library", AT_HAND)
@pytest.mark.parametrize("workload", workload_names())
def test_workloads_round_trip(library, workload, tmp_path):
    """Every workload comes back exactly, or the case says why it does not exist."""
    data = generate(workload, records=3, seed=1)
    outcomes = {
        case.module_name: failure(case, data.schema, data.value, tmp_path)
        for case in cases(library, data.schema)
        if case.source
    }
    assert dict.fromkeys(outcomes) == outcomes


@pytest.mark.parametrize("library", [name for name in AT_HAND if libraries()[name].core])
def test_the_article_s_model_has_no_gap(library):
    """Only pickle, where a library's classes are plain dataclasses, is left out of the article's comparison."""
    missing = {
        (case.codec.name, case.variant): case.reason
        for case in cases(library, generate("client", records=2).schema)
        if case.reason and case.codec.core and case.codec.format != "pickle"
    }
    tuned_already = {("orjson", "no_copy_collections"), ("msgpack", "no_copy_collections")}
    assert missing.keys() == (tuned_already if library == "mashumaro" else set())


@pytest.mark.parametrize("library", AT_HAND)
def test_the_kitchen_sink_is_rendered(library):
    """A library renders a schema with everything that it does not lack, whatever the combination."""
    lib = libraries()[library]
    if lib.generated:
        return  # no format with a schema of its own carries everything
    schema = without(KITCHEN_SINK, *lib.lacks, *(["default"] if library == "namedtuple" else []))
    assert any(case.source for case in cases(library, schema))


def test_reasons_say_where_to_read_on():
    """A reason names the library's documentation, or what is at fault in the schema or codec."""
    reasons = {
        case.reason
        for library in AT_HAND
        for schema, _ in EXAMPLES.values()
        for case in cases(library, schema)
        if case.reason
    }
    own = r"needs a tag|takes the .* as they are|no conversion is rendered by hand|would end a string"
    assert [r for r in reasons if "https://" not in r and not re.search(own, r)] == []


@pytest.mark.parametrize(
    "outer", ["DumpUser", "LoadUser", "ReadUser", "BuildUser", "ToUser", "FromUser", "PackUser", "PlainUser"]
)
def test_no_parameter_hides_a_function(outer, tmp_path):
    """A record that is called like the function of another one comes back with that other one in it."""
    inner = Record("User", (Field("name", STR),))
    record = Record(outer, (Field("user", Ref("User")), Field("users", List(Ref("User")))))
    schema = Schema(Ref(outer), (inner, record))
    value = {"user": {"name": "a"}, "users": [{"name": "b"}]}
    found = {
        case.module_name: failure(case, schema, value, tmp_path) for case in cases("dataclasses", schema) if case.source
    }
    assert dict.fromkeys(found) == found


def test_a_struct_has_no_name_of_the_language(tmp_path):
    """A record that is called as Cap'n Proto calls a type of its own is refused, for its compiler would abort."""
    schema = Schema(Ref("Text"), (Record("Text", (Field("lines", List(STR)),)),))
    assert [
        case.reason and "makes no name" in case.reason
        for case in cases("generated", schema)
        if case.codec.format == "capnp"
    ] == [True]
