#!/usr/bin/env bash
# plistlib writes noon at +02:00 to XML as 12:00:00Z, two hours late and without its fraction; binary property lists refuse it.
#
# Guess: the moment in UTC, as the Z says, or an error in both forms.
# Seen: the XML writer takes the hour as it stands and appends a Z; what is read back has no offset. The binary form keeps the fraction of
# a naive datetime. Since CPython 3.13 `aware_datetime=True` writes the moment to both, still without a fraction in XML. orjson and
# msgspec write the offset.
# Versions: plistlib of CPython 3.11 (3.13 by default the same), orjson 3.11.4, msgspec 0.23.0.
# Who meets it: whoever writes settings or exports for Apple's systems with aware datetimes, as Django and pydantic make them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q orjson==3.11.4 msgspec==0.23.0
cat > writes.py <<'PY'
import plistlib
import re
from datetime import datetime, timedelta, timezone

import msgspec
import orjson

naive = datetime(2024, 1, 1, 12, 0, 0, 500_000)
noon = naive.replace(tzinfo=timezone(timedelta(hours=2)))
text = plistlib.dumps(noon, fmt=plistlib.FMT_XML)
print("XML:", re.search(rb"<date>.*</date>", text)[0].decode(), "read back:", plistlib.loads(text).isoformat())
try:
    print(plistlib.dumps(noon, fmt=plistlib.FMT_BINARY))
except TypeError:
    print("binary: refused")
print("binary, naive:", plistlib.loads(plistlib.dumps(naive, fmt=plistlib.FMT_BINARY)).isoformat())
print("JSON:", orjson.dumps(noon).decode(), msgspec.json.encode(noon).decode())
PY
.venv/bin/python -W ignore writes.py | tee seen
diff seen - <<'SEEN'
XML: <date>2024-01-01T12:00:00Z</date> read back: 2024-01-01T12:00:00
binary: refused
binary, naive: 2024-01-01T12:00:00.500000
JSON: "2024-01-01T12:00:00.500000+02:00" "2024-01-01T12:00:00.500000+02:00"
SEEN
