"""The user's own interpreter: their class is read with the packages that it has, and measured in it as it is."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from serbench.errors import PlanError
from serbench.render.environments.build import BuildError, user_environment
from serbench.render.environments.environment import Recipe, main_environment, normalised

_LIBRARIES = ("attr", "cattrs", "msgspec", "marshmallow", "mashumaro")
_OF_TYPER = ("pydantic", "pydantic_core", "annotated_types", "typing_inspection")  # it has imported them for itself
_folders: list[str] = []  # of the packages of that interpreter


def interpreter_of(pythons: Sequence[str]) -> str:
    """Return the path among the names of interpreters; empty if there is none."""
    return next((os.path.abspath(name) for name in pythons if os.sep in name), "")  # noqa: PTH100 (no link is followed)


def recipe_of(pythons: Sequence[str]) -> Recipe:
    """Return the recipe of the environment in which a user's class is measured."""
    return Recipe(python=interpreter_of(pythons))


def use_interpreter(pythons: Sequence[str]) -> None:
    """Have classes read with the packages of the user's interpreter, if one is named by its path.

    Raises:
        PlanError: it does not run, is of another version than this one, or has another version of a library that this
            process has imported already.
    """
    path = interpreter_of(pythons)
    if not path:
        return
    try:
        environment = user_environment(path)
    except BuildError as error:
        raise PlanError(str(error)) from None
    here = main_environment()
    if (environment.version, environment.implementation) != (here.version, here.implementation):
        raise PlanError(
            f"{path} is {environment.runs_on}, whose packages {here.runs_on} cannot import: install serbench with "
            f"Python {'.'.join(map(str, environment.version))} to read a class from there"
        )
    _check_loaded(path, environment.packages or {})
    if set(environment.folders) <= {*_folders, *sys.path}:
        return
    for name in [name for name in sys.modules if name.partition(".")[0] in _OF_TYPER]:
        del sys.modules[name]
    _folders[:] = [folder for folder in environment.folders if folder not in _folders] + _folders


def _check_loaded(path: str, packages: Mapping[str, str]) -> None:
    for name in _LIBRARIES:
        distribution = {"attr": "attrs"}.get(name, name)
        there = packages.get(normalised(distribution))
        loaded = getattr(sys.modules.get(name), "__file__", None)
        if there is None or loaded is None or any(Path(loaded).is_relative_to(folder) for folder in _folders):
            continue
        if there != main_environment().installed(distribution):
            raise PlanError(f"{distribution} is imported here already, in another version than {path} has: start anew")


@contextmanager
def packages_first() -> Iterator[None]:
    """Import from the user's packages first; later imports find them last, behind those of serbench."""
    before = list(sys.path)
    for folder in _folders:
        site.addsitedir(folder)  # with what its .pth files name
    added = [folder for folder in (*_folders, *sys.path) if folder not in before or folder in _folders]
    added = list(dict.fromkeys(added))
    sys.path[:] = [*added, *(folder for folder in before if folder not in added)]
    try:
        yield
    finally:
        rest = [folder for folder in sys.path if folder not in added]
        sys.path[:] = [*rest, *added]
