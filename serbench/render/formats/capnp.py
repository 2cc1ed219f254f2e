"""Cap'n Proto: structs as they lie in memory, read field by field without decoding; a .capnp file describes them.

- Text and bytes are `Text` and `Data`; dates, times, UUIDs, decimals and enumerations of names are text, a
  timedelta its seconds. A map is a list of entries.
- Text, bytes, structs and lists may be None; numbers may not, because no union is rendered, and there is no
  tagged union, no tuple of several types and no "any JSON".
- Decoding gives a reader of the bytes: `read` shows the cost of its fields.
- A reader stops with an error once 64 MB have been read through it, however often the same ones: the guard against
  hostile pointers of pycapnp 2.2.4. A document that is read again and again meets it, so `from_bytes` lifts it
  (https://capnproto.github.io/pycapnp/quickstart.html).
"""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type
from serbench.render.codec import Calls, Codec, Described, Format, Generated, Kinds, Limits, Objects
from serbench.render.reading import with_schema
from serbench.render.source.models import ordered_records
from serbench.render.source.module import Unsupported, braced, literal, snake, unmarked
from serbench.render.source.objects import (
    Conversion,
    TypeNames,
    as_dict,
    declared,
    document_name,
    per_record,
    readers,
    structs,
    touched,
)

_OURS = re.compile(r"Entry|(List|Text|Data|Void|Bool|U?Int(8|16|32|64)|Float(32|64)|Any\w+|Capability)$")
"""Names that the language has, and those of the entries of maps."""
_DOCS = "https://capnproto.github.io/pycapnp/quickstart.html"
_LANGUAGE = "https://capnproto.org/language.html"
_TYPES: dict[str, str | Callable[[Any], str]] = {
    "str": "Text",
    "int": "Int64",
    "uint64": "UInt64",
    "float": "Float64",
    "bool": "Bool",
    "bytes": "Data",
}


def _camel(name: str) -> str:
    """The name of a field as the language wants it: letters and digits, a small letter in front."""
    parts = [part for part in name.split("_") if part]
    joined = "".join(part[:1].upper() + part[1:] for part in parts)
    camel = joined[:1].lower() + joined[1:]
    if not re.fullmatch(r"[a-z][A-Za-z0-9]*", camel):
        raise Unsupported(
            f"{name!r} cannot be turned into a valid field name in Cap'n Proto ({_LANGUAGE}#language-reference)"
        )
    return f"{camel}Field" if keyword.iskeyword(camel) else camel


def _struct_name(record: str) -> str:
    """The name of a record's struct: one that the language or the entries of maps have gets an ending."""
    return f"{record}Struct" if _OURS.match(unmarked(record)) else record


@dataclass
class _File:
    """The .capnp file of a schema, with an entry struct for each type of map value."""

    schema: Schema
    entries: dict[str, Type] = field(default_factory=dict)

    @cached_property
    def type(self) -> TypeNames:
        """Writes the type of a field."""

        def optional(type_: Optional) -> str:
            name = self.type(type_.item)
            if name in ("Int64", "UInt64", "Float64", "Bool"):
                raise Unsupported(
                    f"an optional number needs a union, which serbench does not render ({_LANGUAGE}#unions)"
                )
            return name

        def entries(type_: Map) -> str:
            entry = f"Entry{len(self.entries)}"
            self.entries[entry] = type_.value
            return f"List({entry})"

        def record(type_: Ref) -> str:
            return _struct_name(type_.record)

        nested: dict[str, Any] = {"optional": optional, "list": "List({})", "map": entries, "ref": record}
        return TypeNames(_TYPES | nested, f"serbench renders no type for {{}} ({_LANGUAGE})")

    def struct(self, name: str, fields: tuple[Field, ...]) -> str:
        """A struct with numbered fields."""
        names = [_camel(f.name) for f in fields]
        if len(set(names)) < len(names):
            raise Unsupported(f"two fields of {name} would have the same name in Cap'n Proto ({_LANGUAGE})")
        lines = [f"{name} @{i} :{self.type(f.type)};" for i, (name, f) in enumerate(zip(names, fields, strict=True))]
        return declared(f"struct {name}", lines)


