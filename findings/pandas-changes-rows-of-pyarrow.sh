#!/usr/bin/env bash
# Rows that orjson and msgspec write are refused by both once pandas is installed, although nothing imports it.
#
# One would guess: which class a value of a pyarrow table has in Python follows from the table and from pyarrow's version.
# Seen: `to_pylist` gives datetime and timedelta for timestamps and durations in nanoseconds, and orjson and msgspec write
# them. After `pip install pandas` the same lines give pandas.Timestamp and pandas.Timedelta: orjson and msgspec refuse
# to write them, `msgspec.convert` no longer takes the rows for a class with a datetime, and pydantic takes them, with
# objects of pandas in its fields. With microseconds, nothing changes. pyarrow's documentation says it of `as_py`.
# Versions: pyarrow 26.0.1, pandas 3.1.1, orjson 3.13.0, msgspec 0.22.0, pydantic 2.14.4; CPython 3.11.
# Who meets it: a service that answers with rows of Parquet, in an image into which another package brings pandas.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
cat > rows.py <<'PY'
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
import orjson
import pyarrow
import pydantic


@dataclass
class Row:
    at: datetime
    took: timedelta


def tried(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return type(error).__name__
    return "done"


for unit in ("us", "ns"):
    columns = {
        "at": pyarrow.array([datetime(2026, 1, 2, 3, 4, 5)], pyarrow.timestamp(unit)),
        "took": pyarrow.array([timedelta(seconds=90)], pyarrow.duration(unit)),
    }
    rows = pyarrow.table(columns).to_pylist()
    read = pydantic.TypeAdapter(list[Row]).validate_python(rows)
    print(unit, type(rows[0]["at"]).__name__, type(rows[0]["took"]).__name__)
    print("  orjson writes:", tried(orjson.dumps, rows[0]["at"]))
    print("  msgspec writes:", tried(msgspec.json.encode, rows))
    print("  msgspec converts:", tried(msgspec.convert, rows, list[Row]))
    print("  pydantic holds:", type(read[0].at).__name__, type(read[0].took).__name__)
PY
.venv/bin/pip install -q pyarrow==26.0.1 orjson==3.13.0 msgspec==0.22.0 pydantic==2.14.4
{ echo "without pandas"; .venv/bin/python rows.py; } | tee seen
.venv/bin/pip install -q pandas==3.1.1
{ echo "with pandas"; .venv/bin/python rows.py; } | tee -a seen
diff seen - <<'SEEN'
without pandas
us datetime timedelta
  orjson writes: done
  msgspec writes: done
  msgspec converts: done
  pydantic holds: datetime timedelta
ns datetime timedelta
  orjson writes: done
  msgspec writes: done
  msgspec converts: done
  pydantic holds: datetime timedelta
with pandas
us datetime timedelta
  orjson writes: done
  msgspec writes: done
  msgspec converts: done
  pydantic holds: datetime timedelta
ns Timestamp Timedelta
  orjson writes: TypeError
  msgspec writes: TypeError
  msgspec converts: ValidationError
  pydantic holds: Timestamp Timedelta
SEEN
