"""Classes converted by their own package or by their own methods; their code runs with limits on time and output."""

from __future__ import annotations

import builtins
import inspect
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from serbench.errors import PlanError, SchemaError
from serbench.machine.supervisor import LEFT_OUT, MEMORY_BYTES, PRINTED_BYTES, bounded
from serbench.model.fidelity import innermost

LIMIT_S = 60.0
"""How long a step may take, such as the import of a class; a class whose step takes longer is refused."""
SHORTEST_S = 0.01
"""How much of a budget must be left for a step to begin; with less, the timer would ring before the step has begun."""
_SHARED = (builtins, json, os, time)
"""Modules that serbench calls while it goes on."""
_UNTIL: ContextVar[float] = ContextVar("until", default=float("inf"))  # on the monotonic clock: when the budget ends
_MEMORY_BYTES: ContextVar[int] = ContextVar("memory_bytes", default=MEMORY_BYTES)


class TookTooLong(BaseException):
    """A step of a class was ended; no `except Exception` of the class's own catches it."""


class Left(Exception):
    """A class raised a BaseException that is not an Exception, such as SystemExit or KeyboardInterrupt; the message names it."""


class _Aside:
    """Standard output and error for a class, which may print for each object: closing it closes nothing else."""

    left = PRINTED_BYTES

    def __init__(self, shown: TextIO) -> None:
        self.shown = shown

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.__stderr__ or self.shown, name)  # a supervisor reads what goes there, such as `buffer`

    def write(self, text: str) -> int:
        """Write to standard error, up to a limit: standard output is for results."""
        if _Aside.left > 0:
            self.shown.write(text[: _Aside.left])
            _Aside.left -= len(text)
            if _Aside.left <= 0:
                self.shown.write(LEFT_OUT)
        return len(text)

    def close(self) -> None:
        """Close nothing."""


@contextmanager
def user_code(step: str) -> Iterator[None]:
    """Run code of the user's class.

    Raises:
        TookTooLong: it took more than `LIMIT_S`, or than what is left of the budget; the text names the step.
        Left: it raised a BaseException that is not an Exception.
        KeyboardInterrupt: somebody has interrupted it.
    """
    limit_s = min(LIMIT_S, _UNTIL.get() - time.monotonic())
    if limit_s <= SHORTEST_S:
        raise TookTooLong(f"the budget was used up before {step}")
    with _interrupts() as came:
        try:
            aside: Any = _Aside(getattr(sys.stderr, "shown", sys.stderr))  # steps may lie within one another
            with _kept(), redirect_stderr(aside), redirect_stdout(aside), limited(limit_s, step):
                yield
        except (Exception, TookTooLong):
            raise
        except BaseException as error:
            if came and isinstance(error, KeyboardInterrupt):
                raise
            raise Left(said(error)) from None


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note the interrupts that come while the block runs: a KeyboardInterrupt without one is raised by its code."""
    came, before = list[int](), signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():  # none can come
        yield came
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _kept() -> Iterator[None]:
    """Put back what the block replaces or removes of what all code uses; what it adds stays. A copy of the process ends with it."""
    process, held = os.getpid(), vars(os.environ)["_data"]  # reading each variable takes as long as all the rest
    working, paths, finders, variables = os.getcwd(), [*sys.path], [*sys.meta_path], dict(held)  # noqa: PTH109 (fast)
    usual = [(vars(module), dict(vars(module))) for module in _SHARED]
    try:
        yield
    finally:
        for names, before in usual:
            if names != before:
                names.update({name: one for name, one in before.items() if callable(one)})
        if os.getpid() != process:  # else two would measure and answer
            os._exit(0)
        os.chdir(working)  # paths mean something else elsewhere
        sys.path += [path for path in paths if path not in sys.path]
        sys.meta_path += [finder for finder in finders if finder not in sys.meta_path]
        for name in variables.keys() - held.keys():
            os.environ[os.fsdecode(name)] = os.fsdecode(variables[name])


@contextmanager
def within(budget_s: float | None, memory_bytes: int | None = None, of: str = "") -> Iterator[None]:
    """Bound what all steps in the block take together, if there is a budget, and the memory that a supervisor allows them.

    Raises:
        PlanError: a step took longer, `of` a class, if nothing else says of which.
    """
    most = _MEMORY_BYTES.set(_MEMORY_BYTES.get() if memory_bytes is None else memory_bytes)
    until = _UNTIL.set(_UNTIL.get() if budget_s is None else min(_UNTIL.get(), time.monotonic() + budget_s))
    try:
        yield
    except TookTooLong as error:
        raise PlanError(f"{of}{error}") from None
    finally:
        _UNTIL.reset(until)
        _MEMORY_BYTES.reset(most)


def left(budget_s: float) -> float:
    """What is left of a budget: not all of it if the block of `within` has spent some."""
    return max(min(budget_s, _UNTIL.get() - time.monotonic()), SHORTEST_S)


def began(budget_s: float | None) -> float:
    """When a budget began, on the monotonic clock: before now if the block of `within` has spent some of it."""
    now = time.monotonic()
    return now if budget_s is None else min(now, _UNTIL.get() - budget_s)


@contextmanager
def limited(limit_s: float, step: str) -> Iterator[None]:
    """End the block after this time, if the platform has a timer and this is the main thread; a supervisor ends what goes on.

    Raises:
        TookTooLong: it took more; the text names the step.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    over = list[TookTooLong]()

    def end(_number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename == contextmanager.__code__.co_filename:
            signal.setitimer(signal.ITIMER_REAL, 0.001)  # the block is being left: it would stay open
            return
        over.append(TookTooLong(f"{step} took more than {round(limit_s, 1):g} s"))
        raise over[-1]

    left, interval = signal.setitimer(signal.ITIMER_REAL, 0)  # of a timer that others have set
    before, began = signal.signal(signal.SIGALRM, end), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        with bounded(step, limit_s, _MEMORY_BYTES.get()):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), interval)
        if over:  # which the code may have caught, and told as something else
            raise over[-1]


