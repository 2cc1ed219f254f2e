#!/usr/bin/env bash
# An Enum whose `_missing_` also takes "Low": apischema and serpyco-rs refuse the value, thirteen other libraries take it.
#
# Guess: all take it, as `Level("Low")` is how Python makes a member of a value.
# Seen: apischema and serpyco-rs check a list of the values beforehand, as a JSON Schema has it. The others ask the
#   class, also pydantic and msgspec, which are not written in Python.
# Versions: msgspec 0.23.0, pydantic 2.14.4, cattrs 26.2.1, mashumaro 3.23, adaptix 3.0.0b12, apischema 0.19.0,
#   serpyco-rs 1.23.0, pyserde 0.34.0, typedload 2.41, typical 2.9.0, dacite 1.9.2, dataclass-wizard 1.0.0, jsons 1.6.3,
#   chili 2.9.0, marshmallow 4.4.0; CPython 3.11.
# Who meets it: whoever reads older spellings of a value with Python's own means, and changes the library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q msgspec==0.23.0 pydantic==2.14.4 cattrs==26.2.1 mashumaro==3.23 adaptix==3.0.0b12 apischema==0.19.0 \
  serpyco-rs==1.23.0 pyserde==0.34.0 typedload==2.41 typical==2.9.0 dacite==1.9.2 dataclass-wizard==1.0.0 jsons==1.6.3 \
  chili==2.9.0 marshmallow==4.4.0
cat > levels.py <<'PY'
import json
from dataclasses import dataclass
from enum import Enum

import cattrs
import chili
import dacite
import jsons
import marshmallow
import msgspec
import serde
import typedload
import typic
from adaptix import Retort
from apischema import deserialize
from dataclass_wizard import fromdict
from mashumaro.codecs import BasicDecoder
from pydantic import TypeAdapter
from serpyco_rs import Serializer


class Level(Enum):
    LOW = "low"
    HIGH = "high"

    @classmethod
    def _missing_(cls, value):
        return cls.LOW if value == "Low" else None


@dataclass
class Alarm:
    level: Level


schema = marshmallow.Schema.from_dict({"level": marshmallow.fields.Enum(Level, by_value=True)})()
ways = {
    "msgspec": lambda data: msgspec.convert(data, Alarm),
    "msgspec, JSON": lambda data: msgspec.json.decode(json.dumps(data), type=Alarm),
    "pydantic": lambda data: TypeAdapter(Alarm).validate_python(data),
    "pydantic, JSON": lambda data: TypeAdapter(Alarm).validate_json(json.dumps(data)),
    "cattrs": lambda data: cattrs.structure(data, Alarm),
    "mashumaro": lambda data: BasicDecoder(Alarm).decode(data),
    "adaptix": lambda data: Retort().load(data, Alarm),
    "apischema": lambda data: deserialize(Alarm, data),
    "serpyco-rs": lambda data: Serializer(Alarm).load(data),
    "pyserde": lambda data: serde.from_dict(Alarm, data),
    "typedload": lambda data: typedload.load(data, Alarm),
    "typical": lambda data: typic.transmute(Alarm, data),
    "dacite": lambda data: dacite.from_dict(Alarm, data, dacite.Config(cast=[Enum])),
    "dataclass-wizard": lambda data: fromdict(Alarm, data),
    "jsons": lambda data: jsons.load(data, Alarm),
    "chili": lambda data: chili.decode(data, Alarm, force=True),
    "marshmallow": lambda data: Alarm(**schema.load(data)),
}
for name, way in ways.items():
    seen = []
    for value in ("low", "Low"):
        try:
            seen.append(str(way({"level": value}).level))
        except Exception as error:
            seen.append(type(error).__name__)
    print(name, *seen, sep="; ")
PY
.venv/bin/python levels.py | tee seen
diff seen - <<'SEEN'
msgspec; Level.LOW; Level.LOW
msgspec, JSON; Level.LOW; Level.LOW
pydantic; Level.LOW; Level.LOW
pydantic, JSON; Level.LOW; Level.LOW
cattrs; Level.LOW; Level.LOW
mashumaro; Level.LOW; Level.LOW
adaptix; Level.LOW; Level.LOW
apischema; Level.LOW; ValidationError
serpyco-rs; Level.LOW; SchemaValidationError
pyserde; Level.LOW; Level.LOW
typedload; Level.LOW; Level.LOW
typical; Level.LOW; Level.LOW
dacite; Level.LOW; Level.LOW
dataclass-wizard; Level.LOW; Level.LOW
jsons; Level.LOW; Level.LOW
chili; Level.LOW; Level.LOW
marshmallow; Level.LOW; Level.LOW
SEEN
