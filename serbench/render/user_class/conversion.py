"""Classes that their own package converts: by `from_dict` and `to_dict`, or by a converter of cattrs that it offers."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from serbench.render.user_class.guard import said

_MADE = r"(?:get|make|create|build|new)_(?:\w+_)?converter"
_KEPT = r"(?:[a-z]\w*_)?converter"
_OFFER = re.compile(rf"^(?:def {_MADE}\(|{_KEPT}\s*(?::.*)?=)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Conversion:
    """How a package converts records of its class from what JSON has, and to it.

    `read` and `write` do so with one record. `reads` and `writes` are their source, for one record and for a list: {0}
    is the class, {1} what is converted. `home` is the module and the name of the `converter` that it names, or of the
    function that makes this (`made`); it is empty for a class's own methods.
    """

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
    reads: tuple[str, str]
    writes: tuple[str, str]
    home: tuple[str, str] | None = None
    made: bool = False

    @property
    def name(self) -> str:
        """The converter as one writes it, such as "shop.converters.get_converter()"; empty for methods."""
        return ".".join(self.home) + "()" * self.made if self.home else ""

    def prepared(self, imported: Callable[[str, str], str]) -> str:
        """The statement before all others, or an empty text; `imported` gives the name of what is in a module."""
        name = imported(*self.home) if self.home else "converter"
        return f"converter = {name}{'()' * self.made}" if name != "converter" or self.made else ""

    def script(self, imported: Callable[[str, str], str]) -> str:
        """The statements of a plain script that define `read` and `write` for a list of records; {0} is the class."""
        reads, writes = self.reads[True].format("{0}", "json.loads(text)"), self.writes[True].format("", "objects")
        lines = (
            self.prepared(imported),
            f"read = lambda text: {reads}",
            f"write = lambda objects: json.dumps({writes}, default=str)",
        )
        return "\n".join(filter(None, lines))


def conversion_of(class_: Any, kind: str) -> tuple[Conversion | None, list[str]]:
    """How the package of a dataclass or attrs class converts it; None if it leaves this to any library.

    With lines on the converters of the package that are not used.
    """
    if not isinstance(class_, type) or kind not in ("dataclass", "attrs"):
        return None, []
    read = getattr(class_, "from_dict", None)
    if read is not None and inspect.ismethod(read) and callable(getattr(class_, "to_dict", None)):
        reads = "{0}.from_dict({1})", "[{0}.from_dict(one) for one in {1}]"
        writes = "{1}.to_dict()", "[one.to_dict() for one in {1}]"
        return Conversion(read, lambda one: one.to_dict(), reads, writes), []
    return _offered(class_)


@lru_cache(100)
def _offered(class_: Any) -> tuple[Conversion | None, list[str]]:
    """The converter that is nearest to a class: in its module, beside it, or in a package around; and lines on others."""
    lines: list[str] = []
    if find_spec("cattrs") is None:
        return None, lines
    for modules in _places(class_.__module__):
        by_id = {id(value): (module, name, value) for module in modules for name, value in _named(module, lines)}
        kept = [one for one in by_id.values() if not inspect.isfunction(one[2])]
        offers = kept or list(by_id.values())
        if len(offers) > 1:
            names = ", ".join(f"{module}.{name}" for module, name, _ in offers)
            return None, [*lines, f"not used, as there are several converters of cattrs: {names}"]
        for module, name, value in offers:
            try:
                return _by_converter(class_, value, (module, name), made=not kept), lines
            except Exception as error:  # whatever the function raises, or the converter
                lines.append(f"{module}.{name} is not used: {said(error)}")
    return None, lines


def _by_converter(class_: Any, offered: Any, home: tuple[str, str], *, made: bool) -> Conversion:
    converter = offered() if made else offered
    if not _is_converter(converter):
        raise TypeError(f"it makes a {type(converter).__name__}, which is no converter of cattrs")
    converter.get_structure_hook(class_)  # raises if it lacks a hook for a field
    reads = "converter.structure({1}, {0})", "converter.structure({1}, list[{0}])"
    writes = "converter.unstructure({1})", "converter.unstructure({1})"
    return Conversion(lambda one: converter.structure(one, class_), converter.unstructure, reads, writes, home, made)


def _places(module: str) -> Iterator[list[str]]:
    """The module of a class, and then the modules of each package around it whose text offers a converter."""
    yield [module]
    package = module if hasattr(sys.modules[module], "__path__") else module.rpartition(".")[0]
    while package:
        folders = [Path(folder) for folder in getattr(sys.modules.get(package), "__path__", ())]
        paths = sorted(path for folder in folders for path in (*folder.glob("*.py"), *folder.glob("*/__init__.py")))
        names = {path: path.parent.name if path.name == "__init__.py" else path.stem for path in paths}
        yield [
            package if path.parent in folders and path.name == "__init__.py" else f"{package}.{name}"
            for path, name in names.items()
            if path.name != "__main__.py" and _offers(path)
        ]
        package = package.rpartition(".")[0]


def _offers(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "cattr" in text and _OFFER.search(text) is not None


def _named(module: str, lines: list[str]) -> Iterator[tuple[str, Any]]:
    """The converters of cattrs in a module, and its package's functions that are named as if they made one."""
    try:
        names = vars(import_module(module))
    except Exception as error:  # whatever the module raises
        lines.append(f"{module}, which offers a converter of cattrs, cannot be imported: {said(error)}")
        return
    for name, value in list(names.items()):
        if re.fullmatch(_KEPT, name, re.IGNORECASE) and _is_converter(value):
            yield name, value
        elif re.fullmatch(_MADE, name, re.IGNORECASE) and inspect.isfunction(value):
            parameters = inspect.signature(value).parameters.values()
            alone = all(
                one.default is not one.empty or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters
            )
            if alone and value.__module__.partition(".")[0] == module.partition(".")[0]:
                yield name, value


def _is_converter(value: Any) -> bool:
    return isinstance(value, import_module("cattrs").BaseConverter)