def said(error: BaseException) -> str:
    """An exception as one line; of a group the first of the innermost ones, behind its path."""
    if isinstance(error, Left | TookTooLong):
        return str(error)
    path, error = innermost(error)
    try:
        of_attrs = len(error.args) > 1 and type(error.args[1]).__name__ == "Attribute"  # behind the text
        text = " ".join(str(error.args[0] if of_attrs else error).split())[:500]
    except Exception:  # its class cannot tell it
        text = ""
    return f"{path}{type(error).__name__}: {text}".rstrip(": ")


_MADE = r"(?:get|make|create|build|new)_(?:\w+_)?converter"
_KEPT = r"(?:[a-z]\w*_)?converter"
_OFFER = re.compile(rf"^(?:def {_MADE}\(|{_KEPT}\s*(?::.*)?=)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Conversion:
    """A package's conversion of its class's records from JSON values and back.

    `reads` and `writes` are the source, for one record and for a list: {0} is the class, {1} what is converted. `home` is
    the module and the name of the `converter` that it names, or of the function that makes this (`made`); it is empty
    for a class's own methods.
    """

    reads: tuple[str, str]
    writes: tuple[str, str]
    home: tuple[str, str] | None = None
    made: bool = False
    converter: Any = None

    @property
    def name(self) -> str:
        """The converter as one writes it, such as "shop.converters.get_converter()"; empty for methods."""
        return ".".join(self.home) + "()" * self.made if self.home else ""

    def prepared(self, imported: Callable[[str, str], str]) -> str:
        """The statement before all others, or an empty text; `imported` gives the name of what is in a module."""
        name = imported(*self.home) if self.home else "converter"
        return f"converter = {name}{'()' * self.made}" if name != "converter" or self.made else ""

    @property
    def functions(self) -> str:
        """The definitions of `read` and `write` for a list of records as JSON; {0} is the class."""
        reads, writes = self.reads[True].format("{0}", "json.loads(text)"), self.writes[True].format("", "objects")
        return f"read = lambda text: {reads}\nwrite = lambda objects: json.dumps({writes}, default=str)"


def conversion_of(class_: Any, kind: str, named: str = "") -> tuple[Conversion | None, list[str]]:
    """The converter of a class's package, None if the package has none; and lines on its converters that are not used.

    `named` is the converter that the user names.

    Raises:
        SchemaError: that converter cannot be used.
    """
    if not isinstance(class_, type) or kind not in ("dataclass", "attrs"):
        if named:
            raise SchemaError(f"{named} is not used: cattrs converts dataclasses and attrs classes; omit it")
        return None, []
    if named:
        return _named_conversion(class_, named), []
    read = inspect.getattr_static(class_, "from_dict", None)
    if isinstance(read, classmethod | staticmethod) and callable(getattr(class_, "to_dict", None)):
        reads = "{0}.from_dict({1})", "[{0}.from_dict(one) for one in {1}]"
        writes = "{1}.to_dict()", "[one.to_dict() for one in {1}]"
        return Conversion(reads, writes), []
    return _offered(class_)


@lru_cache(100)
def _named_conversion(class_: Any, named: str) -> Conversion:
    """The conversion by a converter of cattrs, or by what a function makes, "shop.converters.get_converter"."""
    module, _, name = named.rpartition(".")
    try:
        value = getattr(import_module(module), name)
        return _by_converter(class_, value, (module, name), made=inspect.isfunction(value))
    except Exception as error:  # whatever the module raises, the function, or the converter
        raise SchemaError(f"{named} cannot convert it: {said(error)}") from None


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
        named = [f"{module}.{name}" for module, name, _ in offers]
        offers = _most_usual(offers)
        if len(offers) > 1:
            what = f"none of several converters of cattrs is used: {', '.join(named)}"
            return None, [*lines, f"{what}; so the class may be measured in a form that its package never writes"]
        if len(named) > 1:
            module, name, _ = offers[0]
            others = ", ".join(one for one in named if one != f"{module}.{name}")
            lines.append(f"{module}.{name} is used, and none of the other converters of cattrs: {others}")
        for module, name, value in offers:
            try:
                return _by_converter(class_, value, (module, name), made=not kept), lines
            except Exception as error:  # whatever the function raises, or the converter
                lines.append(f"{module}.{name} is not used: {said(error)}")
    return None, lines


def _most_usual(offers: list[tuple[str, str, Any]]) -> list[tuple[str, str, Any]]:
    """Those of several converters whose names say that they are the usual ones."""
    for usual in ("", "default", "main", "global", "json"):
        named = [
            one
            for one in offers
            if re.fullmatch(rf"(?:(?:get|make|create|build|new)_)?{usual}_?converter", one[1], re.IGNORECASE)
        ]
        if named:
            return named
    return offers


def _by_converter(class_: Any, offered: Any, home: tuple[str, str], *, made: bool) -> Conversion:
    converter = offered() if made else offered
    if not _is_converter(converter):
        raise TypeError(f"it makes a {type(converter).__name__}, which is not a cattrs converter")
    if hasattr(converter, "get_structure_hook"):  # which cattrs 23 does not have
        converter.get_structure_hook(class_)  # raises if it lacks a hook for a field
    reads = "converter.structure({1}, {0})", "converter.structure({1}, list[{0}])"
    writes = "converter.unstructure({1})", "converter.unstructure({1})"
    return Conversion(reads, writes, home, made, converter)


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
            if name.isidentifier() and path.name != "__main__.py" and _offers(path)
        ]
        package = package.rpartition(".")[0]


