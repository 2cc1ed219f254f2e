"""Draws documents for any JSON Schema, with no code of serbench; a validator says which of them it accepts."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from random import Random
from re import _constants as words  # type: ignore[attr-defined]  # as `sre_constants` was
from re import _parser  # type: ignore[attr-defined]
from typing import Any

DEEPEST = 12
TEXTS = {
    "date": "2024-02-29",
    "date-time": "2024-02-29T12:30:00Z",
    "time": "12:30:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "hostname": "example.com",
    "idn-email": "a@example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "iri": "https://example.com/a",
    "iri-reference": "a",
    "json-pointer": "/a",
    "regex": "^a$",
    "relative-json-pointer": "0/a",
    "uri": "https://example.com/a",
    "uri-reference": "a",
    "uri-template": "https://example.com/{a}",
    "uuid": "6fa459ea-ee8a-4ca4-894e-db77e160355e",
    "byte": "YQ==",
}
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
_CLASSES = {words.CATEGORY_DIGIT: string.digits, words.CATEGORY_SPACE: " ", words.CATEGORY_WORD: "ab1_"}


class Drawing:
    """Draws values of subschemas; `follow` returns what a reference of a subschema refers to, or None."""

    def __init__(self, follow: Callable[[str, Any], Any], random: Random) -> None:
        self.follow, self.random = follow, random

    def value(self, part: Any, depth: int = 0, root: Any = None) -> Any:
        """Return a value that often fits a subschema of `root`."""
        if not isinstance(part, dict):
            return self.typed(self.random.choice(KINDS[:5]), {}, depth, root)
        if "const" in part:
            return part["const"]
        if part.get("enum"):
            return self.random.choice(part["enum"])
        made = [self.value(one, depth + 1, home) for one, home in self.inside(part, depth, root)]
        kind = self.kind(part, depth)
        if kind is not None and (kind in ("object", "array") or not made):
            made.insert(0, self.typed(kind, part, depth, root))
        objects = [one for one in made if isinstance(one, dict)]
        if objects:
            return {key: value for one in objects for key, value in one.items()}
        return self.random.choice(made) if made else self.typed(self.random.choice(KINDS[:5]), {}, depth, root)

    def inside(self, part: dict[str, Any], depth: int, root: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the subschemas that say more of the same value, each with its root."""
        if depth > 4 * DEEPEST:
            return
        for word in ("oneOf", "anyOf"):
            if part.get(word):
                options = [one for one in part[word] if depth <= DEEPEST or one.get("type") in KINDS[:5]] or part[word]
                yield self.random.choice(options), root
        for one in part.get("allOf", []):
            yield one, root
        if "if" in part and self.random.random() < 0.5:
            yield part["if"], root
            yield part.get("then", {}), root
        elif "else" in part:
            yield part["else"], root
        for word in ("$ref", "$dynamicRef", "$recursiveRef"):
            if isinstance(part.get(word), str) and (target := self.follow(part[word], root)) is not None:
                yield target

    def kind(self, part: dict[str, Any], depth: int) -> str | None:
        """Return one of the types that a subschema names or is about."""
        named = part.get("type")
        if isinstance(named, list):
            shallow = [kind for kind in named if kind not in ("array", "object")]
            return self.random.choice(shallow if shallow and depth > DEEPEST else named)
        if isinstance(named, str):
            return named
        if {"properties", "required", "additionalProperties", "patternProperties"} & part.keys():
            return "object"
        return "array" if {"items", "prefixItems"} & part.keys() else None

    def typed(self, kind: str, part: dict[str, Any], depth: int, root: Any) -> Any:
        """Return a value of a type."""
        if kind == "object":
            return self.object(part, depth + 1, root)
        if kind == "array":
            return self.array(part, depth + 1, root)
        if kind == "string":
            return self.text(part)
        if kind in ("integer", "number"):
            return self.number(part, kind)
        return self.random.random() < 0.5 if kind == "boolean" else None

    def object(self, part: dict[str, Any], depth: int, root: Any) -> dict[str, Any]:
        properties, required = part.get("properties", {}), part.get("required", [])
        required = required if isinstance(required, list) else []
        share = self.random.choice((0.0, 0.2, 0.6)) if depth < DEEPEST else 0.0
        made = {
            key: self.value(properties.get(key, True), depth, root)
            for key in dict.fromkeys((*properties, *required))
            if key in required or self.random.random() < share
        }
        patterns = [(self.matching(pattern), one) for pattern, one in part.get("patternProperties", {}).items()]
        more = part.get("additionalProperties")
        if isinstance(more, dict) and more:
            names = part.get("propertyNames", {})
            patterns.append((self.text(names) if isinstance(names, dict) and names else "more", more))
        least = max(int(part.get("minProperties", 0)) - len(made), 0)
        for key, one in patterns:
            if least or self.random.random() < share:
                made.setdefault(key, self.value(one, depth, root))
        return made

    def array(self, part: dict[str, Any], depth: int, root: Any) -> list[Any]:
        first, items = part.get("prefixItems", []), part.get("items", True)
        if isinstance(items, list):
            first, items = items, part.get("additionalItems", True)
        least, most = int(part.get("minItems", 0)), int(part.get("maxItems", 3))
        most = 0 if items is False and not first else max(least, min(most, least + (2 if depth < DEEPEST else 0)))
        count = max(self.random.randint(least, max(most, least)), len(first) if self.random.random() < 0.8 else 0)
        return [self.value(first[i] if i < len(first) else items, depth, root) for i in range(count)]

    def text(self, part: dict[str, Any]) -> str:
        if part.get("format") in TEXTS:
            return TEXTS[part["format"]]
        if isinstance(part.get("enum"), list):
            return str(self.random.choice(part["enum"]))
        if isinstance(part.get("pattern"), str):
            return self.matching(part["pattern"])
        least, most = int(part.get("minLength", 0)), int(part.get("maxLength", 99))
        return self.random.choice(("", "a", "some text", "2024-02-29", "é“\n")).ljust(least, "a")[:most]

    def number(self, part: dict[str, Any], kind: str) -> Any:
        low = part.get("minimum", part.get("exclusiveMinimum", part.get("maximum", 0)))
        low = 0 if isinstance(low, bool) or not isinstance(low, int | float) else low
        high = part.get("maximum", part.get("exclusiveMaximum"))
        high = low + 10 if isinstance(high, bool) or not isinstance(high, int | float) else high
        step = part.get("multipleOf", 1)
        chosen = self.random.choice([low, high, (low + high) / 2, low + step, 0, 1, 2**40])
        return int(chosen) if kind == "integer" else float(chosen)

    def matching(self, pattern: str) -> str:
        """Return a text that often matches a regular expression."""
        try:
            return "".join(self._matching(_parser.parse(pattern)))
        except (re.error, OverflowError, RecursionError):
            return "a"

    def _matching(self, tree: Any) -> Iterator[str]:
        for word, held in tree:
            if word is words.LITERAL:
                yield chr(held)
            elif word is words.NOT_LITERAL:
                yield "a" if held != ord("a") else "b"
            elif word is words.ANY:
                yield "a"
            elif word is words.IN:
                yield self._one_of(held)
            elif word in (words.MAX_REPEAT, words.MIN_REPEAT):
                least, most, inner = held
                for _ in range(self.random.randint(least, min(most, least + 2))):
                    yield from self._matching(inner)
            elif word is words.SUBPATTERN:
                yield from self._matching(held[-1])
            elif word is words.BRANCH:
                yield from self._matching(self.random.choice(held[1]))

    def _one_of(self, held: Any) -> str:
        if held[0][0] is words.NEGATE:
            return self.random.choice("aZ_é0")
        word, one = self.random.choice(held)
        if word is words.RANGE:
            return chr(self.random.randint(*one))
        return chr(one) if word is words.LITERAL else self.random.choice(_CLASSES.get(one, "a-"))
