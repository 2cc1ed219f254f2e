"""NumPy structured records: rows of one size that are read where they lie, with views in place of objects.

- The bytes are the number of records, the records as an array of one `dtype`, and behind it what has no fixed
  size: a text, bytes, a list, a set or a map is the place and the number of its parts.
- Numbers and bools are themselves; datetimes, dates and timedeltas are `datetime64` and `timedelta64` (an
  aware one in UTC, its offset is lost); times, UUIDs and decimals are text, an enumeration is its number.
- A value that may be None has a flag in front. There is no recursion, no union and no "any JSON".
- The rendered views have a property for each field, and with `[mutable]` a setter for each number.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Tuple, Type, parts
from serbench.model.scalars import TEXT_KINDS, Scalar
from serbench.render.codec import Calls, Codec, Described, Format, Generated, Kinds, Limits, Loss, Objects
from serbench.render.reading import with_schema
from serbench.render.source.models import annotation, ordered_records
from serbench.render.source.module import Module, Unsupported, block, listed, literal, snake, tuple_of
from serbench.render.source.objects import Conversion, as_dict, per_record, touched

_DOCS = "https://numpy.org/doc/stable/user/basics.rec.html"
_NUMBERS = ("int", "uint64", "float", "bool")


class _Column(NamedTuple):
    """A value in a record: its dtype, what stands in the place of None, and the expressions that pack it and read it."""

    dtype: str
    zero: str = "0"
    pack: str = "{}"
    read: str = "{}.item()"

    def packed(self, value: str) -> str:
        """The expression that puts a value into a record."""
        return self.pack.replace("{}", value)

    def given(self, value: str) -> str:
        """The expression for what a view gives of a value in a record."""
        return self.read.replace("{}", value)


_UTC = ("{}.astimezone(UTC).replace(tzinfo=None)", "{}.item().replace(tzinfo=UTC)")
_COLUMNS = {
    "int": _Column('"<i8"'),
    "uint64": _Column('"<u8"'),
    "float": _Column('"<f8"'),
    "bool": _Column('"?"'),
    "datetime": _Column('"<M8[us]"', 'numpy.datetime64(0, "us")', *_UTC),
    "naive_datetime": _Column('"<M8[us]"', 'numpy.datetime64(0, "us")'),
    "date": _Column('"<M8[D]"', 'numpy.datetime64(0, "D")'),
    "timedelta": _Column('"<m8[us]"', 'numpy.timedelta64(0, "us")'),
    "bytes": _Column("SPAN", "(0, 0)", "heap.put({}, len({}))", "bytes(array_at(self._buffer, {}, numpy.uint8))"),
    "str": _Column("SPAN", "(0, 0)", "heap.put(encoded := {}.encode(), len(encoded))", "text_at(self._buffer, {})"),
}


def _dtype(record: str) -> str:
    return f"{snake(record).upper()}_DTYPE"


def _names(enum: Enum) -> str:
    """The constant that holds the values of an enumeration by number."""
    return f"{snake(enum.name).upper()}_NAMES"


def _column(schema: Schema, type_: Type) -> _Column:
    """How a record holds the values of a type."""
    match type_:
        case Scalar("any"):
            raise Unsupported(f"a NumPy dtype cannot hold arbitrary JSON ({_DOCS})")
        case Scalar(kind):
            return _COLUMNS.get(kind, _COLUMNS["str"])
        case Enum():
            return _Column('"<i8"', "0", f"{_names(type_)}.index({{}})", f"{_names(type_)}[{{}}]")
        case Ref(name):
            zero = tuple_of(_column(schema, inner).zero for inner in schema.record(name).types)
            return _Column(_dtype(name), zero, f"pack_{snake(name)}({{}}, heap)", f"{name}View({{}}, self._buffer)")
    inside = [_column(schema, part) for part in parts(type_)]
    if isinstance(type_, Tuple):
        return _Column(
            listed(f'("f{i}", {item.dtype})' for i, item in enumerate(inside)),
            tuple_of(item.zero for item in inside),
            tuple_of(item.packed(f"{{}}[{i}]") for i, item in enumerate(inside)),
            tuple_of(item.given(f'{{}}["f{i}"]') for i, item in enumerate(inside)),
        )
    (item,) = inside
    if isinstance(type_, Optional):
        return _Column(
            listed(['("there", "?")', f'("value", {item.dtype})']),
            f"(False, {item.zero})",
            f"(False, {item.zero}) if {{}} is None else (True, {item.pack})",
            f"""{item.given('{}["value"]')} if {{}}["there"] else None""",
        )
    if isinstance(type_, Map):
        text = _COLUMNS["str"]
        made = f"[({text.packed('key')}, {item.packed('item')}) for key, item in {{}}.items()]"
        each, opening, closing = f"""{text.given('item["key"]')}: {item.given('item["value"]')}""", "{", "}"
        dtype = f'[("key", SPAN), ("value", {item.dtype})]'
    else:
        each, opening, closing, dtype = item.given("item"), "[", "]", item.dtype
        as_it_is = item.pack == "{}" and isinstance(type_, List)
        made = "{}" if as_it_is else f"[{item.packed('item')} for item in {{}}]"
    array = f"array_at(self._buffer, {{}}, {dtype})"
    read = f"{array}.tolist()" if each == "item.item()" else f"{opening}{each} for item in {array}{closing}"
    return _Column("SPAN", "(0, 0)", f"heap.put(numpy.array({made}, {dtype}).tobytes(), len({{}}))", read)


_HEAP = """class Heap:
    def __init__(self, at: int) -> None:
        self.at = at
        self.parts: list[bytes] = []

    def put(self, part: bytes, count: int) -> tuple[int, int]:
        place = (self.at, count)
        self.parts.append(part)
        self.at += len(part)
        return place"""
_TEXT = """def text_at(buffer: Any, span: Any) -> str:
    at, size = span.item()
    if at + size > len(buffer):
        raise ValueError(f"{size} bytes are announced at {at}, behind the end")
    return str(buffer[at : at + size], "utf-8")"""
_ITEMS = """def array_at(buffer: Any, span: Any, dtype: Any) -> Any:
    at, size = span.item()
    return numpy.frombuffer(buffer, dtype, size, at)"""


def _describe(schema: Schema, *, mutable: bool = False) -> Described:
    if schema.row is None:
        raise Unsupported(f"a NumPy array needs a list of records as the document ({_DOCS})")
    root = schema.row.name
    if "recursion" in schema.features or schema.tags or "untagged_union" in schema.features:
        raise Unsupported(f"records of fixed size cannot be recursive or contain unions ({_DOCS})")
    records = ordered_records(schema)
    class_names = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    if clash := class_names & {"Records", "Heap", *(f"{record.name}View" for record in records)}:
        raise Unsupported(f"the module already has a class {min(clash)}; rename the record ({_DOCS})")
    blocks = ['SPAN = numpy.dtype([("at", "<u8"), ("size", "<u8")])']
    for enum in schema.enums:
        blocks[0] += f"\n{_names(enum)} = {listed(literal(value) for _, value in enum.members)}"
    for record in records:
        if not record.fields:
            raise Unsupported(f"a record needs at least one field ({_DOCS})")
        fields = listed(f"({literal(f.name)}, {_column(schema, f.type).dtype})" for f in record.fields)
        blocks[0] += f"\n{_dtype(record.name)} = numpy.dtype({fields})"
    blocks += [_HEAP, _TEXT, _ITEMS]
    blocks += [_view(schema, record, mutable) for record in records]

    def packing(record: Record) -> list[str]:
        values = (_column(schema, f.type).packed(f"row[{literal(f.wire)}]") for f in record.fields)
        return [f"return {tuple_of(values)}"]

    blocks += per_record("pack_{}(row: Any, heap: Heap)", records, packing)
    blocks += per_record(
        "plain_{}(view: {}View)", records, lambda r: as_dict(r, lambda f: _PLAIN(f.type, f"view.{f.name}"))
    )
    blocks += _document(root, mutable)
    text = {record.name: {f.wire: _column(schema, f.type).dtype for f in record.fields} for record in records}
    enums = {enum.name: [value for _, value in enum.members] for enum in schema.enums}
    reading = per_record("read_{}(view: {}View)", records, lambda r: [x for f in r.fields for x in _touched(f)], "None")
    reading.append(_READ.format(name=snake(root)))
    return Described(
        tuple(blocks),
        ("datetime:UTC",) if "datetime" in schema.features else (),
        text=json.dumps({"records": text, "enums": enums}, indent=2) + "\n",
        file="layout.json",
        generated=Generated(
            "Records",
            "to_records({})",
            f"[plain_{snake(root)}(item) for item in {{}}]",
            "bytes({}.buffer)",
            "Records(bytearray({}))" if mutable else "Records({})",
            tuple(reading),
        ),
    )


_READ = """def read(records: Records) -> None:
    for record in records:
        read_{name}(record)"""


_PLAIN = Conversion("plain", tuple="[{each}]")


def _document(root: str, mutable: bool) -> list[str]:
    dtype, view = _dtype(root), f"{root}View"
    kind = "bytearray" if mutable else "bytes"
    made = "bytearray(blob)" if mutable else "blob"
    return [
        f"""class Records:
    def __init__(self, buffer: {kind}) -> None:
        self.buffer = buffer
        count = int.from_bytes(buffer[:8], "little")
        self.array = numpy.frombuffer(buffer, {dtype}, count, 8)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: int) -> {view}:
        return {view}(self.array[index], self.buffer)

    def __iter__(self) -> Iterator[{view}]:
        for record in self.array:
            yield {view}(record, self.buffer)""",
        f"""def to_records(rows: list[Any]) -> Records:
    heap = Heap(8 + len(rows) * {dtype}.itemsize)
    array = numpy.array([pack_{snake(root)}(row, heap) for row in rows], {dtype})
    blob = b"".join([len(rows).to_bytes(8, "little"), array.tobytes(), *heap.parts])
    return Records({made})""",
    ]


def _view(schema: Schema, record: Record, mutable: bool) -> str:
    lines = ['__slots__ = ("_buffer", "_record")', "", "def __init__(self, record: Any, buffer: Any) -> None:"]
    lines += ["    self._record = record", "    self._buffer = buffer"]
    for f in record.fields:
        if f.name in ("_buffer", "_record"):
            raise Unsupported(f"{record.name}: views already have an attribute {f.name}; rename the field ({_DOCS})")
        value = f"    return {_column(schema, f.type).given(f'self._record[{literal(f.name)}]')}"
        lines += ["", "@property", f"def {f.name}(self) -> {_annotation(f.type)}:", value]
        if mutable and isinstance(f.type, Scalar) and f.type.kind in _NUMBERS:
            lines += ["", f"@{f.name}.setter", f"def {f.name}(self, value: {_annotation(f.type)}) -> None:"]
            lines += [f"    self._record[{literal(f.name)}] = value"]
    return block(f"class {record.name}View:", lines)


def _annotation(type_: Type) -> str:
    return annotation(type_, Module()) if isinstance(type_, Scalar) and type_.kind in (*_NUMBERS, "str") else "Any"


def _touched(f: Field) -> list[str]:
    value = f"view.{f.name}"
    if isinstance(f.type, Optional) and isinstance(f.type.item, Ref):
        return [f"item = {value}", *touched(f.type, "item")]
    return touched(f.type, value) or [f"_ = {value}"]


_KINDS = TEXT_KINDS.intersection(_COLUMNS)
_NO_BIGINT = "a structured record has no integer beyond 64 bits (https://numpy.org/doc/stable/user/basics.rec.html)"
_NUMPY = Codec(
    name="numpy",
    docs=_DOCS,
    distribution="numpy",
    calls=Calls(imports=("collections.abc:Iterator", "typing:Any", "numpy"), describe=_describe),
    kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
    objects=Objects(generates=True),
    limits=Limits(
        lacks={"bigint": _NO_BIGINT},
        loses={
            "datetime": Loss(
                "utc", "the offset from UTC", "https://numpy.org/doc/stable/reference/arrays.datetime.html"
            )
        },
        unchecked=("no-any-return",),
    ),
)

FORMAT = Format(
    name="numpy",
    summary="NumPy structured records, read where they lie",
    codecs=(
        _NUMPY,
        _NUMPY.tuned(
            "mutable",
            "https://numpy.org/doc/stable/reference/generated/numpy.frombuffer.html",
            describe=lambda schema: _describe(schema, mutable=True),
        ),
    ),
    readers={"serbench": with_schema.read_numpy_records},
    typed=True,
)
