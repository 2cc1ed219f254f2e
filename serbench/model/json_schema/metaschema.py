"""Checks a JSON Schema against the metaschema of its draft."""

from __future__ import annotations

from serbench.errors import SchemaError

DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
)
"""The drafts, newest first; a schema that names none of them, or another than it follows, may follow any."""
TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
_LONGEST = 120  # of a value or place in a message


def check_json_schema(part: object, pointer: str = "#") -> str:
    """Return the draft that a JSON Schema follows, or the part of one that stands at a place such as "#/$defs/order".

    It is the one that it names, or else the newest.

    Raises:
        SchemaError: it follows no draft; the message says where it departs from the one that it names, or the newest.
    """
    if isinstance(part, bool):
        return DRAFTS[0]
    if not isinstance(part, dict):
        raise SchemaError(
            f"the JSON Schema has {short(part)} in place of a subschema at {_shortened(pointer)}; make it an object"
        )
    import jsonschema_rs

    named = [draft for draft in DRAFTS if str(part.get("$schema")).rstrip("#") == draft.rstrip("#")]
    reasons = []
    for draft in dict.fromkeys((*named, *DRAFTS)):
        try:
            jsonschema_rs.meta.validate({**part, "$schema": draft})
        except jsonschema_rs.ValidationError as error:
            where = _shortened("/".join([pointer, *map(str, error.instance_path)]))
            if error.instance_path[-1:] == ["type"] and isinstance(error.kind, jsonschema_rs.ValidationErrorKind.AnyOf):
                reasons.append(f"has an unknown type {short(error.instance)} at {where}; use {', '.join(TYPES)}")
            else:
                reasons.append(f"is wrong at {where}: {_shortened(error.message)}; correct it there")
        except ValueError as error:
            reasons.append(f"is no JSON: {error}; give its keys as texts")
        else:
            return draft
    raise SchemaError(f"the JSON Schema {reasons[0]}")


def short(value: object) -> str:
    """Return a value as a message shows it."""
    return _shortened(repr(value))


def printable(text: str) -> str:
    """Return a text as one line that changes nothing of a terminal."""
    return text if text.isprintable() else ascii(text)


def _shortened(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
