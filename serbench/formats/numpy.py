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

from serbench.formats import HUGE, Codec, Described, Format, Generated, Loss
from serbench.formats.reading import numpy_records
from serbench.schema import Enum, Field, List, Map, Optional, Record, Ref, Scalar, Schema, Set, Tuple, Type
from serbench.source.layout import (
    WIDTH,
    Bracketed,
    Comprehension,
    Conditional,
    Expression,
    Keyword,
    Module,
    call,
    class_block,
    flat,
    function,
    lay_out,
    parsed,
    returned,
    split,
)
from serbench.source.models import Unsupported, annotation, literal, ordered_records, snake

_DOCS = "https://numpy.org/doc/stable/user/basics.rec.html"
_SPAN = '[("at", "<u8"), ("size", "<u8")]'
_DTYPES = {
    "int": '"<i8"',
    "uint64": '"<u8"',
    "float": '"<f8"',
    "bool": '"?"',
    "datetime": '"<M8[us]"',
    "naive_datetime": '"<M8[us]"',
    "date": '"<M8[D]"',
    "timedelta": '"<m8[us]"',
}
_NUMBERS = ("int", "uint64", "float", "bool")
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
    match schema.root:
        case List(Ref(root)):
            pass
        case _:
            raise Unsupported(f"an array has items: the document must be a list of records ({_DOCS})")
    if "recursion" in schema.features or schema.tags or "untagged_union" in schema.features:
        raise Unsupported(f"records of one size hold neither recursion nor unions ({_DOCS})")
    layout = _Layout(schema)
    records = ordered_records(schema)
    taken = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    if clash := taken & {"Records", "Heap", *(f"{record.name}View" for record in records)}:
        raise Unsupported(f"the module has a class {min(clash)} of its own; give the record another name ({_DOCS})")
    blocks = ['SPAN = numpy.dtype([("at", "<u8"), ("size", "<u8")])']
    for enum in schema.enums:
        names = Bracketed("[", tuple(literal(value) for _, value in enum.members), "]")
        blocks[0] += "\n" + lay_out(names, before=f"{_names(enum)} = ")
    for record in records:
        if not record.fields:
            raise Unsupported(f"a record has at least one field ({_DOCS})")
        fields = tuple(Bracketed("(", (literal(f.name), layout.dtype(f.type)), ")") for f in record.fields)
        blocks[0] += "\n" + lay_out(
            call("numpy.dtype", Bracketed("[", fields, "]")), before=f"{_dtype(record.name)} = "
        )
    blocks += [_HEAP, _TEXT, _ITEMS]
    blocks += [_view(layout, record, mutable) for record in records]
    blocks += [_packing(layout, record) for record in records]
    blocks += [_plain(layout, record) for record in records]
    blocks += _document(root, mutable)
    text = {record.name: {f.wire: flat(layout.dtype(f.type)) for f in record.fields} for record in records}
    enums = {enum.name: [value for _, value in enum.members] for enum in schema.enums}
    reading = (*(_read(record) for record in records), _READ.format(name=snake(root)))
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
            reading,
        ),
    )


_READ = """def read(records: Records) -> None:
    for record in records:
        read_{name}(record)"""


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


def _dtype(record: str) -> str:
    return f"{snake(record).upper()}_DTYPE"


def _names(enum: Enum) -> str:
    return f"{snake(enum.name).upper()}_NAMES"


