"""The rules that libraries of annotated classes share: hooks, wire names and documents that are no record."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import FLOAT, INT, STR, Scalar
from serbench.model.types import List, Ref, Type, Union
from serbench.render.source.models import Models
from serbench.render.source.module import Unsupported
from serbench.render.source.objects import enclosed
from serbench.render.source.once import once
from serbench.render.source.refusals import refuse_confusion
from serbench.render.source.texts import Hook, hooks

_USER = Record("User", (Field("name", STR, alias="a:b {}"),))


def test_a_class_has_one_hook() -> None:
    kinds = ["timedelta", "naive_datetime", "datetime", "str"]
    record = Record("Row", tuple(Field(f"x_{kind}", Scalar(kind)) for kind in kinds))
    assert hooks(Models(schema=Schema(Ref("Row"), (record,))), kinds) == [
        Hook("datetime", "datetime", "datetime.isoformat", "datetime.fromisoformat"),
        Hook("timedelta", "timedelta", "timedelta.total_seconds", "lambda value: timedelta(seconds=value)"),
    ]


def test_a_hook_is_applied_to_a_value() -> None:
    (hook,) = hooks(Models(schema=Schema(Scalar("bytes"))), ["bytes"])
    assert (hook.dumped, hook.loaded) == ("base64.b64encode(value).decode()", "base64.b64decode(value)")


def test_a_wire_name_stays_as_it_is_where_names_are_imported() -> None:
    m = Models(schema=Schema(Ref("User"), (_USER,)))
    m.dataclasses(wire="metadata=library:alias({})")
    assert m.blocks == ['@dataclass\nclass User:\n    name: str = field(metadata=alias("a:b {}"))']
    assert m.names["library"] == {"alias"}


def test_a_class_has_a_statement_for_its_wire_names() -> None:
    """Only a class that has any; the table has the names as they are."""
    m = Models(schema=Schema(Ref("User"), (_USER, Record("Other", (Field("name", STR),)))))
    m.dataclasses(renamed="names = {}")
    user, other = m.blocks
    assert user.endswith('\n    name: str\n\n    names = {"name": "a:b {}"}')
    assert other == "@dataclass\nclass Other:\n    name: str"


def test_what_a_schema_has_is_worked_out_once() -> None:
    """A function that is told to keeps its result with each schema, and no other schema gets it."""
    asked = []

    @once
    def root(schema: Schema) -> object:
        asked.append(schema)
        return schema.root

    schemas = [Schema(STR), Schema(List(STR)), Schema(STR)]
    assert [root(schema) for schema in (*schemas, *schemas)] == [STR, List(STR), STR] * 2
    assert len(asked) == 3


@pytest.mark.parametrize(("members", "refused"), [((FLOAT, STR, INT), True), ((INT, STR, FLOAT), False)])
def test_a_union_is_refused_if_a_member_takes_values_of_one_behind_it(members: tuple[Type, ...], refused: bool) -> None:
    """Each member is compared with all behind it, and with none before."""
    schema = Schema(Union(members))
    with pytest.raises(Unsupported, match="float from int") if refused else nullcontext():
        refuse_confusion(schema, "page", lambda one, other: (one, other) == (FLOAT, INT))


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
