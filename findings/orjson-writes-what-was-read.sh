#!/usr/bin/env bash
# orjson writes a cached_property of a dataclass into its JSON once somebody has read it, so the same object has two documents.
#
# Guess: the fields alone, as `dataclasses.asdict`, msgspec, pydantic and the same author's ormsgpack write them.
# Seen: {"net":100} before `order.gross` is read, {"net":100,"gross":119.0} afterwards: orjson takes the object's `__dict__`, in
# which cached_property keeps its value.
# Versions: orjson 3.13.0, ormsgpack 1.13.1, msgspec 0.22.0, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever hashes, signs or compares JSON of dataclasses, or reads it with a schema that forbids further keys:
# a line of logging that reads the property changes the response.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q orjson==3.13.0 ormsgpack==1.13.1 msgspec==0.22.0 pydantic==2.14.3
cat > writes.py <<'PY'
from dataclasses import asdict, dataclass
from functools import cached_property

import msgspec
import orjson
import ormsgpack
import pydantic


@dataclass
class Order:
    net: int

    @cached_property
    def gross(self) -> float:
        return self.net * 1.19


order = Order(100)
print("unread:", orjson.dumps(order).decode())
order.gross
print("read:", orjson.dumps(order).decode())
print("asdict:", asdict(order))
print("ormsgpack:", ormsgpack.unpackb(ormsgpack.packb(order)))
print("msgspec:", msgspec.json.encode(order).decode())
print("pydantic:", pydantic.TypeAdapter(Order).dump_json(order).decode())
PY
.venv/bin/python writes.py | tee seen
diff seen - <<'SEEN'
unread: {"net":100}
read: {"net":100,"gross":119.0}
asdict: {'net': 100}
ormsgpack: {'net': 100}
msgspec: {"net":100}
pydantic: {"net":100}
SEEN
