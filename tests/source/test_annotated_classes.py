"""The rules that libraries of annotated classes share: hooks, wire names and documents that are no record."""

from __future__ import annotations

import pytest

from serbench.schema import STR, Field, List, Record, Ref, Schema
from serbench.source.by_hand import Hook, hooks
from serbench.source.models import Models
from serbench.source.module import Module
from serbench.source.records import enclosed

_USER = Record("User", (Field("name", STR, alias="a:b {}"),))


def test_a_class_has_one_hook() -> None:
    assert hooks(Module(), ["timedelta", "naive_datetime", "datetime", "str"]) == [
        Hook("datetime", "datetime", "datetime.isoformat", "datetime.fromisoformat"),
        Hook("timedelta", "timedelta", "timedelta.total_seconds", "lambda value: timedelta(seconds=value)"),
    ]


def test_a_hook_is_applied_to_a_value() -> None:
    (hook,) = hooks(Module(), ["bytes"])
    assert (hook.dumped, hook.loaded) == ("base64.b64encode(value).decode()", "base64.b64decode(value)")


def test_a_wire_name_stays_as_it_is_where_names_are_imported() -> None:
    m = Models(schema=Schema(Ref("User"), (_USER,)))
    for record in m.records():
        m.dataclass(record, wire="metadata=library:alias({})")
    assert m.blocks == ['@dataclass\nclass User:\n    name: str = field(metadata=alias("a:b {}"))']
    assert m.names["library"] == {"alias"}


@pytest.mark.parametrize(
    ("schema", "dumped", "loaded"),
    [
        (Schema(Ref("User"), (_USER,)), "dump({})", "load({})"),
        (
            Schema(List(Ref("User")), (_USER,)),
            "[dump(user) for user in {}]",
            "[load(user) for user in {}]",
        ),
        (enclosed(Schema(STR)), 'dump(Document({}))["content"]', 'load({"content": {}}).content'),
    ],
    ids=["record", "records", "enclosed"],
)
def test_the_step_for_a_record_is_taken_to_the_document(schema: Schema, dumped: str, loaded: str) -> None:
    m = Models(schema=schema, enclosed=schema.root == Ref("Document"))
    assert (m.dumped("dump({})"), m.loaded("load({})")) == (dumped, loaded)
