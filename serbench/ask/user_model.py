"""Classes and functions that are given as they are, not by their place: of a file that can be imported, or of a cell or script."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from serbench.errors import PlanError
from serbench.keep.opening import default_path
from serbench.measure.carried import CannotTravel, Carrier
from serbench.measure.worker import user_code
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.files import write_file
from serbench.render.source.syntax import tree
from serbench.render.user_class.functions import ROLES, is_of_functions

FOLDER = "models"
HELPER = "_serbench_user_code.py"


def located(model: object) -> str:
    """The place of a class: its own file, or one that has its source and what it uses, kept beside the store.

    Raises:
        PlanError: `model` is not a class, or the class uses something that cannot be written into a file; the message names it.
    """
    if not isinstance(model, type):
        raise PlanError(f"model is a class, or text such as module:Class, not {type(model).__name__}")
    module = sys.modules.get(model.__module__)
    if model.__module__ != "__main__":
        file = getattr(module, "__file__", None)
        if file is None:
            raise PlanError(f"{model.__qualname__} has no file; define it in a cell or a file")
        return f"{Path(file).absolute()}:{model.__qualname__}"
    path = _written(lambda folder: _text(model, folder), f"model {model.__name__}")
    return f"{path.absolute()}:{model.__name__}"


def with_functions(libraries: Any) -> Any:
    """Names of libraries, in which a dict of functions has become texts `NAME=FILE.py`; the files are kept beside the store.

    Raises:
        PlanError: a value is not a pair of functions, or these use something that cannot be written into a file.
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
    path = _written(lambda folder: _text_of(functions, folder), str(name))
    text = f"{name}={path.absolute()}"
    if not is_of_functions(text):
        raise PlanError(f"{name!r} cannot be a name; write one such as mine, or mine/json if the bytes are JSON")
    return text


def _home() -> Path:
    return default_path().parent / FOLDER


def _written(text_in: Callable[[Path], str], what: str) -> Path:
    """A file with a text and all that it uses, named by its content: what is defined anew is another file."""
    try:
        with scratch_folder() as scratch:
            text = text_in(scratch)
            digest = hashlib.sha256(text.replace(str(scratch), "").encode())
            for path in sorted(scratch.rglob("*.pickle")):
                digest.update(path.read_bytes())
        folder = _home() / digest.hexdigest()[:8]
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / HELPER, Path(user_code.__file__).read_bytes())
        path = folder / f"cell_{folder.name}.py"
        if not path.exists():
            write_file(path, text_in(folder))
    except CannotTravel as error:
        raise PlanError(f"{what}: {error}") from None
    except OSError as error:
        raise PlanError(f"{what} cannot be kept in {_home()} ({error.strerror}); set $SERBENCH_STORE") from None
    return path


def _text(model: type, folder: Path) -> str:
    namespace = vars(sys.modules["__main__"])
    if namespace.get(model.__name__) is not model:
        raise CannotTravel("the name means something else by now; define the class again")
    carrier = Carrier(namespace, folder)
    carrier.callable(model, model.__name__)
    return _module([carrier], '"""A class of a cell, with what it uses."""\n\n')


def _text_of(functions: Iterable[Callable[..., Any]], folder: Path) -> str:
    """The functions under the names of their roles, with what they use."""
    main, carriers, names = vars(sys.modules["__main__"]), dict[int, Carrier](), list[str]()
    for role, function in zip(ROLES, functions, strict=False):
        namespace = function.__globals__ if isinstance(function, FunctionType) else main
        within = folder / str(len(carriers))
        within.mkdir(exist_ok=True)
        carrier = carriers.setdefault(id(namespace), Carrier(namespace, within))
        names.append(carrier.callable(function, role))
    text = _module(carriers.values(), '"""Functions of a cell, with what they use."""\n\n')
    bound = {name for statement in tree(text).body for name in _names(statement)}
    for role, name in zip(ROLES, names, strict=False):
        if name != role and role in bound:
            raise CannotTravel(f"its functions use another {role}; give that another name")
        text += "" if name == role else f"\n\n{role} = {name}\n"
    return text


def _names(statement: ast.stmt) -> list[str]:
    """The names that a statement may bind."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    nodes = list(ast.walk(statement))
    aliases = [one.asname or one.name for one in nodes if isinstance(one, ast.alias)]
    return aliases + [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _module(carriers: Iterable[Carrier], title: str) -> str:
    listed = list(carriers)
    future = "from __future__ import annotations\n\n" if any(one.annotated for one in listed) else ""
    folders = dict.fromkeys(folder for one in listed for folder in one.folders)
    paths = f"import sys\n\nsys.path[:0] = {[*folders]!r}\n\n" if folders else ""
    return title + future + paths + "\n\n".join(one.text for one in listed)
