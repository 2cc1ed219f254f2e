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

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type
from serbench.model.scalars import TEXT_KINDS, Scalar
from serbench.render.codec import Calls, Codec, Described, Generated, Kinds, Limits, Loss, Objects
from serbench.render.format import HUGE, Format
from serbench.render.reading import with_schema
from serbench.render.source.annotations import annotation
from serbench.render.source.models import ordered_records
from serbench.render.source.module import Module, Unsupported, block, listed, literal, snake, tuple_of
from serbench.render.source.objects import Conversion, as_dict, per_record, touched

_DOCS = "https://numpy.org/doc/stable/user/basics.rec.html"
_NUMBERS = ("int", "uint64", "float", "bool")


class _Column(NamedTuple):
    """A scalar in a record: its dtype, what stands in the place of None, and the expressions that pack it and read it."""

    dtype: str
    zero: str = "0"
    pack: str = "{}"
    read: str = "{}.item()"


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


def _column(type_: Scalar | Enum) -> _Column:
    if isinstance(type_, Enum):
        return _Column('"<i8"', "0", f"{_names(type_)}.index({{}})", f"{_names(type_)}[{{}}]")
    if type_.kind == "any":
        raise Unsupported(f"a NumPy dtype cannot hold arbitrary JSON ({_DOCS})")
    return _COLUMNS.get(type_.kind, _COLUMNS["str"])


def _dtype(record: str) -> str:
    """The constant that holds the dtype of a record."""
    return f"{snake(record).upper()}_DTYPE"


def _names(enum: Enum) -> str:
    """The constant that holds the values of an enumeration by number."""
    return f"{snake(enum.name).upper()}_NAMES"


