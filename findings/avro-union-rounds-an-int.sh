#!/usr/bin/env bash
# fastavro writes the int 16777217 into the union [float, int] as the float 16777216.0, and Apache Avro does so into [int, float].
#
# Guess: both use the branch of the value's own type, so the int comes back as it was, in either order of the branches.
# Seen: fastavro takes the first branch that can hold a number, Apache Avro the last, and a 32-bit float holds each int. So
# whatever the order of the branches, one of the two rounds the number, without an error.
# Versions: fastavro 1.13.1, avro 1.12.2; CPython 3.11.
# Who meets it: whoever writes counters or identifiers under a schema such as ["null", "float", "long"], as schemas that are
# inferred of samples have it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q fastavro==1.13.1 avro==1.12.2
cat > writes.py <<'PY'
import io
import json

import avro.io
import avro.schema
import fastavro


def by_fastavro(schema, value):
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, value)
    return fastavro.schemaless_reader(io.BytesIO(stream.getvalue()), schema)


def by_avro(schema, value):
    official, stream = avro.schema.parse(json.dumps(schema)), io.BytesIO()
    avro.io.DatumWriter(official).write(value, avro.io.BinaryEncoder(stream))
    return avro.io.DatumReader(official).read(avro.io.BinaryDecoder(io.BytesIO(stream.getvalue())))


for schema in (["float", "int"], ["int", "float"], ["null", "float", "long"]):
    print(f"{schema} 16777217 → fastavro {by_fastavro(schema, 16777217)}, avro {by_avro(schema, 16777217)}")
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
['float', 'int'] 16777217 → fastavro 16777216.0, avro 16777217
['int', 'float'] 16777217 → fastavro 16777217, avro 16777216.0
['null', 'float', 'long'] 16777217 → fastavro 16777216.0, avro 16777217
SEEN
