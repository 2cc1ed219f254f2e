#!/usr/bin/env bash
# A subclass of a NamedTuple that adds a method: typedload reads its defaults in place of the values, without a word;
# cattrs writes it and refuses what it has written. pyserde reads any NamedTuple at the top as if all were its first field.
#
# Guess: a method changes nothing, as all of them read the fields from `_fields` or from the annotations of the base.
# Seen: typedload reads {"x": 1, "y": 2} as Leg(x=0, y=0), cattrs takes a Leg for a tuple without items, and pyserde makes
#   Point(x=[1, 2], y=0) of a Point, subclass or not. msgspec, pydantic, mashumaro, adaptix, apischema and typical read both.
# Versions: typedload 2.41, cattrs 26.2.1, pyserde 0.34.0, msgspec 0.23.0, pydantic 2.14.4, mashumaro 3.23, adaptix 3.0.0b12,
#   apischema 0.19.0, typical 2.9.0; CPython 3.11.
# Who meets it: whoever gives a NamedTuple a method or a property after the fact.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q adaptix==3.0.0b12 apischema==0.19.0 cattrs==26.2.1 mashumaro==3.23 msgspec==0.23.0 pydantic==2.14.4 pyserde==0.34.0 typedload==2.41 typical==2.9.0
cat > legs.py <<'PY'
from typing import NamedTuple

import msgspec
import serde.json
import typedload
import typic
from adaptix import Retort
from apischema import deserialize, serialize
from cattrs.preconf.json import make_converter
from mashumaro.codecs.json import JSONDecoder, JSONEncoder
from pydantic import TypeAdapter


class Point(NamedTuple):
    x: int = 0
    y: int = 0


class Leg(Point):
    def length(self):
        return abs(self.x) + abs(self.y)


retort, converter = Retort(), make_converter()
ways = {
    "typedload": lambda value, cls: typedload.load(typedload.dump(value), cls),
    "cattrs": lambda value, cls: converter.loads(converter.dumps(value), cls),
    "pyserde": lambda value, cls: serde.json.from_json(cls, serde.json.to_json(value)),
    "msgspec": lambda value, cls: msgspec.json.decode(msgspec.json.encode(value), type=cls),
    "pydantic": lambda value, cls: TypeAdapter(cls).validate_json(TypeAdapter(cls).dump_json(value)),
    "mashumaro": lambda value, cls: JSONDecoder(cls).decode(JSONEncoder(cls).encode(value)),
    "adaptix": lambda value, cls: retort.load(retort.dump(value, cls), cls),
    "apischema": lambda value, cls: deserialize(cls, serialize(cls, value)),
    "typical": lambda value, cls: typic.transmute(cls, typic.primitive(value)),
}
for cls in (Point, Leg):
    for name, way in ways.items():
        try:
            print(name, way(cls(1, 2), cls))
        except Exception as error:
            print(name, cls.__name__, type(error).__name__)
PY
.venv/bin/python legs.py | tee seen
diff seen - <<'SEEN'
typedload Point(x=1, y=2)
cattrs Point(x=1, y=2)
pyserde Point(x=[1, 2], y=0)
msgspec Point(x=1, y=2)
pydantic Point(x=1, y=2)
mashumaro Point(x=1, y=2)
adaptix Point(x=1, y=2)
apischema Point(x=1, y=2)
typical Point(x=1, y=2)
typedload Leg(x=0, y=0)
cattrs Leg IterableValidationError
pyserde Leg(x=[1, 2], y=0)
msgspec Leg(x=1, y=2)
pydantic Leg(x=1, y=2)
mashumaro Leg(x=1, y=2)
adaptix Leg(x=1, y=2)
apischema Leg(x=1, y=2)
typical Leg(x=1, y=2)
SEEN
