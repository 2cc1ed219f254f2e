"""Integers that somebody has declared are as wide as the document's."""

from __future__ import annotations

import pytest

from serbench.schema import (
    BIGINT,
    FLOAT,
    INT,
    STR,
    UINT64,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    SchemaError,
    Set,
    Tuple,
    Union,
    fitted,
)


@pytest.mark.parametrize(
    ("declared", "values", "found"),
    [
        (INT, [-(2**63), 2**63 - 1], INT),
        (INT, [2**63], UINT64),
        (INT, [-1, 2**63], BIGINT),
        (INT, [-(2**63) - 1], BIGINT),
        (UINT64, [0, 2**64 - 1], UINT64),
        (UINT64, [-1, 1], INT),
        (UINT64, [2**64], BIGINT),
        (BIGINT, [1], BIGINT),
    ],
)
def test_the_narrowest_type_that_holds_all(declared, values, found):
    """A declared type stays where it holds what is there, and is otherwise what inference would have found."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("n", declared), Field("m", INT))),))
    fit, value = fitted([{"n": n, "m": 1} for n in values], schema)
    assert [found, INT] == [f.type for f in fit.records[0].fields]
    assert values == [row["n"] for row in value]


@pytest.mark.parametrize(
    ("declared", "value", "found"),
    [
        (Optional(INT), 2**63, Optional(UINT64)),
        (List(Optional(INT)), [None, 2**64], List(Optional(BIGINT))),
        (Set(INT), [2**63], Set(UINT64)),
        (Map(List(INT)), {"a": [2**63]}, Map(List(UINT64))),
        (Tuple((STR, INT)), ["a", 2**63], Tuple((STR, UINT64))),
        (Union((INT, STR)), 2**64, Union((BIGINT, STR))),
    ],
)
def test_wherever_it_stands(declared, value, found):
    """Inside of containers and unions an integer is widened as anywhere, in a record and at the root."""
    record = Record("Row", (Field("x", declared), Field("ratio", FLOAT)))
    fit, _ = fitted({"x": value, "ratio": 1}, Schema(Ref("Row"), (record,)))
    assert found == fit.records[0].fields[0].type
    assert found == fitted(value, Schema(declared))[0].root


def test_what_is_no_int_is_none():
    """A bool or a text in the place of an int is refused with its field."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("n", INT),)),))
    for value, kind in ((True, "bool"), ("1", "str")):
        with pytest.raises(SchemaError, match=rf"Row\.n: the document has {kind} where the schema has int"):
            fitted({"n": value}, schema)
