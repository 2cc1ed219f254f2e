#!/usr/bin/env bash
# Apache Avro's Python package writes Decimal("1.5") under a scale of 2 as 0.15, and Decimal(100) as 1.00.
#
# One would guess: 1.50, or an error about the scale, as there is one for three digits.
# Seen: the digits are taken for hundredths whatever the exponent, so each amount with fewer digits than the scale becomes ten
# or a hundred times too small; only amounts that have all digits are right. fastavro writes 1.50 and 100.00.
# Versions: avro 1.12.2, fastavro 1.13.1; CPython 3.11.
# Who meets it: whoever writes prices with the official package: 19.99 is right, and 20 is 0.20.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q avro==1.12.2 fastavro==1.13.1
cat > writes.py <<'PY'
import io
import json
from decimal import Decimal

import avro.io
import avro.schema
import fastavro

SCHEMA = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
official, fast = avro.schema.parse(json.dumps(SCHEMA)), fastavro.parse_schema(SCHEMA)


def by_avro(value):
    stream = io.BytesIO()
    avro.io.DatumWriter(official).write(value, avro.io.BinaryEncoder(stream))
    return avro.io.DatumReader(official).read(avro.io.BinaryDecoder(io.BytesIO(stream.getvalue())))


def by_fastavro(value):
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fast, value)
    return fastavro.schemaless_reader(io.BytesIO(stream.getvalue()), fast, None)


for text in ("19.99", "1.5", "20", "100"):
    print(f"{text}: avro {by_avro(Decimal(text))}, fastavro {by_fastavro(Decimal(text))}")
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
19.99: avro 19.99, fastavro 19.99
1.5: avro 0.15, fastavro 1.50
20: avro 0.20, fastavro 20.00
100: avro 1.00, fastavro 100.00
SEEN
