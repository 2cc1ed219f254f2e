#!/usr/bin/env bash
# mashumaro reads 7.5 into int | str as 7 and null as the text 'None', and the text "21" into int | list[int] as [2, 1].
#
# Guess: a value that is of no member of a union is an error, as it is in msgspec, adaptix, apischema, serpyco-rs and dacite.
# Seen: mashumaro tries each member's own conversion, so int(7.5), str(None) and list("21") count as a match.
#       typical, dataclass-wizard, pydantic and cattrs each take one to three of the values, and no two the same way.
# Versions: mashumaro 3.23, typical 2.9.0, dataclass-wizard 1.0.0, pydantic 2.14.3, msgspec 0.22.0, adaptix 3.0.0b12,
#           apischema 0.19.0, serpyco-rs 1.23.0, dacite 1.9.2, cattrs 26.1.0; CPython 3.11.
# Who meets it: whoever has a field that is a number or a name, and gets a fraction or a null once in a while.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q mashumaro==3.23 typical==2.9.0 dataclass-wizard==1.0.0 pydantic==2.14.3 msgspec==0.22.0 \
    adaptix==3.0.0b12 apischema==0.19.0 serpyco-rs==1.23.0 dacite==1.9.2 cattrs==26.1.0 setuptools==80.9.0
cat > reads.py <<'PY'
from dataclasses import dataclass

import adaptix
import apischema
import cattrs.preconf.json
import dacite
import dataclass_wizard
import mashumaro.codecs
import msgspec
import pydantic
import serpyco_rs
import typic


@dataclass
class Named:
    value: int | str


@dataclass
class Listed:
    value: int | list[int]


readers = {
    "mashumaro": lambda data, cls: mashumaro.codecs.BasicDecoder(cls).decode(data),
    "typical": lambda data, cls: typic.transmute(cls, data),
    "dataclass-wizard": lambda data, cls: dataclass_wizard.fromdict(cls, data),
    "pydantic": lambda data, cls: pydantic.TypeAdapter(cls).validate_python(data),
    "msgspec": lambda data, cls: msgspec.convert(data, cls),
    "adaptix": adaptix.load,
    "apischema": lambda data, cls: apischema.deserialize(cls, data),
    "serpyco-rs": lambda data, cls: serpyco_rs.Serializer(cls).load(data),
    "dacite": lambda data, cls: dacite.from_dict(cls, data),
    "cattrs": lambda data, cls: cattrs.preconf.json.make_converter().structure(data, cls),
}
for name, read in readers.items():
    seen = []
    for cls, value in ((Named, 7.5), (Named, None), (Listed, "21")):
        try:
            seen.append(repr(read({"value": value}, cls).value))
        except Exception:
            seen.append("refused")
    print(name, *seen, sep=" | ")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
mashumaro | 7 | 'None' | [2, 1]
typical | 7 | 'None' | 21
dataclass-wizard | '7.5' | 'None' | [2, 1]
pydantic | refused | refused | 21
msgspec | refused | refused | refused
adaptix | refused | refused | refused
apischema | refused | refused | refused
serpyco-rs | refused | refused | refused
dacite | refused | refused | refused
cattrs | refused | refused | [2, 1]
SEEN
