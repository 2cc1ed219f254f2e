"""The case that is used today: a library and codec by name, or the user's class, beside its library's plain models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from serbench.errors import PlanError
from serbench.judge.recommend import CaseKey
from serbench.judge.rows import Row
from serbench.keep.run import Run
from serbench.render.library import Library
from serbench.render.library import libraries as known_libraries
from serbench.render.selection import find_case
from serbench.render.user_class.find import load_model
from serbench.render.user_class.library import BASES
from serbench.results import YOURS, without_via


def check_present(text: str | None, *, user_class: bool) -> None:
    """Raise PlanError if it names no case that there is, or the user's class and there may be none."""
    if text is not None and not _is_user_class(text):
        _case(text)
    elif text is not None and not user_class:
        raise PlanError(f"{text} stands for your own class; name it with --model")


def present_case(text: str, rows: Sequence[Row]) -> CaseKey:
    """Find the case that `present` of `recommend` names; that of the user's class among the rows.

    Raises:
        PlanError: an unknown name, or there are no rows of the user's class.
    """
    return _user_case(text, rows) if _is_user_class(text) else _case(text)


def case_of_today(present: str | None, rows: Sequence[Row], *, has_class: bool) -> CaseKey | None:
    """Return the case that is used today: as named, else the user's class if there is one among the rows.

    Raises:
        PlanError: as `present_case`.
    """
    if present is not None:
        return present_case(present, rows)
    with suppress(PlanError):  # a class that is not measured, or of a library that is not known here
        return present_case(YOURS, rows) if has_class else None
    return None


def _is_user_class(present: str) -> bool:
    return present.partition("/")[0].partition(" ")[0] == YOURS


def _case(text: str) -> CaseKey:
    library, _, served = text.partition("/")
    chosen, variant, codec = find_case(library, served or "json")
    return (chosen.library.name, variant, codec.name, codec.format)


def _user_case(text: str, rows: Sequence[Row]) -> CaseKey:
    named = text.partition("/")[0]
    plain = rf"{YOURS} \(\w+\)" if named == YOURS else re.escape(named)
    row = next((row for row in rows if re.fullmatch(plain, row.library)), None)
    if row is None:
        raise PlanError("this run has no class of yours; give one with --model, or name a library")
    library = library_of(row.library)
    if library is None:
        raise PlanError(f"{row.library} is a class of a library that is not known here; name a library")
    _, _, codec, format_ = _case(f"{library.name}/{text.partition('/')[2]}".rstrip("/"))
    return (row.library, row.variant, codec, format_)


def library_of(name: str) -> Library | None:
    """Return the library of that name, for a class of the user's that it is written with; None if there is none."""
    kind, name = re.fullmatch(rf"{YOURS} \((\w+).*\)", name), without_via(name)
    return known_libraries().get(BASES.get(kind[1], "") if kind else name)


def user_and_plain(run: Run, today: CaseKey | None) -> tuple[tuple[CaseKey, CaseKey] | None, tuple[str, ...]]:
    """Return the user's class and its library's plain models with one codec, and what the class has beyond its fields.

    The codec is that of the present case if this is the class. None and () if the run has no class, or one that has
    only fields.
    """
    located = run.info.plan.get("model")
    if located is None:
        return None, ()
    try:
        notes = load_model(located).parsed.notes
        features = tuple(note for note in notes if not note.endswith("(not measured)"))
        user = today if today and _is_user_class(today[0]) else _user_case(YOURS, run.rows)
    except PlanError:  # the class is not there any more, or was not measured
        return None, ()
    library = library_of(user[0])
    return ((user, (library.name, "default", *user[2:])), features) if features and library else (None, ())
