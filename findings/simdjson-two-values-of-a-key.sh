#!/usr/bin/env bash
# pysimdjson gives the first value of a key that occurs twice if it is asked for the key, and the last one by `as_dict()`.
#
# Guess: one of the two, the same in each way.
# Seen: `["a"]`, `at_pointer`, `dict(…)` and `get` find the first; `as_dict()`, like `json.loads`, orjson and msgspec, keeps the last;
# `len` counts both.
# Versions: pysimdjson 7.0.2, orjson 3.11.4, msgspec 0.23.0; CPython 3.11.
# Who meets it: whoever reads some fields lazily and the rest as a dict, and expects both to agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pysimdjson==7.0.2 orjson==3.11.4 msgspec==0.23.0
cat > reads.py <<'PY'
import json

import msgspec
import orjson
import simdjson

blob = b'{"a": 1, "b": 2, "a": 3}'
document = simdjson.Parser().parse(blob)
print("by key:", document["a"], document.get("a"), document.at_pointer("/a"), dict(document))
print("as_dict:", document.as_dict())
print("items:", list(document.items()), "len:", len(document))
print("others:", json.loads(blob), orjson.loads(blob), msgspec.json.decode(blob))
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
by key: 1 1 1 {'a': 1, 'b': 2}
as_dict: {'a': 3, 'b': 2}
items: [('a', 1), ('b', 2), ('a', 3)] len: 3
others: {'a': 3, 'b': 2} {'a': 3, 'b': 2} {'a': 3, 'b': 2}
SEEN
