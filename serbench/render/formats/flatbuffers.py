"""FlatBuffers: tables that are read where they lie in the bytes, field by field; a .fbs file describes them.

- Bytes are `[ubyte]`; dates, times, UUIDs, decimals and enumerations of names are text, a timedelta its seconds.
  FlatBuffers have no map: a map is a vector of entries.
- A field that is None is left out. A number that may be None has no default (`= null`), nor has any float: a builder
  leaves out what equals the default, and -0.0 equals 0.0.
- There is no vector of vectors and none with None in it, no tuple of several types and no "any JSON"; unions are not rendered.
- No compiler is needed: the module has those accessors and builder functions that flatc would make of the .fbs file
  and that are called here, in classes that end in `Table`. Building is encoding: what is encoded without a
  conversion is a finished builder. Decoding gives an object that reads the bytes: `read` shows the cost of its fields.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from serbench.model.records import Field, List, Map, Optional, Ref, Schema, Set, Type, bare
from serbench.render.codec import Calls, Codec, Described, Format, Generated, Kinds, Limits, Objects
from serbench.render.reading import with_schema
from serbench.render.source.module import Unsupported, block, braced, literal, snake, tuple_of
from serbench.render.source.objects import TypeNames, declared, document_name, structs

_DOCS = "https://flatbuffers.dev/languages/python/"
_LANGUAGE = "https://flatbuffers.dev/schema/"
_TYPES: dict[str, str | Callable[[Any], str]] = {
    "str": "string",
    "int": "long",
    "uint64": "ulong",
    "float": "double",
    "bool": "bool",
    "bytes": "[ubyte]",
}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NUMBERS = {
    "long": ("Int64", 8, "0"),
    "ulong": ("Uint64", 8, "0"),
    "double": ("Float64", 8, "None"),
    "bool": ("Bool", 1, "False"),
    "ubyte": ("Uint8", 1, "0"),
}


@dataclass(frozen=True)
class _Slot:
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
        null = " = null" if self.fbs in _NUMBERS and (self.optional or self.fbs == "double") else ""
        return f"{self.name}:{self.fbs}{null};"


def _imports(slots: Iterable[_Slot]) -> list[str]:
    """The imports of the classes and functions, in the form of `Codec.imports`."""
    used: set[str] = set()
    for slot in slots:
        used |= {"UOffsetT", *(_NUMBERS[kind][0] for kind in (slot.fbs, slot.item) if kind in _NUMBERS)}
    return [f"flatbuffers.number_types:{name}Flags" for name in sorted(used)]


def _accessors(table: str, slots: list[_Slot], *, root: bool) -> str:
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


def _method(slot: _Slot, end: str, value: str, absent: str, *before: str, parameter: str = "") -> str:
    lines = [f"def {slot.accessor}{end}(self{parameter}) -> Any:"]
    lines += [f"    o = {slot.offset}", "    if o != 0:"]
    lines += [f"        {line}" for line in before]
    return "\n".join([*lines, f"        return {value}", f"    return {absent}"])


def _accessor(slot: _Slot) -> str:
    """The method that reads a field, or an item of a vector."""
    kind, absent = slot.item or slot.fbs, "None"
    place, steps, parameter = "o + self._tab.Pos", [], ""
    flags, size, default = _NUMBERS.get(kind, ("", 4, '""'))
    if slot.item:
        place, steps, parameter = f"a + UOffsetTFlags.py_type(j * {size})", ["a = self._tab.Vector(o)"], ", j: int"
        absent = '""' if kind == "string" else "0"
    if flags:
        value = f"self._tab.Get({flags}Flags, {place})"
        absent = absent if slot.item or slot.optional else default
        value = f"bool({value})" if slot.fbs == "bool" else value
    elif kind == "string":
        value = f"self._tab.String({place})"
    else:
        steps = ["x = self._tab.Indirect(o + self._tab.Pos)"]
        if slot.item:
            steps = ["x = self._tab.Vector(o)", "x += UOffsetTFlags.py_type(j) * 4", "x = self._tab.Indirect(x)"]
        steps += [f"obj = {kind}Table()", "obj.Init(self._tab.Bytes, x)"]
        value, absent = "obj", "None"
    return _method(slot, "", value, absent, *steps, parameter=parameter)


def _builders(table: str, slots: list[_Slot]) -> list[str]:
    functions = [f"def {table}Start(builder: Any) -> None:\n    builder.StartObject({len(slots)})"]
    for slot in slots:
        made = f"builder.PrependUOffsetTRelativeSlot({slot.number!s}, UOffsetTFlags.py_type(value), 0)"
        if slot.fbs in _NUMBERS:
            flags, _, default = _NUMBERS[slot.fbs]
            made = f"builder.Prepend{flags}Slot({slot.number!s}, value, {('None' if slot.optional else default)})"
        functions.append(f"def {table}Add{slot.accessor}(builder: Any, value: Any) -> None:\n    {made}")
    return [*functions, f"def {table}End(builder: Any) -> Any:\n    return builder.EndObject()"]


def _vector(kind: str) -> str:
    """The function that writes a vector of numbers, or of offsets to anything else."""
    flags, size, _ = _NUMBERS.get(kind, ("UOffsetTRelative", 4, ""))
    return f"""def vector_of_{kind}s(builder: Any, values: Any) -> Any:
    builder.StartVector({size}, len(values), {size})
    for value in reversed(values):
        builder.Prepend{flags}(value)
    return builder.EndVector()"""


@dataclass
class _File:
    """The tables of a schema, with an entry for each type of map value, and a document if the root is not a record."""

    schema: Schema
    entries: dict[str, Type] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The table of a whole document."""
        if isinstance(self.schema.root, Ref):
            return self.schema.root.record
        return document_name([record.name for record in self.schema.records])

    @cached_property
    def tables(self) -> dict[str, list[_Slot]]:
        """The fields of each table, by its name."""
        records = structs(self.schema, self.root, self.entries)
        tables = {record.name: self._slots(record.name, record.fields) for record in records}
        for name, slots in tables.items():
            self._check(name, slots, tables)
        return tables

    def _slots(self, table: str, fields: tuple[Field, ...]) -> list[_Slot]:
        slots = []
        for number, f in enumerate(fields):
            if not _NAME.fullmatch(f.name):
                raise Unsupported(
                    f"{f.name!r} cannot be turned into a valid field name of {table} in FlatBuffers ({_LANGUAGE})"
                )
            slots.append(_Slot(number, f.name, f.wire, isinstance(f.type, Optional), self._type(bare(f.type))))
        return slots

    @cached_property
    def _type(self) -> TypeNames:
        def vector(type_: List | Set) -> str:
            inner = self._type(type_.item)
            if inner.startswith("["):
                raise Unsupported(f"FlatBuffers does not support a vector of vectors ({_LANGUAGE})")
            return f"[{inner}]"

        def entries(type_: Map) -> str:
            alike = (name for name, value in self.entries.items() if value == type_.value)
            name = next(alike, f"Entry{len(self.entries)}")
            self.entries[name] = type_.value
            return f"[{name}]"

        refusal = f"serbench renders no FlatBuffers type for {{}} ({_LANGUAGE})"
        return TypeNames(_TYPES | {"list": vector, "map": entries}, refusal)

    def _check(self, table: str, slots: list[_Slot], tables: dict[str, list[_Slot]]) -> None:
        """Raise Unsupported if the language or the module would have two things of one name."""
        methods = ["Init", "GetRootAs"]
        for slot in slots:
            methods += [f"{slot.accessor}{end}" for end in (("", "Length", "IsNone") if slot.item else ("",))]
        made = {f"{name}{end}" for name in tables for end in ("Table", "Start", "End")}
        made |= {f"{table}Add{slot.accessor}" for slot in slots}
        classes = {record.name for record in self.schema.records} | {enum.name for enum in self.schema.enums}
        hidden = made & classes or (self.is_entry(table) and table in classes)
        if hidden or not _NAME.fullmatch(table):
            raise Unsupported(f"{table!r} cannot be turned into a valid, unused table name ({_LANGUAGE})")
        if len(set(methods)) < len(methods) or {slot.name for slot in slots} & set(tables):
            raise Unsupported(f"two members of the table {table} would have the same name in FlatBuffers ({_LANGUAGE})")

    @property
    def text(self) -> str:
        """The .fbs file."""
        parts = [declared(f"table {name}", (slot.line for slot in slots)) for name, slots in self.tables.items()]
        return "\n\n".join([*parts, f"root_type {self.root};"]) + "\n"

    def is_entry(self, table: str) -> bool:
        """Return True if a table is an entry of maps."""
        return table in self.entries


