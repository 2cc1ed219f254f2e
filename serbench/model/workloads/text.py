"""Messages in many scripts, with all characters that need escaping.

Non-ASCII text, quotes and control characters take an encoder's slow path; a benchmark with plain English measures only
the fast path.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import pick, random_int
from serbench.model.records import Field, List, Record, Ref
from serbench.model.scalars import STR

MESSAGE = Record("Message", (Field("author", STR), Field("title", STR), Field("body", STR), Field("tags", List(STR))))

# No null character: C libraries that fail on it would hide all other results.
_PIECES = (
    "plain words",
    "déjà vu, naïve façade",
    "Grüße aus Köln",
    "Привет, мир",
    "γειά σου κόσμε",
    "שלום עולם",
    "مرحبا بالعالم",
    "नमस्ते दुनिया",
    "你好，世界",
    "こんにちは世界",
    "안녕하세요",
    "👍🏽 👩‍👩‍👧‍👦 🇺🇳 🎉",
    "𝒎𝒂𝒕𝒉 ∑∫√∞",
    'she said "yes"',
    "it's C:\\temp\\new",
    "<b>&amp;</b></script>",
    "line\nbreak\r\nand\ttab",
    "bell\x07 escape\x1b[0m delete\x7f unit\x1f",
    "line\u2028paragraph\u2029separators",
    "e\u0301 combining, \ufeff mark, \u200b nothing",
)
_TAGS = ("новости", "café", "日本", "🔥", 'a"b', "back\\slash", "tab\there", "plain")


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return a message of three to eight pieces and up to four tags."""
    return {
        "author": pick(random, _PIECES),
        "title": f"{pick(random, _PIECES)}: {pick(random, _PIECES)}",
        "body": " ".join([pick(random, _PIECES) for _ in range(random_int(random, 3, 8))]),
        "tags": [pick(random, _TAGS) for _ in range(random_int(random, 0, 4))],
    }


WORKLOAD = Workload(
    name="text",
    summary="messages in many scripts, with quotes, emoji and control characters",
    item=Ref("Message"),
    types=(MESSAGE,),
    value=value,
)