class _Layout:
    """For each type its dtype, and the expressions that pack it and read it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def dtype(self, type_: Type) -> Expression:
        """What lies in the record."""
        match type_:
            case Scalar("any"):
                raise Unsupported(f"no dtype for any JSON ({_DOCS})")
            case Scalar(kind):
                return _DTYPES.get(kind, "SPAN")
            case Enum():
                return '"<i8"'
            case Optional(item):
                parts = ('("there", "?")', Bracketed("(", ('"value"', self.dtype(item)), ")"))
                return Bracketed("[", parts, "]")
            case Tuple(items):
                named = (Bracketed("(", (f'"f{i}"', self.dtype(item)), ")") for i, item in enumerate(items))
                return Bracketed("[", tuple(named), "]")
            case Ref(name):
                return _dtype(name)
        return "SPAN"

    def item(self, type_: Type) -> str:
        """The dtype of what lies behind a span, one after the other."""
        match type_:
            case List(item) | Set(item):
                return flat(self.dtype(item))
            case Map(item):
                return f'[("key", SPAN), ("value", {flat(self.dtype(item))})]'
        raise AssertionError(type_)

    def laid(self, type_: Type, value: str) -> Expression:
        """`packed`, so that it can be laid out."""
        match type_:
            case Optional(item):
                there = Bracketed("(", ("True", self.packed(item, value)), ")")
                return Conditional(f"(False, {self.zero(item)})", f"{value} is None", there)
            case List() | Set() | Map():
                text = self.packed(type_, value)
                array = text.removeprefix("heap.put(").removesuffix(f".tobytes(), len({value}))")
                made = call("numpy.array", *split(array.removeprefix("numpy.array(").removesuffix(")"), ", "))
                return call("heap.put", Bracketed(made.opening, made.items, ").tobytes()"), f"len({value})")
        return self.packed(type_, value)

    def packed(self, type_: Type, value: str) -> str:
        """The expression that puts a value into a record."""
        match type_:
            case Scalar("datetime"):
                return f"{value}.astimezone(UTC).replace(tzinfo=None)"
            case Scalar("bytes"):
                return f"heap.put({value}, len({value}))"
            case Scalar(kind) if kind not in _DTYPES:
                return f"heap.put(encoded := {value}.encode(), len(encoded))"
            case Enum():
                return f"{_names(type_)}.index({value})"
            case Optional(item):
                return f"(False, {self.zero(item)}) if {value} is None else (True, {self.packed(item, value)})"
            case Tuple(items):
                parts = ", ".join(self.packed(item, f"{value}[{i}]") for i, item in enumerate(items))
                return f"({parts},)" if len(items) == 1 else f"({parts})"
            case Ref(name):
                return f"pack_{snake(name)}({value}, heap)"
            case Map(item):
                each = f"({self.packed(Scalar('str'), 'key')}, {self.packed(item, 'item')})"
                return self._array(f"[{each} for key, item in {value}.items()]", type_, value)
            case List(item) | Set(item):
                each = self.packed(item, "item")
                return self._array(
                    value if each == "item" and isinstance(type_, List) else f"[{each} for item in {value}]",
                    type_,
                    value,
                )
        return value

    def _array(self, items: str, type_: Type, value: str) -> str:
        return f"heap.put(numpy.array({items}, {self.item(type_)}).tobytes(), len({value}))"

    def zero(self, type_: Type) -> str:
        """What stands in the place of None."""
        match type_:
            case Scalar("datetime" | "naive_datetime" | "timedelta" | "date" as kind):
                unit = "D" if kind == "date" else "us"
                return f'numpy.{"timedelta64" if kind == "timedelta" else "datetime64"}(0, "{unit}")'
            case Scalar(kind) if kind in _NUMBERS:
                return "0"
            case Enum():
                return "0"
            case Optional(item):
                return f"(False, {self.zero(item)})"
            case Tuple(items):
                return "(" + "".join(f"{self.zero(item)}, " for item in items).strip() + ")"
            case Ref(name):
                fields = self.schema.record(name).fields
                return "(" + "".join(f"{self.zero(f.type)}, " for f in fields).strip() + ")"
        return "(0, 0)"

    def read(self, type_: Type, value: str) -> str:
        """The expression for what a view gives of a field."""
        match type_:
            case Scalar("datetime"):
                return f"{value}.item().replace(tzinfo=UTC)"
            case Scalar("bytes"):
                return f"bytes(array_at(self._buffer, {value}, numpy.uint8))"
            case Scalar(kind):
                return f"{value}.item()" if kind in _DTYPES else f"text_at(self._buffer, {value})"
            case Enum():
                return f"{_names(type_)}[{value}]"
            case Optional(item):
                return f'{self.read(item, f"""{value}["value"]""")} if {value}["there"] else None'
            case Tuple(items):
                parts = ", ".join(self.read(item, f'{value}["f{i}"]') for i, item in enumerate(items))
                return f"({parts},)" if len(items) == 1 else f"({parts})"
            case Ref(name):
                return f"{name}View({value}, self._buffer)"
            case Map(item):
                pair = f'{self.read(Scalar("str"), """item["key"]""")}: {self.read(item, """item["value"]""")}'
                return f"{{{pair} for item in array_at(self._buffer, {value}, {self.item(type_)})}}"
            case List(Scalar(kind) as item) | Set(Scalar(kind) as item) if kind in _DTYPES and kind != "datetime":
                return f"array_at(self._buffer, {value}, {self.item(type_)}).tolist()"
            case List(item) | Set(item):
                return f"[{self.read(item, 'item')} for item in array_at(self._buffer, {value}, {self.item(type_)})]"
        raise AssertionError(type_)

    def plain(self, type_: Type, value: str) -> str:
        """The builtins of what a view gives."""
        match type_:
            case Ref(name):
                return f"plain_{snake(name)}({value})"
            case Optional(item):
                inner = self.plain(item, value)
                return value if inner == value else f"None if {value} is None else {inner}"
            case List(item) | Set(item):
                inner = self.plain(item, "item")
                return value if inner == "item" else f"[{inner} for item in {value}]"
            case Map(item):
                inner = self.plain(item, "item")
                return value if inner == "item" else f"{{key: {inner} for key, item in {value}.items()}}"
            case Tuple(items):
                parts = [self.plain(item, f"{value}[{i}]") for i, item in enumerate(items)]
                same = all(part == f"{value}[{i}]" for i, part in enumerate(parts))
                return value if same else f"({', '.join(parts)},)"
        return value


def _view(layout: _Layout, record: Record, mutable: bool) -> str:
    lines = ['__slots__ = ("_buffer", "_record")', "", "def __init__(self, record: Any, buffer: Any) -> None:"]
    lines += ["    self._record = record", "    self._buffer = buffer"]
    for f in record.fields:
        if f.name in ("_buffer", "_record"):
            raise Unsupported(f"{record.name}: a view has a {f.name} of its own; give the field another name ({_DOCS})")
        value = _returned(layout.read(f.type, f"self._record[{literal(f.name)}]"))
        lines += ["", "@property", f"def {f.name}(self) -> {_annotation(f.type)}:", value]
        if mutable and isinstance(f.type, Scalar) and f.type.kind in _NUMBERS:
            lines += ["", f"@{f.name}.setter", f"def {f.name}(self, value: {_annotation(f.type)}) -> None:"]
            lines += [f"    self._record[{literal(f.name)}] = value"]
    return class_block([f"class {record.name}View:"], lines)


def _returned(value: str) -> str:
    """A return statement in a method, whose lines are four columns shorter than a function's."""
    yes, found, condition = value.partition(" if self._record")
    if found:
        text, _, no = condition.partition(" else ")
        laid: Expression = Conditional(yes, f"self._record{text}", no)
        if len(flat(laid)) + 15 > WIDTH:
            return f"    return (\n{lay_out(laid, 8, width=WIDTH - 4)}\n    )"
        return f"    return {flat(laid)}"
    opening, clause, iterable = value.partition(" for item in ")
    if clause and value[0] in "[{":
        made = Comprehension(value[0], opening[1:], f"for item in {iterable[:-1]}", value[-1])
        return lay_out(made, 4, "return ", width=WIDTH - 4)
    return lay_out(parsed(value), 4, "return ", width=WIDTH - 4)


