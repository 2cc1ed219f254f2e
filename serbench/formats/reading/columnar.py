"""What Arrow's formats share: the schema of a list of records as Arrow has it, and a reader that is not Arrow's.

- An aware datetime is a timestamp in microseconds and UTC (its offset is lost); naive ones, dates, times and
  timedeltas have types of their own. Decimals and UUIDs are text, because Arrow's are of one precision.
- An enumeration is its value; a nested record is a struct, a map a map.
- A document is a list of records; there is no recursion, no union and no "any JSON".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from serbench.formats import Codec, Described, Generated, Loss
from serbench.schema import Enum, List, Map, Optional, Ref, Scalar, Schema, Set, Tuple, Type
from serbench.source.layout import Bracketed, Expression, call, flat, lay_out
from serbench.source.models import Unsupported, literal

DOCS = "https://arrow.apache.org/docs/python"
_TYPES = {
    "str": "pyarrow.string()",
    "int": "pyarrow.int64()",
    "uint64": "pyarrow.uint64()",
    "float": "pyarrow.float64()",
    "bool": "pyarrow.bool_()",
    "bytes": "pyarrow.binary()",
    "datetime": 'pyarrow.timestamp("us", tz="UTC")',
    "naive_datetime": 'pyarrow.timestamp("us")',
    "date": "pyarrow.date32()",
    "time": 'pyarrow.time64("us")',
    "timedelta": 'pyarrow.duration("us")',
    "decimal": "pyarrow.string()",
    "uuid": "pyarrow.string()",
}
_KINDS = frozenset({"bytes", "datetime", "naive_datetime", "date", "time", "timedelta"})
_READ = """def read(table: pyarrow.Table) -> None:
    for column in table.itercolumns():
        for value in column:
            value.as_py()"""


def codec(
    name: str,
    docs: str,
    functions: tuple[str, ...],
    calls: tuple[str, str, str],
    imports: tuple[str, ...] = (),
    without: Iterable[str] = (),
) -> Codec:
    """A codec of tables; `calls` are the templates from a table to bytes, back, and from bytes to a data frame.

    `without` are the kinds that it has no type for.
    """
    gone = frozenset(without)
    return Codec(
        name=name,
        docs=docs,
        distribution="pyarrow",
        imports=("typing:Any", "pyarrow", *imports),
        describe=lambda schema: _describe(schema, functions, calls, gone),
        encodes=_KINDS - gone,
        decodes=_KINDS - gone,
        loses={"datetime": Loss("utc", "the offset from UTC", f"{DOCS}/timestamps.html")},
        generates=True,
        unchecked=("import-untyped", "no-any-return"),
    )


def _describe(
    schema: Schema, functions: tuple[str, ...], calls: tuple[str, str, str], without: frozenset[str]
) -> Described:
    match schema.root:
        case List(Ref(name)):
            record = schema.record(name)
        case _:
            raise Unsupported(f"a table has rows: the document must be a list of records ({DOCS}/data.html#tables)")
    if "recursion" in schema.features or schema.tags:
        raise Unsupported(f"the columns of a table hold neither recursion nor unions ({DOCS}/data.html#schemas)")
    if not record.fields:
        raise Unsupported(f"a table has at least one column ({DOCS}/data.html#tables)")
    fields = [(f.wire, _type(schema, f.type, without)) for f in record.fields]
    made = call("pyarrow.schema", Bracketed("[", tuple(Bracketed("(", (literal(n), t), ")") for n, t in fields), "]"))
    pack, unpack, frame = calls
    return Described(
        (lay_out(made, before="SCHEMA = "), *functions),
        text="".join(f"{name}: {flat(type_).replace('pyarrow.', '')}\n" for name, type_ in fields),
        file="schema.txt",
        generated=Generated(
            "pyarrow.Table",
            "pyarrow.Table.from_pylist({}, schema=SCHEMA)",
            '{}.to_pylist(maps_as_pydicts="strict")',
            pack,
            unpack,
            (_READ,),
        ),
        frame=frame,
    )


def _type(schema: Schema, type_: Type, without: frozenset[str]) -> Expression:
    match type_:
        case Scalar(kind) if kind in without:
            return "pyarrow.float64()" if kind == "timedelta" else "pyarrow.string()"
        case Scalar(kind) if kind in _TYPES:
            return _TYPES[kind]
        case Enum(_, members):
            return "pyarrow.string()" if isinstance(members[0][1], str) else "pyarrow.int64()"
        case Optional(item):
            return _type(schema, item, without)
        case List(item) | Set(item):
            return call("pyarrow.list_", _type(schema, item, without))
        case Tuple(items) if len(set(items)) == 1:
            return call("pyarrow.list_", _type(schema, items[0], without))
        case Map(item):
            return call("pyarrow.map_", "pyarrow.string()", _type(schema, item, without))
        case Ref(name):
            record = schema.record(name)
            if not record.fields:
                raise Unsupported(f"a struct has at least one field ({DOCS}/data.html#nested-types)")
            inner = ((f.wire, _type(schema, f.type, without)) for f in record.fields)
            return call(
                "pyarrow.struct", Bracketed("[", tuple(Bracketed("(", (literal(n), t), ")") for n, t in inner), "]")
            )
    what = "any JSON" if type_ == Scalar("any") else f"a {type(type_).__name__.lower()} of this kind"
    raise Unsupported(f"no column is rendered for {what} ({DOCS}/api/datatypes.html)")


def with_polars(reader: str, **options: Any) -> Any:
    """A reader that calls a function of polars, which has an Arrow and a Parquet of its own."""

    def read(blob: bytes, _: dict[str, Any], __: str) -> Any:
        from io import BytesIO

        import polars as pl

        return getattr(pl, reader)(BytesIO(blob), **options).to_dicts()

    return read
