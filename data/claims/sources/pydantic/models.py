"""Models in two generations of pydantic, and ways of the second to do the same at another cost."""

import json
from collections.abc import Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any, Dict, List, Optional, Union

import pydantic
from pydantic import BaseModel

IS_SECOND = hasattr(BaseModel, "model_validate")


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Part(BaseModel):
    name: str
    weight: float
    tags: List[str]


class Everything(BaseModel):
    number: int
    share: float
    text: str
    flag: bool
    day: date
    moment: datetime
    level: Level
    maybe: Optional[int] = None
    numbers: List[int]
    by_name: Dict[str, float]
    pairs: List[Dict[str, int]]
    either: Union[int, str]
    parts: List[Part]
    anything: Any = None


EVERYTHING = {
    "number": 7,
    "share": 0.25,
    "text": "a text of some length",
    "flag": True,
    "day": "2022-08-23",
    "moment": "2022-08-23T12:34:56",
    "level": "high",
    "maybe": 3,
    "numbers": list(range(100)),
    "by_name": {f"name {n}": n / 3 for n in range(50)},
    "pairs": [{"a": n, "b": n + 1} for n in range(30)],
    "either": "text",
    "parts": [{"name": f"part {n}", "weight": n / 7, "tags": ["a", "b", "c"]} for n in range(30)],
    "anything": {"x": [1, 2]},
}
VALIDATE = Everything.model_validate if IS_SECOND else Everything.parse_obj


def validate(values):
    return VALIDATE(values)


def answer(result):
    """Return plain values."""
    if isinstance(result, BaseModel):
        return json.loads(result.model_dump_json() if IS_SECOND else result.json())
    return result


def prepare(kind="everything"):
    """Return the values, or their JSON."""
    return json.dumps(EVERYTHING).encode() if kind == "json" else EVERYTHING


def in_one_call(text):
    return Everything.model_validate_json(text)


def by_way_of_a_dict(text):
    return Everything.model_validate(json.loads(text))
