#!/usr/bin/env bash
# pydantic writes a timedelta of 400 days as P1Y35D, which msgspec refuses and isodate reads as a calendar year and 35 days.
#
# Guess: P400D, since a timedelta knows days and no years, so that any reader of ISO 8601 gets 400 days back.
# Seen: pydantic counts 365 days as a year, both ways; from 1 January 2024, what isodate reads ends one day later than 400 days.
# Versions: pydantic 2.14.3, msgspec 0.22.0, isodate 0.7.2; CPython 3.11.
# Who meets it: whoever sends terms of contracts or retention times to a service that was not written with pydantic.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q pydantic==2.14.3 msgspec==0.22.0 isodate==0.7.2
cat > writes.py <<'PY'
from datetime import datetime, timedelta

import isodate
import msgspec
import pydantic

term = timedelta(days=400)
adapter = pydantic.TypeAdapter(timedelta)
blob = adapter.dump_json(term)
print("pydantic writes", blob.decode(), "and reads", adapter.validate_json(blob).days, "days")
print("msgspec writes", msgspec.json.encode(term).decode())
try:
    msgspec.json.decode(blob, type=timedelta)
except msgspec.ValidationError as error:
    print("msgspec:", error)
begin = datetime(2024, 1, 1)
print("isodate ends on", (begin + isodate.parse_duration(blob.decode().strip('"'))).date(), "and not on", (begin + term).date())
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
pydantic writes "P1Y35D" and reads 400 days
msgspec writes "P400D"
msgspec: Only units 'D', 'H', 'M', and 'S' are supported when parsing ISO8601 durations
isodate ends on 2025-02-05 and not on 2025-02-04
SEEN
