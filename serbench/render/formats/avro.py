"""Avro: values without names or types in the bytes; a schema in JSON says what they are.

- An aware datetime is a `timestamp-micros` (its offset is lost), a date a `date`, a time `time-micros`, a UUID
  a `uuid`; a naive datetime, a decimal and, in seconds, a timedelta are text or a number.
- Avro's `decimal` has the digits that its schema says, and a neutral decimal has its own: `1.5` would come back as
  `1.50`. With a scale of 2, avro 1.12.2 even writes it as 0.15 (https://avro.apache.org/docs/1.12.0/specification/#decimal).
- Of a union, fastavro 1.13.1 takes the first member that fits, and a datetime fits `date`: its `timestamp-micros` stands
  first. avro 1.12.2 compares a date with a datetime there and fails: its `date` does.
- With `[text]` all of those are text, for libraries that write them so.
- An enumeration of names is an `enum`; a tagged union is a union of records that bear their tag.
- Names must be identifiers of ASCII; there is no "any JSON" and no tuple of several types.
"""

from __future__ import annotations

import json
import re
from typing import Any

from serbench.model.fidelity.kinds import KINDS
from serbench.model.records import Enum, List, Map, Optional, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import DATE, DATETIME, Scalar
from serbench.render.codec import Calls, Codec, Described, Format, Kinds, Limits, Loss, Objects
from serbench.render.source.models import json_source
from serbench.render.source.module import Unsupported

