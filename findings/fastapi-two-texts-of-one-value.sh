#!/usr/bin/env bash
# FastAPI answers 500 to a NaN, or writes null for it, depending on whether the function has a return annotation.
#
# Guess: an error in both, as JSON has no NaN; a datetime in UTC has one text; the key None has one text.
# Seen: without an annotation `jsonable_encoder` and `json.dumps` write the body, with one pydantic does. They differ in NaN, in
# the end of a datetime and of a time, in the key None, and also in Decimal and timedelta.
# Versions: fastapi 0.165.0, starlette 1.10.0, pydantic 2.14.3, httpx 0.28.1; CPython 3.11.
# Who meets it: whoever adds a return annotation to an endpoint, for its documentation or its speed, while clients compare texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q fastapi==0.165.0 starlette==1.10.0 pydantic==2.14.3 httpx==0.28.1
cat > answers.py <<'PY'
import math
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal

from fastapi import FastAPI
from fastapi.testclient import TestClient

app = FastAPI()
values = {
    "nan": (math.nan, float),
    "datetime": (datetime(2024, 6, 15, tzinfo=UTC), datetime),
    "time": (time(9, tzinfo=UTC), time),
    "key": ({None: 1}, dict[None, int]),
    "decimal": (Decimal("1.10"), Decimal),
    "timedelta": (timedelta(hours=1), timedelta),
}


def serve(name, value, type_):
    @app.get(f"/plain/{name}")
    def plain():
        return [value]

    @app.get(f"/annotated/{name}")
    def annotated() -> list[type_]:
        return [value]


for name, (value, type_) in values.items():
    serve(name, value, type_)
client = TestClient(app, raise_server_exceptions=False)
for name in values:
    answers = [client.get(f"/{way}/{name}") for way in ("plain", "annotated")]
    print(name, *(answer.text if answer.status_code == 200 else answer.status_code for answer in answers))
PY
.venv/bin/python -W ignore answers.py | tee seen
diff seen - <<'SEEN'
nan 500 [null]
datetime ["2024-06-15T00:00:00+00:00"] ["2024-06-15T00:00:00Z"]
time ["09:00:00+00:00"] ["09:00:00Z"]
key [{"null":1}] [{"None":1}]
decimal [1.1] ["1.10"]
timedelta [3600.0] ["PT1H"]
SEEN
