#!/usr/bin/env bash
# Of nine converters that cattrs configures, seven write a dict whose keys are members of an int Enum so that they cannot read it.
#
# Guess: each gives back an equal dict, as each does for keys that are dates, or refuses to write it.
# Seen: json, ujson and msgspec write the key "10", orjson, BSON and TOML "Level.LOW"; none finds the member again. The one of
# MessagePack writes the key 10, which its own reader takes for no key, and refuses int keys altogether. CBOR and YAML keep both.
# Versions: cattrs 26.2.1, orjson 3.13.0, ujson 6.1.0, msgspec 0.22.0, msgpack 1.2.4, cbor2 6.2.1, pymongo 4.20.0, PyYAML 6.0.3,
# tomlkit 0.15.0; CPython 3.11.
# Who meets it: whoever keeps counts by status code, level or id in a dict, and reads on Monday what was written on Friday.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q cattrs==26.2.1 orjson==3.13.0 ujson==6.1.0 msgspec==0.22.0 msgpack==1.2.4 cbor2==6.2.1 \
  pymongo==4.20.0 PyYAML==6.0.3 tomlkit==0.15.0
cat > reads.py <<'PY'
from datetime import date
from enum import Enum
from importlib import import_module

import attrs


class Level(Enum):
    LOW = 10


@attrs.define
class ByLevel:
    counts: dict[Level, int]


@attrs.define
class ByNumber:
    counts: dict[int, int]


@attrs.define
class ByDate:
    counts: dict[date, int]


values = (ByLevel({Level.LOW: 1}), ByNumber({10: 1}), ByDate({date(2024, 6, 15): 1}))
for name in ("json", "orjson", "ujson", "msgspec", "bson", "tomlkit", "msgpack", "cbor2", "pyyaml"):
    converter = import_module(f"cattrs.preconf.{name}").make_converter()
    found = []
    for value in values:
        written = converter.dumps(value)
        try:
            found.append("kept" if converter.loads(written, type(value)) == value else "changed")
        except Exception:
            found.append("not read")
    print(f"{name}: enum keys {found[0]}, int keys {found[1]}, date keys {found[2]}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
json: enum keys not read, int keys kept, date keys kept
orjson: enum keys not read, int keys kept, date keys kept
ujson: enum keys not read, int keys kept, date keys kept
msgspec: enum keys not read, int keys kept, date keys kept
bson: enum keys not read, int keys kept, date keys kept
tomlkit: enum keys not read, int keys kept, date keys kept
msgpack: enum keys not read, int keys not read, date keys not read
cbor2: enum keys kept, int keys kept, date keys kept
pyyaml: enum keys kept, int keys kept, date keys kept
SEEN
