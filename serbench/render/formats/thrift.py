"""Thrift: numbered fields in structs; an IDL file says what they are.

- Dates, times, UUIDs, decimals and enumerations of names are text, a timedelta its seconds. Bytes are `binary`.
- A set is a list: thriftpy2 0.7.1 gives a `set` back as a list, in every protocol (https://thriftpy2.readthedocs.io/en/latest/).
- A field that may be None is `optional`, and left out. There is no recursion, no union of records, no tuple of
  several types and no "any JSON".
- thriftpy2 reads the IDL when the module is imported: there is no compiler.
"""

from __future__ import annotations

from dataclasses import replace

from serbench.model.records import Optional, Record, Ref, Schema, Type, bare
from serbench.render.codec import Calls, Codec, Described, Format, Generated, Kinds, Limits, Objects
from serbench.render.reading import with_schema
from serbench.render.source.models import ordered_records
from serbench.render.source.module import Unsupported, call, literal, snake
from serbench.render.source.objects import (
    Conversion,
    TypeNames,
    as_dict,
    declared,
    per_record,
    readers,
    structs,
    touched,
)

_DOCS = "https://thriftpy2.readthedocs.io/en/latest/"
_IDL = "https://thrift.apache.org/docs/idl"
_TYPES = TypeNames(
    {
        "str": "string",
        "int": "i64",
        "float": "double",
        "bool": "bool",
        "bytes": "binary",
        "list": "list<{}>",
        "map": "map<string, {}>",
    },
    f"Thrift has no type for {{}} ({_IDL})",
)
_WORDS = """
    BEGIN END __CLASS__ __DIR__ __FILE__ __FUNCTION__ __LINE__ __METHOD__ __NAMESPACE__ abstract alias and args
    as assert begin binary bool break byte case catch class clone const continue cpp_include declare def default
    del delete do double dynamic elif else elseif elsif end enddeclare endfor endforeach endif endswitch
    endwhile ensure enum except exception exec extends false finally float for foreach from function global goto
    i16 i32 i64 i8 if implements import in include inline instanceof interface is lambda list map module
    namespace native new next nil not oneway optional or pass print private protected public raise redo register
    required rescue retry return self service set sizeof static string struct super switch synchronized then
    this throw throws transient true try typedef undef union unless unsigned until use var virtual void volatile
    when while with xor yield
    default_spec read thrift_spec write
"""
_RESERVED = frozenset(_WORDS.split())
"""The words of the language, those that it reserves for the languages of its compilers, and thriftpy2's own attributes."""
_DOCUMENT = "TheDocument"
_TO, _FROM = Conversion("to", tuple="list({})"), Conversion("from", tuple="{}")


def _renamed(record: Record) -> Record:
    """The record with the names of fields in the IDL: a reserved one gets an underscore."""
    used = {f.name for f in record.fields}
    fields = []
    for f in record.fields:
        name = f.name
        while name in _RESERVED or (name != f.name and name in used):
            name += "_"
        fields.append(replace(f, name=name, alias=f.wire))
    return replace(record, fields=tuple(fields))


def _struct(record: Record) -> str:
    lines = []
    for number, f in enumerate(record.fields, 1):
        label = "optional" if isinstance(f.type, Optional) else "required"
        lines.append(f"{number}: {label} {_TYPES(bare(f.type))} {f.name}")
    return declared(f"struct {record.name}", lines)


def _describe(schema: Schema) -> Described:
    """The structs, and the functions between them and builtins.

    Raises:
        Unsupported: a type that Thrift does not have.
    """
    if "recursion" in schema.features or schema.tags:
        raise Unsupported(f"serbench renders neither recursion nor unions of records for Thrift ({_IDL}#union)")
    schema = replace(schema, records=tuple(map(_renamed, schema.records)))
    records = ordered_records(schema)
    blocks = [
        *per_record("to_{}(data: Any)", records, _made),
        *per_record(
            "from_{}(struct: Any)", records, lambda record: as_dict(record, lambda f: _FROM(f.type, f"struct.{f.name}"))
        ),
    ]
    if isinstance(schema.root, Ref):
        name, function = schema.root.record, snake(schema.root.record)
    else:
        name, function = _DOCUMENT, "items"
        blocks += [
            f"def to_items(data: Any) -> Any:\n    return idl.{name}(items={_TO(schema.root, 'data')})",
            f"def from_items(struct: Any) -> Any:\n    return {_FROM(schema.root, 'struct.items')}",
        ]
    text = "\n\n".join(map(_struct, structs(schema, _DOCUMENT))) + "\n"
    loaded = f'IDL = """\n{text}"""\nidl = parse_fp(StringIO(IDL), "schema_thrift", enable_cache=False)'
    generated = Generated(
        "Any",
        f"to_{function}({{}})",
        f"from_{function}({{}})",
        "utils.serialize({}, TCyBinaryProtocolFactory())",
        f"utils.deserialize(idl.{name}(), {{}}, TCyBinaryProtocolFactory())",
        tuple(readers(schema, "struct", _touched, touched(schema.root, "struct.items"))),
    )
    return Described((loaded, *blocks), text=text, file="schema.thrift", generated=generated)


def _made(record: Record) -> list[str]:
    arguments = (f"{f.name}={_TO(f.type, f'data[{literal(f.wire)}]')}" for f in record.fields)
    return [f"return {call(f'idl.{record.name}', *arguments)}"]


def _touched(type_: Type, name: str) -> list[str]:
    return touched(type_, f"struct.{name}") or [f"_ = struct.{name}"]


_NO_LARGER = "Thrift's i64 is a signed 64-bit integer (https://thrift.apache.org/docs/types)"
FORMAT = Format(
    name="thrift",
    summary="numbered fields in structs, described by an IDL file",
    codecs=(
        Codec(
            name="thriftpy2",
            docs=_DOCS,
            distribution="thriftpy2",
            calls=Calls(
                imports=(
                    "io:StringIO",
                    "typing:Any",
                    "thriftpy2.parser.parser:parse_fp",
                    "thriftpy2.protocol:TCyBinaryProtocolFactory",
                    "thriftpy2:utils",
                ),
                describe=_describe,
            ),
            kinds=Kinds(encodes=frozenset({"bytes"}), decodes=frozenset({"bytes"})),
            objects=Objects(generates=True),
            limits=Limits(lacks=dict.fromkeys(("uint64", "bigint"), _NO_LARGER), unchecked=("no-untyped-call",)),
        ),
    ),
    readers={"serbench": with_schema.read_thrift},
    typed=True,
)
