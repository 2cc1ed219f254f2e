"""Plug-ins: files of a package, or of other distributions, that define one constant each; a wrong one is one line."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from serbench.errors import PlugInError, check, visible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


T = TypeVar("T")
_FILE = re.compile(r"serbench/(?:render/libraries|render/formats|render/frameworks|model/workloads)/(?!_)\w+\.py$")
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
    return [
        module.name for module in pkgutil.iter_modules(path) if not module.ispkg and not module.name.startswith("_")
    ]


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


INTERFACE = 1
"""The number of the interface `serbench.plugin`; it rises if a plug-in that worked would no longer work."""

KINDS = {"libraries": "library", "formats": "format", "workloads": "workload", "claims": "claim"}
"""What follows `serbench.` in the group of an entry point → one of what it brings."""
_STATED = re.compile(r"^INTERFACE = (\d+)\b", re.MULTILINE)
_brought: dict[str, tuple[str, ...]] = {}
_left_out: list[str] = []


def brought(kind: str) -> tuple[str, ...]:
    """The names of the plug-ins of a kind that take part, once they have been listed."""
    return _brought.get(kind, ())


def left_out() -> tuple[str, ...]:
    """A line for each plug-in that was left out so far in this process: what, of which distribution, and why."""
    return tuple(_left_out)


def installed(
    kind: str, class_: type[T], names: Iterable[str], check: Callable[[T], object] | None = None
) -> dict[str, T]:
    """The plug-ins of a kind by the names of their entry points; each that is wrong is one line on stderr.

    Args:
        kind: one of `KINDS`.
        class_: what each must be.
        names: those of serbench's own, which none can have.
        check: raises an error for one that does not fit to the others.
    """
    owners = dict.fromkeys(names, "serbench")
    by_name: dict[str, T] = {}
    for entry in _entry_points().get(kind, ()):
        distribution = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"
        try:
            check_text("name", entry.name, r"(?!all$|installed$)[a-z][a-z0-9._-]*", "msgspec")
            if owner := owners.get(entry.name):
                raise PlugInError(f"its name is that of one of {owner}; choose another")
            one = _loaded(entry, class_)
            if check:
                check(one)
        except (Exception, SystemExit) as error:
            _left_out.append(f"the {KINDS[kind]} {entry.name!r} of {distribution} is left out: {told(error)}")
            sys.stderr.write(f"serbench: {visible(_left_out[-1])}\n")
        else:
            owners[entry.name], by_name[entry.name] = distribution, one
    _brought[kind] = tuple(by_name)
    return by_name


@cache
def _entry_points() -> Mapping[str, list[EntryPoint]]:
    """The entry points of each kind, by distribution and name; each distribution of the path is looked at once."""
    from importlib.metadata import entry_points

    every = entry_points()
    return {
        kind: sorted(
            every.select(group=f"serbench.{kind}"), key=lambda one: (one.dist.name if one.dist else "", one.name)
        )
        for kind in KINDS
    }


def _loaded(entry: EntryPoint, class_: type[T]) -> T:
    """The object that an entry point names; its interface is read from the module's text before any of it runs."""
    from importlib.util import find_spec

    spec = find_spec(entry.module)
    if spec is None:
        raise PlugInError(f"there is no module {entry.module}")
    if spec.origin:  # which a folder without code has not
        show_files_of(entry.module, spec.origin)
    source = getattr(spec.loader, "get_source", lambda _: None)(entry.module) or ""
    stated = _STATED.search(source)
    if stated is None:
        raise PlugInError(f"{entry.module} does not state its interface; write INTERFACE = {INTERFACE} in it")
    if (number := int(stated[1])) != INTERFACE:
        old = "the plug-in" if number < INTERFACE else "serbench"
        raise PlugInError(f"it is for interface {number}, and this serbench has {INTERFACE}; upgrade {old}")
    one = entry.load()
    if not isinstance(one, class_):
        raise PlugInError(f"{entry.value} must be a {class_.__name__}, not {type(one).__name__}")
    name = entry.name if isinstance(one, Path) else getattr(one, "name", "")
    if name != entry.name:
        raise PlugInError(f"its name is {name!r}, but that of its entry point is {entry.name!r}; make them equal")
    return one
