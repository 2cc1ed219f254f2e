"""What the words of a refusal ask for, and the values that the code that refused had at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
_NUMBER = r"(-?\d+(?:\.\d+)?)(?!\w)"
_BOUNDS = {  # limit, as `limits.limits_of` names it → the words before its number
    "high": r"at most|<=|≤|not? (?:be )?(?:more|greater|larger|longer) than|less than or equal to|not exceed|maximum(?: of| is)?",
    "low": r"at least|>=|≥|not? (?:be )?(?:less|smaller|fewer) than|greater than or equal to|minimum(?: of| is)?",
    "below": r"less than|smaller than|lower than|below|under|<",
    "above": r"greater than|more than|larger than|higher than|above|over|>",
}
_LENGTHS = {"low": "least", "high": "most"}
_FORMS = {  # words → a text of that form, as `UserDrawing` fills it in
    r"uuid": "0b5a4c1e-0000-4000-8000-0000000000[]",
    r"date-?time|timestamp|iso ?8601|rfc ?3339": "2024-05-1()T10:30:00Z",
    r"(?:iso)?date|isoformat": "2024-05-1()",
    r"time": "10:30:1()",
    r"e-?mail": "{}.{}@example.com",
    r"ur[il]": "https://{}.example.com/{}",
    r"base-?64": "aGFyYm91cjEy",
    r"sem(?:antic )?ver\w*|version": "1.[].0",
    r"hex\w*": "0a0b[]",
    r"u?int(?:eger|\d+)?|number|numeric|digits?": "[]",
}
_CHOOSING = re.compile(r"\b(?:one of|must be|expected|allowed|either|supported|permitted|valid)\b(.*)", re.DOTALL)
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_GOT = re.compile(r"\b(?:got|but|received|instead|not)\b")
_LISTED = re.compile(r"\bone of:?\s+([\w.:/-]+(?:(?:,\s*|\s+or\s+|\s*\|\s*)[\w.:/-]+)+)")
_AS_TEXT = re.compile(r"(?i)\b(?:as|expected|must be|be) (?:an? )?(?:str|string)\b")
_BEGINNING = re.compile(r"\b(?:start|begin)s?(?:ing)? with:? ['\"]?([^\s'\"{}\[\]()]+)")


def asked(message: str) -> dict[str, Any]:
    """The limits that a message names: those of `limits_of`, and "said", choices, "hint", a form, and "as_text"."""
    limits: dict[str, Any] = {}
    rest = message
    for limit, words in _BOUNDS.items():
        if match := re.search(rf"(?:^|[^\w<>])(?:{words}) ?{_NUMBER}", rest):
            rest, number = rest.replace(match[0], ""), float(match[1])
            limits.setdefault(limit, number)
            if limit in _LENGTHS and number.is_integer():
                limits.setdefault(_LENGTHS[limit], int(number))
    if choices := _choices(message):
        limits["said"] = tuple(choices)
    if hint := hint_of(message):
        limits["hint"] = hint
    if _AS_TEXT.search(message):
        limits["as_text"] = True
    return limits


def _choices(message: str) -> list[str]:
    """The words that a message offers: in quotes after such as "one of", or in a list without quotes after that."""
    match = _CHOOSING.search(message)
    if match is None:
        return []
    if quoted := [one or other for one, other in _QUOTED.findall(_GOT.split(match[1])[0])]:
        return quoted
    listed = _LISTED.search(message)
    return re.split(r",\s*|\s+or\s+|\s*\|\s*", listed[1]) if listed else []


def hint_of(message: str) -> str:
    """The form of a text that a message names; empty if it names none."""
    if match := _BEGINNING.search(message):
        return f"{match[1]}{{}}"
    return next((form for words, form in _FORMS.items() if re.search(rf"(?i)(?<!\w)(?:{words})(?!\w)", message)), "")


def at_hand(error: BaseException | None, document: Any) -> list[Path]:
    """The paths of the texts and numbers of a document that the innermost function that raised, and knew any, had."""
    paths = {(type(value), value): path for path, value in leaves(document)}
    for variables in reversed(list(_variables(getattr(error, "__traceback__", None)))):
        held = [(type(one), one) for one in variables if type(one) in (str, int, float)]
        if known := list(dict.fromkeys(paths[one] for one in held if one in paths)):
            return known
    return []


def _variables(trace: TracebackType | None) -> Iterator[list[Any]]:
    """The values of the variables of each function in a file that an exception has passed, the outermost first."""
    while trace is not None:
        frame = trace.tb_frame
        generated = frame.f_code.co_filename.startswith("<")  # as an `__init__` that has all fields
        if not generated and not frame.f_globals.get("__name__", "").startswith("serbench."):
            yield list(frame.f_locals.values())
        trace = trace.tb_next


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The texts and numbers in a document, with their paths."""
    if isinstance(value, dict | list | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    elif type(value) in (str, int, float):
        yield path, value
