"""Whatever differs in parsed bytes differs in decoded objects, whatever holds the records."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import pytest
from feature_schemas import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st
from single_changes import HOLDERS, KINDS_OF_CLASSES, Holder, Unrepresentable, examples, others_of, single_changes

from serbench.model import fidelity
from serbench.model.fidelity.comparison import Objects, Wire

PREPARED = SimpleNamespace(user=None, module=None)


def check(schema, value, kinds):
    """Compare a value and each single change of it with objects that hold them, each change with objects of the next kind."""
    spec, root = schema.as_data(), schema.root
    holders = [Holder(schema, kind) for kind in kinds]
    right = [holder.objects(root, value) for holder in holders]
    for holder, made in zip(holders, right, strict=True):
        assert fidelity.difference(spec, spec["root"], value, made) is None
        assert fidelity.user_difference(made, holder.objects(root, copy.deepcopy(value))) is None
    for number, changed in enumerate(single_changes(value, others_of(schema))):
        text = fidelity.wire_difference(spec, spec["root"], value, changed)
        assert (text is None) == (Wire().one(spec, spec["root"], value, changed, set()) is None)
        holder, made = holders[number % len(kinds)], right[number % len(kinds)]
        try:
            wrong = holder.objects(root, changed)
        except Unrepresentable:
            continue
        seen = fidelity.difference(spec, spec["root"], value, wrong, set())
        assert (seen is None) == (Objects().one(spec, spec["root"], value, wrong, set()) is None)
        if text is not None:
            assert seen is not None, f"{holder.kind}: the bytes{text}"
            many = [(value, [("decode", one)]) for one in (made, wrong, made)]
            assert not fidelity.surely_same(PREPARED, spec, many)
            assert not fidelity.wire_same(spec, spec["root"], [value, value], [value, changed], set())
            assert fidelity.user_difference(made, wrong) is not None, f"{holder.kind}: the bytes{text}"


@pytest.mark.drawn(part=4)
@pytest.mark.parametrize("feature", EXAMPLES)
@pytest.mark.parametrize("kinds", [["dicts"], list(KINDS_OF_CLASSES)], ids=["dicts", "objects"])
def test_each_change_of_the_examples_that_bytes_show_is_found_in_objects(feature, kinds):
    """A wrong value, type, tag, key, order, offset or digit in any feature is a difference, column by column or one by one."""
    check(EXAMPLES[feature].schema, EXAMPLES[feature].value, kinds)


@given(example=examples(), kind=st.sampled_from(HOLDERS))
def test_each_change_that_bytes_show_is_found_in_objects(example, kind):
    """The same holds for any schema and any value of it."""
    check(*example, [kind])
