#!/usr/bin/env bash
# An Enum whose values are tuples, like the planets of Python's own documentation, is written by nine of ten libraries and read by two.
#
# Guess: about half read the list that they have written, as it is easy to tell which member it means.
# Seen: pyserde alone makes a tuple of the list, and databind writes names. pydantic, cattrs, mashumaro, adaptix, apischema, typedload
#   and serpyco-rs write [3, 4] and refuse it. Of members that are dates, pydantic and apischema write "2025-01-01" and refuse
#   it. msgspec refuses both classes before any value.
# Versions: pydantic 2.14.4, msgspec 0.23.0, cattrs 26.2.1, mashumaro 3.23, adaptix 3.0.0b12, pyserde 0.34.0, apischema 0.19.0,
#   databind 4.5.5, typedload 2.41, serpyco-rs 1.23.0; CPython 3.11.
# Who meets it: whoever gives the members of an Enum more than one value, and stores one: nothing can be loaded any more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.4 msgspec==0.23.0 cattrs==26.2.1 mashumaro==3.23 adaptix==3.0.0b12 pyserde==0.34.0 \
  apischema==0.19.0 databind==4.5.5 typedload==2.41 serpyco-rs==1.23.0
cat > enums.py <<'PY'
import json
from dataclasses import dataclass
from datetime import date
from enum import Enum

import adaptix
import apischema
import databind.json
import msgspec
import pydantic
import serde.json
import serpyco_rs
import typedload
from cattrs.preconf.json import make_converter
from mashumaro.codecs.json import JSONDecoder, JSONEncoder


class Planet(Enum):
    EARTH = (1, 2)
    MARS = (3, 4)


class Term(Enum):
    OLD = date(2024, 1, 1)
    NEW = date(2025, 1, 1)


@dataclass
class Place:
    on: Planet


@dataclass
class Contract:
    under: Term


def pydantic_way(kind):
    adapter = pydantic.TypeAdapter(kind)
    return (lambda value: adapter.dump_json(value).decode()), adapter.validate_json


def around_json(dump, load):
    return (lambda value: json.dumps(dump(value))), (lambda text: load(json.loads(text)))


LIBRARIES = {
    "pydantic": pydantic_way,
    "msgspec": lambda kind: (lambda value: msgspec.json.encode(value).decode(), msgspec.json.Decoder(kind).decode),
    "cattrs": lambda kind: (make_converter().dumps, lambda text: make_converter().loads(text, kind)),
    "mashumaro": lambda kind: (JSONEncoder(kind).encode, JSONDecoder(kind).decode),
    "adaptix": lambda kind: around_json(
        lambda value: adaptix.Retort().dump(value, kind), lambda data: adaptix.Retort().load(data, kind)
    ),
    "pyserde": lambda kind: (lambda value: serde.json.to_json(value, cls=kind), lambda text: serde.json.from_json(kind, text)),
    "apischema": lambda kind: around_json(
        lambda value: apischema.serialize(kind, value), lambda data: apischema.deserialize(kind, data)
    ),
    "databind": lambda kind: (lambda value: databind.json.dumps(value, kind), lambda text: databind.json.loads(text, kind)),
    "typedload": lambda kind: around_json(typedload.dump, lambda data: typedload.load(data, kind)),
    "serpyco-rs": lambda kind: around_json(serpyco_rs.Serializer(kind).dump, serpyco_rs.Serializer(kind).load),
}


def answer(way, value):
    try:
        write, read = way(type(value))
    except Exception:
        return "refuses the class"
    try:
        text = write(value)
    except Exception:
        return "is not written"
    try:
        return f"{text} comes back" if read(text) == value else f"{text} is read as another"
    except Exception:
        return f"{text} is refused"


for name, way in LIBRARIES.items():
    print(f"{name}: {answer(way, Place(Planet.MARS))}; {answer(way, Contract(Term.NEW))}")
PY
.venv/bin/python -W ignore enums.py | tee seen
diff seen - <<'SEEN'
pydantic: {"on":[3,4]} is refused; {"under":"2025-01-01"} is refused
msgspec: refuses the class; refuses the class
cattrs: {"on": [3, 4]} is refused; is not written
mashumaro: {"on": [3, 4]} is refused; is not written
adaptix: {"on": [3, 4]} is refused; is not written
pyserde: {"on":[3,4]} comes back; is not written
apischema: {"on": [3, 4]} is refused; {"under": "2025-01-01"} is refused
databind: {"on": "MARS"} comes back; {"under": "NEW"} comes back
typedload: {"on": [3, 4]} is refused; {"under": [2025, 1, 1]} is refused
serpyco-rs: {"on": [3, 4]} is refused; is not written
SEEN
