#!/usr/bin/env bash
# apischema and serpyco-rs refuse the JSON value true for an int, and take it for a float.
#
# Guess: what refuses a bool as an int refuses it as a float too, since a bool is even further from one.
# Seen: apischema gives 1.0; serpyco-rs leaves True in the field, which it then writes as `true`, so that the next strict
# reader refuses the document. adaptix and msgspec refuse both.
# Versions: apischema 0.19.0, serpyco-rs 1.23.0, adaptix 3.0.0b12, msgspec 0.22.0; CPython 3.11.
# Who meets it: whoever relies on "validates" for numeric fields.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q apischema==0.19.0 serpyco-rs==1.23.0 adaptix==3.0.0b12 msgspec==0.22.0
cat > reads.py <<'PY'
from dataclasses import dataclass

import adaptix
import apischema
import msgspec
import serpyco_rs


@dataclass
class Whole:
    value: int


@dataclass
class Real:
    value: float


readers = {
    "apischema": apischema.deserialize,
    "serpyco-rs": lambda cls, data: serpyco_rs.Serializer(cls).load(data),
    "adaptix": lambda cls, data: adaptix.Retort().load(data, cls),
    "msgspec": lambda cls, data: msgspec.convert(data, cls),
}
for name, read in readers.items():
    for cls in (Whole, Real):
        try:
            print(name, cls.__name__, repr(read(cls, {"value": True}).value))
        except Exception as error:
            print(name, cls.__name__, "refused:", type(error).__name__)
print("serpyco-rs writes", serpyco_rs.Serializer(Real).dump(Real(True)))
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
apischema Whole refused: ValidationError
apischema Real 1.0
serpyco-rs Whole refused: SchemaValidationError
serpyco-rs Real True
adaptix Whole refused: AggregateLoadError
adaptix Real refused: AggregateLoadError
msgspec Whole refused: ValidationError
msgspec Real refused: ValidationError
serpyco-rs writes {'value': True}
SEEN
