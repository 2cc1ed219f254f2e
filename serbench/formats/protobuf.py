"""Protocol Buffers: numbered fields without names in the bytes; a .proto file says what they are.

- An aware datetime is a `Timestamp` (its offset is lost), a timedelta a `Duration`; other dates and times,
  UUIDs and decimals are text.
- A field that may be None is `optional`. There is no optional list or map, no list of lists, no tuple of
  several types and no "any JSON".
- An enumeration of names is an `enum` where the names are identifiers of their own, text elsewhere; one of
  numbers is an int64.
- No compiler is needed: the module has the descriptor that protoc would make of the .proto file beside it.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from serbench.formats import Codec, Described, Format, Generated, Loss
from serbench.formats.reading.cursor import Cursor
from serbench.schema import Enum, List, Map, Optional, Record, Ref, Scalar, Schema, Set, Tuple, Type, Union
from serbench.source.layout import Bracketed, Keyword, function, lay_out, returned
from serbench.source.models import Unsupported, literal, ordered_records, snake

_SPEC = "https://protobuf.dev/programming-guides/proto3/"
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
_MESSAGES = {"datetime": ("timestamp", "{}.ToDatetime(UTC)"), "timedelta": ("duration", "{}.ToTimedelta()")}


@dataclass
class _Line:
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
class _Proto:
    """The .proto file of a schema."""

    schema: Schema
    text: bool = False
    messages: dict[str, list[_Line]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = Counter(str(value) for enum in self.schema.enums for _, value in enum.members)
        taken = {record.name for record in self.schema.records}
        self.enums = {
            enum.name: [str(value) for _, value in enum.members]
            for enum in self.schema.enums
            if all(isinstance(value, str) and _NAME.fullmatch(value) and names[value] == 1 for _, value in enum.members)
            and not {str(value) for _, value in enum.members} & taken
        }
        for record in self.schema.records:
            fields = [(f.wire, f.type) for f in record.fields]
            self.messages[record.name] = [self._line(n, t, i) for i, (n, t) in enumerate(fields, 1)]
        self.root = self._root()
        taken |= {enum.name for enum in self.schema.enums}
        self.cls = next(n for n in (f"{self.root}Message", f"{self.root}Proto", f"{self.root}Pb") if n not in taken)

    def _root(self) -> str:
        root = self.schema.root
        if isinstance(root, Ref):
            return root.record
        name = next(n for n in ("Document", "Envelope", "Wrapper", "Wrapping") if n not in self.messages)
        self.messages[name] = [self._line("items", root, 1)]
        return name

    def _line(self, name: str, type_: Type, number: int) -> _Line:
        if not _NAME.fullmatch(name):
            raise Unsupported(f"in Protocol Buffers {name!r} is no name of a field ({_SPEC}#simple)")
        match type_:
            case Optional(item) if isinstance(item, Scalar | Enum | Ref):
                return _Line(name, number, self._single(item), "optional")
            case List(item) | Set(item):
                return _Line(name, number, self._single(item), "repeated")
            case Tuple(items) if len(set(items)) == 1:
                return _Line(name, number, self._single(items[0]), "repeated")
            case Map(Scalar("datetime" | "timedelta")) if not self.text:
                raise Unsupported(f"the constructor takes no Timestamp or Duration in a map ({_SPEC}#maps)")
            case Map(item):
                return _Line(name, number, self._single(item), "repeated", map=True)
            case _:
                return _Line(name, number, self._single(type_))

    def _single(self, type_: Type) -> str:
        match type_:
            case Scalar(kind) if kind != "any":
                if self.text and kind in _MESSAGES:
                    return {"timedelta": "double"}.get(kind, "string")
                return _SCALARS.get(kind, "string")
            case Enum(name, members):
                return name if name in self.enums else "string" if isinstance(members[0][1], str) else "int64"
            case Ref(name):
                return name
            case Union():
                raise Unsupported(f"no conversion into a oneof is rendered ({_SPEC}#oneof)")
        what = "any JSON" if type_ == Scalar("any") else f"{type(type_).__name__.lower()} there"
        raise Unsupported(f"Protocol Buffers have no {what} ({_SPEC})")

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

    def _fields(self, message: str, fields: list[_Line]) -> list[str]:
        found: list[str] = []
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
            found.append(f'  field {{ name: "{line.name}" number: {line.number} {type_} label: {label}{extra} }}')
        return found + nested + oneofs

    def _type(self, name: str) -> str:
        if name in self.enums:
            return f'type: TYPE_ENUM type_name: ".{name}"'
        if "." in name or name in self.messages:
            return f'type: TYPE_MESSAGE type_name: ".{name}"'
        return f"type: TYPE_{name.upper()}"


def _describe(schema: Schema, *, text: bool = False) -> Described:
    """The classes of the messages, and the functions between them and builtins.

    Raises:
        Unsupported: a type or name that Protocol Buffers do not have.
    """
    proto = _Proto(schema, text)
    functions = [f'DESCRIPTOR = """\n{proto.descriptor}\n"""\npool = DescriptorPool()']
    imports = [
        "typing:Any",
        "google.protobuf:text_format",
        "google.protobuf.descriptor_pb2:FileDescriptorProto",
        "google.protobuf.descriptor_pool:DescriptorPool",
        "google.protobuf.message_factory:GetMessageClass",
    ]
    for name in proto.imported:
        imports.append(f"google.protobuf:{name}_pb2")
        functions[0] += f"\npool.AddSerializedFile({name}_pb2.DESCRIPTOR.serialized_pb)"
    if any(line.type.endswith("Timestamp") for lines in proto.messages.values() for line in lines):
        imports.append("datetime:UTC")
    functions[0] += "\nparsed = text_format.Parse(DESCRIPTOR, FileDescriptorProto())"
    functions[0] += "\npool.AddSerializedFile(parsed.SerializeToString())"
    functions[0] += f'\n{proto.cls} = GetMessageClass(pool.FindMessageTypeByName("{proto.root}"))'
    for name, values in proto.enums.items():
        names = Bracketed("[", tuple(literal(value) for value in values), "]")
        functions[0] += "\n" + lay_out(names, before=f"{_table(name)} = ")
    records = [*ordered_records(schema)]
    functions += [_plain(proto, record, "from") for record in records]
    reading = [_reading(proto, record) for record in records]
    if isinstance(schema.root, Ref):
        make, plain = f"{proto.cls}(**{{}})", f"from_{snake(schema.root.record)}({{}})"
        reading.append(function("read", ["message: Any"], "None", f"    read_{snake(schema.root.record)}(message)"))
    else:
        make = f"{proto.cls}(items={{}})"
        plain = f"from_{snake(proto.root)}({{}})"
        line = proto.messages[proto.root][0]
        functions.append(
            function(
                f"from_{snake(proto.root)}",
                ["message: Any"],
                "Any",
                returned(_value(proto, line, "message")),
            )
        )
        reading.append(function("read", ["message: Any"], "None", *_touched(proto, line, "message")))
    generated = Generated("Any", make, plain, "{}.SerializeToString()", f"{proto.cls}.FromString({{}})", tuple(reading))
    return Described(tuple(functions), tuple(imports), proto.source, "schema.proto", generated)


def _table(enum: str) -> str:
    """The list of an enumeration's names by number."""
    return f"{snake(enum).upper()}_NAMES"


