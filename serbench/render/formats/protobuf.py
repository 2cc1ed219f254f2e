"""Protocol Buffers: numbered fields without names in the bytes; a .proto file says what they are.

- An aware datetime is a `Timestamp` (its offset is lost), a timedelta a `Duration`; other dates and times,
  UUIDs and decimals are text.
- A field that may be None is `optional`. There is no optional list or map, no list of lists, no tuple of
  several types and no "any JSON".
- An enumeration of names is an `enum` if the names are identifiers of their own, else text; one of numbers
  is an int64.
- No compiler is needed: the module has the descriptor that protoc would make of the .proto file beside it.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from serbench.model.records import Enum, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type
from serbench.model.scalars import Scalar
from serbench.render.codec import UNTYPED, Calls, Codec, Described, Format, Generated, Kinds, Limits, Loss, Objects
from serbench.render.reading import with_schema
from serbench.render.source.models import ordered_records
from serbench.render.source.module import Unsupported, block, braced, listed, literal, snake
from serbench.render.source.objects import TypeNames, declared, document_name, per_record

_SPEC = "https://protobuf.dev/programming-guides/proto3/"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_TYPES: dict[str, Any] = {
    "str": "string",
    "int": "int64",
    "uint64": "uint64",
    "float": "double",
    "bool": "bool",
    "bytes": "bytes",
    "any": Unsupported(f"Protocol Buffers have no any JSON ({_SPEC})"),
    "union": Unsupported(f"serbench renders no conversion into a oneof ({_SPEC}#oneof)"),
    **{
        kind: Unsupported(f"Protocol Buffers have no {kind} there ({_SPEC})")
        for kind in ("optional", "list", "set", "tuple", "map")
    },
}
_MESSAGES = {"datetime": "google.protobuf.Timestamp", "timedelta": "google.protobuf.Duration"}
_PLAIN = {_MESSAGES["datetime"]: "{}.ToDatetime(UTC)", _MESSAGES["timedelta"]: "{}.ToTimedelta()"}
_LABELS = {"": "{}", "optional": "optional {}", "repeated": "repeated {}", "map": "map<string, {}>"}


class _Line(NamedTuple):
    """A field of a message: its label, one of `_LABELS`, and the type of its value, of its items or of a map's values."""

    name: str
    label: str
    type: str

    @property
    def value(self) -> str:
        """The expression that reads it."""
        return f'getattr(message, "{self.name}")' if keyword.iskeyword(self.name) else f"message.{self.name}"


def _entry(line: _Line) -> str:
    return "".join(part.title() for part in line.name.split("_")) + "Entry"


def _check_apart(lines: Iterable[_Line]) -> None:
    """Raise Unsupported if two fields of a message have one name in JSON, or two maps one name of their entries."""
    some = list(lines)
    in_json = [re.sub("_+(.?)", lambda match: match[1].upper(), line.name) for line in some]
    entries = [_entry(line) for line in some if line.label == "map"]
    for names in (in_json, entries):
        if len(set(names)) < len(names):
            twice = max(names, key=names.count)
            raise Unsupported(f"two fields have the name {twice} in JSON or for their entries ({_SPEC}#json)")


