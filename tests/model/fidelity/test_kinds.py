"""What the table of kinds says in source is what its functions do."""

from __future__ import annotations

import base64
import json

import pytest
from feature_schemas import EXAMPLES

from serbench.model.fidelity.kinds import KINDS
from serbench.model.scalars import READERS, SCALAR_KINDS, scalar_of

VALUES = {kind: [row["x"] for row in EXAMPLES[kind].value] for kind in SCALAR_KINDS if kind != "any"}
NAMES = {row.cls.__name__: row.cls for row in KINDS.values() if row.cls} | {"base64": base64}


@pytest.mark.parametrize("kind", READERS)
def test_source_and_functions_agree(kind):
    """The expressions of a kind and its functions make the same of a value, which JSON can hold, and read it back."""
    row = KINDS[kind]
    for value in VALUES[kind]:
        ready = row.ready(value)
        assert ready == json.loads(json.dumps(ready)) == eval(f"({row.dump.format('value')})", NAMES, {"value": value})
        assert value == row.read(ready) == eval(row.load.format("ready"), NAMES, {"ready": ready})
        assert type(value) is row.cls is type(row.read(ready))
        assert type(ready) in (KINDS[row.builtin].cls, int)


@pytest.mark.parametrize("kind", READERS)
def test_malformed_text_is_a_value_error(kind):
    """What makes a value of text raises ValueError for another one."""
    with pytest.raises(ValueError):
        READERS[kind]("?")


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_tells_its_kind(kind):
    """A value is of its kind; of an int, the schema says how large it may be."""
    assert {KINDS[kind].cls} == set(map(type, VALUES[kind]))
    assert {"int" if KINDS[kind].cls is int else kind} == {scalar_of(value).kind for value in VALUES[kind]}
