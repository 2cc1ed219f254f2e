#!/usr/bin/env bash
# mashumaro, apischema and pyserde read the JSON number 1.1 into a Decimal as 1.100000000000000088817841970012523233890533447265625.
#
# Guess: a field of type Decimal gets Decimal('1.1'), or the number is refused, since all three write Decimals as text.
# Seen: the number becomes a float first and the Decimal has all of its binary digits; apischema refuses the text "1.10"
# and takes the number only. msgspec, pydantic and serpyco-rs give Decimal('1.1') for the same document.
# Versions: mashumaro 3.23, apischema 0.19.0, pyserde 0.34.0, msgspec 0.22.0, pydantic 2.14.3, serpyco-rs 1.23.0; CPython 3.11.
# Who meets it: whoever reads prices from JSON that others write as numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q mashumaro==3.23 apischema==0.19.0 pyserde==0.34.0 msgspec==0.22.0 pydantic==2.14.3 serpyco-rs==1.23.0
cat > reads.py <<'PY'
import json
from dataclasses import dataclass
from decimal import Decimal

import apischema
import mashumaro.codecs.json
import msgspec
import pydantic
import serde
import serde.json
import serpyco_rs


@serde.serde
@dataclass
class Price:
    amount: Decimal


readers = {
    "mashumaro": mashumaro.codecs.json.JSONDecoder(Price).decode,
    "apischema": lambda text: apischema.deserialize(Price, json.loads(text)),
    "pyserde": lambda text: serde.json.from_json(Price, text),
    "msgspec": lambda text: msgspec.json.decode(text, type=Price),
    "pydantic": pydantic.TypeAdapter(Price).validate_json,
    "serpyco-rs": lambda text: serpyco_rs.Serializer(Price).load(json.loads(text)),
}
for name, read in readers.items():
    for text in ('{"amount": 1.1}', '{"amount": "1.10"}'):
        try:
            print(name, text, read(text).amount)
        except Exception as error:
            print(name, text, "refused:", type(error).__name__)
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
mashumaro {"amount": 1.1} 1.100000000000000088817841970012523233890533447265625
mashumaro {"amount": "1.10"} 1.10
apischema {"amount": 1.1} 1.100000000000000088817841970012523233890533447265625
apischema {"amount": "1.10"} refused: ValidationError
pyserde {"amount": 1.1} 1.100000000000000088817841970012523233890533447265625
pyserde {"amount": "1.10"} 1.10
msgspec {"amount": 1.1} 1.1
msgspec {"amount": "1.10"} 1.10
pydantic {"amount": 1.1} 1.1
pydantic {"amount": "1.10"} 1.10
serpyco-rs {"amount": 1.1} 1.1
serpyco-rs {"amount": "1.10"} 1.10
SEEN
