#!/usr/bin/env bash
# pyarrow, polars, fastavro, avro and rtoml write 12:00+02:00 as 12:00: the offset of a time is dropped without a word.
#
# Guess: a format without offsets of times refuses one, as TOML says, or moves the time to UTC, as Avro does with a datetime.
# Seen: five drop it, so that 12:00+02:00 and 12:00+09:00 become one value; orjson and tomli-w refuse it; msgspec, pydantic,
#   mashumaro and marshmallow keep it.
# Versions: pyarrow 26.0.1, polars 2.1.0, fastavro 1.13.1, avro 1.12.2, rtoml 0.14.0, tomli-w 1.2.0, orjson 3.13.0,
#   msgspec 0.22.0, pydantic 2.14.3, mashumaro 3.23, marshmallow 4.4.0; CPython 3.11.
# Who meets it: whoever stores opening hours or schedules of several places in columns or in Avro.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pyarrow==26.0.1 polars==2.1.0 fastavro==1.13.1 avro==1.12.2 rtoml==0.14.0 tomli-w==1.2.0 \
  orjson==3.13.0 msgspec==0.22.0 pydantic==2.14.3 mashumaro==3.23 marshmallow==4.4.0
cat > offsets.py <<'PY'
import datetime as dt
import io
import tomllib

import avro.io
import avro.schema
import fastavro
import marshmallow
import msgspec
import orjson
import polars
import pyarrow
import rtoml
import tomli_w
from mashumaro.codecs.json import JSONDecoder, JSONEncoder
from pydantic import TypeAdapter

NOON = dt.time(12, tzinfo=dt.timezone(dt.timedelta(hours=2)))
MICROS = {"type": "long", "logicalType": "time-micros"}


def by_fastavro(value):
    schema, file = fastavro.parse_schema(MICROS), io.BytesIO()
    fastavro.schemaless_writer(file, schema, value)
    file.seek(0)
    return fastavro.schemaless_reader(file, schema)


def by_avro(value):
    schema, file = avro.schema.parse(orjson.dumps(MICROS).decode()), io.BytesIO()
    avro.io.DatumWriter(schema).write(value, avro.io.BinaryEncoder(file))
    file.seek(0)
    return avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(file))


adapter, field = TypeAdapter(dt.time), marshmallow.fields.Time()
ways = {
    "pyarrow": lambda value: pyarrow.array([value]).to_pylist()[0],
    "polars": lambda value: polars.Series([value]).to_list()[0],
    "fastavro": by_fastavro,
    "avro": by_avro,
    "rtoml": lambda value: tomllib.loads(rtoml.dumps({"at": value}))["at"],
    "tomli-w": lambda value: tomllib.loads(tomli_w.dumps({"at": value}))["at"],
    "orjson": lambda value: orjson.loads(orjson.dumps(value)),
    "msgspec": lambda value: msgspec.json.decode(msgspec.json.encode(value), type=dt.time),
    "pydantic": lambda value: adapter.validate_json(adapter.dump_json(value)),
    "mashumaro": lambda value: JSONDecoder(dt.time).decode(JSONEncoder(dt.time).encode(value)),
    "marshmallow": lambda value: field.deserialize(value.isoformat()),
}
for name, way in ways.items():
    try:
        seen = way(NOON).isoformat()
    except Exception as error:
        seen = type(error).__name__
    print(name, seen)
PY
.venv/bin/python offsets.py | tee seen
diff seen - <<'SEEN'
pyarrow 12:00:00
polars 12:00:00
fastavro 12:00:00
avro 12:00:00
rtoml 12:00:00
tomli-w ValueError
orjson TypeError
msgspec 12:00:00+02:00
pydantic 12:00:00+02:00
mashumaro 12:00:00+02:00
marshmallow 12:00:00+02:00
SEEN
