#!/usr/bin/env bash
# With `from __future__ import annotations`, a key that is NotRequired is required by cattrs and typedload, and one that is
# Required is not missed by cattrs and mashumaro.
#
# Guess: the line of the import changes nothing: a TypedDict says which keys it requires.
# Seen: without the line all five libraries read a document that lacks the key. With it Python itself counts every key of the
#   class as required; msgspec and adaptix look into the text of the annotation, mashumaro does so for NotRequired alone.
# Versions: cattrs 26.2.1, mashumaro 3.23, msgspec 0.23.0, adaptix 3.0.0b12, typedload 2.41; CPython 3.11.
# Who meets it: whoever adds the line to a module of TypedDicts, as linters do: documents that were read are refused, or the reverse.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q cattrs==26.2.1 mashumaro==3.23 msgspec==0.23.0 adaptix==3.0.0b12 typedload==2.41
cat > plain.py <<'PY'
from typing import NotRequired, Required, TypedDict


class Order(TypedDict):
    number: int
    note: NotRequired[str]


class Change(TypedDict, total=False):
    number: Required[int]
    note: str
PY
{ echo "from __future__ import annotations"; cat plain.py; } > lazy.py
cat > reads.py <<'PY'
import adaptix
import cattrs
import lazy
import msgspec
import plain
import typedload
from mashumaro.codecs import BasicDecoder

READERS = {
    "cattrs": lambda value, kind: cattrs.Converter().structure(value, kind),
    "mashumaro": lambda value, kind: BasicDecoder(kind).decode(value),
    "msgspec": msgspec.convert,
    "adaptix": lambda value, kind: adaptix.Retort().load(value, kind),
    "typedload": typedload.load,
}


def reads(value, kind):
    try:
        return "reads it" if READERS[name](value, kind) == value else "changes it"
    except Exception:
        return "refuses it"


for home in (plain, lazy):
    print(home.__name__, "requires", sorted(home.Order.__required_keys__), sorted(home.Change.__required_keys__))
    for name in READERS:
        print(f"  {name}: note absent, {reads({'number': 1}, home.Order)}; number absent, {reads({'note': ''}, home.Change)}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
plain requires ['number'] ['number']
  cattrs: note absent, reads it; number absent, refuses it
  mashumaro: note absent, reads it; number absent, refuses it
  msgspec: note absent, reads it; number absent, refuses it
  adaptix: note absent, reads it; number absent, refuses it
  typedload: note absent, reads it; number absent, refuses it
lazy requires ['note', 'number'] []
  cattrs: note absent, refuses it; number absent, reads it
  mashumaro: note absent, reads it; number absent, reads it
  msgspec: note absent, reads it; number absent, refuses it
  adaptix: note absent, reads it; number absent, refuses it
  typedload: note absent, refuses it; number absent, refuses it
SEEN
