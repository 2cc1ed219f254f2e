#!/usr/bin/env bash
# BlackSheep answers with a time of day without its fraction and its offset, although the class that holds it keeps both.
#
# Guess: a function that returns a pydantic model answers with the JSON that the model writes, or with isoformat().
# Seen: 01:02:03.456+02:00 leaves as 01:02:03, for a pydantic model, a dataclass and a dict; datetimes keep their fraction.
# The encoder is that of essentials, which writes %H:%M:%S.
# Versions: blacksheep 2.6.4, essentials 1.1.9, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever answers with opening hours, lap times or a schedule with its time zone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q blacksheep==2.6.4 essentials==1.1.9 pydantic==2.14.3
cat > answers.py <<'PY'
import asyncio
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone

from blacksheep import Application, get
from blacksheep.testing import TestClient
from pydantic import BaseModel

ZONE = timezone(timedelta(hours=2))
VALUES = {"opens": time(1, 2, 3, 456000, ZONE), "since": datetime(2026, 1, 2, 3, 4, 5, 6, ZONE)}


@dataclass
class Shop:
    opens: time
    since: datetime


class Model(BaseModel):
    opens: time
    since: datetime


app = Application()


@get("/dict")
async def of_dict():
    return VALUES


@get("/dataclass")
async def of_dataclass():
    return Shop(**VALUES)


@get("/model")
async def of_model():
    return Model(**VALUES)


async def main():
    await app.start()
    client = TestClient(app)
    print("isoformat", VALUES["opens"].isoformat())
    print("model_dump_json", Model(**VALUES).model_dump_json())
    for name in ("dict", "dataclass", "model"):
        print(name, await (await client.get(f"/{name}")).text())


asyncio.run(main())
PY
.venv/bin/python answers.py | tee seen
diff seen - <<'SEEN'
isoformat 01:02:03.456000+02:00
model_dump_json {"opens":"01:02:03.456000+02:00","since":"2026-01-02T03:04:05.000006+02:00"}
dict {"opens":"01:02:03","since":"2026-01-02T03:04:05.000006+02:00"}
dataclass {"opens":"01:02:03","since":"2026-01-02T03:04:05.000006+02:00"}
model {"opens":"01:02:03","since":"2026-01-02T03:04:05.000006+02:00"}
SEEN
