"""Plug-ins of other distributions, by their entry points; one that is wrong is left out with a line, and all else works."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from serbench.errors import PlugInError, visible
from serbench.model.plug_ins import check_text, show_files_of, told

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
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
            _leave_out(f"the {KINDS[kind]} {entry.name!r} of {distribution} is left out: {told(error)}")
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
    """What an entry point names; the interface is read from the module's text, before any of it runs."""
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


def _leave_out(line: str) -> None:
    _left_out.append(line)
    sys.stderr.write(f"serbench: {visible(line)}\n")
