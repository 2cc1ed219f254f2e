#!/usr/bin/env bash
# cloudpickle 3.1.2 pickles a msgspec Struct of a script by value without an error, and what comes back has no fields.
#
# Guess: classes of a script or cell come back whole, as dataclasses and attrs classes do, or pickling raises.
# Seen: the class comes back with `__struct_fields__ == ()`, so `Point(x=1)` is "Unexpected keyword argument 'x'", and
# `Point()` is an empty object that msgspec encodes as `{}`. msgspec decodes every document into it, and drops all keys.
# Versions: cloudpickle 3.1.2, msgspec 0.22.0, attrs 26.1.0; CPython 3.11.
# Who meets it: whoever sends a function with a Struct beside it to Dask, Ray or Spark from a notebook.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q cloudpickle==3.1.2 msgspec==0.22.0 attrs==26.1.0
cat > writes.py <<'PY'
from dataclasses import dataclass

import attrs
import cloudpickle
import msgspec


class Struct(msgspec.Struct):
    x: int


@dataclass
class Data:
    x: int


@attrs.define
class Attrs:
    x: int


with open("classes", "wb") as file:
    cloudpickle.dump([Struct, Data, Attrs], file)
PY
cat > reads.py <<'PY'
import pickle

import msgspec

with open("classes", "rb") as file:
    struct, data, attrs = pickle.load(file)
print(data(x=1), attrs(x=1))
print("fields of the Struct:", struct.__struct_fields__)
try:
    struct(x=1)
except TypeError as error:
    print("TypeError:", error)
print(msgspec.json.encode(msgspec.json.decode(b'{"x": 1}', type=struct)).decode())
PY
.venv/bin/python writes.py
.venv/bin/python reads.py | tee seen
diff seen - <<'SEEN'
Data(x=1) Attrs(x=1)
fields of the Struct: ()
TypeError: Unexpected keyword argument 'x'
{}
SEEN
