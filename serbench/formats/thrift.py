"""Thrift: numbered fields in structs; an IDL file says what they are.

- Dates, times, UUIDs, decimals and enumerations of names are text, a timedelta its seconds. Bytes are base64:
  thriftpy2 gives a `binary` back as text where it can be read as UTF-8.
- A field that may be None is `optional`, and left out. There is no recursion, no union of records, no tuple of
  several types and no "any JSON".
- thriftpy2 reads the IDL when the module is imported: there is no compiler.
"""

from __future__ import annotations

import struct
from typing import Any

from serbench.formats import HUGE, Codec, Described, Format, Generated
from serbench.formats.reading.cursor import Cursor, whole
from serbench.schema import Enum, List, Map, Optional, Record, Ref, Scalar, Schema, Set, Tuple, Type
from serbench.source.layout import Bracketed, Keyword, call, function, returned
from serbench.source.models import Unsupported, literal, ordered_records, snake

_DOCS = "https://thriftpy2.readthedocs.io/en/latest/"
_IDL = "https://thrift.apache.org/docs/idl"
_TYPES = {"int": "i64", "float": "double", "bool": "bool", "timedelta": "double"}
_ROOT = "TheDocument"


def _idl(type_: Type) -> str:
    match type_:
        case Scalar("any"):
            raise Unsupported(f"Thrift has no type for any JSON ({_IDL})")
        case Scalar(kind):
            return _TYPES.get(kind, "string")
        case Enum(_, members):
            return "string" if isinstance(members[0][1], str) else "i64"
        case List(item) | Set(item):
            return f"list<{_idl(item)}>"
        case Tuple(items) if len(set(items)) == 1:
            return f"list<{_idl(items[0])}>"
        case Map(item):
            return f"map<string, {_idl(item)}>"
        case Ref(name):
            return name
    raise Unsupported(f"Thrift has no {type(type_).__name__.lower()} there ({_IDL})")


def _struct(name: str, fields: list[tuple[str, Type]]) -> str:
    lines = []
    for number, (field, type_) in enumerate(fields, 1):
        optional = isinstance(type_, Optional)
        inner = type_.item if isinstance(type_, Optional) else type_
        lines.append(f"  {number}: {'optional' if optional else 'required'} {_idl(inner)} {field}")
    return "\n".join([f"struct {name} {{", *lines, "}"])


def _describe(schema: Schema) -> Described:
    """The structs, and the functions between them and builtins.

    Raises:
        Unsupported: a type that Thrift does not have.
    """
    if "recursion" in schema.features or schema.tags:
        raise Unsupported(f"no recursion and no union of records is rendered for Thrift ({_IDL}#union)")
    records = ordered_records(schema)
    structs = [_struct(record.name, [(f.name, f.type) for f in record.fields]) for record in records]
    to, plain, reading = "to_struct", "from_struct", "read"
    blocks = [_function(record, "to") for record in records] + [_function(record, "from") for record in records]
    reads = [_read_function(record) for record in records]
    if isinstance(schema.root, Ref):
        name, root = schema.root.record, snake(schema.root.record)
        to, plain = f"to_{root}({{}})", f"from_{root}({{}})"
        reads.append(function(reading, ["struct: Any"], "None", f"    read_{root}(struct)"))
    else:
        name = _ROOT
        structs.append(_struct(name, [("items", schema.root)]))
        blocks.append(
            function(
                "to_items", ["data: Any"], "Any", returned(call(f"idl.{name}", f"items={_to(schema.root, 'data')}"))
            )
        )
        blocks.append(function("from_items", ["struct: Any"], "Any", returned(_from(schema.root, "struct.items"))))
        to, plain = "to_items({})", "from_items({})"
        reads.append(function(reading, ["struct: Any"], "None", *(_touch(schema.root, "struct.items") or ["    pass"])))
    text = "\n\n".join(structs) + "\n"
    loaded = f'IDL = """\n{text}"""\nidl = parse_fp(StringIO(IDL), "schema_thrift", enable_cache=False)'
    generated = Generated(
        "Any",
        to,
        plain,
        "utils.serialize({}, TCyBinaryProtocolFactory())",
        f"utils.deserialize(idl.{name}(), {{}}, TCyBinaryProtocolFactory())",
        tuple(reads),
    )
    return Described((loaded, *blocks), text=text, file="schema.thrift", generated=generated)


def _function(record: Record, verb: str) -> str:
    if verb == "to":
        arguments = tuple(Keyword(f"{f.name}=", _to(f.type, f"data[{literal(f.wire)}]")) for f in record.fields)
        made = call(f"idl.{record.name}", *arguments)
        return function(f"to_{snake(record.name)}", ["data: Any"], "Any", returned(made))
    entries = tuple(Keyword(f"{literal(f.wire)}: ", _from(f.type, f"struct.{f.name}")) for f in record.fields)
    body = returned(Bracketed("{", entries, "}"))
    return function(f"from_{snake(record.name)}", ["struct: Any"], "Any", body)


