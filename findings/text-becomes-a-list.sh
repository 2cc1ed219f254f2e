#!/usr/bin/env bash
# cattrs, mashumaro and pyserde read the JSON text "12" into list[int] as [1, 2], a text into list[str] as its characters, and
# an object as the list of its keys.
#
# Guess: a text or an object in place of an array is refused, as it is by the seven others.
# Seen: whatever can be iterated is a list to these three. Each item is then converted, so the digits of a text
# are ints.
# Versions: adaptix 3.0.0b12, apischema 0.19.0, cattrs 26.2.1, databind 4.5.5, mashumaro 3.23, msgspec 0.23.0, pydantic 2.14.4, pyserde 0.34.0,
# serpyco-rs 1.23.0, typedload 2.41; CPython 3.11.
# Who meets it: whoever reads an API that sends one item without brackets if there is only one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q adaptix==3.0.0b12 apischema==0.19.0 'cattrs[orjson]==26.2.1' databind==4.5.5 mashumaro==3.23 msgspec==0.23.0 pydantic==2.14.4 pyserde==0.34.0 serpyco-rs==1.23.0 typedload==2.41
cat > reads.py <<'PY'
import json

import adaptix
import apischema
import cattrs.preconf.orjson
import databind.json
import mashumaro.codecs.json
import msgspec
import pydantic
import serde.json
import serpyco_rs
import typedload

CONVERTER = cattrs.preconf.orjson.make_converter()
readers = {
    "adaptix": lambda text, type_: adaptix.Retort().load(json.loads(text), type_),
    "apischema": lambda text, type_: apischema.deserialize(type_, json.loads(text)),
    "cattrs": lambda text, type_: CONVERTER.loads(text, type_),
    "databind": lambda text, type_: databind.json.load(json.loads(text), type_),
    "mashumaro": mashumaro.codecs.json.json_decode,
    "msgspec": lambda text, type_: msgspec.json.decode(text, type=type_),
    "pydantic": lambda text, type_: pydantic.TypeAdapter(type_).validate_json(text),
    "pyserde": lambda text, type_: serde.json.from_json(type_, text),
    "serpyco-rs": lambda text, type_: serpyco_rs.Serializer(type_).load(json.loads(text)),
    "typedload": lambda text, type_: typedload.load(json.loads(text), type_),
}
for name, read in readers.items():
    for type_, text in ((list[int], '"12"'), (list[str], '"red"'), (list[str], '{"red": 1}')):
        try:
            print(name, text, read(text, type_))
        except Exception:
            print(name, text, "refused")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
adaptix "12" refused
adaptix "red" refused
adaptix {"red": 1} refused
apischema "12" refused
apischema "red" refused
apischema {"red": 1} refused
cattrs "12" [1, 2]
cattrs "red" ['r', 'e', 'd']
cattrs {"red": 1} ['red']
databind "12" refused
databind "red" refused
databind {"red": 1} refused
mashumaro "12" [1, 2]
mashumaro "red" ['r', 'e', 'd']
mashumaro {"red": 1} ['red']
msgspec "12" refused
msgspec "red" refused
msgspec {"red": 1} refused
pydantic "12" refused
pydantic "red" refused
pydantic {"red": 1} refused
pyserde "12" [1, 2]
pyserde "red" ['r', 'e', 'd']
pyserde {"red": 1} ['red']
serpyco-rs "12" refused
serpyco-rs "red" refused
serpyco-rs {"red": 1} refused
typedload "12" refused
typedload "red" refused
typedload {"red": 1} refused
SEEN
