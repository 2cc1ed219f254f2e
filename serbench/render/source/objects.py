"""Formats with a schema language: type names, objects, roots, NumPy's dtypes, and what flatc and protoc make of a schema."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import Scalar
from serbench.render.source.models import ordered_records
from serbench.render.source.module import Unsupported, block, listed, literal, snake, tuple_of


def document_name(used: Container[str]) -> str:
    """A name for the type of a document that is not a record; none of these types has it."""
    return next(name for name in ("Document", "Envelope", "Wrapper", "Wrapping") if name not in used)


def has_record_at_root(schema: Schema) -> bool:
    """Return True if the document is a record or a list of records."""
    return isinstance(schema.root, Ref) or (isinstance(schema.root, List) and isinstance(schema.root.item, Ref))


def enclosed(schema: Schema) -> Schema:
    """The schema with its document as the `content` of one more record, the last, for a library that wants one at the root."""
    used = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    name = document_name(used)
    return Schema(Ref(name), (*schema.records, Record(name, (Field("content", schema.root),))))


def per_record(
    head: str, records: Iterable[Record], lines: Callable[[Record], list[str]], returns: str = "Any"
) -> list[str]:
    """A function for each record.

    `head` is its name and parameters, with `{0}` for the record's name in snake_case and `{1}` for the name as it is.
    """
    return [block(f"def {head.format(snake(r.name), r.name)} -> {returns}:", lines(r)) for r in records]


def readers(schema: Schema, parameter: str, touch: Callable[[Type, str], list[str]], root: list[str]) -> list[str]:
    """The function `read`, and one for each record, which touch every field of the format's objects.

    Args:
        parameter: the name of an object of a record.
        touch: gives the lines that touch a field, by its type and name.
        root: the lines of `read` if the document is not a record.
    """

    def touched(record: Record) -> list[str]:
        return [line for f in record.fields for line in touch(f.type, f.name)]

    if isinstance(schema.root, Ref):
        root = [f"read_{snake(schema.root.record)}({parameter})"]
    whole = block(f"def read({parameter}: Any) -> None:", root)
    return [*per_record(f"read_{{}}({parameter}: Any)", ordered_records(schema), touched, "None"), whole]


def touched(type_: Type, value: str) -> list[str]:
    """The lines that touch the records in a value, by the functions that `readers` gives; none if it has no record."""
    match type_:
        case Ref(name):
            return [f"read_{snake(name)}({value})"]
        case List(Ref(name)):
            return [f"for item in {value}:", f"    read_{snake(name)}(item)"]
        case Map(Ref(name)):
            return [f"for item in {value}.values():", f"    read_{snake(name)}(item)"]
    return []


@dataclass(frozen=True)
class TypeNames:
    """Writes a type in a schema language, by a table: kind → template, or a function from the type to its name.

    - A kind is that of a scalar, or "optional", "list", "map" or "record"; a kind of scalar that the table does not
      have is "str". In a template, `{}` stands for the item, or for the name of the record.
    - A set is a list, and so is a tuple whose items are of one type. An enumeration is its values: "str" or "int".
    - `refusal` is the reason if the table does not have the type, with `{}` for what it is.
    """

    table: Mapping[str, str | Callable[[Any], str]]
    refusal: str

    def __call__(self, type_: Type) -> str:
        """The name of a type.

        Raises:
            Unsupported: the table does not have the type, or a part of it.
        """
        match type_:
            case Scalar(kind) if kind != "any":
                return str(self.table.get(kind, self.table["str"]))
            case Enum(_, members):
                return str(self.table["str" if isinstance(members[0][1], str) else "int"])
            case List() | Set():
                return self._named("list", type_)
            case Tuple(items) if len(set(items)) == 1:
                return self._named("list", List(items[0]))
            case Optional() | Map() if (kind := type(type_).__name__.lower()) in self.table:
                return self._named(kind, type_)
            case Ref():
                return self._named("record", type_)
        kind = type(type_).__name__.lower()
        what = "any JSON" if type_ == Scalar("any") else f"{'an' if kind == 'optional' else 'a'} {kind} there"
        raise Unsupported(self.refusal.replace("{}", what))

    def _named(self, kind: str, type_: Optional | List | Set | Map | Ref) -> str:
        entry = self.table.get(kind, "{}")
        if callable(entry):
            return entry(type_)
        if isinstance(type_, Ref):
            return entry.replace("{}", type_.record)
        return entry.replace("{}", self(type_.value if isinstance(type_, Map) else type_.item))


@dataclass(frozen=True)
class Conversion:
    """Writes the expressions between builtins and objects, in one direction.

    Attributes:
        verb: the first word of the name of a record's function.
        array: a list or set whose items need no conversion, with `{}` for the value.
        tuple: a tuple, with `{}` for the value or `{each}` for its converted items; empty to convert it item by item.
        entry: the value of an item of a map.
        map: a map, with `{each}` for the converted value and `{}` for the map; empty if it is a dict on both sides.
    """

    verb: str
    array: str = "{}"
    tuple: str = ""
    entry: str = "item"
    map: str = ""

    def __call__(self, type_: Type, value: str) -> str:
        """A value of the type, which the expression `value` gives, converted."""
        match type_:
            case Ref(name):
                return f"{self.verb}_{snake(name)}({value})"
            case Optional(item):
                inner = self(item, value)
                return value if inner == value else f"None if {value} is None else {inner}"
            case List(item) | Set(item):
                inner = self(item, "item")
                return self.array.replace("{}", value) if inner == "item" else f"[{inner} for item in {value}]"
            case Tuple(items):
                parts = [f"{value}[{index}]" for index in range(len(items))]
                converted = [self(item, part) for item, part in zip(items, parts, strict=True)]
                if self.tuple:
                    return self.tuple.replace("{each}", ", ".join(converted)).replace("{}", value)
                return value if converted == parts else tuple_of(converted)
            case Map(item):
                inner = self(item, self.entry)
                if inner == self.entry and not self.map:
                    return value
                template = self.map or "{key: {each} for key, item in {}.items()}"
                return template.replace("{each}", inner).replace("{}", value)
        return value


NUMBERS = {
    "long": ("Int64", 8, "0"),
    "ulong": ("Uint64", 8, "0"),
    "double": ("Float64", 8, "None"),
    "bool": ("Bool", 1, "False"),
    "ubyte": ("Uint8", 1, "0"),
}


@dataclass(frozen=True)
class Slot:
    """A field of a table: its place in it, its name and wire name, and what it is in a .fbs file."""

    number: int
    name: str
    wire: str
    optional: bool
    fbs: str

    @property
    def accessor(self) -> str:
        """The name that flatc gives the method that reads it, if its own name is in snake_case."""
        camel = self.name[:1].upper() + re.sub("_(.)", lambda match: match[1].upper(), self.name[1:])
        return f"{camel}_" if keyword.iskeyword(camel) else camel

    @property
    def item(self) -> str:
        """The type of the items of a vector; empty if the field is not a vector."""
        return self.fbs[1:-1] if self.fbs.startswith("[") else ""

    @property
    def value(self) -> str:
        """The expression that reads it, or an item of it."""
        return f"table.{self.accessor}({'j' if self.item else ''})"

    @property
    def items(self) -> str:
        """The clause that goes through a vector."""
        return f"for j in range(table.{self.accessor}Length())"

    @property
    def offset(self) -> str:
        """The expression that finds it in its table, by what describes the table."""
        return f"UOffsetTFlags.py_type(self._tab.Offset({4 + 2 * self.number}))"

    @property
    def line(self) -> str:
        """The field in a .fbs file."""
        null = " = null" if self.fbs in NUMBERS and (self.optional or self.fbs == "double") else ""
        return f"  {self.name}:{self.fbs}{null};"


def imports(slots: Iterable[Slot]) -> list[str]:
    """The imports of the classes and functions, in the form of `Codec.imports`."""
    used: set[str] = set()
    for slot in slots:
        used |= {"UOffsetT", *(NUMBERS[kind][0] for kind in (slot.fbs, slot.item) if kind in NUMBERS)}
    return [f"flatbuffers.number_types:{name}Flags" for name in sorted(used)]


def accessors(table: str, slots: list[Slot], *, root: bool) -> str:
    """The class that reads a table; that of a whole document reads it from its bytes."""
    lines = ['__slots__ = ["_tab"]']
    if root:
        lines += ["", _GET_ROOT % f"{table}Table"]
    lines += ["", _INIT]
    for slot in slots:
        lines += ["", _accessor(slot)]
        if slot.item:
            lines += ["", _method(slot, "Length", "self._tab.VectorLen(o)", "0")]
        if slot.item and slot.optional:
            lines += ["", f"def {slot.accessor}IsNone(self) -> Any:", f"    o = {slot.offset}", "    return o == 0"]
    return block(f"class {table}Table:", lines)


_GET_ROOT = """@classmethod
def GetRootAs(cls, buf: Any, offset: int = 0) -> Any:
    n = flatbuffers.encode.Get(flatbuffers.packer.uoffset, buf, offset)
    x = %s()
    x.Init(buf, n + offset)
    return x"""
_INIT = """def Init(self, buf: Any, pos: int) -> None:
    self._tab = flatbuffers.table.Table(buf, pos)"""


def _method(slot: Slot, end: str, value: str, absent: str, *before: str, parameter: str = "") -> str:
    lines = [f"def {slot.accessor}{end}(self{parameter}) -> Any:"]
    lines += [f"    o = {slot.offset}", "    if o != 0:"]
    lines += [f"        {line}" for line in before]
    return "\n".join([*lines, f"        return {value}", f"    return {absent}"])


def _accessor(slot: Slot) -> str:
    parameter = ", j: int" if slot.item else ""
    if slot.fbs in NUMBERS:
        flags, _, default = NUMBERS[slot.fbs]
        value = f"self._tab.Get({flags}Flags, o + self._tab.Pos)"
        value = f"bool({value})" if slot.fbs == "bool" else value
        return _method(slot, "", value, "None" if slot.optional else default)
    if slot.fbs == "string":
        return _method(slot, "", "self._tab.String(o + self._tab.Pos)", "None")
    if slot.item in NUMBERS:
        flags, size, _ = NUMBERS[slot.item]
        value = f"self._tab.Get({flags}Flags, a + UOffsetTFlags.py_type(j * {size}))"
        return _method(slot, "", value, "0", "a = self._tab.Vector(o)", parameter=parameter)
    if slot.item == "string":
        value = "self._tab.String(a + UOffsetTFlags.py_type(j * 4))"
        return _method(slot, "", value, '""', "a = self._tab.Vector(o)", parameter=parameter)
    steps = ["x = self._tab.Indirect(o + self._tab.Pos)"]
    if slot.item:
        steps = ["x = self._tab.Vector(o)", "x += UOffsetTFlags.py_type(j) * 4", "x = self._tab.Indirect(x)"]
    steps += [f"obj = {slot.item or slot.fbs}Table()", "obj.Init(self._tab.Bytes, x)"]
    return _method(slot, "", "obj", "None", *steps, parameter=parameter)


def builders(table: str, slots: list[Slot]) -> list[str]:
    """The functions that write a table."""
    functions = [f"def {table}Start(builder: Any) -> None:\n    builder.StartObject({len(slots)})"]
    for slot in slots:
        made = f"builder.PrependUOffsetTRelativeSlot({slot.number!s}, UOffsetTFlags.py_type(value), 0)"
        if slot.fbs in NUMBERS:
            flags, _, default = NUMBERS[slot.fbs]
            made = f"builder.Prepend{flags}Slot({slot.number!s}, value, {('None' if slot.optional else default)})"
        functions.append(f"def {table}Add{slot.accessor}(builder: Any, value: Any) -> None:\n    {made}")
    return [*functions, f"def {table}End(builder: Any) -> Any:\n    return builder.EndObject()"]


def vector(kind: str) -> str:
    """The function that writes a vector of numbers, or of offsets to anything else."""
    flags, size, _ = NUMBERS.get(kind, ("UOffsetTRelative", 4, ""))
    return f"""def vector_of_{kind}s(builder: Any, values: Any) -> Any:
    builder.StartVector({size}, len(values), {size})
    for value in reversed(values):
        builder.Prepend{flags}(value)
    return builder.EndVector()"""


SPEC = "https://protobuf.dev/programming-guides/proto3/"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SCALARS = {
    "str": "string",
    "int": "int64",
    "uint64": "uint64",
    "float": "double",
    "bool": "bool",
    "bytes": "bytes",
    "datetime": "google.protobuf.Timestamp",
    "timedelta": "google.protobuf.Duration",
}


@dataclass
class Line:
    """A field of a message."""

    name: str
    number: int
    type: str
    label: str = ""  # "optional", "repeated" or nothing
    map: bool = False

    @property
    def proto(self) -> str:
        """The field in a .proto file."""
        type_ = f"map<string, {self.type}>" if self.map else self.type
        return f"  {self.label + ' ' if self.label and not self.map else ''}{type_} {self.name} = {self.number};"


@dataclass
class Proto:
    """The .proto file of a schema."""

    schema: Schema
    text: bool = False
    messages: dict[str, list[Line]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = Counter(str(value) for enum in self.schema.enums for _, value in enum.members)
        used = {record.name for record in self.schema.records}
        self.enums = {
            enum.name: [str(value) for _, value in enum.members]
            for enum in self.schema.enums
            if all(isinstance(value, str) and _NAME.fullmatch(value) and names[value] == 1 for _, value in enum.members)
            and not {str(value) for _, value in enum.members} & used
        }
        for record in self.schema.records:
            fields = [(f.wire, f.type) for f in record.fields]
            self.messages[record.name] = [self._line(n, t, i) for i, (n, t) in enumerate(fields, 1)]
        self.root = self._root()
        used |= {enum.name for enum in self.schema.enums}
        self.cls = next(n for n in (f"{self.root}Message", f"{self.root}Proto", f"{self.root}Pb") if n not in used)

    def _root(self) -> str:
        root = self.schema.root
        if isinstance(root, Ref):
            return root.record
        name = document_name(self.messages)
        self.messages[name] = [self._line("items", root, 1)]
        return name

    def _line(self, name: str, type_: Type, number: int) -> Line:
        if not _NAME.fullmatch(name):
            raise Unsupported(f"{name!r} is not a valid field name in Protocol Buffers ({SPEC}#simple)")
        match type_:
            case Optional(item) if isinstance(item, Scalar | Enum | Ref):
                return Line(name, number, self._single(item), "optional")
            case List(item) | Set(item):
                return Line(name, number, self._single(item), "repeated")
            case Tuple(items) if len(set(items)) == 1:
                return Line(name, number, self._single(items[0]), "repeated")
            case Map(Scalar("datetime" | "timedelta")) if not self.text:
                raise Unsupported(f"the constructor does not accept a Timestamp or Duration in a map ({SPEC}#maps)")
            case Map(item):
                return Line(name, number, self._single(item), "repeated", map=True)
            case _:
                return Line(name, number, self._single(type_))

    def _single(self, type_: Type) -> str:
        match type_:
            case Scalar(kind) if kind != "any":
                if self.text and kind in ("datetime", "timedelta"):
                    return {"timedelta": "double"}.get(kind, "string")
                return _SCALARS.get(kind, "string")
            case Enum(name, members):
                return name if name in self.enums else "string" if isinstance(members[0][1], str) else "int64"
            case Ref(name):
                return name
            case Union():
                raise Unsupported(f"serbench renders no conversion into a oneof ({SPEC}#oneof)")
        what = "any JSON" if type_ == Scalar("any") else f"{type(type_).__name__.lower()} there"
        raise Unsupported(f"Protocol Buffers have no {what} ({SPEC})")

    @property
    def imported(self) -> list[str]:
        """The files of the well-known types that occur."""
        used = {line.type.rpartition(".")[2].lower() for lines in self.messages.values() for line in lines}
        return sorted(used & {"timestamp", "duration"})

    @property
    def source(self) -> str:
        """The .proto file."""
        parts = ['syntax = "proto3";']
        if self.imported:
            parts.append("\n".join(f'import "google/protobuf/{name}.proto";' for name in self.imported))
        for name, values in self.enums.items():
            lines = [f"  {value} = {number};" for number, value in enumerate(values)]
            parts.append("\n".join([f"enum {name} {{", *lines, "}"]))
        for name, fields in self.messages.items():
            parts.append("\n".join([f"message {name} {{", *(line.proto for line in fields), "}"]))
        return "\n\n".join(parts) + "\n"

    @property
    def descriptor(self) -> str:
        """The file's descriptor, in Protocol Buffers' text format."""
        lines = ['name: "schema.proto"', 'syntax: "proto3"']
        lines += [f'dependency: "google/protobuf/{name}.proto"' for name in self.imported]
        for name, values in self.enums.items():
            inner = [f'  value {{ name: "{value}" number: {number} }}' for number, value in enumerate(values)]
            lines += ["enum_type {", f'  name: "{name}"', *inner, "}"]
        for name, fields in self.messages.items():
            lines += ["message_type {", f'  name: "{name}"', *self._fields(name, fields), "}"]
        return "\n".join(lines)

    def _fields(self, message: str, fields: list[Line]) -> list[str]:
        lines: list[str] = []
        nested: list[str] = []
        oneofs: list[str] = []
        for line in fields:
            label = "LABEL_REPEATED" if line.label == "repeated" else "LABEL_OPTIONAL"
            type_, extra = self._type(line.type), ""
            if line.map:
                entry = "".join(part.title() for part in line.name.split("_")) + "Entry"
                nested += [
                    "  nested_type {",
                    f'    name: "{entry}"',
                    "    options { map_entry: true }",
                    '    field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }',
                    f'    field {{ name: "value" number: 2 {type_} label: LABEL_OPTIONAL }}',
                    "  }",
                ]
                type_ = f'type: TYPE_MESSAGE type_name: ".{message}.{entry}"'
            elif line.label == "optional":
                extra = f" proto3_optional: true oneof_index: {len(oneofs)}"
                oneofs.append(f'  oneof_decl {{ name: "_{line.name}" }}')
            lines.append(f'  field {{ name: "{line.name}" number: {line.number} {type_} label: {label}{extra} }}')
        return lines + nested + oneofs

    def _type(self, name: str) -> str:
        if name in self.enums:
            return f'type: TYPE_ENUM type_name: ".{name}"'
        if "." in name or name in self.messages:
            return f'type: TYPE_MESSAGE type_name: ".{name}"'
        return f"type: TYPE_{name.upper()}"


DOCS = "https://numpy.org/doc/stable/user/basics.rec.html"
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
DTYPES = ("int", "uint64", "float", "bool")


def dtype_name(record: str) -> str:
    """The constant that holds the dtype of a record."""
    return f"{snake(record).upper()}_DTYPE"


def names_name(enum: Enum) -> str:
    """The constant that holds the values of an enumeration by number."""
    return f"{snake(enum.name).upper()}_NAMES"


class Layout:
    """For each type its dtype, and the expressions that pack it and read it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def dtype(self, type_: Type) -> str:
        """The dtype of what the record itself holds."""
        match type_:
            case Scalar("any"):
                raise Unsupported(f"a NumPy dtype cannot hold arbitrary JSON ({DOCS})")
            case Scalar(kind):
                return _DTYPES.get(kind, "SPAN")
            case Enum():
                return '"<i8"'
            case Optional(item):
                return listed(['("there", "?")', f'("value", {self.dtype(item)})'])
            case Tuple(items):
                return listed(f'("f{i}", {self.dtype(item)})' for i, item in enumerate(items))
            case Ref(name):
                return dtype_name(name)
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
            case Scalar("datetime"):
                return f"{value}.astimezone(UTC).replace(tzinfo=None)"
            case Scalar("bytes"):
                return f"heap.put({value}, len({value}))"
            case Scalar(kind) if kind not in _DTYPES:
                return f"heap.put(encoded := {value}.encode(), len(encoded))"
            case Enum():
                return f"{names_name(type_)}.index({value})"
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
        return value

    def _array(self, items: str, type_: Type, value: str) -> str:
        return f"heap.put(numpy.array({items}, {self.item(type_)}).tobytes(), len({value}))"

    def zero(self, type_: Type) -> str:
        """The value that stands in the place of None."""
        match type_:
            case Scalar("datetime" | "naive_datetime" | "timedelta" | "date" as kind):
                unit = "D" if kind == "date" else "us"
                return f'numpy.{"timedelta64" if kind == "timedelta" else "datetime64"}(0, "{unit}")'
            case Scalar(kind) if kind in DTYPES:
                return "0"
            case Enum():
                return "0"
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
            case Scalar("datetime"):
                return f"{value}.item().replace(tzinfo=UTC)"
            case Scalar("bytes"):
                return f"bytes(array_at(self._buffer, {value}, numpy.uint8))"
            case Scalar(kind):
                return f"{value}.item()" if kind in _DTYPES else f"text_at(self._buffer, {value})"
            case Enum():
                return f"{names_name(type_)}[{value}]"
            case Optional(item):
                return f'{self.read(item, f"""{value}["value"]""")} if {value}["there"] else None'
            case Tuple(items):
                return tuple_of(self.read(item, f'{value}["f{i}"]') for i, item in enumerate(items))
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
