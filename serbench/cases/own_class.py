"""Finds and reads a class of the user's."""

from __future__ import annotations

import builtins
import importlib
import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from serbench.cases.own_guard import TookTooLong, said, user_code
from serbench.errors import PlanError, SchemaError
from serbench.schema.from_class import ParsedClass, from_class


@dataclass(frozen=True)
class OwnModel:
    """A class of the user's: its place, and what was read from it for each direction."""

    folder: str
    module: str
    name: str
    parsed: ParsedClass
    written: ParsedClass

    @property
    def kind(self) -> str:
        """The library of the class, as a key of `BASES`."""
        return self.parsed.kind


def locate(text: str) -> str:
    """`module:Class` or `path/models.py:Class` as "folder:module:Class", which means the same anywhere and stays as it is.

    A generic class may have parameters: `shop:Page[Item]`.

    Raises:
        PlanError: the text has another form.
    """
    module, _, name = text.rpartition(":")
    if Path(module.rpartition(":")[0]).is_absolute():
        return text
    if not module or not _CLASS.fullmatch(name):
        raise PlanError(f"--model must be module:Class or models.py:Class, not {text!r}")
    name = "".join(name.split())
    if module.endswith(".py"):
        path = Path(module).absolute()
        return f"{path.parent}:{path.stem}:{name}"
    return f"{Path.cwd()}:{module}:{name}"


_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_CLASS = re.compile(rf"{_NAME}(?:\s*\[[\w\s.,\[\]]*\])?")


def load_model(located: str) -> OwnModel:
    """Import the class and read it; again if its file has changed since.

    Raises:
        PlanError: the module or class does not exist, or the class is not a known kind of model.
    """
    folder, module, _ = located.rsplit(":", 2)
    stamp = _stamp(folder)
    if module in sys.modules and _stamps.setdefault((folder, module), stamp) != stamp:
        for name in [name for name, found in sys.modules.items() if _lies_in(found, folder)]:
            del sys.modules[name]
        importlib.invalidate_caches()
    _stamps[folder, module] = stamp
    return _load(located, stamp)


_stamps: dict[tuple[str, str], int] = {}


def _stamp(folder: str) -> int:
    """A number for the times at which the modules of the folder were written: a folder may have thousands."""
    return hash(frozenset((path.name, path.stat().st_mtime_ns) for path in Path(folder).glob("*.py")))


def _lies_in(module: Any, folder: str) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).parent == Path(folder)


@lru_cache(100)
def _load(located: str, _stamp: object) -> OwnModel:
    folder, module, name = located.rsplit(":", 2)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    working = Path.cwd()
    try:
        with user_code("the import"):
            imported = importlib.import_module(module)
    except (Exception, TookTooLong) as error:
        raise PlanError(f"{module} cannot be imported from {folder}: {said(error)}") from None
    finally:
        os.chdir(working)  # a module may have changed it, and paths mean something else there
    try:
        with user_code("reading the class"):
            class_ = _class_named(imported, name)
            return OwnModel(folder, module, name, from_class(class_), from_class(class_, writing=True))
    except SchemaError as error:
        raise PlanError(f"{module}:{name}: {error}") from None
    except TookTooLong as error:
        raise PlanError(f"{module}:{name}: {error}") from None
    except Exception as error:  # whatever the class does while it is looked at
        raise PlanError(f"{module}:{name}: reading the class raised {said(error)}") from None


def _class_named(imported: Any, name: str) -> Any:
    """The class of a name such as `Page[Item]`; its parameters are names of the module, or of builtins."""
    first, _, rest = name.partition("[")
    found = imported
    for part in first.split("."):
        if not hasattr(found, part):
            known = getattr(builtins, part, None) if found is imported else None
            if known is None:
                raise SchemaError(f"{imported.__name__} has no {first}; name one of its classes")
            found = known
        else:
            found = getattr(found, part)
    if not rest:
        return found
    arguments = tuple(_class_named(imported, one) for one in _split(rest.removesuffix("]")))
    try:
        return found[arguments if len(arguments) > 1 else arguments[0]]
    except (TypeError, IndexError) as error:
        raise SchemaError(f"{first} does not accept these parameters: {said(error)}") from None


def _split(text: str) -> list[str]:
    """The parts of a text between commas that stand in no brackets."""
    parts, level = [""], 0
    for letter in text:
        level += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and not level:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def class_of(model: OwnModel) -> Any:
    """The class itself."""
    return next(iter(model.parsed.classes.values()))
