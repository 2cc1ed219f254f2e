#!/usr/bin/env bash
# dataclass-wizard reads the JSON value true into a field of type int | str as the text 'True'.
#
# Guess: 1 or True, as a bool is an int in Python, or an error.
# Seen: 'True', with a capital letter, so that what is written again is "True" and no JSON reader takes it back for true.
# Versions: dataclass-wizard 1.0.0, and beside it cattrs 26.1.0, msgspec 0.22.0, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever has settings that are numbers or texts, and once in a while a flag.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q dataclass-wizard==1.0.0 cattrs==26.1.0 msgspec==0.22.0 pydantic==2.14.3
cat > reads.py <<'PY'
from dataclasses import dataclass

import cattrs.preconf.json
import dataclass_wizard
import msgspec
import pydantic


@dataclass
class Setting:
    value: int | str


readers = {
    "dataclass-wizard": lambda data: dataclass_wizard.fromdict(Setting, data),
    "cattrs": lambda data: cattrs.preconf.json.make_converter().structure(data, Setting),
    "msgspec": lambda data: msgspec.convert(data, Setting),
    "pydantic": pydantic.TypeAdapter(Setting).validate_python,
}
for name, read in readers.items():
    try:
        print(name, repr(read({"value": True}).value))
    except Exception as error:
        print(name, "refused:", type(error).__name__)
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
dataclass-wizard 'True'
cattrs True
msgspec refused: ValidationError
pydantic 1
SEEN
