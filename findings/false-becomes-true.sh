#!/usr/bin/env bash
# cattrs and mashumaro read the text "false" into a bool as True, and dataclass-wizard reads "maybe" and the number 2 as False.
#
# Guess: a text is no bool and is refused, or the usual words are known and all others refused, as in pydantic.
# Seen: cattrs and mashumaro call `bool(…)`, for which any text but the empty one is true; dataclass-wizard has a list of words
# for true, and takes everything else for false. None of the three says anything.
# Versions: cattrs 26.2.1, mashumaro 3.23, dataclass-wizard 1.0.0, pydantic 2.14.3, msgspec 0.22.0; CPython 3.11.
# Who meets it: whoever reads flags from forms, environment variables or CSV, where each value is a text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q cattrs==26.2.1 mashumaro==3.23 dataclass-wizard==1.0.0 pydantic==2.14.3 msgspec==0.22.0
cat > reads.py <<'PY'
from dataclasses import dataclass

import cattrs
import dataclass_wizard
import msgspec
import pydantic
from mashumaro.codecs.basic import BasicDecoder


@dataclass
class Flag:
    on: bool


readers = {
    "cattrs": lambda data: cattrs.Converter().structure(data, Flag),
    "mashumaro": BasicDecoder(Flag).decode,
    "dataclass-wizard": lambda data: dataclass_wizard.fromdict(Flag, data),
    "pydantic": pydantic.TypeAdapter(Flag).validate_python,
    "msgspec": lambda data: msgspec.convert(data, Flag),
}
for name, read in readers.items():
    found = []
    for given in ("true", "false", "0", "maybe", 2):
        try:
            found.append(f"{given!r} {read({'on': given}).on}")
        except Exception:
            found.append(f"{given!r} refused")
    print(f"{name}: {', '.join(found)}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
cattrs: 'true' True, 'false' True, '0' True, 'maybe' True, 2 True
mashumaro: 'true' True, 'false' True, '0' True, 'maybe' True, 2 True
dataclass-wizard: 'true' True, 'false' False, '0' False, 'maybe' False, 2 False
pydantic: 'true' True, 'false' False, '0' False, 'maybe' refused, 2 refused
msgspec: 'true' refused, 'false' refused, '0' refused, 'maybe' refused, 2 refused
SEEN
