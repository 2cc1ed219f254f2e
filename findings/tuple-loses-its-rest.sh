#!/usr/bin/env bash
# mashumaro, pyserde and dataclass-wizard read a JSON array of three into tuple[int, str] and drop the third item silently.
#
# Guess: an array of another length is refused, as all three refuse one that is too short.
# Seen: too short is an error, too long is cut. cattrs, msgspec and pydantic refuse both.
# Versions: mashumaro 3.23, pyserde 0.34.0, dataclass-wizard 1.0.0, cattrs 26.1.0, msgspec 0.22.0, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever reads coordinates, pairs or rows of a table as fixed tuples, when the sender adds a column.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q mashumaro==3.23 pyserde==0.34.0 dataclass-wizard==1.0.0 cattrs==26.1.0 msgspec==0.22.0 pydantic==2.14.3
cat > reads.py <<'PY'
from dataclasses import dataclass

import cattrs.preconf.json
import dataclass_wizard
import mashumaro.codecs.json
import msgspec
import pydantic
import serde
import serde.json


@serde.serde
@dataclass
class Row:
    cells: tuple[int, str]


readers = {
    "mashumaro": mashumaro.codecs.json.JSONDecoder(Row).decode,
    "pyserde": lambda text: serde.json.from_json(Row, text),
    "dataclass-wizard": lambda text: dataclass_wizard.fromdict(Row, msgspec.json.decode(text)),
    "cattrs": lambda text: cattrs.preconf.json.make_converter().loads(text, Row),
    "msgspec": lambda text: msgspec.json.decode(text, type=Row),
    "pydantic": pydantic.TypeAdapter(Row).validate_json,
}
for name, read in readers.items():
    for text in ('{"cells": [1]}', '{"cells": [1, "a", "new"]}'):
        try:
            print(name, text, read(text).cells)
        except Exception:
            print(name, text, "refused")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
mashumaro {"cells": [1]} refused
mashumaro {"cells": [1, "a", "new"]} (1, 'a')
pyserde {"cells": [1]} refused
pyserde {"cells": [1, "a", "new"]} (1, 'a')
dataclass-wizard {"cells": [1]} refused
dataclass-wizard {"cells": [1, "a", "new"]} (1, 'a')
cattrs {"cells": [1]} refused
cattrs {"cells": [1, "a", "new"]} refused
msgspec {"cells": [1]} refused
msgspec {"cells": [1, "a", "new"]} refused
pydantic {"cells": [1]} refused
pydantic {"cells": [1, "a", "new"]} refused
SEEN
