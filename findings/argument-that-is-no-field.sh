#!/usr/bin/env bash
# A dataclass with an InitVar: the key in a document counts for pydantic, adaptix and apischema, is ignored without a word by cattrs,
# mashumaro, pyserde and serpyco-rs, and is an error for databind and typedload.
#
# Guess: pydantic, which documents InitVar, takes the key; the others, which go by fields, ignore it and use the default.
# Seen: {"net": 100, "rate": 5} makes a total of 500 or of 200, by the library. serpyco-rs leaves the object without a total.
#   None writes the key again, so a document of 500 comes back as 200. Without a default, cattrs, mashumaro and pyserde
#   fail for want of an argument that is in the document. msgspec refuses the class.
# Versions: pydantic 2.14.4, msgspec 0.23.0, cattrs 26.2.1, mashumaro 3.23, adaptix 3.0.0b12, pyserde 0.34.0, apischema 0.19.0,
#   databind 4.5.5, typedload 2.41, serpyco-rs 1.23.0; CPython 3.11.
# Who meets it: whoever computes a field from an argument that is not stored, such as a rate or a unit, and changes the library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.4 msgspec==0.23.0 cattrs==26.2.1 mashumaro==3.23 adaptix==3.0.0b12 pyserde==0.34.0 \
  apischema==0.19.0 databind==4.5.5 typedload==2.41 serpyco-rs==1.23.0
cat > reads.py <<'PY'
from dataclasses import InitVar, dataclass

import adaptix
import apischema
import cattrs
import databind.core
import databind.json
import msgspec
import pydantic
import serde
import serpyco_rs
import typedload
from mashumaro.codecs import BasicDecoder, BasicEncoder


@dataclass
class Usual:
    net: int
    rate: InitVar[int] = 2

    def __post_init__(self, rate):
        self.total = self.net * rate


@dataclass
class Needed:
    net: int
    rate: InitVar[int]

    def __post_init__(self, rate):
        self.total = self.net * rate


WAYS = {
    "pydantic": lambda kind: (pydantic.TypeAdapter(kind).validate_python, pydantic.TypeAdapter(kind).dump_python),
    "msgspec": lambda kind: (lambda data: msgspec.convert(data, kind), msgspec.to_builtins),
    "cattrs": lambda kind: (lambda data: cattrs.structure(data, kind), cattrs.unstructure),
    "mashumaro": lambda kind: (BasicDecoder(kind).decode, BasicEncoder(kind).encode),
    "adaptix": lambda kind: (lambda data: adaptix.Retort().load(data, kind), adaptix.Retort().dump),
    "pyserde": lambda kind: (lambda data: serde.from_dict(kind, data), serde.to_dict),
    "apischema": lambda kind: (lambda data: apischema.deserialize(kind, data), apischema.serialize),
    "databind": lambda kind: (lambda data: databind.json.load(data, kind), lambda value: databind.json.dump(value, kind)),
    "typedload": lambda kind: (lambda data: typedload.load(data, kind), typedload.dump),
    "serpyco-rs": lambda kind: (serpyco_rs.Serializer(kind).load, serpyco_rs.Serializer(kind).dump),
}


def total(way, kind):
    try:
        read, write = way(kind)
        value = read({"net": 100, "rate": 5})
    except Exception as error:
        return type(error).__name__
    return f"{getattr(value, 'total', 'no total')}, written as {write(value)}"


for name, way in WAYS.items():
    print(f"{name}: {total(way, Usual)}; without a default {total(way, Needed)}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
pydantic: 500, written as {'net': 100}; without a default 500, written as {'net': 100}
msgspec: TypeError; without a default TypeError
cattrs: 200, written as {'net': 100}; without a default ClassValidationError
mashumaro: 200, written as {'net': 100}; without a default TypeError
adaptix: 500, written as {'net': 100}; without a default 500, written as {'net': 100}
pyserde: 200, written as {'net': 100}; without a default TypeError
apischema: 500, written as {'net': 100}; without a default 500, written as {'net': 100}
databind: ConversionError; without a default ConversionError
typedload: TypedloadTypeError; without a default TypedloadTypeError
serpyco-rs: no total, written as {'net': 100}; without a default no total, written as {'net': 100}
SEEN
