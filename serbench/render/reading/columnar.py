"""The parts that Arrow's formats share: the schema of a list of records as Arrow has it, and a reader that is not Arrow's.

- An aware datetime is a timestamp in microseconds and UTC (its offset is lost); naive ones, dates, times and
  timedeltas have types of their own. Decimals and UUIDs are text, because Arrow's are of one precision.
- An enumeration is its value; a nested record is a struct, a map a map.
- A document is a list of records; there is no recursion, no union and no "any JSON".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from serbench.model.records import List, Record, Ref, Schema
from serbench.model.scalars import TEXT_KINDS
from serbench.render.codec import UNTYPED, Calls, Codec, Described, Generated, Kinds, Limits, Loss, Objects
from serbench.render.source.module import Unsupported, listed, literal
from serbench.render.source.objects import TypeNames

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
}
_KINDS = TEXT_KINDS.intersection(_TYPES)
_READ = """def read(table: pyarrow.Table) -> None:
    for column in table.itercolumns():
        for value in column:
            value.as_py()"""


def codec(docs: str, write: str, calls: tuple[str, str, str], module: str, without: Iterable[str] = ()) -> Codec:
    """A codec of tables.

    Args:
        write: the function between a table and bytes.
        calls: the templates from a table to bytes, back, and from bytes to a data frame.
        module: the part of pyarrow that these name.
        without: the kinds that the format has no type for.
    """
    gone = frozenset(without)
    return Codec(
        name="pyarrow",
        docs=docs,
        distribution="pyarrow",
        calls=Calls(
            imports=("typing:Any", "pyarrow", f"pyarrow:{module}"),
            functions=(write,),
            describe=lambda schema: _describe(schema, calls, gone),
        ),
        kinds=Kinds(encodes=_KINDS - gone, decodes=_KINDS - gone),
        objects=Objects(generates=True),
        limits=Limits(
            lacks={"bigint": f"Arrow has no integer beyond 64 bits ({DOCS}/api/datatypes.html)"},
            loses={"datetime": Loss("utc", "the offset from UTC", f"{DOCS}/timestamps.html")},
            unchecked=UNTYPED,
        ),
    )


def writer(call: str, options: str = "") -> str:
    """The function from a table to bytes, by a function of pyarrow that writes into a sink; `options` begin with a comma."""
    return f"""def to_{call.partition(".")[0]}(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    {call}(table, sink{options})
    return sink.getvalue().to_pybytes()"""


def _describe(schema: Schema, calls: tuple[str, str, str], without: frozenset[str]) -> Described:
    if not (isinstance(schema.root, List) and isinstance(schema.root.item, Ref)):
        raise Unsupported(f"a table needs a list of records as the document ({DOCS}/data.html#tables)")
    if "recursion" in schema.features or schema.tags:
        raise Unsupported(f"columns cannot be recursive or contain unions ({DOCS}/data.html#schemas)")
    if "bigint" in schema.features:
        raise Unsupported(f"serbench renders no column for a scalar of this kind ({DOCS}/api/datatypes.html)")
    record = schema.record(schema.root.item.record)
    if not record.fields:
        raise Unsupported(f"a table needs at least one column ({DOCS}/data.html#tables)")
    named = _types(schema, without)
    pack, unpack, frame = calls
    return Described(
        (f"SCHEMA = pyarrow.schema({_columns(record, named)})",),
        text="".join(f"{f.wire}: {named(f.type).replace('pyarrow.', '')}\n" for f in record.fields),
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


def _columns(record: Record, named: TypeNames) -> str:
    return listed(f"({literal(f.wire)}, {named(f.type)})" for f in record.fields)


def _types(schema: Schema, without: frozenset[str]) -> TypeNames:
    known = {kind: type_ for kind, type_ in _TYPES.items() if kind not in without}

    def struct(type_: Ref) -> str:
        record = schema.record(type_.record)
        if not record.fields:
            raise Unsupported(f"a struct needs at least one field ({DOCS}/data.html#nested-types)")
        return f"pyarrow.struct({_columns(record, named)})"

    nested: dict[str, Any] = {
        "ref": struct,
        "optional": "{}",
        "list": "pyarrow.list_({})",
        "map": "pyarrow.map_(pyarrow.string(), {})",
    }
    named = TypeNames(known | nested, f"no column is rendered for {{}} ({DOCS}/api/datatypes.html)")
    return named


def with_polars(reader: str, **options: Any) -> Any:
    """A reader that calls a function of polars, which has an Arrow and a Parquet of its own."""

    def read(blob: bytes, _: dict[str, Any], __: str) -> Any:
        from io import BytesIO

        import polars as pl

        return getattr(pl, reader)(BytesIO(blob), **options).to_dicts()

    return read
