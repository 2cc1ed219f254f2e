"""The bytes of many documents are read and compared at once, and a wrong one is named."""

from __future__ import annotations

import json
from types import SimpleNamespace

import planted
import pytest

from serbench.measure.conduct import meaning_fault


@pytest.mark.parametrize("place", [0, 150, 199])
@pytest.mark.parametrize("wrong", [b'"size": 2.0', b'"size": 3', b'"size": 2, "more": 1', b'"size": '])
def test_wrong_bytes_among_many_are_found(place, wrong):
    """A value of another type, another value, a further key and a broken document each fail, with the document's number."""
    documents = [planted.further(number) for number in range(200)]
    data = SimpleNamespace(written=None, schema=planted.SCHEMA)
    spec, block = planted.SCHEMA.as_data(), SimpleNamespace(dataset=data)
    files = SimpleNamespace(written=spec, documents=documents, proven={}, block=block)
    timed = SimpleNamespace(case=planted.case("good"), left_out=None)
    blobs = [json.dumps(document).encode() for document in documents]
    assert meaning_fault(files, timed, blobs) is None
    blobs[place] = blobs[place].replace(b'"size": 2', wrong)
    assert meaning_fault(files, timed, blobs).startswith(f"document {place + 1}: the bytes")