def _annotation(type_: Type) -> str:
    return annotation(type_, Module()) if isinstance(type_, Scalar) and type_.kind in (*_NUMBERS, "str") else "Any"


def _packing(layout: _Layout, record: Record) -> str:
    parts = tuple(layout.laid(f.type, f"row[{literal(f.wire)}]") for f in record.fields)
    body = returned(Bracketed("(", parts, ",)" if len(parts) == 1 else ")"))
    return function(f"pack_{snake(record.name)}", ["row: Any", "heap: Heap"], "Any", body)


def _plain(layout: _Layout, record: Record) -> str:
    entries: tuple[Expression, ...] = tuple(
        Keyword(f"{literal(f.wire)}: ", layout.plain(f.type, f"view.{f.name}")) for f in record.fields
    )
    body = returned(Bracketed("{", entries, "}"))
    return function(f"plain_{snake(record.name)}", [f"view: {record.name}View"], "Any", body)


def _read(record: Record) -> str:
    body = [line for f in record.fields for line in _touched(f)]
    return function(f"read_{snake(record.name)}", [f"view: {record.name}View"], "None", *body)


def _touched(f: Field) -> list[str]:
    value = f"view.{f.name}"
    match f.type:
        case Ref(name):
            return [f"    read_{snake(name)}({value})"]
        case List(Ref(name)):
            return [f"    for item in {value}:", f"        read_{snake(name)}(item)"]
        case Map(Ref(name)):
            return [f"    for item in {value}.values():", f"        read_{snake(name)}(item)"]
        case Optional(Ref(name)):
            return [f"    item = {value}", "    if item is not None:", f"        read_{snake(name)}(item)"]
    return [f"    _ = {value}"]


_KINDS = frozenset({"bytes", "datetime", "naive_datetime", "date", "timedelta"})
_NO_BIGINT = "a structured record has no integer beyond 64 bits (https://numpy.org/doc/stable/user/basics.rec.html)"
_NUMPY = Codec(
    name="numpy",
    unchecked=("no-any-return",),
    lacks={"bigint": _NO_BIGINT},
    docs=_DOCS,
    distribution="numpy",
    imports=("collections.abc:Iterator", "typing:Any", "numpy"),
    describe=_describe,
    encodes=_KINDS,
    decodes=_KINDS,
    loses={
        "datetime": Loss("utc", "the offset from UTC", "https://numpy.org/doc/stable/reference/arrays.datetime.html")
    },
    generates=True,
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
    readers={"serbench": numpy_records.read},
    typed=True,
    hostile={
        "2 GiB of items announced": lambda: HUGE.to_bytes(8, "little") + b"\0" * 16,
        "2 GiB announced": lambda: (1).to_bytes(8, "little") + (24).to_bytes(8, "little") + HUGE.to_bytes(8, "little"),
        "no UTF-8": lambda: b"".join(n.to_bytes(8, "little") for n in (1, 24, 2)) + b"\xff\xfe",
    },
)
