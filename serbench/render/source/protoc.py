"""The .proto file of a schema, and the descriptor that Protocol Buffers' compiler, protoc, makes of it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from serbench.model.records import Schema
from serbench.model.scalars import Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union
from serbench.render.source.module import Unsupported
from serbench.render.source.objects import document_name

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
