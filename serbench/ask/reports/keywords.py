"""The table of JSON Schema's keywords: how each is read, by reading a small schema that has it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.ask.reports.published import Published
from serbench.ask.reports.templates import page
from serbench.errors import SchemaError
from serbench.model.json_schema.read import from_json_schema


@dataclass(frozen=True)
class Sample:
    """Keywords, what is said by them, and a schema that says it."""

    keywords: str
    what: str
    schema: Any

    @property
    def read(self) -> tuple[str, str]:
        """How it is read, and the line that says so."""
        try:
            notes = from_json_schema(self.schema).notes
        except SchemaError as error:
            return "refused", str(error)
        kinds = ["widely" if "widely" in note else "narrowly" if "narrowly" in note else "not" for note in notes]
        how = {"widely": "more widely", "narrowly": "more narrowly", "not": "ignored"}
        return how[kinds[0]] if kinds else "exactly", "; ".join(notes)


SAMPLES = tuple(
    Sample(**sample) for sample in json.loads(Path(__file__).with_name("keywords.json").read_text(encoding="utf-8"))
)
"""Every keyword of the drafts 4 to 2020-12, in the order of the table."""


def keywords(_: Sequence[Published]) -> str:
    """Return a line for each sample."""
    return page("keywords", samples=SAMPLES, as_json=json.dumps)
