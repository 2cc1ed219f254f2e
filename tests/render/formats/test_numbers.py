"""What codecs make of numbers, as their formats' files say; a new version that does otherwise fails here."""

from __future__ import annotations

import io
import json
import marshal
import math
import pickle
import plistlib
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import avro.io
import avro.schema
import cbor2
import fastavro
import jiter
import msgspec
import orjson
import pytest
import rapidjson
import simplejson
import ssrjson
import ujson

READERS = {
    "json": json.loads,
    "orjson": orjson.loads,
    "msgspec": msgspec.json.decode,
    "ujson": ujson.loads,
    "rapidjson": rapidjson.loads,
    "simplejson": simplejson.loads,
    "ssrjson": ssrjson.loads,
    "jiter": jiter.from_json,
}
WRITERS = {
    "json": lambda value: json.dumps(value).encode(),
    "orjson": orjson.dumps,
    "msgspec": msgspec.json.encode,
    "ujson": lambda value: ujson.dumps(value).encode(),
    "rapidjson": lambda value: rapidjson.dumps(value).encode(),
    "simplejson": lambda value: simplejson.dumps(value).encode(),
    "ssrjson": ssrjson.dumps_to_bytes,
}
if find_spec("yyjson"):  # these three have no wheels for the latest Pythons
    import yyjson

    READERS["yyjson"] = lambda blob: yyjson.Document(blob).as_obj
    WRITERS["yyjson"] = lambda value: yyjson.Document(value).dumps().encode()
if find_spec("yapic"):
    import yapic.json

    READERS["yapic"], WRITERS["yapic"] = yapic.json.loads, yapic.json.dumpb
if find_spec("simdjson"):
    import simdjson

    READERS["pysimdjson"] = lambda blob: simdjson.Parser().parse(blob, True)
REFUSED = object()
READ = [
    (b"[9223372036854775808]", 2**63, {"yapic": float(2**63)}),
    (b"[18446744073709551615]", 2**64 - 1, {"yapic": float(2**64)}),
    (
        b"[18446744073709551616]",
        2**64,
        {**dict.fromkeys(("orjson", "ssrjson", "yyjson", "yapic"), float(2**64)), "pysimdjson": REFUSED},
    ),
    (b"[1e400]", math.inf, dict.fromkeys(("orjson", "msgspec", "rapidjson", "yyjson", "pysimdjson"), REFUSED)),
    (b"[1E2]", 100.0, {}),
]
WRITTEN = [
    (1e16, b"1e+16", {"msgspec": b"1e16", "yyjson": b"10000000000000000.0", "yapic": b"10000000000000000"}),
    (1e22, b"1e+22", {"msgspec": b"1e22", "yyjson": b"1e22"}),
    (1e-5, b"0.00001", {"ujson": b"1e-5", **dict.fromkeys(("json", "rapidjson", "simplejson", "ssrjson"), b"1e-05")}),
    (-0.0, b"-0.0", {"yapic": b"0"}),
]


def answer(call: Any, value: Any) -> Any:
    """What a call returns, or that it refuses the value."""
    try:
        return call(value)
    except Exception:
        return REFUSED


@pytest.mark.parametrize(("blob", "usual", "others"), READ, ids=lambda value: value if isinstance(value, bytes) else "")
def test_numbers_that_readers_of_json_take_differently(blob, usual, others):
    """Each reader makes of a large number what JSON's file says: an integer, a float, infinity or an error."""
    found = {name: answer(read, blob) for name, read in READERS.items()}
    expected = {name: others.get(name, usual) for name in READERS}
    assert {name: one if one is REFUSED else [repr(one)] for name, one in expected.items()} == {
        name: one if one is REFUSED else [repr(number) for number in one] for name, one in found.items()
    }


@pytest.mark.parametrize(
    ("value", "usual", "others"), WRITTEN, ids=lambda value: str(value) if isinstance(value, float) else ""
)
def test_floats_that_writers_of_json_spell_differently(value, usual, others):
    """Each writer spells a float as JSON's file says."""
    assert {name: b"[%b]" % others.get(name, usual) for name in WRITERS} == {
        name: write([value]) for name, write in WRITERS.items()
    }


@pytest.mark.parametrize(("zeros", "binary"), [([0.0, -0.0], [0.0, 0.0]), ([-0.0, 0.0], [-0.0, -0.0])])
def test_a_binary_property_list_has_one_zero(zeros, binary):
    """All zeros of a binary property list come back with the sign of the first one, those of an XML one as they were."""
    for kind, expected in ((plistlib.FMT_BINARY, binary), (plistlib.FMT_XML, zeros)):
        assert repr(expected) == repr(plistlib.loads(plistlib.dumps(zeros, fmt=kind)))


DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}


@pytest.mark.parametrize(
    ("given", "official", "fast"), [("1.5", "0.15", "1.50"), ("100", "1.00", "100.00"), ("1.50", "1.50", "1.50")]
)
def test_a_decimal_of_avro_has_the_digits_of_its_schema(given, official, fast):
    """The official package takes fewer digits than the scale for the last ones; so decimals are text here."""
    stream = io.BytesIO()
    schema = avro.schema.parse(json.dumps(DECIMAL))
    avro.io.DatumWriter(schema).write(Decimal(given), avro.io.BinaryEncoder(stream))
    stream.seek(0)
    assert official == str(avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(stream)))
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(DECIMAL), Decimal(given))
    stream.seek(0)
    assert fast == str(fastavro.schemaless_reader(stream, fastavro.parse_schema(DECIMAL), None))


def test_sizes_of_pickle_and_marshal_depend_on_who_made_the_data():
    """The same records are less than half as large if the decoder shared their keys, and marshal counts references."""
    records = [{"identifier": number, "quantity": 1} for number in range(1000)]
    shared, single = json.loads(json.dumps(records)), cbor2.loads(cbor2.dumps(records))
    assert shared == single == ujson.loads(ujson.dumps(records))
    assert len(pickle.dumps(shared)) * 2 < len(pickle.dumps(single))
    assert len(marshal.dumps(shared)) * 3 < len(marshal.dumps(single)) * 2
    before, held = marshal.dumps(shared), list(shared)
    assert before != marshal.dumps(shared), held
