"""Names for the records and enums of a user's classes: those of the classes, with a number where two would be the same."""

from __future__ import annotations

import keyword
import re
import typing
from collections.abc import Hashable
from typing import Any

from serbench.model.classes.fields import kind_of, origin_of
from serbench.model.names import function_key, record_name

_ENDINGS = {"marshmallow": "Schema", "djangorestframework": "Serializer"}


class ClassNames:
    """The names of what is read of classes: the same thing has the same name in each reading that continues another."""

    def __init__(self, like: ClassNames | None = None) -> None:
        self.names: dict[Hashable, str] = dict(like.names) if like else {}
        self.used: set[str] = set(like.used) if like else set()

    def of(self, key: Hashable, wanted: str) -> str:
        """Return the name of the thing with this key: the wanted one, if it is an identifier that no other has."""
        if key not in self.names:
            name = stem = wanted if is_name(wanted) else record_name(wanted)
            number = 1
            while name in self.used or function_key(name) in self.used:
                number += 1
                name = f"{stem}{number}"
            self.names[key] = name
            self.used |= {name, function_key(name)}
        return self.names[key]


def is_name(text: str) -> bool:
    """Return True for a text that a schema takes as the name of a record, a field or a member."""
    return text.isascii() and text.isidentifier() and not keyword.iskeyword(text)


def class_key(class_: Any) -> Hashable:
    """Return what identifies a class, or a parametrised one."""
    try:
        hash(class_)
    except TypeError:  # a parameter is a value that can change
        return repr(class_)
    return class_  # type: ignore[no-any-return]  # any class


def class_record_name(class_: Any) -> str:
    """Return the record name for a class: its name, stripped of "Schema" or "Serializer", with its parameters."""
    class_name: str = getattr(class_, "__name__", origin_of(class_).__name__)
    if not isinstance(class_, type):
        class_name += "_".join(["", *(getattr(one, "__name__", str(one)) for one in typing.get_args(class_))])
    name = class_name.removesuffix(_ENDINGS.get(kind_of(class_), "")) or class_name
    return re.sub(r"\W+", "_", name).strip("_")


def path_start(class_: Any, name: str) -> str:
    """Return how the places of a class's values begin; `name` is that of its record."""
    shown = str(getattr(class_, "__name__", name))
    return shown if name in (shown, *(shown.removesuffix(ending) for ending in _ENDINGS.values())) else name
