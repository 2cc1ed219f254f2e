#!/usr/bin/env bash
# pyarrow makes a column of dates if the first value is one, and cuts the time of day off every datetime behind it.
#
# Guess: an error, as pyarrow raises one for [1, True], or a column of datetimes.
# Seen: [date, datetime] loses 05:30 without a word; the same two values in the other order are an error.
# Versions: pyarrow 26.0.1; CPython 3.11.
# Who meets it: whoever collects days and times into one list, as readers of spreadsheets and of YAML return them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pyarrow==26.0.1
cat > writes.py <<'PY'
from datetime import date, datetime

import pyarrow

day, moment = date(2024, 1, 1), datetime(2024, 1, 1, 5, 30)
for values in ([day, moment], [moment, day], [1, True]):
    try:
        column = pyarrow.array(values)
        print(column.type, [str(value) for value in column.to_pylist()])
    except (pyarrow.ArrowException, TypeError) as error:
        print([str(value) for value in values], "refused:", type(error).__name__)
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
date32[day] ['2024-01-01', '2024-01-01']
['2024-01-01 05:30:00', '2024-01-01'] refused: ArrowTypeError
['1', 'True'] refused: ArrowTypeError
SEEN
