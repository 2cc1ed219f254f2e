"""What the explorer sends to its page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def parts(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The contents of its runs."""
    return list(map(json.loads, content["parts"]))


def runs(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What it tells of each run."""
    return [run for part in parts(content) for run in part["runs"]]


def marks(content: Mapping[str, Any]) -> set[str]:
    """The libraries that have marks."""
    return {name for part in parts(content) for name in part["marks"]}
