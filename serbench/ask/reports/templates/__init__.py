"""The Markdown pages that are made of published results, as templates of Jinja."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.display import words
from serbench.display.table import code, escaped

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701  # Markdown, whose data the filter `escaped` escapes
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"escaped": escaped, "code": code, "machine": words.machine_line}
    environment.globals["words"] = words
    return environment


def page(template: str, /, **values: Any) -> str:
    """The page that a template gives, without empty lines at its end."""
    return _environment().get_template(f"{template}.md").render(values).rstrip()