class _Proto:
    """The .proto file of a schema: the names of its enumerations, the fields of its messages, and its root."""

    def __init__(self, schema: Schema, *, text: bool) -> None:
        names = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
        document = schema.root.record if isinstance(schema.root, Ref) else document_name(names)
        taken = {*names, document}
        values = {enum.name: [str(value) for _, value in enum.members] for enum in schema.enums}
        count = Counter(value for members in values.values() for value in members)
        self.text = text
        self.enums = {
            enum: members
            for enum, members in values.items()
            if all(_NAME.fullmatch(value) and count[value] == 1 and value not in taken for value in members)
        }
        plain = TypeNames(_TYPES if text else _TYPES | _MESSAGES, "")
        enum = {"enum": lambda enum: enum.name if enum.name in self.enums else plain(enum)}
        self.types = TypeNames({**plain.table, **enum}, "")
        self.messages = {r.name: [self._line(f.wire, f.type) for f in r.fields] for r in schema.records}
        self.root = document
        if not isinstance(schema.root, Ref):
            self.messages[self.root] = [self._line("items", schema.root)]
        self.cls = next(
            name for name in (f"{self.root}Message", f"{self.root}Proto", f"{self.root}Pb") if name not in names
        )
        for lines in self.messages.values():
            _check_apart(lines)
        used = {line.type for lines in self.messages.values() for line in lines}
        self.imported = sorted(known.rpartition(".")[2].lower() for known in _PLAIN if known in used)

    def _line(self, name: str, type_: Type) -> _Line:
        if not _NAME.fullmatch(name):
            raise Unsupported(f"{name!r} is not a valid field name in Protocol Buffers ({_SPEC}#simple)")
        match type_:
            case Map(Scalar(kind)) if kind in _MESSAGES and not self.text:
                raise Unsupported(f"the constructor does not accept a Timestamp or Duration in a map ({_SPEC}#maps)")
            case Optional(Scalar() | Enum() | Ref() as item):
                return _Line(name, "optional", self.types(item))
            case List(item) | Set(item):
                return _Line(name, "repeated", self.types(item))
            case Tuple(items) if len(set(items)) == 1:
                return _Line(name, "repeated", self.types(items[0]))
            case Map(item):
                return _Line(name, "map", self.types(item))
        return _Line(name, "", self.types(type_))

    @property
    def source(self) -> str:
        """The .proto file."""
        parts = ['syntax = "proto3";']
        if self.imported:
            parts.append("\n".join(f'import "google/protobuf/{name}.proto";' for name in self.imported))
        for name, values in self.enums.items():
            parts.append(declared(f"enum {name}", (f"{value} = {number};" for number, value in enumerate(values))))
        for name, lines in self.messages.items():
            fields = (f"{_LABELS[x.label].format(x.type)} {x.name} = {n};" for n, x in enumerate(lines, 1))
            parts.append(declared(f"message {name}", fields))
        return "\n\n".join(parts) + "\n"

    @property
    def descriptor(self) -> str:
        """The file's descriptor, in Protocol Buffers' text format."""
        lines = ['name: "schema.proto"', 'syntax: "proto3"']
        lines += [f'dependency: "google/protobuf/{name}.proto"' for name in self.imported]
        for name, values in self.enums.items():
            inner = [f'value {{ name: "{value}" number: {number} }}' for number, value in enumerate(values)]
            lines.append(declared("enum_type", [f'name: "{name}"', *inner]))
        for name, fields in self.messages.items():
            lines.append(declared("message_type", [f'name: "{name}"', *self._fields(name, fields)]))
        return "\n".join(lines)

    def _fields(self, message: str, fields: list[_Line]) -> list[str]:
        lines: list[str] = []
        nested: list[str] = []
        oneofs: list[str] = []
        for number, line in enumerate(fields, 1):
            label = "LABEL_REPEATED" if line.label in ("repeated", "map") else "LABEL_OPTIONAL"
            type_, extra = self._type(line.type), ""
            if line.label == "map":
                entry = _entry(line)
                nested += [
                    "nested_type {",
                    f'  name: "{entry}"',
                    "  options { map_entry: true }",
                    '  field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }',
                    f'  field {{ name: "value" number: 2 {type_} label: LABEL_OPTIONAL }}',
                    "}",
                ]
                type_ = f'type: TYPE_MESSAGE type_name: ".{message}.{entry}"'
            elif line.label == "optional":
                extra = f" proto3_optional: true oneof_index: {len(oneofs)}"
                oneofs.append(f'oneof_decl {{ name: "_{line.name}" }}')
            lines.append(f'field {{ name: "{line.name}" number: {number} {type_} label: {label}{extra} }}')
        return lines + nested + oneofs

    def _type(self, name: str) -> str:
        if name in self.enums:
            return f'type: TYPE_ENUM type_name: ".{name}"'
        if name in _PLAIN or name in self.messages:
            return f'type: TYPE_MESSAGE type_name: ".{name}"'
        return f"type: TYPE_{name.upper()}"


