#!/usr/bin/env bash
# msgspec rounds the seventh digit of a second, and reads the last instant of 2024 as a datetime of 2025.
#
# Guess: further digits are cut, as `datetime.fromisoformat` and pydantic do, or refused.
# Seen: 23:59:59.9999996 on New Year's Eve becomes midnight of the next year, and as a plain time it becomes 00:00, a day too
# early. At the end of the year 9999 the same digits are an error, where there is no next year.
# Versions: msgspec 0.22.0, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever reads what Go, C# or Java write, whose clocks have seven or nine digits, and groups it by day.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q msgspec==0.22.0 pydantic==2.14.3
cat > reads.py <<'PY'
from datetime import datetime, time

import msgspec
import pydantic

for cls, text in (
    (datetime, "2024-12-31T23:59:59.9999996+00:00"),
    (datetime, "9999-12-31T23:59:59.9999996+00:00"),
    (time, "23:59:59.9999996"),
):
    blob = f'"{text}"'.encode()
    for name, read in (
        ("msgspec", lambda: msgspec.json.decode(blob, type=cls)),
        ("pydantic", lambda: pydantic.TypeAdapter(cls).validate_json(blob)),
        ("fromisoformat", lambda: cls.fromisoformat(text)),
    ):
        try:
            print(name, text, "becomes", read().isoformat())
        except Exception as error:
            print(name, text, "is refused:", type(error).__name__)
PY
.venv/bin/python -W ignore reads.py | tee seen
diff seen - <<'SEEN'
msgspec 2024-12-31T23:59:59.9999996+00:00 becomes 2025-01-01T00:00:00+00:00
pydantic 2024-12-31T23:59:59.9999996+00:00 becomes 2024-12-31T23:59:59.999999+00:00
fromisoformat 2024-12-31T23:59:59.9999996+00:00 becomes 2024-12-31T23:59:59.999999+00:00
msgspec 9999-12-31T23:59:59.9999996+00:00 is refused: ValidationError
pydantic 9999-12-31T23:59:59.9999996+00:00 becomes 9999-12-31T23:59:59.999999+00:00
fromisoformat 9999-12-31T23:59:59.9999996+00:00 becomes 9999-12-31T23:59:59.999999+00:00
msgspec 23:59:59.9999996 becomes 00:00:00
pydantic 23:59:59.9999996 becomes 23:59:59.999999
fromisoformat 23:59:59.9999996 becomes 23:59:59.999999
SEEN
