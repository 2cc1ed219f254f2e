#!/usr/bin/env bash
# amazon.ion reads true as an int: `json.dumps` writes 1, `isinstance(…, bool)` is False, and a null is not None.
#
# Guess: booleans and null are Python's own, and numbers and texts perhaps subclasses of them.
# Seen: `IonPyBool` derives from int, as bool cannot be a base class, so the next encoder writes a number and every test for a
# bool fails; a null is an `IonPyNull`, which neither is nor equals None, so `value is None` misses it.
# Versions: amazon.ion 0.15.0; CPython 3.11.
# Who meets it: whoever hands what was read from Ion on to JSON, a schema check or a database.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q amazon.ion==0.15.0
cat > reads.py <<'PY'
import json

import amazon.ion.simpleion as ion

document = ion.loads("{paid: true, left: null, count: 1}")
paid, left, count = document["paid"], document["left"], document["count"]
print("paid:", repr(paid), isinstance(paid, bool), paid is True, "as JSON:", json.dumps(paid))
print("count:", repr(count), isinstance(count, int), "as JSON:", json.dumps(count))
print("left:", left is None, left == None, bool(left))  # noqa: E711
try:
    print(json.dumps(left))
except TypeError as error:
    print("TypeError:", error)
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
paid: True False False as JSON: 1
count: 1 True as JSON: 1
left: False False False
TypeError: Object of type IonPyNull is not JSON serializable
SEEN
