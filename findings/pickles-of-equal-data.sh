#!/usr/bin/env bash
# A pickle of the same records is two and a half times as large if ujson, cbor2, PyYAML or pymongo has read them than if json has.
#
# One would guess: equal values have pickles of about the same size, whoever made them.
# Seen: json, orjson, msgspec and msgpack give all records the same key objects, which a pickle holds once; the others make new
# keys for every record. marshal differs too, and what is unpickled and pickled again keeps its size.
# Versions: ujson 6.1.0, orjson 3.13.0, msgspec 0.22.0, msgpack 1.2.4, cbor2 6.2.1, PyYAML 6.0.3, pymongo 4.20.0; CPython 3.11.
# Who meets it: whoever caches decoded documents in pickles, or compares sizes of formats by data that another decoder has made.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q ujson==6.1.0 orjson==3.13.0 msgspec==0.22.0 msgpack==1.2.4 cbor2==6.2.1 PyYAML==6.0.3 pymongo==4.20.0
cat > writes.py <<'PY'
import json
import marshal
import pickle

import bson
import cbor2
import msgpack
import msgspec
import orjson
import ujson
import yaml

records = [{"identifier": number, "quantity": 1} for number in range(1000)]
text = json.dumps(records)
made = {
    "json": json.loads(text),
    "orjson": orjson.loads(text),
    "msgspec": msgspec.json.decode(text),
    "msgpack": msgpack.unpackb(msgpack.packb(records)),
    "ujson": ujson.loads(text),
    "cbor2": cbor2.loads(cbor2.dumps(records)),
    "PyYAML": yaml.load(text, Loader=yaml.CSafeLoader),
    "pymongo": bson.decode(bson.encode({"records": records}))["records"],
}
for name, data in made.items():
    again = pickle.loads(pickle.dumps(data))
    print(name, data == records, len(pickle.dumps(data)), len(pickle.dumps(again)), len(marshal.dumps(data)))
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
json True 12780 12780 22017
orjson True 12780 12780 22017
msgspec True 12780 12780 22017
msgpack True 12780 12780 22017
ujson True 32760 32760 34005
cbor2 True 32760 32760 34005
PyYAML True 32760 32760 34005
pymongo True 32760 32760 34005
SEEN