def _converted(type_: Type, value: str, verb: str) -> str:
    match type_:
        case Ref(name):
            return f"{verb}_{snake(name)}({value})"
        case Optional(item):
            inner = _converted(item, value, verb)
            return value if inner == value else f"None if {value} is None else {inner}"
        case List(item) | Set(item):
            inner = _converted(item, "item", verb)
            return value if inner == "item" else f"[{inner} for item in {value}]"
        case Tuple():
            return f"list({value})" if verb == "to" else value
        case Map(item):
            inner = _converted(item, "item", verb)
            return value if inner == "item" else f"{{key: {inner} for key, item in {value}.items()}}"
    return value


def _to(type_: Type, value: str) -> str:
    return _converted(type_, value, "to")


def _from(type_: Type, value: str) -> str:
    return _converted(type_, value, "from")


def _read_function(record: Record) -> str:
    body = [line for f in record.fields for line in _touch(f.type, f"struct.{f.name}") or [f"    _ = struct.{f.name}"]]
    return function(f"read_{snake(record.name)}", ["struct: Any"], "None", *(body or ["    pass"]))


def _touch(type_: Type, value: str) -> list[str]:
    match type_:
        case Ref(name):
            return [f"    read_{snake(name)}({value})"]
        case Optional(Ref(name)):
            return [f"    if {value} is not None:", f"        read_{snake(name)}({value})"]
        case List(Ref(name)):
            return [f"    for item in {value}:", f"        read_{snake(name)}(item)"]
        case Map(Ref(name)):
            return [f"    for item in {value}.values():", f"        read_{snake(name)}(item)"]
    return []


def _read(blob: bytes, spec: dict[str, Any], _: str) -> Any:
    """The document, by the binary protocol's specification and the schema."""
    cursor = Cursor(blob)
    fields = whole(cursor, _value(cursor, 12))
    root = spec["root"]
    return _typed(fields if root[0] == "ref" else fields[1], root, spec)


def _value(cursor: Cursor, kind: int) -> Any:
    match kind:
        case 2:
            return bool(cursor.number(">b"))
        case 4:
            return struct.unpack(">d", cursor.take(8))[0]
        case 8:
            return cursor.number(">i")
        case 10:
            return cursor.number(">q")
        case 11:
            return cursor.take(cursor.number(">i"))
        case 12:
            fields = {}
            while part := cursor.number(">b"):
                number = cursor.number(">h")
                fields[number] = _value(cursor, part)
            return fields
        case 13:
            key, item, count = cursor.number(">b"), cursor.number(">b"), cursor.number(">i")
            return {_value(cursor, key): _value(cursor, item) for _ in range(count)}
        case 14 | 15:
            item, count = cursor.number(">b"), cursor.number(">i")
            return [_value(cursor, item) for _ in range(count)]
    raise ValueError(f"type {kind} has no meaning here")


def _typed(value: Any, type_: list[Any], spec: dict[str, Any]) -> Any:
    match type_[0]:
        case "ref":
            fields = spec["records"][type_[1]]["fields"]
            return {wire: _typed(value.get(n), inner, spec) for n, (_, wire, inner) in enumerate(fields, 1)}
        case "optional":
            return None if value is None else _typed(value, type_[1], spec)
        case "list" | "set":
            return [_typed(item, type_[1], spec) for item in value]
        case "tuple":
            return [_typed(item, inner, spec) for item, inner in zip(value, type_[1], strict=True)]
        case "map":
            return {key.decode(): _typed(item, type_[1], spec) for key, item in value.items()}
    return value.decode() if isinstance(value, bytes) else value


_NO_LARGER = "Thrift's i64 has 64 bits with a sign (https://thrift.apache.org/docs/types)"
FORMAT = Format(
    name="thrift",
    summary="numbered fields in structs, described by an IDL file",
    codecs=(
        Codec(
            name="thriftpy2",
            unchecked=("no-untyped-call",),
            lacks=dict.fromkeys(("uint64", "bigint"), _NO_LARGER),
            docs=_DOCS,
            distribution="thriftpy2",
            imports=(
                "io:StringIO",
                "typing:Any",
                "thriftpy2.parser.parser:parse_fp",
                "thriftpy2.protocol:TCyBinaryProtocolFactory",
                "thriftpy2:utils",
            ),
            describe=_describe,
            generates=True,
        ),
    ),
    readers={"serbench": _read},
    typed=True,
    hostile={
        "2 GiB of items announced": lambda: b"\x0f\0\x01\x0c" + HUGE.to_bytes(4, "big") + b"\0",
        "2 GiB announced": lambda: b"\x0f\0\x01\x0c\0\0\0\x01\x0b\0\x01" + HUGE.to_bytes(4, "big") + b"a",
        "no UTF-8": lambda: b"\x0f\0\x01\x0c\0\0\0\x01\x0b\0\x01\0\0\0\x02\xff\xfe\0\0",
    },
)
