#!/usr/bin/env bash
# django-ninja writes a member of an Enum as "Level.HIGH", where its schema says 20, and answers 422 to the body that it has written.
#
# Guess: the value is written, as pydantic's own JSON of the same schema and the OpenAPI document of the API have it.
# Seen: the encoder calls `str` on members, which gives class and name. Members of an IntEnum or a StrEnum are written by value.
# Versions: django-ninja 1.7.1, Django 5.2.19, pydantic 2.14.3; CPython 3.11.
# Who meets it: whoever returns a plain Enum from an API, and every client that was generated from its OpenAPI document.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/pip install -q django-ninja==1.7.1 django==5.2.19 pydantic==2.14.3
cat > answers.py <<'PY'
from enum import Enum, IntEnum, StrEnum

from django.conf import settings

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None)

from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402
from ninja import NinjaAPI, Schema  # noqa: E402


class Level(Enum):
    HIGH = 20


class Mode(Enum):
    ON = "on"


class Rank(IntEnum):
    FIRST = 1


class Colour(StrEnum):
    RED = "red"


class Order(Schema):
    level: Level
    mode: Mode
    rank: Rank
    colour: Colour


api = NinjaAPI()
order = Order(level=Level.HIGH, mode=Mode.ON, rank=Rank.FIRST, colour=Colour.RED)


@api.get("/order", response=Order)
def show(request):
    return order


@api.post("/order", response=Order)
def take(request, body: Order):
    return body


urlpatterns = [path("", api.urls)]
client = Client()
print("openapi", api.get_openapi_schema()["components"]["schemas"]["Level"]["enum"])
print("pydantic", order.model_dump_json())
for body in (client.get("/order").content, order.model_dump_json()):
    answer = client.post("/order", body, content_type="application/json")
    print(answer.status_code, "for", body if isinstance(body, str) else body.decode())
PY
.venv/bin/python -W ignore answers.py | tee seen
diff seen - <<'SEEN'
openapi [20]
pydantic {"level":20,"mode":"on","rank":1,"colour":"red"}
422 for {"level": "Level.HIGH", "mode": "Mode.ON", "rank": 1, "colour": "red"}
200 for {"level":20,"mode":"on","rank":1,"colour":"red"}
SEEN
