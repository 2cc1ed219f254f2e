"""Documents of the kinds that people have: webhooks, bills of materials, surveys, logs and the like, beside those of `documents`.

A document is a template: of a tuple one item is drawn, a function draws a value, `many` makes a list or an object of
some items, and a key that ends with `?` is absent at times.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from documents import KNOWN, WORDS

Draw = Callable[[Random], Any]


def drawn(template: Any, draw: Random) -> Any:
    """A document of the template."""
    if callable(template):
        return drawn(template(draw), draw)
    if isinstance(template, tuple):
        return drawn(draw.choice(template), draw)
    if isinstance(template, list):
        return [drawn(item, draw) for item in template]
    if not isinstance(template, dict):
        return template
    there = [(key, item) for key, item in template.items() if not key.endswith("?") or draw.random() < 0.5]
    return {key.removesuffix("?"): drawn(item, draw) for key, item in there}


def many(count: int, item: Any, key: Any = None) -> Draw:
    """A list of so many items, or an object of them under keys that are drawn too."""
    if key is None:
        return lambda draw: [drawn(item, draw) for _ in range(count)]
    return lambda draw: {str(drawn(key, draw)): drawn(item, draw) for _ in range(count)}


def up_to(count: int, item: Any, key: Any = None) -> Draw:
    """None to so many of them."""
    return lambda draw: many(draw.randint(0, count), item, key)(draw)


def text(form: str) -> Draw:
    """A text in which `W` is a word, `H` eight hexadecimal digits and `N` a number of one or two digits."""
    letters = {
        "W": lambda draw: draw.choice(WORDS),
        "H": lambda draw: f"{draw.getrandbits(32):08x}",
        "N": lambda draw: f"{draw.randint(0, 99)}",
    }
    return lambda draw: "".join(letters[letter](draw) if letter in letters else letter for letter in form)


def number(low: int, high: int) -> Draw:
    """An int."""
    return lambda draw: draw.randint(low, high)


def share(scale: float, digits: int = 17) -> Draw:
    """A float."""
    return lambda draw: round(draw.random() * scale, digits)


def moment(zone: str = "Z") -> Draw:
    """A date and time, in this zone."""
    return lambda draw: (
        f"20{draw.randint(15, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        f"T{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}{zone}"
    )


word, words, digest = text("W"), text("W W W"), text("HHHHH")
_USER = {
    "login": word,
    "id": number(1, 10**6),
    "avatar": text("https://forge.example/u/N?v=4"),
    "admin": (False, True),
}
_COMMIT = {"id": digest, "message": words, "timestamp": moment("+02:00")}
_COMMIT |= {"author": {"name": text("W W"), "email": text("W@mail.example")}, "added": up_to(3, text("src/W.py"))}
_TEXTS = ["", " ", "\u2028", "\x00", "\x7f", '"', "\\", "\U0001f600", "\ufeff", "é", "e\u0301", "\ud7ff", "null", "1"]

DOCUMENTS: dict[str, Any] = {
    "push": {
        "ref": "refs/heads/main", "before": digest, "forced": False, "pusher": _USER, "commits": many(6, _COMMIT),
        "repository": {"id": 7, "private": False, "license": None, "topics": ["a", "b"], "pushed_at": 1700000000},
    },
    "analysis_results": {
        "version": "2.1.0",
        "runs": [
            {
                "results": many(
                    20,
                    {
                        "ruleId": text("RN"), "level": ("error", "note"), "message": {"text": words},
                        "locations": [{"region": {"startLine": number(1, 500)}}], "fingerprints?": {"primary/v1": digest},
                    },
                )
            }
        ],
    },
    "charges": {
        "object": "list", "has_more": True,
        "data": many(
            15,
            {
                "id": text("ch_H"), "amount": number(100, 9999), "customer": (None, text("cus_H")),
                "metadata": up_to(1, text("N"), "order_id"), "refunds": {"data": up_to(2, {"amount": number(1, 99)})},
            },
        ),
    },
    "bill": {
        "serialNumber": "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79", "metadata": {"timestamp": moment()},
        "components": many(
            20,
            {
                "bom-ref": text("pkg:x/W@1"), "hashes?": [{"alg": "SHA-256", "content": digest}],
                "licenses": [({"license": {"id": "MIT"}}, {"license": {"name": "own"}}, {"expression": "MIT OR X"})],
            },
        ),
    },
    "containers": many(
        8,
        {
            "State": {"StartedAt": moment(".123456789Z"), "FinishedAt": "0001-01-01T00:00:00Z"},
            "Ports": {"80/tcp": (None, [{"HostIp": "0.0.0.0", "HostPort": "8080"}])},
        },
    ),
    "notebook": {
        "cells": many(
            14,
            (
                {"cell_type": "markdown", "metadata": {}, "source": ["# t\n", "x"]},
                {"cell_type": "code", "execution_count": (None, 1), "metadata": {}, "outputs": [{"text": ["1\n"]}]},
            ),
        ),
        "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4,
    },
    "weather": {
        "latitude": 52.52, "longitude": 13, "units": {"t": "°C"},
        "hourly": {"time": [f"2024-01-01T{hour:02}:00" for hour in range(24)], "t": many(24, (None, share(9, 1)))},
    },
    "survey": many(20, {"id": number(1, 99), **{f"q{i}": (1, 2, "other", None, [1, 2]) for i in range(1, 6)}}),
    "catalogue": many(25, {"price": (10, 12.5, 9.99), "old_price": (None, 10), "options": ({}, {"colour": ["red"]})}),
    "settings": {
        "editor.fontSize": 12, "files.exclude": {"**/.git": True, "**/*.pyc": {"when": "$(basename).py"}},
        "[python]": {"editor.formatOnSave": (True, False)}, "": "empty", "class": "x", "a-b": 1, "a b": 2, "none": None,
    },
    "policy": {
        "Statement": many(
            12,
            {"Action": ("s3:Get", ["s3:Get", "s3:Put"]), "Condition?": {"StringEquals": {"aws:x": ("a", ["a", "b"])}}},
        )
    },
    "search_hits": {"hits": many(12, {"_score": (None, 1.25), "_source": {"price": (1, 1.5)}, "sort": [number(1, 9), "a", None]})},
    "chat": many(
        25,
        {
            "update_id": number(1, 99),
            "message": (
                {"chat": {"id": -(10**12)}, "text": ("hi 👋", "<b>&"), "entities?": up_to(1, {"type": "bold", "offset": 0})},
                {"chat": {"id": -(10**12)}, "photo": [{"file_id": digest, "width": 90}]},
            ),
        },
    ),
    "sensor": many(60, {"v": lambda draw: draw.random() * 10 ** draw.randint(-12, 12), "q": (0, 1)}),
    "flags": many(30, {"enabled": (True, False), "rollout": (0, 50, 12.5), "groups": []}, text("W-N")),
    "big_numbers": many(5, {"id": number(2**63, 2**63 + 9), "big": 2**70, "small": -(2**62), "zero": -0.0, "e": 1e-300}),
    "awkward_texts": [{"id": index, "text": text_, "note": text_ or None} for index, text_ in enumerate(_TEXTS)],
    "dates": many(
        10,
        {
            "day": ("2024-02-11", "2024-02-29"), "at": moment(".250Z"), "local": moment(""), "offset": moment("+05:45"),
            "id": "0b1f3d5e-2c4a-4b6d-8e9f-a1b2c3d4e5f6",
        },
    ),
}  # fmt: skip
"""Name → the template of such a document."""

LINES: dict[str, Any] = {
    "access_log": {"ts": moment(), "status": (200, 404), "ms": (1, 0.5), "user": (None, word)},
    "service_log": {"level": "info", "time": share(1e9), "err?": {"stack": "a\nb"}, "ctx?": many(1, word, word)},
    "audit_log": (
        {"event": "login", "at": moment("+00:00"), "ip": "10.0.0.1"},
        {"event": "purchase", "at": moment("+00:00"), "sku": "a", "amount": (5, 7.25)},
    ),
}
"""Name → the template of one line of a JSON Lines file."""


NAMES = (*DOCUMENTS, *(make.__name__ for make, _ in KNOWN), *LINES)


def text_of(name: str, seed: int = 0) -> tuple[str, str]:
    """Return the file name and the text of a document of that name."""
    draw = Random(f"{name} {seed}")
    if name in LINES:
        return f"{name}.ndjson", "".join(f"{json.dumps(drawn(LINES[name], draw))}\n" for _ in range(40))
    known = {make.__name__: make for make, _ in KNOWN}
    document = known[name](draw) if name in known else drawn(DOCUMENTS[name], draw)
    return f"{name}.json", json.dumps(document, ensure_ascii=draw.random() < 0.5)
