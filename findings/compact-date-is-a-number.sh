#!/usr/bin/env bash
# pydantic reads the text 20240101 into a datetime as a moment of August 1970; six libraries read the first of January 2024.
#
# Guess: as ISO 8601's form without hyphens, or not at all, as with the date.
# Seen: a text of digits is a Unix time to pydantic, in seconds. It refuses the same text for a date. msgspec, serpyco-rs and databind
# refuse it for a datetime; databind takes it for a date.
# Versions: adaptix 3.0.0b12, apischema 0.19.0, cattrs 26.2.1, databind 4.5.5, mashumaro 3.23, msgspec 0.23.0, pydantic 2.14.4, pyserde 0.34.0,
# serpyco-rs 1.23.0, typedload 2.41; CPython 3.11.
# Who meets it: whoever moves an import of compact dates, as banks and hospitals send them, from one of the six to pydantic.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q adaptix==3.0.0b12 apischema==0.19.0 'cattrs[orjson]==26.2.1' databind==4.5.5 mashumaro==3.23 msgspec==0.23.0 pydantic==2.14.4 pyserde==0.34.0 serpyco-rs==1.23.0 typedload==2.41
cat > reads.py <<'PY'
import json
from datetime import date, datetime

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
    for type_ in (datetime, date):
        try:
            print(name, type_.__name__, read('"20240101"', type_).isoformat())
        except Exception:
            print(name, type_.__name__, "refused")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
adaptix datetime 2024-01-01T00:00:00
adaptix date 2024-01-01
apischema datetime 2024-01-01T00:00:00
apischema date 2024-01-01
cattrs datetime 2024-01-01T00:00:00
cattrs date 2024-01-01
databind datetime refused
databind date 2024-01-01
mashumaro datetime 2024-01-01T00:00:00
mashumaro date 2024-01-01
msgspec datetime refused
msgspec date refused
pydantic datetime 1970-08-23T06:15:01+00:00
pydantic date refused
pyserde datetime 2024-01-01T00:00:00
pyserde date 2024-01-01
serpyco-rs datetime refused
serpyco-rs date refused
typedload datetime 2024-01-01T00:00:00
typedload date 2024-01-01
SEEN
