#!/usr/bin/env bash
# A dataclass field that __post_init__ computes is left out by pydantic, refused by apischema that has written it, and believed by serpyco-rs.
#
# Guess: each library but cattrs writes the field, ignores it when it reads, and computes it anew.
# Seen: msgspec, mashumaro, adaptix and pyserde do. pydantic writes no such field; apischema writes it and refuses its own
# document; serpyco-rs takes what the document says, so that an area of 7 stands beside 2 and 3.
# Versions: pydantic 2.14.3, apischema 0.19.0, serpyco-rs 1.23.0, msgspec 0.22.0, mashumaro 3.23, adaptix 3.0.0b12,
# pyserde 0.34.0; CPython 3.11.
# Who meets it: whoever keeps a total, a slug or a normalised name in a field(init=False) and changes the library.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.3 apischema==0.19.0 serpyco-rs==1.23.0 msgspec==0.22.0 mashumaro==3.23 \
  adaptix==3.0.0b12 pyserde==0.34.0
cat > reads.py <<'PY'
import json
from dataclasses import dataclass, field

import adaptix
import apischema
import mashumaro.codecs.basic
import msgspec
import pydantic
import serde
import serpyco_rs


@serde.serde
@dataclass
class Tile:
    width: int
    height: int
    area: int = field(init=False)

    def __post_init__(self):
        self.area = self.width * self.height


retort, adapter, serializer = adaptix.Retort(), pydantic.TypeAdapter(Tile), serpyco_rs.Serializer(Tile)
libraries = {
    "msgspec": (msgspec.to_builtins, lambda data: msgspec.convert(data, Tile)),
    "mashumaro": (mashumaro.codecs.basic.BasicEncoder(Tile).encode, mashumaro.codecs.basic.BasicDecoder(Tile).decode),
    "adaptix": (retort.dump, lambda data: retort.load(data, Tile)),
    "pyserde": (serde.to_dict, lambda data: serde.from_dict(Tile, data)),
    "pydantic": (adapter.dump_python, adapter.validate_python),
    "apischema": (lambda tile: apischema.serialize(Tile, tile), lambda data: apischema.deserialize(Tile, data)),
    "serpyco-rs": (serializer.dump, serializer.load),
}
for name, (write, read) in libraries.items():
    written, found = write(Tile(2, 3)), []
    for data in (dict(written), {"width": 2, "height": 3, "area": 7}):
        try:
            found.append(str(read(data).area))
        except Exception:
            found.append("refused")
    print(f"{name} writes {json.dumps(written)}, reads it as {found[0]}, and an area of 7 as {found[1]}")
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
msgspec writes {"width": 2, "height": 3, "area": 6}, reads it as 6, and an area of 7 as 6
mashumaro writes {"width": 2, "height": 3, "area": 6}, reads it as 6, and an area of 7 as 6
adaptix writes {"width": 2, "height": 3, "area": 6}, reads it as 6, and an area of 7 as 6
pyserde writes {"width": 2, "height": 3, "area": 6}, reads it as 6, and an area of 7 as 6
pydantic writes {"width": 2, "height": 3}, reads it as 6, and an area of 7 as 6
apischema writes {"width": 2, "height": 3, "area": 6}, reads it as refused, and an area of 7 as refused
serpyco-rs writes {"width": 2, "height": 3, "area": 6}, reads it as 6, and an area of 7 as 7
SEEN