def _plain(proto: _Proto, record: Record, verb: str) -> str:
    lines = {line.name: line for line in proto.messages[record.name]}
    entries = tuple(Keyword(f"{literal(f.wire)}: ", _value(proto, lines[f.wire], "message")) for f in record.fields)
    body = returned(Bracketed("{", entries, "}"))
    return function(f"{verb}_{snake(record.name)}", ["message: Any"], "dict[str, Any]", body)


def _value(proto: _Proto, line: _Line, owner: str) -> Any:
    """The expression for the builtins of a field."""
    value = _attribute(owner, line)
    if line.map:
        each = _converted(proto, line.type, "value")
        return f"{{key: {each} for key, value in {value}.items()}}" if each != "value" else f"dict({value})"
    if line.label == "repeated":
        each = _converted(proto, line.type, "value")
        return f"[{each} for value in {value}]" if each != "value" else f"list({value})"
    found = _converted(proto, line.type, value)
    return f'{found} if {owner}.HasField("{line.name}") else None' if line.label else found


def _converted(proto: _Proto, type_: str, value: str) -> str:
    if type_ in proto.enums:
        return f"{_table(type_)}[{value}]"
    if type_ in proto.messages:
        return f"from_{snake(type_)}({value})"
    return next((t.format(value) for _, (n, t) in _MESSAGES.items() if type_.lower().endswith(f".{n}")), value)


