#!/usr/bin/env bash
# pyarrow makes one column of an aware and a naive datetime, and takes the naive one for UTC, shown in the other's zone.
#
# Guess: an error, since Python refuses to compare the two, or a column without a zone.
# Seen: no error. 00:00 without a zone comes back as 02:00+02:00, two hours away from what was written if it was meant
# there; which zone the column has depends on the first value alone, and a column whose first value is naive drops the zone.
# Versions: pyarrow 26.0.1; CPython 3.11.
# Who meets it: whoever collects datetimes of several sources into a table.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pyarrow==26.0.1
cat > writes.py <<'PY'
from datetime import datetime, timedelta, timezone

import pyarrow

aware = datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=2)))
naive = datetime(2024, 1, 1)
for values in ([aware, naive], [naive, aware]):
    column = pyarrow.array(values)
    print(column.type, [value.isoformat() for value in column.to_pylist()])
PY
.venv/bin/python writes.py | tee seen
diff seen - <<'SEEN'
timestamp[us, tz=+02:00] ['2024-01-01T00:00:00+02:00', '2024-01-01T02:00:00+02:00']
timestamp[us] ['2024-01-01T00:00:00', '2023-12-31T22:00:00']
SEEN
