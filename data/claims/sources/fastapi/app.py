"""A FastAPI application that is called without a server: the same rows by way of a model, a dict and a response."""

import asyncio
import json
from typing import List, Optional

from fastapi import FastAPI
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse
from pydantic import BaseModel


class Row(BaseModel):
    id: int
    name: str
    price: float
    tags: List[str]
    note: Optional[str] = None


VALUES = [{"id": n, "name": f"row {n}", "price": n / 4, "tags": ["a", "b"], "note": None} for n in range(200)]
ROWS = [Row(**one) for one in VALUES]
app = FastAPI()


@app.get("/model", response_model=List[Row])
async def by_model():
    return ROWS


@app.get("/encoded")
async def by_encoder():
    return JSONResponse(jsonable_encoder(ROWS))


@app.get("/dicts")
async def by_dicts():
    return VALUES


@app.get("/response")
async def by_response():
    return JSONResponse(VALUES)


LOOP = asyncio.new_event_loop()


def prepare(path):
    """Return the scope of a request."""
    about = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http"}
    return {**about, "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": []}


async def respond(scope):
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await app(dict(scope), receive, send)
    assert sent[0]["status"] == 200, sent
    return b"".join(one.get("body", b"") for one in sent[1:])


def call(scope):
    return LOOP.run_until_complete(respond(scope))


def answer(body):
    """Return the rows."""
    return json.loads(body)