def _offers(path: Path) -> bool:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # such as a link to nothing
        return False
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
                parameter.default is not parameter.empty
                or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
                for parameter in parameters
            )
            if alone and value.__module__.partition(".")[0] == module.partition(".")[0]:
                yield name, value


def _is_converter(value: Any) -> bool:
    return isinstance(value, import_module("cattrs").BaseConverter)


_WRITERS = ("model_dump_json", "model_dump", "to_dict", "to_json", "as_dict", "asdict", "dict", "json", "serialize")
_LIBRARIES = ("pydantic", "pydantic_core", "pydantic_settings", "msgspec", "attr", "builtins")


def overrides(class_: Any, method: str) -> bool:
    """Return True if a class, and not its library, has a method of this name."""
    owner = next((one for one in getattr(class_, "__mro__", ()) if method in vars(one)), None)
    return owner is not None and owner.__module__.partition(".")[0] not in _LIBRARIES


def takes(method: Any, argument: str) -> bool:
    """Return True if a method has an argument of this name, or any."""
    parameters = inspect.signature(method).parameters
    return argument in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def unmeasured(class_: Any, kind: str, conversion: Conversion | None) -> Iterator[str]:
    """The methods by which a class writes itself in a way of its own, and that are not measured."""
    measured = {"pydantic": {"model_dump_json", "model_dump"}, "pydantic1": {"dict", "json"}}.get(kind, set())
    measured |= {"to_dict"} if conversion and not conversion.home else set()
    for name in _WRITERS:
        if name not in measured and overrides(class_, name) and callable(getattr(class_, name)):
            yield name
