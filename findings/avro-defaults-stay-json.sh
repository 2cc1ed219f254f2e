#!/usr/bin/env bash
# A field that only the reader's Avro schema has gets its default as the schema's JSON has it: both libraries for Python give
# times and dates as ints and decimals as raw text or bytes; fastavro gives all records one list.
#
# Guess: a default is what its bytes would have given, as of a field that was written: b"\xff", two bytes for a fixed of
#   two, a datetime, a date, a Decimal, a UUID; and each record has a list of its own.
# Seen: fastavro gives the text "ÿ" for bytes and fixed, 0 for a moment and a day, "\x01" for 0.01, a text for the UUID. Apache
#   Avro gives bytes in UTF-8: two for the one byte of the default, and three for a fixed of two. Neither converts a logical
#   type. What is appended to the list of one record of fastavro is there in the next, and in the schema that it was given.
# Versions: fastavro 1.13.1, avro 1.12.2; CPython 3.11.
# Who meets it: whoever adds a field to a schema and reads older files, which is what defaults are for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q avro==1.12.2 fastavro==1.13.1
cat > defaults.py <<'PY'
import io
import json

import avro.io
import avro.schema
import fastavro

first = {"name": "a", "type": "int"}
added = [
    {"name": "raw", "type": "bytes", "default": "\u00ff"},
    {"name": "two", "type": {"type": "fixed", "name": "Two", "size": 2}, "default": "\u00ff\u0001"},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}, "default": 0},
    {"name": "day", "type": {"type": "int", "logicalType": "date"}, "default": 0},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, "default": "\u0001"},
    {"name": "id", "type": {"type": "string", "logicalType": "uuid"}, "default": "12345678-1234-5678-1234-567812345678"},
    {"name": "tags", "type": {"type": "array", "items": "int"}, "default": []},
]
old, new = ({"type": "record", "name": "R", "fields": fields} for fields in ([first], [first, *added]))
file = io.BytesIO()
fastavro.schemaless_writer(file, fastavro.parse_schema(old), {"a": 1})
written = file.getvalue()


def by_fastavro(ours, theirs):
    writer, reader = fastavro.parse_schema(ours), fastavro.parse_schema(theirs)
    return lambda: fastavro.schemaless_reader(io.BytesIO(written), writer, reader)


def by_avro(ours, theirs):
    reader = avro.io.DatumReader(*(avro.schema.parse(json.dumps(schema)) for schema in (ours, theirs)))  # parses a copy
    return lambda: reader.read(avro.io.BinaryDecoder(io.BytesIO(written)))


for name, reading in (("avro", by_avro), ("fastavro", by_fastavro)):
    read = reading(old, new)
    record = read()
    for field in added:
        print(name, field["name"], ascii(record[field["name"]]))
    record["tags"].append(7)
    print(name, "the next record's tags", read()["tags"], "the schema's default", added[-1]["default"])
PY
.venv/bin/python defaults.py | tee seen
diff seen - <<'SEEN'
avro raw b'\xc3\xbf'
avro two b'\xc3\xbf\x01'
avro at 0
avro day 0
avro price b'\x01'
avro id '12345678-1234-5678-1234-567812345678'
avro tags []
avro the next record's tags [] the schema's default []
fastavro raw '\xff'
fastavro two '\xff\x01'
fastavro at 0
fastavro day 0
fastavro price '\x01'
fastavro id '12345678-1234-5678-1234-567812345678'
fastavro tags []
fastavro the next record's tags [7] the schema's default [7]
SEEN
