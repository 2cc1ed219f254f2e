"""Draws single values for a class of the user's: texts and numbers within limits."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

from serbench.model.data.values import Drawing
from serbench.model.scalars import Scalar
from serbench.render.user_class.limits import FORMS, TEXTS, text_matching

WORDS = ("amber", "delta", "ember", "field", "grain", "kernel", "ocean", "river", "signal", "window")
YEARS = {"past": "2001", "future": "2095"}


class SingleDrawing(Drawing):
    """Draws texts and numbers; the limits of each are those of `limits_of` and of a class's refusals."""

    def _between(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))

    def _pick(self, items: list[Any]) -> Any:
        return items[int(self.random.random() * len(items))]

    def _text(self, kind: str, limits: dict[str, Any], turn: int) -> str:
        form = TEXTS.get(kind) or limits.get("form")
        hint = limits.get("hint")
        if turn and "pattern" not in limits and "strftime" not in limits:
            form = FORMS[(turn // 2 if hint else turn) % len(FORMS) - 1]
        form = hint if hint and turn % 2 == 0 else form
        if form is not None:
            return self._formed(str(form)).replace("2024", YEARS.get(limits.get("when", ""), "2024"))
        if "strftime" in limits:
            return str(super().value(Scalar("datetime")).strftime(limits["strftime"]))
        if pattern := limits.get("pattern"):
            with suppress(Exception):  # what it does not know, such as looking ahead
                return text_matching(getattr(pattern, "pattern", pattern), self.random)
        text = str(super().value(Scalar("str")))
        least, most = limits.get("least") or 0, limits.get("most")
        text += "".join(self._pick(list(string.ascii_lowercase)) for _ in range(least - len(text)))
        return text if most is None else text[:most].strip().ljust(min(least, most), "x")

    def _formed(self, form: str) -> str:
        """A text of a form: {} is a word, [] a number of two digits, () one of one digit."""
        fillers: dict[str, Callable[[], str]] = {
            "{}": lambda: self._pick(list(WORDS)),
            "[]": lambda: str(self._between(10, 99)),
            "()": lambda: str(self._between(0, 9)),
        }
        return re.sub(r"\{\}|\[\]|\(\)", lambda match: fillers[match[0]](), form)

    def _integer(self, limits: dict[str, Any]) -> int:
        step = int(limits.get("step") or 1)
        low, high = self._bounds(limits, 1, 100_000)
        low, high = -(-int(low) // step), int(high) // step
        return self._between(low, max(low, high)) * step

    def _real(self, kind: str, limits: dict[str, Any]) -> Any:
        places = limits.get("places")
        places = 2 if places is None else int(places)
        digits = limits.get("digits")
        most = 10 ** (int(digits) - places) - 1 if digits else 1000
        unit = 10.0**-places
        low, high = self._bounds(limits, unit, most)
        number = self._between(round(low / unit), round(min(high, low + most) / unit))
        return Decimal(number).scaleb(-places) if kind == "decimal" else number * unit

    def _bounds(self, limits: dict[str, Any], unit: float, span: float) -> tuple[float, float]:
        low = float(limits["low"]) if "low" in limits else float(limits["above"]) + unit if "above" in limits else None
        high = (
            float(limits["high"]) if "high" in limits else float(limits["below"]) - unit if "below" in limits else None
        )
        if low is None:
            low = min(0.0, high - span) if high is not None and high < 0 else 0.0
        return low, low + span if high is None else high
