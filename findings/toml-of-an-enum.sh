#!/usr/bin/env bash
# tomli-w and tomlkit write an enum of floats as no TOML, and a key of a `str` enum as a table in a table; toml writes a list.
#
# Guess: who writes members of enums with a mixed-in type, as `json` does, writes the value.
# Seen: tomli-w and tomlkit write a `str` enum as a value right, but as a key it is `Size.SMALL`, which TOML reads as a table in
#   a table; a `float` enum becomes `Rate.HALF` without quotes, which no reader takes. toml writes the text "s" as the list
#   ["s"], and numbers as the text "<Level.ONE: 1>". ujson writes a float enum right, but as a key as "Rate.HALF".
#   rtoml refuses the values.
# Versions: tomli-w 1.2.0, toml 0.10.2, tomlkit 0.14.0, rtoml 0.14.0, ujson 6.1.0; CPython 3.11.
# Who meets it: whoever writes settings with enums to TOML, and uses them as keys.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q tomli-w==1.2.0 toml==0.10.2 tomlkit==0.14.0 rtoml==0.14.0 ujson==6.1.0
cat > enums.py <<'PY'
import json
import tomllib
from enum import Enum, IntEnum

import rtoml
import toml
import tomli_w
import tomlkit
import ujson


class Size(str, Enum):
    SMALL = "s"


class Level(IntEnum):
    ONE = 1


class Rate(float, Enum):
    HALF = 0.5


DOCUMENTS = ({"x": Size.SMALL}, {Size.SMALL: 0}, {"x": Level.ONE}, {"x": Rate.HALF}, {Rate.HALF: 0})
WAYS = {
    "json": (json.dumps, json.loads),
    "ujson": (ujson.dumps, json.loads),
    "tomli_w": (tomli_w.dumps, tomllib.loads),
    "toml": (toml.dumps, tomllib.loads),
    "tomlkit": (tomlkit.dumps, tomllib.loads),
    "rtoml": (rtoml.dumps, tomllib.loads),
}
for name, (write, read) in WAYS.items():
    seen = []
    for document in DOCUMENTS:
        try:
            text = write(document)
        except Exception:
            seen.append("refused")
            continue
        try:
            seen.append(json.dumps(read(text)))
        except ValueError:
            seen.append("unreadable")
    print(name, *seen, sep="  ")
PY
.venv/bin/python -W ignore enums.py | tee seen
diff seen - <<'SEEN'
json  {"x": "s"}  {"s": 0}  {"x": 1}  {"x": 0.5}  {"0.5": 0}
ujson  {"x": "s"}  {"s": 0}  {"x": 1}  {"x": 0.5}  {"Rate.HALF": 0}
tomli_w  {"x": "s"}  {"Size": {"SMALL": 0}}  {"x": 1}  unreadable  refused
toml  {"x": ["s"]}  refused  {"x": "<Level.ONE: 1>"}  {"x": "<Rate.HALF: 0.5>"}  refused
tomlkit  {"x": "s"}  {"Size": {"SMALL": 0}}  {"x": 1}  unreadable  refused
rtoml  refused  {"s": 0}  refused  refused  refused
SEEN
