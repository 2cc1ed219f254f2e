"""The functions for environments: make, add and remove them."""

from __future__ import annotations

from typing import Any

from serbench.ask import choices
from serbench.ask.calling import public
from serbench.errors import PlanError, check, if_interrupted
from serbench.keep.recorder import RunListener
from serbench.measure.plan import maker
from serbench.render.environments.added import Added, add, added, forget
from serbench.render.environments.build import built, remove
from serbench.render.environments.environment import MAIN, Environment, Recipe
from serbench.render.selection import library_install, library_installs


@public
def build_environments(names: choices.Environments = (), *, listener: choices.Listener = None) -> list[dict[str, Any]]:
    """Make environments: the named ones, those of the named libraries, or all.

    Returns:
        For each its `name`, `status` ("ok" or "unavailable") and `reason`.

    Raises:
        PlanError: an unknown name.
    """
    known = [(install.recipe(), install.library.name) for install in library_installs()]
    chosen: list[Recipe] = []
    for name in names:
        check("environment", name, (label for recipe, library in known for label in (library, recipe.name)))
        chosen += [recipe for recipe, library in known if name in (recipe.name, library)]
    wanted = dict.fromkeys(chosen or (recipe for recipe, _ in known))
    with if_interrupted("environments that were built are kept, and the same command builds the others"):
        made = maker(listener or RunListener())(set(wanted))
    return [_said(made[recipe]) for recipe in wanted]


@public
def add_environment(
    requirement: choices.Requirement,
    *,
    python: choices.Interpreter = "",
    listener: choices.Listener = None,
) -> dict[str, Any]:
    """Add a row, such as "pydantic==2.5" or "cattrs" on `python` "pypy3", and make its environment.

    Returns:
        Its `name`, `status` and `reason`; a row that cannot be made is not added.

    Raises:
        PlanError: the requirement is not valid, or there is no file for its library.
    """
    row = Added(requirement.strip(), python.strip())
    recipe = library_install(row).recipe()
    environment = maker(listener or RunListener())({recipe})[recipe]
    if environment.reason is None:
        add(row)
    return _said(environment)


@public
def remove_environment(name: choices.EnvironmentName) -> str:
    """Remove an environment and the row that was added for it; return a line that says so.

    Raises:
        PlanError: there is no environment of that name.
    """
    if name == MAIN.name:
        raise PlanError("main is serbench's own installation; `pip uninstall serbench` removes it")
    rows = [row for row in added() if name in (row.name, library_install(row).recipe().name)]
    for row in rows:
        forget(row)
    names = {name, *(library_install(row).recipe().name for row in rows)}
    recipes = [recipe for recipe in built() if recipe != MAIN and recipe.name in names]
    if not rows and not recipes:
        raise PlanError(f"unknown environment {name!r}; `serbench show environments` lists the existing ones")
    for recipe in recipes:
        remove(recipe)
    return f"{name} is removed"


def _said(environment: Environment) -> dict[str, Any]:
    status = "ok" if environment.reason is None else "unavailable"
    return {"name": environment.name, "status": status, "reason": environment.reason}
