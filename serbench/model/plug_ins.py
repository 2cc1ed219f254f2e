"""Plug-ins: files of a package that define one constant each, and the line that says what is wrong with one."""

from __future__ import annotations

import importlib
import pkgutil
import re
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from serbench.errors import PlugInError, check

T = TypeVar("T")
_FILE = re.compile(r"serbench/(?:render/libraries|render/formats|model/workloads)/(?!_)\w+\.py$")
_roots: dict[str, int] = {}  # how the paths of an installed plug-in's files begin → how much of it is not shown
_CLASSES: dict[str, Any] = {
    "str": str,
    "bool": bool,
    "int": int,
    "tuple": tuple,
    "frozenset": frozenset,
    "Mapping": Mapping,
}
_CLASSES["Callable"] = Callable
_WRITTEN: dict[Any, str] = {
    tuple: "(…,)",
    frozenset: 'frozenset({"…"})',
    Mapping: '{"…": "…"}',
    str: '"…"',
    bool: "True",
    int: "1",
}


def plug_in_names(package: str) -> list[str]:
    """The names of a package's files, but for those that begin with an underscore and for folders."""
    path = importlib.import_module(package).__path__
    return [one.name for one in pkgutil.iter_modules(path) if not one.ispkg and not one.name.startswith("_")]


def plug_in(package: str, file: str, constant: str, kind: type[T]) -> T:
    """The constant of one file.

    Raises:
        PlugInError: the file cannot be imported, or has no such constant; the message names its file and line.
    """
    path = f"{package.replace('.', '/')}/{file}.py"
    try:
        value = getattr(importlib.import_module(f"{package}.{file}"), constant, None)
    except Exception as error:
        raise PlugInError(told(error, path)) from error
    if not isinstance(value, kind):
        raise PlugInError(f"{path}: it needs the constant {constant} = {kind.__name__}(…)")
    return value


def plug_ins(package: str, constant: str, kind: type[T]) -> dict[str, T]:
    """The constants of all files of a package by `name`, in the order of the names.

    Raises:
        PlugInError: as for `plug_in`, or two files have one name.
    """
    files: dict[str, str] = {}
    by_name = {}
    for file in plug_in_names(package):
        one: Any = plug_in(package, file, constant, kind)
        if first := files.get(one.name):
            folder = package.replace(".", "/")
            raise PlugInError(
                f"{folder}/{file}.py: its name {one.name!r} is that of {folder}/{first}.py; choose another"
            )
        files[one.name], by_name[one.name] = file, one
    return dict(sorted(by_name.items()))


def show_files_of(module: str, file: str) -> None:
    """Have errors name the files of this module's package as they name serbench's own."""
    parts = module.split(".")
    root = Path(file).parents[len(parts) - (Path(file).name != "__init__.py")].as_posix().rstrip("/") + "/"
    _roots[root + parts[0] + ("/" if len(parts) > 1 or file.endswith("__init__.py") else ".py")] = len(root)


def _shown(file: str) -> str:
    """A plug-in's file as it is shown, from its package on; nothing for any other file."""
    path = Path(file).as_posix()
    if match := _FILE.search(path):
        return match[0]
    return next((path[length:] for root, length in _roots.items() if path.startswith(root)), "")


def told(error: BaseException, path: str = "") -> str:
    """What is wrong in one line, behind the last plug-in's file and line that the error passed; without one, `path`."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        frames.append((error.filename or "", error.lineno))
        said = f"{type(error).__name__}: {error.msg}"
    elif isinstance(error, PlugInError):
        said = str(error)
    passed = [f"{file}, line {line}" for name, line in frames if (file := _shown(name))]
    return ": ".join(filter(None, [passed[-1] if passed else path, " ".join(said.split())]))


def check_types(one: Any) -> None:
    """Check that each field of a plug-in, and of its parts, has the type of its annotation.

    `pins=("…")` lacks the comma of a tuple. A part is a field whose default is an object with fields.
    """
    for field in fields(one):
        value, (head, _, of) = getattr(one, field.name), str(field.type).partition("[")
        part: Any = type(field.default) if is_dataclass(field.default) else None
        if part and isinstance(value, part):
            check_types(value)
            continue
        class_ = part or _CLASSES.get(head)
        if (
            class_ is None
            or (value is None and of.endswith("| None"))
            or (isinstance(value, class_) and (not of.startswith("str") or all(isinstance(one, str) for one in value)))
        ):
            continue
        written = f"{part.__name__}(…)" if part else _WRITTEN.get(class_)
        instead = f"; write {field.name}={written}" if written else ""
        raise PlugInError(f"{field.name} cannot be {value!r}{instead}")


def check_words(what: str, words: Iterable[str], known: Iterable[str]) -> None:
    """Check that each of the words is known; `what` is the kind of word and its field: "feature in lacks"."""
    for word in sorted(words):
        check(what, word, known, PlugInError)


def check_links(what: str, reasons: Mapping[str, str]) -> None:
    """Check that each of the reasons has a link."""
    for name, reason in reasons.items():
        if "https://" not in reason:
            raise PlugInError(f"{what}[{name!r}] has no link: name the page that says so, as https://…")


def check_text(what: str, text: str, pattern: str, instead: str) -> None:
    """Check that the whole text is of a form; `instead` is an example."""
    if not re.fullmatch(pattern, text):
        raise PlugInError(f"{what} cannot be {text!r}; write it like {instead!r}")
