"""Text: special characters, text that looks like other types, and very long text."""

from serbench.measure.probes.values import Group, Probe, edges, group_of, with_more
from serbench.model.records import Field
from serbench.model.scalars import STR

_LOOKS = (
    *("null", "true", "12", "1.50", "1e3", "~", "no", "0x1F", "2024-06-15", "2024-06-15T09:41:23Z", "12:30:00"),
    *("2024-06-15 09:41:23", "12:30:00.5", "1_000", "0o14", "014", "0b11", "1:30:00", "+1", ".5", "1.", "1e400"),
    *(".inf", "-.inf", ".nan", "NaN", "Infinity", "y", "Off", "TRUE", "Null"),
    *(
        "=",
        "<<",
        "-",
        "?",
        "---",
        "...",
        "# a",
        "a # b",
        "a: b",
        "- a",
        "!a",
        "&a",
        "*a",
        "%a",
        "@a",
        "`a",
        "{a",
        "[a]",
    ),
)
"""Of YAML 1.1 and 1.2, of TOML, of JSON's extensions, and of what reads dates out of texts."""

GROUPS = (
    with_more(
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
            ("str that looks like a key and a value", "a: b"),
        ),
        *edges(("str with NUL", "a\0b"), ("str with control characters", "\x01\x08\x1b\x7f\x85")),
        Probe("str of a subclass", make=("Text", 7), edge=True),
    ),
    group_of("surrogate text", STR, ("str with a lone surrogate", "a\ud800b"), edge=True),
    Group("long text", (Field("subject", STR),), (Probe("str of 10 MB", edge=True, make=("repeat", 10_000_000)),)),
)