def _describe(schema: Schema, *, text: bool = False) -> Described:
    """The classes of the messages, and the functions between them and builtins.

    Raises:
        Unsupported: a type or name that Protocol Buffers do not have.
    """
    proto = _Proto(schema, text=text)
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
    if "timestamp" in proto.imported:
        imports.append("datetime:UTC")
    functions[0] += "\nparsed = text_format.Parse(DESCRIPTOR, FileDescriptorProto())"
    functions[0] += "\npool.AddSerializedFile(parsed.SerializeToString())"
    functions[0] += f'\n{proto.cls} = GetMessageClass(pool.FindMessageTypeByName("{proto.root}"))'
    for name, values in proto.enums.items():
        functions[0] += f"\n{_table(name)} = {listed(literal(value) for value in values)}"
    records, root = ordered_records(schema), snake(proto.root)
    functions += per_record("from_{}(message: Any)", records, lambda record: _plain(proto, record), "dict[str, Any]")
    reading = per_record("read_{}(message: Any)", records, lambda record: _touched(proto, record.name), "None")
    make, whole = f"{proto.cls}(**{{}})", [f"read_{root}(message)"]
    if not isinstance(schema.root, Ref):
        make, whole = f"{proto.cls}(items={{}})", _touched(proto, proto.root)
        items = _value(proto, proto.messages[proto.root][0])
        functions.append(f"def from_{root}(message: Any) -> Any:\n    return {items}")
    reading.append(block("def read(message: Any) -> None:", whole))
    plain = f"from_{root}({{}})"
    generated = Generated("Any", make, plain, "{}.SerializeToString()", f"{proto.cls}.FromString({{}})", tuple(reading))
    return Described(tuple(functions), tuple(imports), proto.source, "schema.proto", generated)


def _table(enum: str) -> str:
    """The list of an enumeration's names by number."""
    return f"{snake(enum).upper()}_NAMES"


def _plain(proto: _Proto, record: Record) -> list[str]:
    entries = (f"{literal(line.name)}: {_value(proto, line)}" for line in proto.messages[record.name])
    return [f"return {braced(entries)}"]


def _value(proto: _Proto, line: _Line) -> str:
    if line.label not in ("repeated", "map"):
        converted = _converted(proto, line.type, line.value)
        return f'{converted} if message.HasField("{line.name}") else None' if line.label else converted
    each = _converted(proto, line.type, "value")
    if each == "value":
        return f"{'dict' if line.label == 'map' else 'list'}({line.value})"
    if line.label == "map":
        return f"{{key: {each} for key, value in {line.value}.items()}}"
    return f"[{each} for value in {line.value}]"


def _converted(proto: _Proto, type_: str, value: str) -> str:
    if type_ in proto.enums:
        return f"{_table(type_)}[{value}]"
    if type_ in proto.messages:
        return f"from_{snake(type_)}({value})"
    return _PLAIN.get(type_, "{}").format(value)


def _touched(proto: _Proto, message: str) -> list[str]:
    lines = []
    for line in proto.messages[message]:
        read = f"read_{snake(line.type)}({{}})" if line.type in proto.messages else ""
        if line.label in ("repeated", "map"):
            items = f"{line.value}.values()" if line.label == "map" else line.value
            lines += [f"for value in {items}:", f"    {read.format('value') or 'pass'}"]
        elif read and line.label:
            lines += [f'if message.HasField("{line.name}"):', f"    {read.format(line.value)}"]
        else:
            lines.append(read.format(line.value) or f"_ = {line.value}")
    return lines


_KINDS = frozenset({"bytes", *_MESSAGES})
_NO_BIGINT = "Protocol Buffers have no integer beyond 64 bits (https://protobuf.dev/programming-guides/proto3/#scalar)"
_PROTOBUF = Codec(
    name="protobuf",
    docs="https://protobuf.dev/reference/python/python-generated/",
    distribution="protobuf",
    calls=Calls(describe=_describe),
    kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
    objects=Objects(generates=True),
    limits=Limits(
        lacks={"bigint": _NO_BIGINT},
        loses={
            "datetime": Loss(
                "utc", "the offset from UTC", "https://protobuf.dev/reference/protobuf/google.protobuf/#timestamp"
            )
        },
        unchecked=UNTYPED,
    ),
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
    readers={"serbench": with_schema.read_protobuf},
    typed=True,
)