def _attribute(owner: str, line: _Line) -> str:
    import keyword

    return f'getattr({owner}, "{line.name}")' if keyword.iskeyword(line.name) else f"{owner}.{line.name}"


def _reading(proto: _Proto, record: Record) -> str:
    body = [text for line in proto.messages[record.name] for text in _touched(proto, line, "message")]
    return function(f"read_{snake(record.name)}", ["message: Any"], "None", *(body or ["    pass"]))


def _touched(proto: _Proto, line: _Line, owner: str) -> list[str]:
    value, message = _attribute(owner, line), line.type in proto.messages
    touch = f"read_{snake(line.type)}(value)" if message else "pass"
    if line.map:
        return [f"    for value in {value}.values():", f"        {touch}"]
    if line.label == "repeated":
        return [f"    for value in {value}:", f"        {touch}"]
    if message and line.label:
        return [f'    if {owner}.HasField("{line.name}"):', f"        read_{snake(line.type)}({value})"]
    return [f"    read_{snake(line.type)}({value})" if message else f"    _ = {value}"]


def _read(blob: bytes, spec: dict[str, Any], text: str) -> Any:
    """The document, by the wire format and the schema alone (https://protobuf.dev/programming-guides/encoding/)."""
    enums = re.findall(r"^enum (\w+) {\n(.*?)^}", text, re.DOTALL | re.MULTILINE)
    spec = {
        **spec,
        "spans": "double" if "google/protobuf/duration" not in text else "message",
        "enums": {name: re.findall(r"^  (\w+) =", lines, re.MULTILINE) for name, lines in enums},
    }
    root = spec["root"]
    if root[0] == "ref":
        return _message(blob, spec, root[1])
    return _field(_parts(blob).get(1, []), root, spec)


def _parts(blob: bytes) -> dict[int, list[Any]]:
    cursor = Cursor(blob)
    found: dict[int, list[Any]] = {}
    while not cursor.done:
        key = _varint(cursor)
        match key & 7:
            case 0:
                value: Any = _varint(cursor)
            case 1:
                value = cursor.take(8)
            case 2:
                value = cursor.take(_varint(cursor))
            case other:
                raise ValueError(f"wire type {other} has no meaning here")
        found.setdefault(key >> 3, []).append((key & 7, value))
    return found


def _varint(cursor: Cursor) -> int:
    value = shift = 0
    while True:
        byte: int = cursor.number("<B")
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


def _message(blob: bytes, spec: dict[str, Any], name: str) -> dict[str, Any]:
    parts = _parts(blob)
    fields = spec["records"][name]["fields"]
    return {wire: _field(parts.get(number, []), type_, spec) for number, (_, wire, type_) in enumerate(fields, 1)}


def _field(values: list[Any], type_: list[Any], spec: dict[str, Any]) -> Any:
    if type_[0] == "optional":
        return _field(values, type_[1], spec) if values else None
    if type_[0] in ("list", "set", "tuple"):
        item = type_[1][0] if type_[0] == "tuple" else type_[1]
        return [_scalar([value], item, spec) for value in _unpacked(values, item, spec)]
    if type_[0] == "map":
        entries = [_parts(blob) for _, blob in values]
        return {
            entry[1][0][1].decode() if 1 in entry else "": _scalar(entry.get(2, []), type_[1], spec)
            for entry in entries
        }
    return _scalar(values, type_, spec)


