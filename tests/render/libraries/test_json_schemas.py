"""Documents that a JSON Schema allows, with the models that are rendered for it, whose names could hide one another."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from json_schemas import accepted
from round_trip import AT_HAND, difference, imported, objects

from serbench.errors import SchemaError
from serbench.model.json_schema.read import from_json_schema
from serbench.model.normalise import apply_schema
from serbench.render.case import render
from serbench.render.codec import codecs
from serbench.render.library import libraries

CODECS = {codec.name: codec for codec in codecs() if codec.format == "json"}
MODELS = (("dataclasses", "json"), ("msgspec", "msgspec"), ("pydantic", "pydantic"))
REASONS = ("further keys", "match no pattern", "the constant", "without a type")
"""What a note says if such a document may be refused."""
KEPT = re.compile(r"expected (-?\d+)\.0 of type float, got \1 of type int$")
"""What differs where a class that checks nothing keeps a whole number of the document as it is."""


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(accepted())
def test_what_the_validator_accepts_is_decoded(drawn):
    """Models that are rendered for a JSON Schema decode every document that a validator accepts, or a note says why not."""
    written, documents = drawn
    try:
        schema = from_json_schema(written)
    except SchemaError as error:
        assert "resolves to itself" in str(error) or not documents  # noqa: PT017  # what is refused has a reason
        return
    if any(reason in note for note in schema.notes for reason in REASONS if "narrowly" in note):
        return
    for document in documents:
        fit, value = apply_schema(document, schema)
        for library, codec in MODELS:
            case = render(libraries()[library], "default", CODECS[codec], fit)
            if case.reason is None:
                with TemporaryDirectory() as folder:
                    module = imported(case, Path(folder))
                read = module.decode(json.dumps(document).encode())
                other = difference(fit.as_data(), module, read, value, value)
                assert other is None or (library == "dataclasses" and KEPT.search(other)), (library, document)


LABEL = {"type": "object", "properties": {"text": {"type": "string"}}}
PAIR = {"type": "array", "items": [{"type": "integer"}] * 2, "minItems": 2, "maxItems": 2}
WRITTEN = [
    ({"Label": LABEL, "Size": {"enum": ["s", "l"]}}, {"Label": {"text": "a"}, "Size": "l"}),
    ({"Tags": {"anyOf": [{"type": "object"}, {"type": "array", "items": {**LABEL, "title": "Tags"}}]}}, {"Tags": [{}]}),
    ({"limit": {"type": "number", "default": 50}}, {}),
    ({"limit": {"type": ["number", "string"], "default": 50}}, {}),
    ({"spans": {"anyOf": [{"type": "array", "items": PAIR}, {"type": "string"}], "default": "all"}}, {}),
    ({"+kind": {"type": "string"}, "kind": {"type": "string"}}, {"kind": "a"}),
]


@pytest.mark.parametrize(("library", "codec"), MODELS)
@pytest.mark.parametrize(("properties", "document"), WRITTEN)
def test_fields_classes_and_defaults_do_not_mix(properties, document, library, codec, tmp_path):
    """A class with a field's name, a whole default of a number and keys that differ in a sign are read as they are written."""
    draft = "http://json-schema.org/draft-07/schema#"
    schema = from_json_schema({"$schema": draft, "type": "object", "properties": properties})
    fit, value = apply_schema(document, schema)
    case = render(libraries()[library], "default", CODECS[codec], fit)
    if case.reason is not None:
        assert "union" in case.reason
        return
    module = imported(case, tmp_path)

    assert difference(fit.as_data(), module, module.decode(json.dumps(document).encode()), value, value) is None


@pytest.mark.parametrize("library", AT_HAND)
def test_one_or_several_of_the_same_kind(library, tmp_path):
    """A value, or a list of such, comes back as it is with each library that takes the union, whichever it is."""
    size = {"title": "Size", "enum": ["s", "l"]}
    either = {"anyOf": [size, {"type": "array", "items": size}]}
    for key, said in (("size", "l"), ("size", ["s", "l"]), ("the-size", "l"), ("if", ["s"])):
        document = {key: said}
        written = {"type": "object", "properties": {key: either}, "required": [key]}
        schema, value = apply_schema(document, from_json_schema(written))
        case = render(libraries()[library], "default", CODECS["orjson"], schema)
        if case.reason is not None or not {"encode", "decode"} <= set(case.operations):
            continue
        module = imported(case, tmp_path)
        blob = module.encode(objects(module, schema, value))
        assert json.loads(blob) == document
        assert difference(schema.as_data(), module, module.decode(blob), value, value) is None
