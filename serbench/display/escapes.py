"""The way of texts into Markdown, HTML and CSV: what is data stays data, and never becomes markup or a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from serbench.errors import visible

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def escaped(text: str) -> str:
    """The text in one line with the signs of Markdown and HTML escaped, so that data never becomes markup."""
    text = one_line(text)
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text


def one_line(text: str) -> str:
    """The text in one line, without signs that steer what shows it."""
    return visible(" ".join(text.splitlines()))


def code(text: str) -> str:
    """The text as code within a line of Markdown, whatever signs it has."""
    text = one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}"


def html(text: str) -> str:
    """The text as HTML, in which nothing of it is markup."""
    return escape(one_line(text))


def csv_cell(value: Any) -> Any:
    """A value for a cell of CSV: a text that a spreadsheet would take for a formula begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    return f"'{value}" if value[:1] in FORMULA else value


def lines_csv(headings: Sequence[str], lines: Iterable[Iterable[Any]]) -> str:
    """Lines as CSV below their headings; None is an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows([csv_cell(value) for value in line] for line in lines)
    return out.getvalue()