def _describe(schema: Schema) -> Described:
    """The accessors and builder functions of the tables, and the functions between them and builtins.

    Raises:
        Unsupported: a type or name that is not rendered for FlatBuffers.
    """
    if schema.tags:
        raise Unsupported(f"serbench renders no conversion into a union ({_LANGUAGE})")
    file = _File(schema)
    tables = file.tables
    slots = [slot for slots in tables.values() for slot in slots]
    kinds = {slot.item for slot in slots} - {"", "ubyte"}
    blocks = [_accessors(name, slots, root=name == file.root) for name, slots in tables.items()]
    blocks += [builder for name, slots in tables.items() for builder in _builders(name, slots)]
    blocks += [_vector(kind) for kind in sorted({kind if kind in _NUMBERS else "offset" for kind in kinds})]
    blocks += [block(f"def to_{snake(name)}(builder: Any, data: Any) -> Any:", _built(file, name)) for name in tables]
    blocks += [f"def from_{snake(name)}(table: Any) -> Any:\n    return {_plain(file, name)}" for name in tables]
    wrapped = not isinstance(schema.root, Ref)
    root = snake(file.root)
    blocks.append(_FINISHED % (root, '{"items": data}' if wrapped else "data"))
    reads = [block(f"def read_{snake(name)}(table: Any) -> None:", _touched(file, name)) for name in tables]
    reads.append(f"def read(table: Any) -> None:\n    read_{root}(table)")
    plain = f"from_{root}({{}})" + ('["items"]' if wrapped else "")
    generated = Generated(
        "Any", "finished({})", plain, "bytes({}.Output())", f"{file.root}Table.GetRootAs({{}})", tuple(reads)
    )
    return Described(tuple(blocks), tuple(_imports(slots)), file.text, "schema.fbs", generated)


