#!/usr/bin/env bash
# ormsgpack reads the first of two MessagePack documents in the bytes that it is given, and drops the second without a word.
#
# One would guess: an error, as orjson of the same design raises one for bytes behind a document, and as msgpack and msgspec do.
# Seen: `unpackb` returns the first document alone, so that half of a batch is lost.
# Versions: ormsgpack 1.13.1, orjson 3.13.0, msgpack 1.2.4, msgspec 0.22.0; CPython 3.11.
# Who meets it: whoever reads a file or a queue to which several messages were appended.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q ormsgpack==1.13.1 orjson==3.13.0 msgpack==1.2.4 msgspec==0.22.0
cat > reads.py <<'PY'
import msgpack
import msgspec
import orjson
import ormsgpack

for name, write, read in (
    ("ormsgpack", ormsgpack.packb, ormsgpack.unpackb),
    ("msgpack", msgpack.packb, msgpack.unpackb),
    ("msgspec", msgspec.msgpack.encode, msgspec.msgpack.decode),
    ("orjson", orjson.dumps, orjson.loads),
):
    try:
        print(name, "reads", read(write({"order": 1}) + write({"order": 2})))
    except Exception as error:
        print(name, "refuses:", type(error).__name__)
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
ormsgpack reads {'order': 1}
msgpack refuses: ExtraData
msgspec refuses: DecodeError
orjson refuses: JSONDecodeError
SEEN
