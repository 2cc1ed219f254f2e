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

import keyword
from typing import Any

from serbench.formats import Codec, Described, Format, Generated, Loss
from serbench.formats.reading import protobuf
from serbench.schema import Record, Ref, Schema
from serbench.source.layout import Bracketed, Keyword, function, lay_out, returned
from serbench.source.models import literal, ordered_records, snake
from serbench.source.protoc import SPEC, Line, Proto

_CALLS = {"datetime": ("timestamp", "{}.ToDatetime(UTC)"), "timedelta": ("duration", "{}.ToTimedelta()")}


def _describe(schema: Schema, *, text: bool = False) -> Described:
    """The classes of the messages, and the functions between them and builtins.

    Raises:
        Unsupported: a type or name that Protocol Buffers do not have.
    """
    proto = Proto(schema, text)
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


def _plain(proto: Proto, record: Record, verb: str) -> str:
    lines = {line.name: line for line in proto.messages[record.name]}
    entries = tuple(Keyword(f"{literal(f.wire)}: ", _value(proto, lines[f.wire], "message")) for f in record.fields)
    body = returned(Bracketed("{", entries, "}"))
    return function(f"{verb}_{snake(record.name)}", ["message: Any"], "dict[str, Any]", body)


def _value(proto: Proto, line: Line, owner: str) -> Any:
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


def _converted(proto: Proto, type_: str, value: str) -> str:
    if type_ in proto.enums:
        return f"{_table(type_)}[{value}]"
    if type_ in proto.messages:
        return f"from_{snake(type_)}({value})"
    return next((t.format(value) for _, (n, t) in _CALLS.items() if type_.lower().endswith(f".{n}")), value)


def _attribute(owner: str, line: Line) -> str:
    return f'getattr({owner}, "{line.name}")' if keyword.iskeyword(line.name) else f"{owner}.{line.name}"


def _reading(proto: Proto, record: Record) -> str:
    body = [text for line in proto.messages[record.name] for text in _touched(proto, line, "message")]
    return function(f"read_{snake(record.name)}", ["message: Any"], "None", *(body or ["    pass"]))


def _touched(proto: Proto, line: Line, owner: str) -> list[str]:
    value, message = _attribute(owner, line), line.type in proto.messages
    touch = f"read_{snake(line.type)}(value)" if message else "pass"
    if line.map:
        return [f"    for value in {value}.values():", f"        {touch}"]
    if line.label == "repeated":
        return [f"    for value in {value}:", f"        {touch}"]
    if message and line.label:
        return [f'    if {owner}.HasField("{line.name}"):', f"        read_{snake(line.type)}({value})"]
    return [f"    read_{snake(line.type)}({value})" if message else f"    _ = {value}"]


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
            SPEC,
            describe=lambda schema: _describe(schema, text=True),
            encodes=frozenset({"bytes"}),
            decodes=frozenset({"bytes"}),
            loses={},
        ),
    ),
    readers={"serbench": protobuf.read},
    typed=True,
    hostile={
        "2 GiB announced": lambda: b"\x0a\xff\xff\xff\xff\x07a",
        "no UTF-8": lambda: b"\x0a\x04\x0a\x02\xff\xfe",
    },
)
