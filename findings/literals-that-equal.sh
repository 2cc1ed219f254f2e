#!/usr/bin/env bash
# pydantic and apischema take 1 and 1.0 for Literal[True], pydantic in strict mode too; adaptix and msgspec refuse them.
#
# Guess: strict mode tells true from 1, as it does for a field of type bool.
# Seen: Literal compares with `==`, and the field gets the literal's own value; strict mode changes nothing for 1.
# Versions: pydantic 2.14.3, apischema 0.19.0, adaptix 3.0.0b12, msgspec 0.22.0; CPython 3.11.
# Who meets it: whoever uses Literal[True] as the tag of a union, or to make sure that a box was ticked.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.3 apischema==0.19.0 adaptix==3.0.0b12 msgspec==0.22.0
cat > reads.py <<'PY'
from dataclasses import dataclass
from typing import Literal

import adaptix
import apischema
import msgspec
import pydantic


@dataclass
class Consent:
    given: Literal[True]


adapter = pydantic.TypeAdapter(Consent)
readers = {
    "pydantic": lambda data: adapter.validate_python(data),
    "pydantic, strict": lambda data: adapter.validate_json(msgspec.json.encode(data), strict=True),
    "apischema": lambda data: apischema.deserialize(Consent, data),
    "adaptix": lambda data: adaptix.Retort().load(data, Consent),
    "msgspec": lambda data: msgspec.convert(data, Consent),
}
for name, read in readers.items():
    for given in (1, 1.0):
        try:
            print(f"{name}: {given} becomes {read({'given': given}).given}")
        except Exception as error:
            print(f"{name}: {given} is refused, {type(error).__name__}")
try:
    pydantic.TypeAdapter(bool).validate_json("1", strict=True)
except pydantic.ValidationError:
    print("pydantic, strict: 1 is refused for bool")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
pydantic: 1 becomes True
pydantic: 1.0 becomes True
pydantic, strict: 1 becomes True
pydantic, strict: 1.0 becomes True
apischema: 1 becomes True
apischema: 1.0 becomes True
adaptix: 1 is refused, AggregateLoadError
adaptix: 1.0 is refused, AggregateLoadError
msgspec: 1 is refused, ValidationError
msgspec: 1.0 is refused, ValidationError
pydantic, strict: 1 is refused for bool
SEEN
