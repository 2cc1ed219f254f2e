"""The commands that the documentation shows, and a folder with the files that they name."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

MODELS = """from typing import Literal

from pydantic import BaseModel


class Line(BaseModel):
    sku: str
    price: float
    quantity: int = 1


class Customer(BaseModel):
    id: int
    name: str
    age: int | None = None


class Order(BaseModel):
    id: int
    status: Literal["new", "paid"] = "new"
    lines: list[Line]
"""
API = """from fastapi import FastAPI

from shop.models import Line, Order

app = FastAPI()


@app.get("/orders")
def orders() -> list[Order]:
    return [Order(id=number, lines=[Line(sku="a", price=1.5)] * 3) for number in range(100)]
"""
SMALL = """from dataclasses import dataclass


@dataclass
class Order:
    id: int
    paid: bool


@dataclass
class Event:
    id: int
    type: str
"""
CODEC = """import json


def encode(document):
    return json.dumps(document, separators=(",", ":")).encode()


def decode(blob):
    return json.loads(blob)
"""
SETTINGS = '[server]\nhost = "localhost"\nport = 8080\n\n[[users]]\nname = "a"\nroles = ["read", "write"]\n'
CUSTOMERS = [{"id": number, "name": f"customer {number}", "age": number % 90 or None} for number in range(200)]
EVENTS = [
    {"id": number, "type": kind, "context": {"id": number, "page": "a"}, **more}
    for number in range(100)
    for kind, more in (("click", {"x": number, "y": 2}), ("key", {"key": "a", "ctrl": False}))
]
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
}
CHANGED = ("name: str", "name: str = Field(min_length=1)"), ("import BaseModel", "import BaseModel, Field")


def shown(page: Path, *, prose: bool = True) -> Iterator[str]:
    """The commands in a page's blocks of `sh` and `console`, and the calls of serbench within its sentences (`prose`)."""
    text = page.read_text(encoding="utf-8")
    for kind, block in re.findall(r"^ *```(sh|console)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        lines = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
        yield from (line.removeprefix("$ ") for line in lines if line.startswith("$ ") or (kind == "sh" and line))
    sentences = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    yield from re.findall(r"(?<!`)`(serbench [^`]+)`", sentences if prose else "")


def fill(folder: Path) -> None:
    """Write what the commands name: classes, an application, functions, documents, schemas, notebooks.

    `models.py`, which one command writes and others read, is written by whoever runs these.
    """
    (folder / "shop").mkdir(parents=True)
    changed = MODELS
    for before, after in CHANGED:
        changed = changed.replace(before, after)
    page = (ROOT / "docs" / "compare-your-code.md").read_text(encoding="utf-8")
    ways, formats, *_ = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    texts = {
        "shop/__init__.py": "from shop.models import Customer, Order\n",
        "shop/models.py": MODELS,
        "shop/changed.py": changed,
        "shop/api.py": API,
        "small.py": SMALL,
        "ways.py": ways,
        "formats.py": formats,
        "codec.py": CODEC,
        "settings.toml": SETTINGS,
        "customers.jsonl": "".join(f"{json.dumps(each)}\n" for each in CUSTOMERS),
        "events.jsonl": "".join(f"{json.dumps(each)}\n" for each in EVENTS),
    }
    values = {
        "customers.json": CUSTOMERS,
        "events.json": {"events": EVENTS},
        "calls.json": {"calls": [{"name": "a", "parameters": {"b": 1}}]},
        "pet.json": {"id": 1, "name": "a"},
        "order.schema.json": SCHEMA,
        "openapi.yaml": {"openapi": "3.1.0", "components": {"schemas": {"Pet": SCHEMA}}},
    }
    for name, text in {**texts, **{name: json.dumps(value) for name, value in values.items()}}.items():
        (folder / name).write_text(text, encoding="utf-8")
    for source in (ROOT / "tests" / "data" / "ways", ROOT / "tests" / "data" / "models"):
        for path in source.glob("*.py"):
            shutil.copy(path, folder)
    shutil.copy(ROOT / "notebooks" / "sample_orders.json", folder / "orders.json")
    shutil.copytree(ROOT / "notebooks", folder / "serbench-notebooks")
