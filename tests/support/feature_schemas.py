"""One small schema for each thing a schema can use, with values that a careless conversion spoils."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union, walk
from serbench.model.scalars import (
    ANY,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    NAIVE_DATETIME,
    STR,
    TIME,
    TIMEDELTA,
    Scalar,
)
from serbench.model.scalars import UUID as UUID_


class Example(NamedTuple):
    """A schema and a neutral value of it."""

    schema: Schema
    value: Any


_MOMENT = datetime(2024, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
_SCALARS: dict[str, list[Any]] = {
    "str": ['é\n"x\\', ""],
    "int": [0, -5, 2**40],
    "uint64": [2**64 - 1, 2**63, 0],
    "bigint": [2**64, -(2**70), 3],
    "float": [1.5, -0.0, 1.0],
    "bool": [True, False],
    "bytes": [b"\x00\xff>?", b""],
    "datetime": [_MOMENT, _MOMENT.replace(microsecond=0)],
    "naive_datetime": [_MOMENT.replace(tzinfo=None)],
    "date": [date(2024, 2, 29), date(1999, 1, 1)],
    "time": [time(1, 2, 3, 456), time(23, 59)],
    "timedelta": [timedelta(days=3, seconds=7, microseconds=123457), timedelta(seconds=-1.5)],
    "decimal": [Decimal("1.10"), Decimal(-3), Decimal("12345678901234567890.123456789")],
    "uuid": [UUID(int=5)],
}
_ROLE = Enum("Role", (("ADMIN", "admin"), ("USER", "user")))
_LEVEL = Enum("Level", (("LOW", 1), ("HIGH", 2)))
_INNER = Record("Inner", (Field("name", STR), Field("size", INT)))
_AN_INNER = {"name": "n", "size": 1}
_CIRCLE = Record("Circle", (Field("radius", FLOAT), Field("inner", Ref("Inner"))), tag_value="circle")
_SQUARE = Record("Square", (Field("side", FLOAT), Field("class_", STR, alias="class")), tag_value="square")


def _rows(type_: Type, values: list[Any], *records: Record, **options: Any) -> Example:
    """A list of rows with one field of the type, one row for each value."""
    wire = options.get("alias") or "x"
    row = Record("Row", (Field("x", type_, **options),))
    return Example(Schema(List(Ref("Row")), (*records, row)), [{wire: value} for value in values])


def _scalars() -> Iterator[tuple[str, Example]]:
    for kind, values in _SCALARS.items():
        scalar, first = Scalar(kind), values[0]
        yield kind, _rows(scalar, values)
        yield f"optional {kind}", _rows(Optional(scalar), [*values, None], default=None)
        yield f"list of {kind}", _rows(List(scalar), [values, []])
        yield f"map of {kind}", _rows(Map(scalar), [{"a": first}, {}])
        yield f"tuple with {kind}", _rows(Tuple((scalar, INT)), [(first, 1)])
        yield f"set of {kind}", _rows(Set(scalar), [set(values), set()])
    yield "any JSON", _rows(ANY, [None, 1, "x", [1, {"a": [None]}], {"k": 1.5}])
    yield "list of any JSON", _rows(List(ANY), [[None, 1, {"k": 1.5}], []])


def _enums_and_containers() -> Iterator[tuple[str, Example]]:
    day = date(2020, 1, 1)
    yield "enum", _rows(_ROLE, ["admin", "user"])
    yield "int enum", _rows(_LEVEL, [1, 2])
    yield "optional enum", _rows(Optional(_ROLE), ["admin", None], default=None)
    yield "list of enum", _rows(List(_ROLE), [["admin"], []])
    yield "set of enum", _rows(Set(_ROLE), [{"admin", "user"}])
    yield "map of enum", _rows(Map(_ROLE), [{"k": "user"}])
    yield "tuple of enums", _rows(Tuple((_ROLE, _LEVEL)), [("user", 1)])
    yield "optional tuple", _rows(Optional(Tuple((STR, DATE))), [("a", day), None], default=None)
    yield "optional set", _rows(Optional(Set(STR)), [{"a"}, None], default=None)
    yield "list of tuples", _rows(List(Tuple((STR, UUID_))), [[("a", UUID(int=2))]])
    yield "list of lists", _rows(List(List(FLOAT)), [[[1.0], []]])
    yield "map of sets", _rows(Map(Set(INT)), [{"a": {1, 2}}])
    yield "record", _rows(Ref("Inner"), [_AN_INNER], _INNER)
    yield "optional record", _rows(Optional(Ref("Inner")), [_AN_INNER, None], _INNER)
    yield "list of records", _rows(List(Ref("Inner")), [[_AN_INNER, _AN_INNER], []], _INNER)
    yield "map of records", _rows(Map(Ref("Inner")), [{"k": _AN_INNER}], _INNER)
    yield "tuple with record", _rows(Tuple((Ref("Inner"), DATE)), [(_AN_INNER, day)], _INNER)
    yield "map of lists of records", _rows(Map(List(Ref("Inner"))), [{"a": [_AN_INNER]}], _INNER)


def _structure() -> Iterator[tuple[str, Example]]:
    for tag in ("type", "@kind", "from"):
        union = Union((Ref("Circle"), Ref("Square")), tag)
        circle = {tag: "circle", "radius": 1.0, "inner": _AN_INNER}
        square = {tag: "square", "side": 2.0, "class": "x"}
        records = (_INNER, _CIRCLE, _SQUARE)
        yield f"union tagged {tag}", _rows(union, [circle, square], *records)
        yield f"list of unions tagged {tag}", _rows(List(union), [[circle, square]], *records)
        yield f"optional union tagged {tag}", _rows(Optional(union), [None, circle, square], *records)
        yield f"root union tagged {tag}", Example(Schema(List(union), records), [circle, square])
    yield "union within a union", _inner_union()
    yield "unions within one another", _mutual_unions()
    yield "union of text and numbers", _rows(Union((FLOAT, BOOL, STR)), [1.0, True, "1.0"])
    yield "union of text and a list", _rows(Optional(Union((STR, List(STR)))), ["ab", ["a", "b"], None], default=None)
    yield "union of text and a record", _rows(Union((Ref("Inner"), STR)), ["a", _AN_INNER], _INNER)
    one_or_many = Union((Ref("Inner"), List(Ref("Inner"))))
    yield "union of a record and a list of it", _rows(one_or_many, [_AN_INNER, [_AN_INNER]], _INNER)
    yield "root union", Example(Schema(Union((Ref("Inner"), INT, List(INT))), (_INNER,)), _AN_INNER)
    yield "recursion", _recursion()
    yield "mutual recursion", _mutual_recursion()
    yield "recursion through a tagged union", _recursive_union()
    yield "alias", _rows(STR, ["v"], alias="we ird-é")
    yield "alias with a quote", _rows(STR, ["v"], alias='"\\\n')
    yield "optional alias", _rows(Optional(INT), [1, None], alias="class", default=None)
    yield "alias of a list with a default", _rows(List(INT), [[1]], alias="class", default=[])
    yield "one name with two aliases", _two_aliases()
    yield "default", _rows(INT, [1, 10], default=10)
    yield "default enum", _rows(_ROLE, ["user"], default="admin")
    yield "default list", _rows(List(INT), [[1], []], default=[])
    yield "default map", _rows(Map(INT), [{"a": 1}], default={})
    yield "default items", _rows(List(STR), [["a"], []], default=["x"])
    yield "default date", _rows(DATE, [date(2024, 3, 1)], default="2024-02-29")


def _recursion() -> Example:
    node = Record(
        "Node",
        (Field("v", INT), Field("kids", List(Ref("Node"))), Field("next", Optional(Ref("Node")), default=None)),
    )
    leaf = {"v": 2, "kids": [], "next": None}
    return Example(Schema(List(Ref("Node")), (node,)), [{"v": 1, "kids": [leaf], "next": leaf}])


def _mutual_recursion() -> Example:
    first = Record("A", (Field("b", Optional(Ref("B"))), Field("class_", INT, alias="class")))
    second = Record("B", (Field("a", Optional(Ref("A"))), Field("from_", INT, alias="from"), Field("day", DATE)))
    value = {"b": {"a": {"b": None, "class": 3}, "from": 1, "day": date(2020, 1, 1)}, "class": 5}
    return Example(Schema(List(Ref("A")), (first, second)), [value])


def _recursive_union() -> Example:
    tree = Union((Ref("Leaf"), Ref("Branch")), "kind")
    leaf = Record("Leaf", (Field("value", INT),), tag_value="leaf")
    branch = Record("Branch", (Field("class_", STR, alias="class"), Field("kids", List(tree))), tag_value="branch")
    a_leaf = {"kind": "leaf", "value": 1}
    a_branch = {"kind": "branch", "class": "q", "kids": [a_leaf, {"kind": "branch", "class": "z", "kids": []}]}
    return _rows(tree, [a_leaf, a_branch], leaf, branch)


def _inner_union() -> Example:
    """A union of records that hold a union of others, which has another tag or the same."""
    inner = Union((Ref("Circle"), Ref("Square")), "type")
    drawing = Record("Drawing", (Field("shapes", List(inner)),), tag_value="drawing")
    note = Record("Note", (Field("text", STR), Field("shape", Optional(inner))), tag_value="note")
    circle, square = (
        {"type": "circle", "radius": 1.0, "inner": _AN_INNER},
        {"type": "square", "side": 2.0, "class": "x"},
    )
    values = [
        {"type": "drawing", "shapes": [circle, square]},
        {"type": "note", "text": "a", "shape": square},
        {"type": "note", "text": "b", "shape": None},
    ]
    return _rows(Union((Ref("Drawing"), Ref("Note")), "type"), values, _INNER, _CIRCLE, _SQUARE, drawing, note)


def _mutual_unions() -> Example:
    """Two unions with a tag, each of which has a member that holds the other."""
    value, action = Union((Ref("Number"), Ref("Block")), "type"), Union((Ref("Return"), Ref("Loop")), "type")
    records = (
        Record("Number", (Field("number", INT),), tag_value="number"),
        Record("Block", (Field("body", List(action)),), tag_value="block"),
        Record("Return", (Field("value", value),), tag_value="return"),
        Record("Loop", (Field("body", List(action)), Field("condition", value)), tag_value="loop"),
    )
    a_number = {"type": "number", "number": 1}
    a_return = {"type": "return", "value": a_number}
    a_loop = {"type": "loop", "body": [a_return], "condition": a_number}
    a_block = {"type": "return", "value": {"type": "block", "body": [a_loop, a_return]}}
    return _rows(action, [a_return, a_loop, a_block], *records)


def _two_aliases() -> Example:
    part = Record("Part", (Field("class_", INT, alias="class"),))
    whole = Record("Whole", (Field("class_", INT), Field("part", Ref("Part"))))
    return Example(Schema(List(Ref("Whole")), (part, whole)), [{"class_": 1, "part": {"class": 2}}])


def _untagged() -> Iterator[tuple[str, Example]]:
    yield "int or str", _rows(Union((INT, STR)), [1, "1"])
    yield "str or int", _rows(Union((STR, INT)), [1, "1"])
    yield "optional int or str", _rows(Optional(Union((INT, STR))), [None, 1, "x"])
    yield "int or float", _rows(Union((INT, FLOAT)), [1, 1.5, 2.0])
    yield "float or int", _rows(Union((FLOAT, INT)), [1, 1.5, 2.0])
    yield "bool or int", _rows(Union((BOOL, INT)), [True, 1, 0, False])
    yield "str or list", _rows(Union((STR, List(INT))), ["a", [1]])
    yield "str or date", _rows(Union((STR, DATE)), ["x", date(2020, 1, 1)])
    yield "int or date", _rows(Union((INT, DATE)), [4, date(2020, 1, 1)])
    yield "list of int or str or bool", _rows(List(Union((INT, STR, BOOL))), [[1, "x", True]])


def _roots() -> Iterator[tuple[str, Example]]:
    yield "root record", Example(Schema(Ref("Inner"), (_INNER,)), _AN_INNER)
    aliased = Record("Day", (Field("class_", DATE, alias="class"),))
    yield "root record with alias", Example(Schema(Ref("Day"), (aliased,)), {"class": date(2020, 1, 1)})
    yield "root list of float", Example(Schema(List(FLOAT)), [1.5, 2.0])
    yield "root list of date", Example(Schema(List(DATE)), [date(2020, 1, 1)])
    yield "root list of bytes", Example(Schema(List(BYTES)), [b"\xff\x00"])
    yield "root map of records", Example(Schema(Map(Ref("Inner")), (_INNER,)), {"a": _AN_INNER})


EXAMPLES: dict[str, Example] = {
    **dict(_scalars()),
    **dict(_enums_and_containers()),
    **dict(_structure()),
    **dict(_untagged()),
    **dict(_roots()),
}

KITCHEN_SINK = Schema(
    root=List(Ref("Item")),
    records=(
        _INNER,
        _CIRCLE,
        _SQUARE,
        Record(
            "Item",
            (
                Field("text", STR),
                Field("amount", INT),
                Field("ratio", FLOAT),
                Field("flag", BOOL),
                Field("stamp", DATETIME),
                Field("local", NAIVE_DATETIME),
                Field("day", DATE),
                Field("at", TIME),
                Field("span", TIMEDELTA),
                Field("price", DECIMAL),
                Field("key", UUID_),
                Field("role", _ROLE),
                Field("inner", Ref("Inner")),
                Field("inners", List(Ref("Inner"))),
                Field("pair", Tuple((STR, INT))),
                Field("labels", Set(STR)),
                Field("by_name", Map(Ref("Inner"))),
                Field("class_", STR, alias="class"),
                Field("anything", ANY),
                Field("shape", Union((Ref("Circle"), Ref("Square")), "type")),
                Field("blob", BYTES),
                Field("maybe", Optional(INT), default=None),
                Field("when", Optional(DATETIME), default=None),
                Field("perhaps", Optional(List(Ref("Inner"))), default=None),
                Field("limit", INT, default=10),
                Field("tags", List(STR), default=[]),
                Field("parent", Optional(Ref("Item")), default=None),
            ),
        ),
    ),
)


def without(schema: Schema, *features: str) -> Schema:
    """The schema without the fields that use one of the features, for a library that lacks them."""
    records = tuple(
        Record(
            record.name,
            tuple(f for f in record.fields if not features_of(f) & set(features)),
            record.tag_value if "tagged_union" not in features else None,
        )
        for record in schema.records
    )
    return Schema(schema.root, records)


def features_of(f: Field) -> frozenset[str]:
    """The features that a single field brings; one that holds an Item makes Item recursive."""
    default = {"default"} if not f.required and f.default is not None else set()
    recursion = {"recursion"} if Ref("Item") in walk(f.type) else set()
    return default | recursion | Schema(f.type, (_INNER, _CIRCLE, _SQUARE, Record("Item", ()))).features
