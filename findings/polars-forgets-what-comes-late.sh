#!/usr/bin/env bash
# polars reads the same records from JSON and from JSON Lines, and each of its readers loses what the other one refuses.
#
# Guess: a key or a fraction that first appears behind the first 100 records is kept, or is an error, in both.
# Seen: of [..., 1, 1.5], `read_json` makes 1 of the 1.5 without a word, and `read_ndjson` raises an error. A late key it
# is the other way round (issue 29330 of polars): `read_ndjson` drops it, and `read_json` raises. `DataFrame` of the same
# dicts loses both. All take the columns from 100 records; with `infer_schema_length=None` both readers keep everything.
# Versions: polars 2.1.0, pandas 3.1.1; CPython 3.11.
# Who meets it: whoever reads logs in which an error's field, or a price with cents, comes after the first hundred lines.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q polars==2.1.0 pandas==3.1.1
cat > late.py <<'PY'
import io
import json

import pandas
import polars


def tried(read):
    try:
        return read()
    except Exception as error:
        return type(error).__name__


def last(frame):
    return {name: value for name, value in frame.to_dicts()[-1].items() if value is not None}


for what, record in (("a key", {"price": 1, "error": "none"}), ("a fraction", {"price": 1.5})):
    records = [*({"price": number} for number in range(100)), record]
    array = json.dumps(records).encode()
    lines = "".join(f"{json.dumps(each)}\n" for each in records).encode()
    print(f"{what} in record 101: {record}")
    print("  read_json:", tried(lambda: last(polars.read_json(io.BytesIO(array)))))
    print("  read_ndjson:", tried(lambda: last(polars.read_ndjson(io.BytesIO(lines)))))
    print("  DataFrame:", tried(lambda: last(polars.DataFrame(records))))
    print("  read_json of all:", tried(lambda: last(polars.read_json(io.BytesIO(array), infer_schema_length=None))))
    print("  read_ndjson of all:", tried(lambda: last(polars.read_ndjson(io.BytesIO(lines), infer_schema_length=None))))
    print("  pandas:", tried(lambda: pandas.read_json(io.BytesIO(array)).to_dict("records")[-1]))
PY
.venv/bin/python late.py | tee seen
diff seen - <<'SEEN'
a key in record 101: {'price': 1, 'error': 'none'}
  read_json: ComputeError
  read_ndjson: {'price': 1}
  DataFrame: {'price': 1}
  read_json of all: {'price': 1, 'error': 'none'}
  read_ndjson of all: {'price': 1, 'error': 'none'}
  pandas: {'price': 1, 'error': 'none'}
a fraction in record 101: {'price': 1.5}
  read_json: {'price': 1}
  read_ndjson: ComputeError
  DataFrame: {'price': 1}
  read_json of all: {'price': 1.5}
  read_ndjson of all: {'price': 1.5}
  pandas: {'price': 1.5}
SEEN
