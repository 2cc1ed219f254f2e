"""Text: special characters, text that looks like other types, and very long text."""

from serbench.measure.probes.values import group_of, oversized
from serbench.model.scalars import STR

_LOOKS = ("null", "true", "12", "1.50", "1e3", "~", "no", "0x1F", "2024-06-15", "2024-06-15T09:41:23Z", "12:30:00")

GROUPS = (
    group_of(
        "text",
        STR,
        ("str empty", ""),
        ("str non-ASCII", "é ß Ω 日本語 🎉"),
        ("str combining marks", "e\u0301 \u0e01\u0e33 \u200d"),
        ("str quotes and backslashes", "\"'\\ / </script> &amp; <![CDATA[ ]]>"),
        ("str blanks at the ends", "  a \t"),
        ("str newlines", "a\nb\r\nc\rd\u2028e"),
        *((f"str that looks like {look}", look) for look in _LOOKS),
    ),
    group_of(
        "control text",
        STR,
        ("str with NUL", "a\0b"),
        ("str with control characters", "\x01\x08\x1b\x7f\x85"),
        edge=True,
    ),
    group_of("surrogate text", STR, ("str with a lone surrogate", "a\ud800b"), edge=True),
    oversized("long text", STR, "str of 10 MB", "repeat", 10_000_000),
)
