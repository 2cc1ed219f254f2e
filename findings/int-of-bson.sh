#!/usr/bin/env bash
# What pymongo reads from BSON is refused by msgspec and serpyco-rs once a number is larger than 32 bits hold: it is then an Int64.
#
# Guess: whoever writes an int writes a subclass of it, whatever its size.
# Seen: 2147483647 is read as an int, 2147483648 as `bson.Int64`. msgspec does not write it, to JSON or MessagePack, though
#   `msgspec.convert` makes an int of it. serpyco-rs refuses it for an int and takes it for a float. Six other writers, pydantic
#   and apischema take it.
# Versions: pymongo 4.20.1, msgspec 0.23.0, serpyco-rs 1.23.0, orjson 3.13.0, ormsgpack 1.13.1, msgpack 1.2.4, cbor2 6.3.0,
#   ujson 6.1.0, pydantic 2.14.4, apischema 0.19.0; CPython 3.11.
# Who meets it: whoever sends documents of MongoDB on: a counter or a time in milliseconds fails on the day when it outgrows 32 bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pymongo==4.20.1 msgspec==0.23.0 serpyco-rs==1.23.0 orjson==3.13.0 ormsgpack==1.13.1 msgpack==1.2.4 \
  cbor2==6.3.0 ujson==6.1.0 pydantic==2.14.4 apischema==0.19.0
cat > sends.py <<'PY'
import json

import apischema
import bson
import cbor2
import msgpack
import msgspec
import orjson
import ormsgpack
import pydantic
import serpyco_rs
import ujson


WAYS = {
    "json": json.dumps,
    "orjson": orjson.dumps,
    "ujson": ujson.dumps,
    "msgpack": msgpack.packb,
    "ormsgpack": ormsgpack.packb,
    "cbor2": cbor2.dumps,
    "msgspec to JSON": msgspec.json.encode,
    "msgspec to MessagePack": msgspec.msgpack.encode,
    "msgspec from int": lambda n: msgspec.convert(n, int),
    "pydantic, strict": lambda n: pydantic.TypeAdapter(int).validate_python(n, strict=True),
    "apischema": lambda n: apischema.deserialize(int, n),
    "serpyco-rs for an int": serpyco_rs.Serializer(int).load,
    "serpyco-rs for a float": serpyco_rs.Serializer(float).load,
}


def answer(way, number):
    try:
        way(number)
    except Exception as error:
        return type(error).__name__
    return "taken"


small, large = (bson.decode(bson.encode({"n": n}))["n"] for n in (2**31 - 1, 2**31))
print(small, type(small).__name__, large, type(large).__name__)
for name, way in WAYS.items():
    print(f"{name}: {answer(way, small)}, {answer(way, large)}")
PY
.venv/bin/python sends.py | tee seen
diff seen - <<'SEEN'
2147483647 int 2147483648 Int64
json: taken, taken
orjson: taken, taken
ujson: taken, taken
msgpack: taken, taken
ormsgpack: taken, taken
cbor2: taken, taken
msgspec to JSON: taken, TypeError
msgspec to MessagePack: taken, TypeError
msgspec from int: taken, taken
pydantic, strict: taken, taken
apischema: taken, taken
serpyco-rs for an int: taken, SchemaValidationError
serpyco-rs for a float: taken, taken
SEEN