_SPEC = "https://avro.apache.org/docs/1.12.0/specification/"
_LOGICAL: dict[str, Any] = {
    "datetime": {"type": "long", "logicalType": "timestamp-micros"},
    "date": {"type": "int", "logicalType": "date"},
    "time": {"type": "long", "logicalType": "time-micros"},
    "uuid": {"type": "string", "logicalType": "uuid"},
}
_PLAIN = {"str": "string", "int": "long", "float": "double", "bool": "boolean", "bytes": "bytes"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _read_with_fastavro(blob: bytes, _: dict[str, Any], text: str) -> Any:
    from io import BytesIO

    import fastavro

    return fastavro.schemaless_reader(BytesIO(blob), fastavro.parse_schema(json.loads(text)), None)


def _read_with_avro(blob: bytes, _: dict[str, Any], text: str) -> Any:
    from io import BytesIO

    import avro.io
    import avro.schema

    return avro.io.DatumReader(avro.schema.parse(text)).read(avro.io.BinaryDecoder(BytesIO(blob)))


class _Avsc:
    """The Avro schema of a schema; a named type is described where it first occurs."""

    def __init__(self, schema: Schema, logical: dict[str, Any], first: Type) -> None:
        self.schema, self.logical, self.first = schema, logical, first
        self.known: set[str] = set()

    def type(self, type_: Type) -> Any:
        """The Avro schema of a type."""
        match type_:
            case Scalar("any"):
                raise Unsupported(f"Avro has no type for arbitrary JSON ({_SPEC})")
            case Scalar(kind):
                return self.logical.get(kind) or _PLAIN.get(kind) or _PLAIN[KINDS[kind].builtin or "str"]
            case Enum(name, members):
                return self._enum(name, [value for _, value in members])
            case Optional(item):
                return ["null", *(self.type(item) if isinstance(item, Union) else [self.type(item)])]
            case List(item) | Set(item):
                return {"type": "array", "items": self.type(item)}
            case Tuple(items) if len(set(items)) == 1:
                return {"type": "array", "items": self.type(items[0])}
            case Tuple():
                raise Unsupported(f"Avro has no tuple with items of different types ({_SPEC})")
            case Map(item):
                return {"type": "map", "values": self.type(item)}
            case Union(members):
                if len({"int", "float", "bool"} & {t.kind for t in members if isinstance(t, Scalar)}) > 1:
                    raise Unsupported(f"Avro's writers confuse the number types of a union; add a tag ({_SPEC})")
                both = {DATE, DATETIME} <= {*members}
                made = [self.type(member) for member in sorted(members, key=lambda one: both and one != self.first)]
                below = [one["type"] if isinstance(one, dict) and "logicalType" in one else one for one in made]
                if any(below.count(one) > 1 for one in below):
                    raise Unsupported(f"a union of Avro has no two members of one type ({_SPEC}#unions)")
                return made
            case Ref(name):
                return self._record(name)

    def _enum(self, name: str, values: list[str | float]) -> Any:
        if isinstance(values[0], int):
            return "long"
        if not all(_NAME.fullmatch(str(value)) for value in values):
            return "string"
        if name in self.known:
            return name
        self.known.add(name)
        return {"type": "enum", "name": name, "symbols": values}

    def _record(self, name: str) -> Any:
        if name in self.known:
            return name
        self.known.add(name)
        record = self.schema.record(name)
        fields = []
        if name in self.schema.tags:
            symbols = {"type": "enum", "name": f"{name}Tag", "symbols": [record.tag_value]}
            tag_type = symbols if _NAME.fullmatch(str(record.tag_value)) else "string"
            fields.append({"name": _checked(self.schema.tags[name]), "type": tag_type})
        fields += [{"name": _checked(f.wire), "type": self.type(f.type)} for f in record.fields]
        return {"type": "record", "name": name, "fields": fields}


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise Unsupported(f"{name!r} is not a valid name in Avro ({_SPEC}#names)")
    return name


_TO_AVRO = """def to_avro(data: Any) -> bytes:
    stream = BytesIO()
    {}
    return stream.getvalue()"""


def _describe(schema: Schema, made: str, logical: dict[str, Any] = _LOGICAL, first: Type = DATETIME) -> Described:
    """`made` are the statements that keep the schema, with `{}` for it as a Python expression; `first` is first in unions."""
    avsc = _Avsc(schema, logical, first).type(schema.root)
    blocks = (made.replace("{}", json_source(avsc)),)
    return Described(blocks, text=json.dumps(avsc, indent=2) + "\n", file="schema.avsc")


_PARSED = "SCHEMA = fastavro.parse_schema({})"
_OBJECT = "SCHEMA = make_avsc_object({})\nwriter = DatumWriter(SCHEMA)\nreader = DatumReader(SCHEMA)"
_WITHOUT_UUID = {kind: known for kind, known in _LOGICAL.items() if kind != "uuid"}
_KINDS = frozenset({"bytes", *_LOGICAL})
_OFFSET = {"datetime": Loss("utc", "the offset from UTC", f"{_SPEC}#timestamps")}
_NO_LARGER = dict.fromkeys(
    ("uint64", "bigint"),
    "Avro's long is a signed 64-bit integer (https://avro.apache.org/docs/1.12.0/specification/#primitive-types)",
)
_FAST = Codec(
    name="fastavro",
    docs="https://fastavro.readthedocs.io/en/latest/writer.html#fastavro._write_py.schemaless_writer",
    distribution="fastavro",
    calls=Calls(
        dumps="to_avro({})",
        loads="fastavro.schemaless_reader(BytesIO({}), SCHEMA, None)",
        imports=("io:BytesIO", "typing:Any", "fastavro"),
        functions=(_TO_AVRO.replace("{}", "fastavro.schemaless_writer(stream, SCHEMA, data)"),),
        describe=lambda schema: _describe(schema, _PARSED),
        vague=True,
    ),
    kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
    objects=Objects(exact=frozenset({"list"})),
    limits=Limits(lacks=_NO_LARGER, loses=_OFFSET),
)

FORMAT = Format(
    name="avro",
    summary="values alone; a schema in JSON says what they are",
    codecs=(
        _FAST,
        _FAST.tuned(
            "text",
            _SPEC,
            describe=lambda schema: _describe(schema, _PARSED, {}),
            encodes=frozenset({"bytes"}),
            decodes=frozenset({"bytes"}),
            loses={},
        ),
        Codec(
            name="avro",
            docs="https://avro.apache.org/docs/1.12.0/getting-started-python/",
            distribution="avro",
            calls=Calls(
                dumps="to_avro({})",
                loads="reader.read(BinaryDecoder(BytesIO({})))",
                imports=(
                    "io:BytesIO",
                    "typing:Any",
                    "avro.io:BinaryDecoder",
                    "avro.io:BinaryEncoder",
                    "avro.io:DatumReader",
                    "avro.io:DatumWriter",
                    "avro.schema:make_avsc_object",
                ),
                functions=(_TO_AVRO.replace("{}", "writer.write(data, BinaryEncoder(stream))"),),
                describe=lambda schema: _describe(schema, _OBJECT, _WITHOUT_UUID, DATE),
                vague=True,
            ),
            kinds=Kinds(encodes=_KINDS - {"uuid"}, decodes=_KINDS - {"uuid"}),
            limits=Limits(
                lacks={
                    **_NO_LARGER,
                    "tuple": f"the official package writes arrays from lists only ({_SPEC}#arrays)",
                },
                loses=_OFFSET,
            ),
        ),
    ),
    readers={"fastavro": _read_with_fastavro, "avro": _read_with_avro},
    typed=True,
)
