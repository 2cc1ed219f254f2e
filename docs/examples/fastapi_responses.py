"""Ways to answer a request with a list of orders, in a FastAPI app that is called without a server."""

import asyncio
import random

import orjson
from fastapi import FastAPI, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, ORJSONResponse
from pydantic import BaseModel, TypeAdapter


class Line(BaseModel):
    sku: str
    quantity: int
    price: float


class Order(BaseModel):
    id: int
    customer: str
    paid: bool
    lines: list[Line]


ORDERS = TypeAdapter(list[Order])
app, now = FastAPI(), {}


@app.get("/model")
async def by_model() -> list[Order]:
    return now["orders"]


@app.get("/orjson-response", response_class=ORJSONResponse)
async def by_orjson_response() -> list[Order]:
    return now["orders"]


@app.get("/jsonable")
async def by_jsonable():
    return JSONResponse(jsonable_encoder(now["orders"]))


@app.get("/dump-json")
async def by_dump_json():
    return Response(ORDERS.dump_json(now["orders"]), media_type="application/json")


@app.get("/orjson")
async def by_orjson():
    return Response(orjson.dumps([order.model_dump() for order in now["orders"]]), media_type="application/json")


@app.get("/dicts-model", response_model=list[Order])
async def by_model_of_dicts():
    return now["dicts"]


@app.get("/dicts-orjson")
async def by_orjson_of_dicts():
    return Response(orjson.dumps(now["dicts"]), media_type="application/json")


@app.get("/ready")
async def by_ready():
    return Response(now["body"], media_type="application/json")


def make(records, number):
    """Return new orders as models and as dicts, and their bytes."""
    draw = random.Random(number)
    dicts = [
        {
            "id": draw.randrange(10**6),
            "customer": f"customer {draw.random()}",
            "paid": draw.random() < 0.9,
            "lines": [
                {"sku": f"sku {draw.random():.6f}", "quantity": draw.randrange(9), "price": draw.randrange(4000) / 4}
                for _ in range(3)
            ],
        }
        for _ in range(records)
    ]
    orders = ORDERS.validate_python(dicts)
    return {"orders": orders, "dicts": dicts, "body": ORDERS.dump_json(orders)}


def one(number):
    return make(1, number)


def hundred(number):
    return make(100, number)


def thousand(number):
    return make(1000, number)


LOOP = asyncio.new_event_loop()
SCOPE = {
    "type": "http",
    "asgi": {"version": "3.0", "spec_version": "2.4"},
    "http_version": "1.1",
    "method": "GET",
    "scheme": "http",
    "query_string": b"",
    "root_path": "",
    "headers": [],
}


async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}


async def respond(path):
    sent = []

    async def send(message):
        sent.append(message)

    await app({**SCOPE, "path": path, "raw_path": path.encode()}, receive, send)
    if sent[0]["status"] != 200:
        raise ValueError(f"the app answers {sent}")
    return b"".join(message.get("body", b"") for message in sent[1:])


def answered(path, values):
    """From request to the bytes of the response, on one loop that stays open; the orders are freed outside of the timed call."""
    now.update(values)
    try:
        return LOOP.run_until_complete(respond(path))
    finally:
        now.clear()


def model(values):
    return answered("/model", values)


def orjson_response(values):
    return answered("/orjson-response", values)


def jsonable(values):
    return answered("/jsonable", values)


def dump_json(values):
    return answered("/dump-json", values)


def orjson_of_dump(values):
    return answered("/orjson", values)


def model_of_dicts(values):
    return answered("/dicts-model", values)


def orjson_of_dicts(values):
    return answered("/dicts-orjson", values)


def ready(values):
    return answered("/ready", values)