class _Layout:
    """For each type its dtype, and the expressions that pack it and read it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def dtype(self, type_: Type) -> str:
        """The dtype of what the record itself holds."""
        match type_:
            case Scalar() | Enum():
                return _column(type_).dtype
            case Optional(item):
                return listed(['("there", "?")', f'("value", {self.dtype(item)})'])
            case Tuple(items):
                return listed(f'("f{i}", {self.dtype(item)})' for i, item in enumerate(items))
            case Ref(name):
                return _dtype(name)
        return "SPAN"

    def item(self, type_: Type) -> str:
        """The dtype of what lies behind a span, one after the other."""
        match type_:
            case List(item) | Set(item):
                return self.dtype(item)
            case Map(item):
                return f'[("key", SPAN), ("value", {self.dtype(item)})]'
        raise AssertionError(type_)

    def packing(self, record: Record) -> list[str]:
        """The body of the function that makes a record of a row."""
        return [f"return {tuple_of(self.packed(f.type, f'row[{literal(f.wire)}]') for f in record.fields)}"]

    def packed(self, type_: Type, value: str) -> str:
        """The expression that puts a value into a record."""
        match type_:
            case Scalar() | Enum():
                return _column(type_).pack.replace("{}", value)
            case Optional(item):
                return f"(False, {self.zero(item)}) if {value} is None else (True, {self.packed(item, value)})"
            case Tuple(items):
                return tuple_of(self.packed(item, f"{value}[{i}]") for i, item in enumerate(items))
            case Ref(name):
                return f"pack_{snake(name)}({value}, heap)"
            case Map(item):
                each = f"({self.packed(Scalar('str'), 'key')}, {self.packed(item, 'item')})"
                return self._array(f"[{each} for key, item in {value}.items()]", type_, value)
            case List(item) | Set(item):
                each = self.packed(item, "item")
                as_it_is = each == "item" and isinstance(type_, List)
                return self._array(value if as_it_is else f"[{each} for item in {value}]", type_, value)
        raise AssertionError(type_)

    def _array(self, items: str, type_: Type, value: str) -> str:
        return f"heap.put(numpy.array({items}, {self.item(type_)}).tobytes(), len({value}))"

    def zero(self, type_: Type) -> str:
        """The value that stands in the place of None."""
        match type_:
            case Scalar() | Enum():
                return _column(type_).zero
            case Optional(item):
                return f"(False, {self.zero(item)})"
            case Tuple(items):
                return tuple_of(self.zero(item) for item in items)
            case Ref(name):
                return tuple_of(self.zero(f.type) for f in self.schema.record(name).fields)
        return "(0, 0)"

    def read(self, type_: Type, value: str) -> str:
        """The expression for what a view gives of a field."""
        match type_:
            case Scalar() | Enum():
                return _column(type_).read.replace("{}", value)
            case Optional(item):
                return f'{self.read(item, f"""{value}["value"]""")} if {value}["there"] else None'
            case Tuple(items):
                return tuple_of(self.read(item, f'{value}["f{i}"]') for i, item in enumerate(items))
            case Ref(name):
                return f"{name}View({value}, self._buffer)"
            case Map(item):
                pair = f'{self.read(Scalar("str"), """item["key"]""")}: {self.read(item, """item["value"]""")}'
                return f"{{{pair} for item in array_at(self._buffer, {value}, {self.item(type_)})}}"
            case List(item) | Set(item):
                each, array = self.read(item, "item"), f"array_at(self._buffer, {value}, {self.item(type_)})"
                return f"{array}.tolist()" if each == "item.item()" else f"[{each} for item in {array}]"
        raise AssertionError(type_)


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
    if not (isinstance(schema.root, List) and isinstance(schema.root.item, Ref)):
        raise Unsupported(f"a NumPy array needs a list of records as the document ({_DOCS})")
    root = schema.root.item.record
    if "recursion" in schema.features or schema.tags or "untagged_union" in schema.features:
        raise Unsupported(f"records of fixed size cannot be recursive or contain unions ({_DOCS})")
    layout = _Layout(schema)
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
        fields = listed(f"({literal(f.name)}, {layout.dtype(f.type)})" for f in record.fields)
        blocks[0] += f"\n{_dtype(record.name)} = numpy.dtype({fields})"
    blocks += [_HEAP, _TEXT, _ITEMS]
    blocks += [_view(layout, record, mutable) for record in records]
    blocks += per_record("pack_{}(row: Any, heap: Heap)", records, layout.packing)
    blocks += per_record(
        "plain_{}(view: {}View)", records, lambda r: as_dict(r, lambda f: _PLAIN(f.type, f"view.{f.name}"))
    )
    blocks += _document(root, mutable)
    text = {record.name: {f.wire: layout.dtype(f.type) for f in record.fields} for record in records}
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


def _view(layout: _Layout, record: Record, mutable: bool) -> str:
    lines = ['__slots__ = ("_buffer", "_record")', "", "def __init__(self, record: Any, buffer: Any) -> None:"]
    lines += ["    self._record = record", "    self._buffer = buffer"]
    for f in record.fields:
        if f.name in ("_buffer", "_record"):
            raise Unsupported(f"{record.name}: views already have an attribute {f.name}; rename the field ({_DOCS})")
        value = f"    return {layout.read(f.type, f'self._record[{literal(f.name)}]')}"
        lines += ["", "@property", f"def {f.name}(self) -> {_annotation(f.type)}:", value]
        if mutable and isinstance(f.type, Scalar) and f.type.kind in _NUMBERS:
            lines += ["", f"@{f.name}.setter", f"def {f.name}(self, value: {_annotation(f.type)}) -> None:"]
            lines += [f"    self._record[{literal(f.name)}] = value"]
    return block(f"class {record.name}View:", lines)


def _annotation(type_: Type) -> str:
    return annotation(type_, Module()) if isinstance(type_, Scalar) and type_.kind in (*_NUMBERS, "str") else "Any"


def _touched(f: Field) -> list[str]:
    value = f"view.{f.name}"
    match f.type:
        case Optional(Ref() as item):
            return [f"item = {value}", "if item is not None:", f"    {touched(item, 'item')[0]}"]
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
    hostile={
        "2 GiB of items announced": lambda: HUGE.to_bytes(8, "little") + b"\0" * 16,
        "2 GiB announced": lambda: (1).to_bytes(8, "little") + (24).to_bytes(8, "little") + HUGE.to_bytes(8, "little"),
        "no UTF-8": lambda: b"".join(n.to_bytes(8, "little") for n in (1, 24, 2)) + b"\xff\xfe",
    },
)
