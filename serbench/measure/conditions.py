"""The conditions of a measurement: which documents consecutive calls get, and what is in memory meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, fields

from serbench.errors import PlanError

AS_NEEDED = -1
KEPT = 8


@dataclass(frozen=True)
class Conditions:
    """What consecutive calls of an operation meet.

    Attributes:
        documents: how many different documents they get in turn; `AS_NEEDED` for as many as defeat what can be learned
            of them.
        fresh: whether the argument of each call is made right before, outside of the timed span.
        kept: how many results of earlier calls are alive.
    """

    documents: int = 1
    fresh: bool = False
    kept: int = 0

    @classmethod
    def parse(cls, text: str) -> Conditions:
        """Read "hot", "varied" or parts joined by "+": "documents", "documents=64", "fresh", "kept", "kept=4".

        Raises:
            PlanError: the text is none of these.
        """
        if text in PRESETS:
            return PRESETS[text]
        parts: dict[str, int | bool] = {}
        for part in text.split("+"):
            name, equals, number = part.partition("=")
            known = getattr(PRESETS["varied"], name, None) if name in _PARTS else None
            if known is None or name in parts or (equals and (name == "fresh" or not number.isdecimal())):
                raise PlanError(
                    f"unknown conditions {text!r}; name hot, varied, or parts such as documents=64+fresh+kept=8"
                )
            parts[name] = int(number) if equals else known
        if not 1 <= parts.get("documents", 1) <= MOST and parts["documents"] != AS_NEEDED:
            raise PlanError(f"documents must be from 1 to {MOST:,}, not {parts['documents']:,}")
        if parts.get("kept", 0) > MOST:
            raise PlanError(f"kept must be at most {MOST:,}, not {parts['kept']:,}")
        return cls(**parts)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """The shortest text that `parse` reads as these conditions."""
        for name, preset in PRESETS.items():
            if self == preset:
                return name
        parts = []
        for name in _PARTS:
            value, usual = getattr(self, name), getattr(PRESETS["varied"], name)
            if value != getattr(PRESETS["hot"], name):
                parts.append(name if value == usual else f"{name}={value}")
        return "+".join(parts)


MOST = 1_000_000
PRESETS = {"varied": Conditions(AS_NEEDED, fresh=True, kept=KEPT), "hot": Conditions()}
"""`varied` is what a service meets: other data in each call, objects that were just made, results still in use.
`hot` is one document again and again, as most published benchmarks have it."""
_PARTS = tuple(field.name for field in fields(Conditions))
