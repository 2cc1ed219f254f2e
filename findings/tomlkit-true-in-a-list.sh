#!/usr/bin/env bash
# tomlkit gives true out of a table as a bool and out of a list as another object, which json writes in one place and refuses in the other.
#
# Guess: writers treat what tomlkit reads as plain data, wherever it stands.
# Seen: json, msgpack and cbor2 write the true of a table, and refuse that of a list; with default=str, as many call json for
# dates, it becomes the text "True". orjson and ujson refuse the table as well, and orjson floats. `unwrap` gives plain data.
# Versions: tomlkit 0.15.0, ujson 6.1.0, msgpack 1.2.4, orjson 3.13.0, cbor2 6.2.1; CPython 3.11.
# Who meets it: whoever reads pyproject.toml with tomlkit to keep its comments, and sends parts of it on as JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q tomlkit==0.15.0 ujson==6.1.0 msgpack==1.2.4 orjson==3.13.0 cbor2==6.2.1
cat > writes.py <<'PY'
import json

import cbor2
import msgpack
import orjson
import tomlkit
import ujson

document = tomlkit.parse("table = {on = true}\nints = [1]\nbools = [true]\nfloats = [1.5]\nday = 2024-06-15\n")
writers = {"json": json.dumps, "ujson": ujson.dumps, "msgpack": msgpack.packb, "cbor2": cbor2.dumps, "orjson": orjson.dumps}
for name, write in writers.items():
    refused = []
    for key, value in document.items():
        try:
            write(value)
        except Exception:
            refused.append(key)
    print(name, "refuses", ", ".join(refused))
print("json", json.dumps(document, default=str))
print("json, unwrapped", json.dumps(document.unwrap(), default=str))
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
json refuses bools, day
ujson refuses table, bools, day
msgpack refuses bools, day
cbor2 refuses bools, day
orjson refuses table, bools, floats, day
json {"table": {"on": true}, "ints": [1], "bools": ["True"], "floats": [1.5], "day": "2024-06-15"}
json, unwrapped {"table": {"on": true}, "ints": [1], "bools": [true], "floats": [1.5], "day": "2024-06-15"}
SEEN
