"""Classes and functions that are given as they are, not by their place: of a file that can be imported, or of a cell or script."""

from __future__ import annotations

import atexit
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from serbench.errors import PlanError
from serbench.measure.worker import user_code
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.files import write_file
from serbench.render.user_class.functions import ROLES, is_of_functions

MAIN = "__main__"
HELPER = "_serbench_user_code.py"
MODULE = '''"""{title} of a cell or a script: values that the processes of this run alone can read."""

import _serbench_user_code

{statements}'''


def located(model: object) -> str:
    """The place of a class: its own file, or a module of this process's that its workers can import.

    Raises:
        PlanError: `model` is not a class, or the class uses something that cannot be taken to another process.
    """
    if not isinstance(model, type):
        raise PlanError(f"model is a class, or text such as module:Class, not {type(model).__name__}")
    name = model.__name__
    if model.__module__ != MAIN:
        file = getattr(sys.modules.get(model.__module__), "__file__", None)
        if file is None:
            raise PlanError(f"{model.__qualname__} has no file; define it in a cell or a file")
        return f"{Path(file).absolute()}:{model.__qualname__}"
    if vars(sys.modules[MAIN]).get(name) is not model:
        raise PlanError(f"model {name}: the name means something else by now; define the class again")

    def text(values: str, names: Iterable[str]) -> str:
        return MODULE.format(title=name, statements=f"{values}\nfrom __main__ import {', '.join(names)}\n")

    path, names = _written(f"model {name}", {name: model}, text)
    module = ModuleType(path.stem)  # here its classes are those of the cell themselves
    vars(module).update(names, __file__=str(path))
    sys.modules[path.stem] = module
    return f"{path}:{name}"


def with_functions(libraries: Any) -> Any:
    """Names of libraries, in which a dict of functions has become texts `NAME=FILE.py`, with files of this process's.

    Raises:
        PlanError: a value is not a pair of functions, or these use something that cannot be taken to another process.
    """
    if isinstance(libraries, Mapping):
        libraries = [libraries]
    if libraries is None or isinstance(libraries, str) or not isinstance(libraries, Iterable):
        return libraries
    texts = []
    for one in libraries:
        texts += [_of_functions(*item) for item in one.items()] if isinstance(one, Mapping) else [one]
    return texts


def _of_functions(name: str, functions: Any) -> str:
    if not isinstance(functions, tuple | list) or len(functions) not in (2, 3) or not all(map(callable, functions)):
        raise PlanError(f"{name} is a pair of functions, (encode, decode), not {functions!r}")
    from serbench.measure.carried import source_of  # imports msgspec, as below

    roles = dict(zip(ROLES, functions, strict=False))

    def text(values: str, _: Iterable[str]) -> str:
        sources = "\n".join(f"# {role}:\n{source_of(function)}" for role, function in roles.items())
        bound = "".join(f'{role} = _values["{role}"]\n' for role in roles)
        return MODULE.format(title=name, statements=f"{sources}\n_values = {values}\n{bound}")

    path, _ = _written(name, roles, text)
    text_ = f"{name}={path}"
    if not is_of_functions(text_):
        raise PlanError(f"{name!r} cannot be a name; write one such as mine, or mine/json if the bytes are JSON")
    return text_


def _written(
    what: str, values: Mapping[str, Any], text: Callable[[str, Iterable[str]], str]
) -> tuple[Path, dict[str, Any]]:
    """A module that has values, named by their content, and the classes and aliases of `__main__` that they use."""
    from serbench.measure.carried import CannotTravel, carried, carry

    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / "values.pickle"
        names = carry(values, new)
        digest = hashlib.sha256(new.read_bytes()).hexdigest()[:8]
        home = folder / digest
        home.mkdir(exist_ok=True)
        new.replace(home / new.name)
        write_file(home / HELPER, Path(user_code.__file__).read_bytes())
        write_file(home / f"cell_{digest}.py", text(carried(home / new.name), names))
    except CannotTravel as error:
        raise PlanError(f"{what}: {error}") from None
    except OSError as error:
        raise PlanError(f"{what} cannot be taken to other processes ({error.strerror}: {error.filename})") from None
    return home / f"cell_{digest}.py", names


@cache
def _folder() -> Path:
    """A temporary folder of this process, which goes when it goes."""
    open_folder = ExitStack()
    atexit.register(open_folder.close)
    return open_folder.enter_context(scratch_folder())