def _describe(schema: Schema) -> Described:
    """The structs, and the functions between them and builtins.

    Raises:
        Unsupported: a type or name that is not rendered for Cap'n Proto.
    """
    if schema.tags or any(isinstance(t, Optional) and isinstance(t.item, Optional) for t in schema.types()):
        raise Unsupported(f"serbench renders no conversion into a union ({_LANGUAGE}#unions)")
    file, records = _File(schema), ordered_records(schema)
    struct_names = {_struct_name(record.name) for record in records}
    if len(struct_names) < len(records) or not all(re.fullmatch(r"[A-Z][A-Za-z0-9]*", name) for name in struct_names):
        names = ", ".join(record.name for record in records)
        raise Unsupported(f"not all of {names} can be turned into valid struct names in Cap'n Proto ({_LANGUAGE})")
    blocks = [
        *per_record("to_{}(data: Any)", records, _made, "dict[str, Any]"),
        *per_record("from_{}(struct: Any)", records, lambda record: as_dict(record, _plain), "dict[str, Any]"),
        _UNPACK,
    ]
    reads = readers(schema, "struct", _field_touched, _touched(schema.root, "struct.items"))
    if isinstance(schema.root, Ref):
        root, name = _struct_name(schema.root.record), snake(schema.root.record)
        make, plain = f"**to_{name}({{}})", f"from_{name}({{}})"
    else:
        root = document_name(struct_names)
        make, plain = f"items={_TO(schema.root, '{}')}", _FROM(schema.root, "{}.items")
    parts = (
        file.struct(_struct_name(record.name) if number < len(records) else record.name, record.fields)
        for number, record in enumerate(structs(schema, root, file.entries))
    )
    body = "\n\n".join(parts)
    number = int.from_bytes(hashlib.sha256(unmarked(body).encode()).digest()[:8], "big") | 1 << 63
    text = f"@{number:#x};\n\n{body}\n"
    loaded = f'''SCHEMA = """\\
{text}"""
with NamedTemporaryFile("w", suffix=".capnp") as file:
    file.write(SCHEMA)
    file.flush()
    COMPILED = capnp.SchemaParser().load(file.name)
Root = COMPILED.{root}'''
    generated = Generated("Any", f"Root.new_message({make})", plain, "{}.to_bytes()", "from_bytes({})", tuple(reads))
    return Described((loaded, *blocks), text=text, file="schema.capnp", generated=generated)


_UNPACK = """def from_bytes(blob: bytes) -> Any:
    return next(iter(Root.read_multiple_bytes(blob, traversal_limit_in_words=2**64 - 1)))"""


_TO = Conversion("to", tuple="list({})", map='[{"key": key, "value": {each}} for key, item in {}.items()]')
_FROM = Conversion(
    "from", array="list({})", tuple="list({})", entry="item.value", map="{item.key: {each} for item in {}}"
)


def _made(record: Record) -> list[str]:
    made = braced(f"{literal(_camel(f.name))}: {_TO(f.type, f'data[{literal(f.wire)}]')}" for f in record.fields)
    if not any(isinstance(f.type, Optional) for f in record.fields):
        return [f"return {made}"]
    return [f"fields = {made}", "return {name: value for name, value in fields.items() if value is not None}"]


def _plain(f: Field) -> str:
    name = _camel(f.name)
    if isinstance(f.type, Optional):
        return f'{_FROM(f.type.item, f"struct.{name}")} if struct._has("{name}") else None'
    return _FROM(f.type, f"struct.{name}")


def _field_touched(type_: Type, name: str) -> list[str]:
    value = f"struct.{_camel(name)}"
    if isinstance(type_, Optional):
        inner = [f"    {line}" for line in _touched(type_.item, value)]
        return [f'if struct._has("{_camel(name)}"):', *inner]
    return _touched(type_, value)


def _touched(type_: Type, value: str) -> list[str]:
    match type_:
        case Map(Ref(name)):
            return [f"for item in {value}:", "    _ = item.key", f"    read_{snake(name)}(item.value)"]
        case Map():
            return [f"for item in {value}:", "    _ = item.key", "    _ = item.value"]
    anything = [f"for _ in {value}:", "    pass"] if isinstance(type_, List | Set | Tuple) else [f"_ = {value}"]
    return touched(type_, value) or anything


_NO_BIGINT = "Cap'n Proto has no integer beyond 64 bits (https://capnproto.org/language.html#built-in-types)"
FORMAT = Format(
    name="capnp",
    summary="Cap'n Proto: structs as they lie in memory, described by a .capnp file",
    codecs=(
        Codec(
            name="pycapnp",
            docs=_DOCS,
            distribution="pycapnp",
            calls=Calls(imports=("tempfile:NamedTemporaryFile", "typing:Any", "capnp"), describe=_describe),
            kinds=Kinds(encodes=frozenset({"bytes"}), decodes=frozenset({"bytes"})),
            objects=Objects(generates=True),
            limits=Limits(lacks={"bigint": _NO_BIGINT}, unchecked=("import-untyped", "misc", "no-any-return")),
        ),
    ),
    readers={"serbench": with_schema.read_capnp},
    typed=True,
)
