#!/usr/bin/env bash
# pyarrow's reader of JSON Lines makes times of texts, depending on a fraction, and rounds ints that it cannot hold.
#
# Guess: texts stay texts, since JSON has no times, and an int beyond 64 bits is an error.
# Seen: "2026-01-02T03:04:05+02:00" becomes the naive datetime 01:04:05; its offset is applied and gone. With a fraction
# in one of the lines the whole column stays text, as written. 2^64 - 1 becomes the float 2^64, and a neighbour
# 2^53 + 1 in its column is rounded to 2^53 too. An explicit schema keeps texts.
# Versions: pyarrow 26.0.1; CPython 3.11.
# Who meets it: whoever loads logs into a table; the same job has times on one day and texts on the next.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pyarrow==26.0.1
cat > read.py <<'PY'
import io
import json

import pyarrow
from pyarrow import json as arrow_json

CASES = {
    "whole seconds": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05+02:00"],
    "one with a fraction": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5Z"],
    "two ints": [2**53 + 1, 2**63 - 1],
    "one beyond 64 bits": [2**53 + 1, 2**64 - 1],
}
for what, values in CASES.items():
    lines = "".join(f"{json.dumps({'at': value})}\n" for value in values).encode()
    table = arrow_json.read_json(io.BytesIO(lines))
    print(f"{what}: {values}")
    print(f"  {table.schema.field('at').type}: {[str(row['at']) for row in table.to_pylist()]}")
texts = arrow_json.ParseOptions(explicit_schema=pyarrow.schema([("at", pyarrow.string())]))
print(arrow_json.read_json(io.BytesIO(b'{"at":"2026-01-02T03:04:05Z"}\n'), parse_options=texts).to_pylist())
PY
.venv/bin/python read.py | tee seen
diff seen - <<'SEEN'
whole seconds: ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05+02:00']
  timestamp[s]: ['2026-01-02 03:04:05', '2026-01-02 01:04:05']
one with a fraction: ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.5Z']
  string: ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.5Z']
two ints: [9007199254740993, 9223372036854775807]
  int64: ['9007199254740993', '9223372036854775807']
one beyond 64 bits: [9007199254740993, 18446744073709551615]
  double: ['9007199254740992.0', '1.8446744073709552e+19']
[{'at': '2026-01-02T03:04:05Z'}]
SEEN
