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

from serbench.model.records import Record, Ref, Schema
from serbench.render.codec import UNTYPED, Calls, Codec, Described, Generated, Kinds, Limits, Loss, Objects
from serbench.render.format import Format
from serbench.render.reading import with_schema
from serbench.render.source.models import ordered_records
from serbench.render.source.module import block, braced, listed, literal, snake
from serbench.render.source.objects import SPEC, Line, Proto, per_record

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
        names = listed(literal(value) for value in values)
        functions[0] += "\n" + f"{_table(name)} = {names}"
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


def _plain(proto: Proto, record: Record) -> list[str]:
    lines = {line.name: line for line in proto.messages[record.name]}
    return [f"return {braced(f'{literal(f.wire)}: {_value(proto, lines[f.wire])}' for f in record.fields)}"]


def _value(proto: Proto, line: Line) -> str:
    """The expression for the builtins of a field."""
    value = _attribute(line)
    if line.map:
        each = _converted(proto, line.type, "value")
        return f"{{key: {each} for key, value in {value}.items()}}" if each != "value" else f"dict({value})"
    if line.label == "repeated":
        each = _converted(proto, line.type, "value")
        return f"[{each} for value in {value}]" if each != "value" else f"list({value})"
    converted = _converted(proto, line.type, value)
    return f'{converted} if message.HasField("{line.name}") else None' if line.label else converted


def _converted(proto: Proto, type_: str, value: str) -> str:
    if type_ in proto.enums:
        return f"{_table(type_)}[{value}]"
    if type_ in proto.messages:
        return f"from_{snake(type_)}({value})"
    return next((t.format(value) for _, (n, t) in _CALLS.items() if type_.lower().endswith(f".{n}")), value)


def _attribute(line: Line) -> str:
    return f'getattr(message, "{line.name}")' if keyword.iskeyword(line.name) else f"message.{line.name}"


def _touched(proto: Proto, message: str) -> list[str]:
    """The lines that touch every field of a message."""
    lines = []
    for line in proto.messages[message]:
        value, read = _attribute(line), f"read_{snake(line.type)}" if line.type in proto.messages else ""
        if line.label == "repeated":
            items = f"{value}.values()" if line.map else value
            lines += [f"for value in {items}:", f"    {read}(value)" if read else "    pass"]
        elif read and line.label:
            lines += [f'if message.HasField("{line.name}"):', f"    {read}({value})"]
        else:
            lines.append(f"{read}({value})" if read else f"_ = {value}")
    return lines


_KINDS = frozenset({"bytes", "datetime", "timedelta"})
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
            SPEC,
            describe=lambda schema: _describe(schema, text=True),
            encodes=frozenset({"bytes"}),
            decodes=frozenset({"bytes"}),
            loses={},
        ),
    ),
    readers={"serbench": with_schema.read_protobuf},
    typed=True,
    hostile={
        "2 GiB announced": lambda: b"\x0a\xff\xff\xff\xff\x07a",
        "no UTF-8": lambda: b"\x0a\x04\x0a\x02\xff\xfe",
    },
)