_FINISHED = """def finished(data: Any) -> Any:
    builder = flatbuffers.Builder()
    builder.Finish(to_%s(builder, %s))
    return builder"""


def _built(file: _File, table: str) -> list[str]:
    """The lines that write a table of a record's builtins: first what it refers to, then the table itself."""
    body, added = [], []
    for slot in file.tables[table]:
        value = f"data[{literal(slot.wire)}]"
        if slot.fbs not in _NUMBERS:
            made = f"{slot.name}_offset = {_made(file, slot, value)}"
            body += [f"{slot.name}_offset = 0", f"if {value} is not None:", f"    {made}"] if slot.optional else [made]
            value = f"{slot.name}_offset"
        added.append(f"{table}Add{slot.accessor}(builder, {value})")
    return [*body, f"{table}Start(builder)", *added, f"return {table}End(builder)"]


def _made(file: _File, slot: _Slot, value: str) -> str:
    """The expression that writes a value that is not a number, and gives its offset."""
    if slot.fbs == "string":
        return f"builder.CreateString({value})"
    if slot.item == "ubyte":
        return f"builder.CreateByteVector({value})"
    if not slot.item:
        return f"to_{snake(slot.fbs)}(builder, {value})"
    if slot.item in _NUMBERS:
        return f"vector_of_{slot.item}s(builder, {value})"
    each, clause = f"to_{snake(slot.item)}(builder, item)", f"for item in {value}"
    if slot.item == "string":
        each = "builder.CreateString(item)"
    elif file.is_entry(slot.item):
        each = f'to_{snake(slot.item)}(builder, {{"key": key, "value": item}})'
        clause = f"for key, item in {value}.items()"
    return f"vector_of_offsets(builder, [{each} {clause}])"


def _plain(file: _File, table: str) -> str:
    """The builtins of a table: a dict, or the key and the value of an entry."""
    slots = file.tables[table]
    if file.is_entry(table):
        return tuple_of(_value(file, slot) for slot in slots)
    return braced(f"{literal(slot.wire)}: {_value(file, slot)}" for slot in slots)


def _value(file: _File, slot: _Slot) -> str:
    if slot.fbs in _NUMBERS:
        return slot.value
    if slot.item:
        opening, closing = "[", "]"
        if slot.item == "ubyte" or file.is_entry(slot.item):
            opening, closing = ("bytes(" if slot.item == "ubyte" else "dict("), ")"
        vector = f"{opening}{_converted(slot.item, slot.value)} {slot.items}{closing}"
        return f"None if table.{slot.accessor}IsNone() else {vector}" if slot.optional else vector
    if slot.optional:
        return f"None if (found := {slot.value}) is None else {_converted(slot.fbs, 'found')}"
    return _converted(slot.fbs, slot.value)


def _converted(kind: str, value: str) -> str:
    if kind in _NUMBERS:
        return value
    return f"{value}.decode()" if kind == "string" else f"from_{snake(kind)}({value})"


def _touched(file: _File, table: str) -> list[str]:
    body = []
    for slot in file.tables[table]:
        kind = slot.item or slot.fbs
        touch = f"read_{snake(kind)}({{}})"
        if kind in _NUMBERS or kind == "string":
            touch = f"_ = {{}}{'.decode()' if kind == 'string' else ''}"
        if kind == "ubyte":
            body.append(f"_ = bytes({slot.value} {slot.items})")
        elif slot.item:
            body += [f"{slot.items}:", f"    {touch.format(slot.value)}"]
        elif slot.optional and kind not in _NUMBERS:
            body += [f"found = {slot.value}", "if found is not None:", f"    {touch.format('found')}"]
        else:
            body.append(touch.format(slot.value))
    return body


FORMAT = Format(
    name="flatbuffers",
    summary="FlatBuffers: tables that are read where they lie, described by a .fbs file",
    codecs=(
        Codec(
            name="flatbuffers",
            docs=_DOCS,
            distribution="flatbuffers",
            calls=Calls(imports=("typing:Any", "flatbuffers"), describe=_describe),
            kinds=Kinds(encodes=frozenset({"bytes"}), decodes=frozenset({"bytes"})),
            objects=Objects(generates=True),
            limits=Limits(
                lacks={"bigint": f"FlatBuffers has no integer beyond 64 bits ({_LANGUAGE})"},
                unchecked=("import-untyped",),
            ),
        ),
    ),
    readers={"serbench": with_schema.read_flatbuffers},
    typed=True,
)
