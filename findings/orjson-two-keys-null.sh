#!/usr/bin/env bash
# orjson with OPT_NON_STR_KEYS writes the keys inf, -inf and nan as null each, so the last value replaces the others; pyserde does so too.
#
# Guess: each writer refuses such a key or gives it a name that is read back.
# Seen: {0.5: 3, inf: 9, -inf: 1} becomes {"0.5":3,"null":9,"null":1}, of which orjson itself reads 3 and 1; pyserde refuses it.
#   json, ujson, msgspec and pydantic name the infinities, and msgspec, pydantic, cattrs and mashumaro read each of these names.
# Versions: orjson 3.13.0, pyserde 0.34.0, ujson 6.1.0, msgspec 0.23.0, pydantic 2.14.4, cattrs 26.2.1, mashumaro 3.23; CPython 3.11.
# Who meets it: whoever writes a histogram by upper bounds, whose last bucket is open: its count is at a key null, or gone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q orjson==3.13.0 pyserde==0.34.0 ujson==6.1.0 msgspec==0.23.0 pydantic==2.14.4 cattrs==26.2.1 mashumaro==3.23
cat > keys.py <<'PY'
import json
from math import inf

import msgspec
import orjson
import pydantic
import serde.json
import ujson
from cattrs.preconf.json import make_converter
from mashumaro.codecs.json import JSONDecoder

Buckets = dict[float, int]
counts = {0.5: 3, inf: 9, -inf: 1}
writers = {
    "orjson": lambda value: orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS),
    "pyserde": lambda value: serde.json.to_json(value, cls=Buckets),
    "json": json.dumps,
    "ujson": ujson.dumps,
    "msgspec": msgspec.json.encode,
    "pydantic": pydantic.TypeAdapter(Buckets).dump_json,
}
readers = {
    "msgspec": msgspec.json.Decoder(Buckets).decode,
    "pydantic": pydantic.TypeAdapter(Buckets).validate_json,
    "cattrs": lambda text: make_converter().loads(text, Buckets),
    "mashumaro": JSONDecoder(Buckets).decode,
    "pyserde": lambda text: serde.json.from_json(Buckets, text),
}


def reads(reader, text):
    try:
        return reader(text) == counts
    except Exception:
        return False


for name, write in writers.items():
    text = write(counts)
    text = text.decode() if isinstance(text, bytes) else text
    print(f"{name}: {text}, read by {', '.join(one for one in readers if reads(readers[one], text)) or 'nobody'}")
print("left of orjson's", orjson.loads(orjson.dumps(counts, option=orjson.OPT_NON_STR_KEYS)))
PY
.venv/bin/python -W ignore keys.py | tee seen
diff seen - <<'SEEN'
orjson: {"0.5":3,"null":9,"null":1}, read by nobody
pyserde: {"0.5":3,"null":9,"null":1}, read by nobody
json: {"0.5": 3, "Infinity": 9, "-Infinity": 1}, read by msgspec, pydantic, cattrs, mashumaro
ujson: {"0.5":3,"inf":9,"-inf":1}, read by msgspec, pydantic, cattrs, mashumaro
msgspec: {"0.5":3,"inf":9,"-inf":1}, read by msgspec, pydantic, cattrs, mashumaro
pydantic: {"0.5":3,"inf":9,"-inf":1}, read by msgspec, pydantic, cattrs, mashumaro
left of orjson's {'0.5': 3, 'null': 1}
SEEN
