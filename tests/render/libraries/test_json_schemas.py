"""Documents that a JSON Schema allows, with the models that are rendered for it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from json_schemas import accepted
from round_trip import difference, imported

from serbench.errors import SchemaError
from serbench.model.json_schema.read import from_json_schema
from serbench.model.normalise import apply_schema
from serbench.render.format import codecs
from serbench.render.library import libraries
from serbench.render.rendering import render

MODELS = (("dataclasses", "json"), ("msgspec", "msgspec"), ("pydantic", "pydantic"))
REASONS = ("further keys", "match no pattern", "the constant", "without a type")
"""What a note says if such a document may be refused."""


@cache
def _codec(name):
    return next(codec for codec in codecs() if (codec.name, codec.format) == (name, "json"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
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
            case = render(libraries()[library], "default", _codec(codec), fit)
            if case.reason is None:
                with TemporaryDirectory() as folder:
                    module = imported(case, Path(folder))
                read = module.decode(json.dumps(document).encode())
                assert difference(fit.as_data(), module, read, value, value) is None, (library, document)
