#!/usr/bin/env bash
# fastavro writes a datetime without an offset as an instant of the machine's time zone, so the same program writes other bytes
# in Berlin than in New York.
#
# One would guess: UTC, as most codecs assume, or an error, as in Apache Avro's own package: the type is an instant.
# Seen: noon becomes 11:00 UTC with TZ=Europe/Berlin and 17:00 UTC with TZ=America/New_York, and is read as that instant.
# Versions: fastavro 1.13.1, avro 1.12.2; CPython 3.11.
# Who meets it: whoever moves a job from a laptop to a server in UTC; files of both look alike and differ by hours.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q fastavro==1.13.1 avro==1.12.2
cat > writes.py <<'PY'
import io
import json
import os
import time
from datetime import datetime

import avro.io
import avro.schema
import fastavro

SCHEMA = {"type": "long", "logicalType": "timestamp-micros"}
noon = datetime(2024, 1, 1, 12)
for zone in ("Europe/Berlin", "America/New_York", "UTC"):
    os.environ["TZ"] = zone
    time.tzset()
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(SCHEMA), noon)
    back = fastavro.schemaless_reader(io.BytesIO(stream.getvalue()), fastavro.parse_schema(SCHEMA), None)
    print(f"fastavro in {zone}: {stream.getvalue().hex()} is read as {back.isoformat()}")
try:
    avro.io.DatumWriter(avro.schema.parse(json.dumps(SCHEMA))).write(noon, avro.io.BinaryEncoder(io.BytesIO()))
except Exception as error:
    print("avro refuses:", type(error).__name__)
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
fastavro in Europe/Berlin: 80b0c98789f88606 is read as 2024-01-01T11:00:00+00:00
fastavro in America/New_York: 8090f8fea9f98606 is read as 2024-01-01T17:00:00+00:00
fastavro in UTC: 80c0e6f0a3f88606 is read as 2024-01-01T12:00:00+00:00
avro refuses: AvroTypeException
SEEN