def _unpacked(values: list[Any], item: list[Any], spec: dict[str, Any]) -> list[Any]:
    """The values of a repeated field of numbers, which may stand together in one piece."""
    doubles = item[0] == "float" or (item[0] == "timedelta" and spec["spans"] == "double")
    if item[0] not in ("int", "uint64", "bool", "enum") and not doubles:
        return values
    found: list[Any] = []
    for kind, value in values:
        if kind != 2 or (item[0] == "enum" and _is_text(value)):
            found.append((kind, value))
            continue
        cursor = Cursor(value)
        while not cursor.done:
            found.append((1, cursor.take(8)) if doubles else (0, _varint(cursor)))
    return found


def _is_text(value: bytes) -> bool:
    return len(value) > 0 and all(byte >= 32 for byte in value)


def _scalar(values: list[Any], type_: list[Any], spec: dict[str, Any]) -> Any:
    kind: int | None
    value: Any
    kind, value = values[-1] if values else (None, None)
    match type_[0]:
        case "ref":
            return _message(value or b"", spec, type_[1])
        case "int":
            return _signed(value or 0)
        case "uint64":
            return value or 0
        case "bool":
            return bool(value)
        case "float":
            return struct.unpack("<d", value)[0] if values else 0.0
        case "bytes":
            return value or b""
        case "timedelta" if spec["spans"] == "double":
            return struct.unpack("<d", value)[0] if values else 0.0
        case "datetime" | "timedelta" if not values or not _is_iso(value):
            return _moment(value or b"", type_[0])
        case "enum":
            if kind == 2 or (type_[1] not in spec["enums"] and not values):
                return (value or b"").decode() if values else 0
            number = _signed(value or 0)
            return spec["enums"][type_[1]][number] if type_[1] in spec["enums"] else number
    return (value or b"").decode()


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _is_iso(value: bytes) -> bool:
    return value[:2].isdigit()


def _moment(blob: bytes, kind: str) -> Any:
    import datetime as dt

    parts = _parts(blob)
    seconds = _signed(parts.get(1, [(0, 0)])[0][1])
    nanoseconds = _signed(parts.get(2, [(0, 0)])[0][1])
    span = dt.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + span if kind == "datetime" else span


_KINDS = frozenset({"bytes", "datetime", "timedelta"})
_NO_BIGINT = "Protocol Buffers have no integer beyond 64 bits (https://protobuf.dev/programming-guides/proto3/#scalar)"
_PROTOBUF = Codec(
    name="protobuf",
    unchecked=("import-untyped", "no-any-return"),
    lacks={"bigint": _NO_BIGINT},
    docs="https://protobuf.dev/reference/python/python-generated/",
    distribution="protobuf",
    describe=_describe,
    encodes=_KINDS,
    decodes=_KINDS,
    loses={
        "datetime": Loss(
            "utc", "the offset from UTC", "https://protobuf.dev/reference/protobuf/google.protobuf/#timestamp"
        )
    },
    generates=True,
)

FORMAT = Format(
    name="protobuf",
    summary="Protocol Buffers: numbered fields, described by a .proto file",
    codecs=(
        _PROTOBUF,
        _PROTOBUF.tuned(
            "text",
            _SPEC,
            describe=lambda schema: _describe(schema, text=True),
            encodes=frozenset({"bytes"}),
            decodes=frozenset({"bytes"}),
            loses={},
        ),
    ),
    readers={"serbench": _read},
    typed=True,
    hostile={
        "2 GiB announced": lambda: b"\x0a\xff\xff\xff\xff\x07a",
        "no UTF-8": lambda: b"\x0a\x04\x0a\x02\xff\xfe",
    },
)
