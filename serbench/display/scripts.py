"""Scripts of a few lines, without serbench, that show what is changed in silence: one for each way and type of values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from textwrap import dedent
from typing import NamedTuple

from serbench.judge.outcomes import probe_type
from serbench.measure.probes.values import GROUPS


class Way(NamedTuple):
    """How a codec or library of the tables writes a value and reads it again.

    `back` is an expression of `value`; if it is empty, `setup` is the whole script. `only` has the beginnings of the probes
    for which this is the way; all if there are none.
    """

    who: str
    setup: str
    back: str = ""
    only: tuple[str, ...] = ()


def _whole(who: str, code: str, *only: str) -> Way:
    return Way(who, dedent(code).strip("\n"), "", only)


def _with(who: str, code: str, back: str, *only: str) -> Way:
    return Way(who, dedent(code).strip("\n"), back, only)


_ANY = ("tuple where", "set where", "frozenset where", "datetimes with", "a NamedTuple")
WAYS = (
    _with("json/json", "import json", "json.loads(json.dumps(value))"),
    _with("simplejson/json", "import simplejson", "simplejson.loads(simplejson.dumps(value))"),
    _with("ujson/json", "import ujson", "ujson.loads(ujson.dumps(value))"),
    _with("orjson/json", "import orjson", "orjson.loads(orjson.dumps(value))", "float", *_ANY),
    _with("msgspec/json", "import msgspec", "msgspec.json.decode(msgspec.json.encode(value))", *_ANY),
    _with("msgspec/msgpack", "import msgspec", "msgspec.msgpack.decode(msgspec.msgpack.encode(value))", *_ANY),
    _with(
        "msgspec/msgpack",
        "from msgspec import msgpack",
        "msgpack.decode(msgpack.encode(value), type=type(value))",
        "datetime",
    ),
    _with(
        "msgspec/json",
        "from msgspec import json",
        "json.decode(json.encode(value), type=type(value))",
        "datetime",
    ),
    _whole(
        "msgspec/json",
        """
        import msgspec

        class Inner(msgspec.Struct):
            name: str

        class Outer(Inner):
            pass

        print(Outer("a"), "→", msgspec.json.decode(msgspec.json.encode(Outer("a")), type=Inner))
        """,
        "an object of a subclass",
    ),
    _with("pydantic/json", "import pydantic", "pydantic.TypeAdapter(float).dump_json(value)", "float"),
    _with(
        "pydantic/json",
        """
        import pydantic

        def back(value):
            adapter = pydantic.TypeAdapter(type(value))
            return adapter.validate_json(adapter.dump_json(value))
        """,
        "back(value)",
        "dict",
        "datetime with",
    ),
    _with(
        "serpyco-rs/json",
        """
        from typing import Any
        import serpyco_rs

        json = serpyco_rs.Serializer(Any, codec=serpyco_rs.JSON)
        """,
        "json.load(json.dump(value))",
        "dict",
    ),
    _with(
        "serpyco-rs/json",
        "# the JSON of a library without durations has their seconds",
        "datetime.timedelta(seconds=value.total_seconds())",
        "timedelta",
    ),
    _with("py-ubjson/ubjson", "import ubjson", "ubjson.loadb(ubjson.dumpb(value))"),
    _with("plistlib/plist", "import plistlib", "plistlib.loads(plistlib.dumps(value, fmt=plistlib.FMT_BINARY))"),
    _with("rtoml/toml", "import rtoml", 'rtoml.loads(rtoml.dumps({"key": value}))["key"]'),
    _whole(
        "csv/csv",
        """
        import csv, io

        file = io.StringIO()
        csv.writer(file).writerow(["", None])
        print(["", None], "→", next(csv.reader([file.getvalue()])))
        """,
    ),
    _with("cbor2/cbor", "import cbor2", "cbor2.loads(cbor2.dumps(value))"),
    _whole(
        "ruamel/yaml",
        """
        import io
        import ruamel.yaml

        yaml, file = ruamel.yaml.YAML(typ="safe"), io.BytesIO()
        yaml.dump({"b": 1, "c": 2, "a": 3}, file)
        print(["b", "c", "a"], "→", list(yaml.load(file.getvalue())))
        """,
        "dict keeps",
    ),
    _whole(
        "protobuf/protobuf",
        """
        from google.protobuf.struct_pb2 import Struct

        keys, struct = list("serialization"), Struct()
        struct.update(dict.fromkeys(keys))
        print(list(dict.fromkeys(keys)), "→", list(Struct.FromString(struct.SerializeToString()).fields))
        """,
        "dict keeps",
    ),
    _whole(
        "elementtree/xml",
        r"""
        from xml.etree import ElementTree

        element = ElementTree.Element("text")
        element.text = "a\nb\rc\r\nd"
        print(repr(element.text), "→", repr(ElementTree.fromstring(ElementTree.tostring(element)).text))
        """,
        "str newlines",
    ),
    _with(
        "pymongo/bson",
        """
        import bson

        aware = bson.CodecOptions(tz_aware=True)
        """,
        'bson.decode(bson.encode({"key": value}), aware)["key"]',
    ),
    _with(
        "fastavro/avro",
        """
        import io
        import fastavro

        schema = {"type": "long", "logicalType": "timestamp-micros"}

        def back(value):
            file = io.BytesIO()
            fastavro.schemaless_writer(file, schema, value)
            return fastavro.schemaless_reader(io.BytesIO(file.getvalue()), schema)
        """,
        "back(value)",
    ),
    _with(
        "avro/avro",
        """
        import io
        import avro.io, avro.schema

        schema = avro.schema.parse('{"type": "long", "logicalType": "timestamp-micros"}')

        def back(value):
            file = io.BytesIO()
            avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(file))
            return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(io.BytesIO(file.getvalue())))
        """,
        "back(value)",
    ),
    _with("pyarrow/arrow", "import pyarrow", 'pyarrow.array([value], pyarrow.timestamp("us", "UTC"))[0].as_py()'),
    _with(
        "fory/fory",
        """
        import pyfory

        fory = pyfory.Fory(xlang=False, strict=False)
        """,
        "fory.deserialize(fory.serialize(value))",
    ),
    _with("amazon.ion/ion", "from amazon.ion import simpleion", "simpleion.loads(simpleion.dumps(value))"),
    _with(
        "apischema[its own Decimal]",
        "from apischema import deserialize, serialize",
        "deserialize(decimal.Decimal, serialize(decimal.Decimal, value))",
        "Decimal",
    ),
    _with(
        "marshmallow",
        """
        from marshmallow import Schema, fields

        schema = Schema.from_dict({"key": fields.Decimal(as_string=True)})()
        """,
        'schema.load(schema.dump({"key": value}))["key"]',
        "Decimal",
    ),
    _with("apischema", "import apischema", "apischema.serialize(typing.Any, value)", "a NamedTuple"),
    _with("chili", "import chili", "chili.encode(value)", "timedelta"),
    _with(
        "schematics",
        "from schematics.types import DateTimeType",
        "DateTimeType().to_primitive(value)",
        "datetime of",
        "naive datetime",
    ),
    _with("jsons", "import jsons", "jsons.dump(value)", "date of", "datetime of"),
    _with("jsons", "import jsons", "jsons.load(jsons.dump(value), datetime.datetime)", "datetime with"),
    _whole(
        "jsons",
        """
        from dataclasses import dataclass
        import jsons

        @dataclass
        class Row:
            zulu: int
            alpha: int

        print(Row(1, 2), "→", jsons.dumps(Row(1, 2)))
        """,
        "fields stay",
    ),
    _whole(
        "jsons",
        """
        from dataclasses import dataclass
        import jsons

        @dataclass
        class Row:
            subject: int

        print(["subject"], "→", list(vars(jsons.loads('{"subject": 2, "surplus": 1}', Row))))
        """,
        "an unknown key",
    ),
    _whole(
        "typeddict",
        """
        import json
        from typing import TypedDict

        class Row(TypedDict):
            subject: int
            maybe: int | None

        row: Row = json.loads('{"subject": 2, "surplus": 1}')
        print(list(Row.__annotations__), "→", list(row))
        """,
        "absent",
        "an absent",
        "an unknown key",
    ),
    _whole(
        "typeddict",
        """
        import json

        class Table(dict):
            pass

        print(Table, "→", type(json.loads(json.dumps(Table(name="a")))))
        """,
        "an object of a subclass",
    ),
)
"""In the order in which they are preferred."""
_LITERALS = {
    "a NamedTuple where anything may stand": 'collections.namedtuple("Pair", "first second")(1, "a")',
    "float of 1,000 random bit patterns": "2e-310",
}
_MODULES = ("collections", "datetime", "decimal", "typing")


def way_of(probe: str, names: Iterable[str]) -> Way | None:
    """The way that shows what one of these codecs and libraries makes of a probe; None if there is none."""
    known = {*names}
    able = (way for way in WAYS if way.who in known and (not way.only or probe.startswith(way.only)))
    return next(able, None)


def script(way: Way, probes: Sequence[str]) -> str:
    """The script that shows these probes in this way: it prints each value, an arrow and what comes back."""
    if not way.back:
        return f"{way.setup}\n"
    values = "".join(f"    {text},\n" for text in dict.fromkeys(map(_literal, probes)))
    imports = "".join(f"import {name}\n" for name in _MODULES if f"{name}." in values + way.back)
    return f'{imports}{way.setup}\n\nfor value in [\n{values}]:\n    print(repr(value), "→", repr({way.back}))\n'


def title(way: Way, probe: str) -> str:
    """The heading of the script that shows a probe in this way, and others of its type if it is not a whole script."""
    return f"{probe_type(probe) if way.back else probe} with {way.who}"


def _literal(probe: str) -> str:
    if probe in _LITERALS:
        return _LITERALS[probe]
    value = next(one.value["subject"] for group in GROUPS for one in group.probes if one.name == probe)
    text = re.sub(r"\b(nan|inf)\b", r'float("\1")', repr(value))
    return re.sub(r"\bDecimal\(", "decimal.Decimal(", text)
