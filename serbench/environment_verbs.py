"""The public verbs for environments: make, add and remove them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from serbench.engine.listener import Progress
from serbench.engine.plan import Make
from serbench.engine.selection import place_of, places
from serbench.environments import MAIN, Environment, Recipe
from serbench.environments.added import Added, add, added, forget
from serbench.environments.build import built, make, remove
from serbench.names import PlanError, check


def build_environments(
    names: Iterable[str] = (), *, on_progress: Callable[[Progress], None] | None = None
) -> list[dict[str, Any]]:
    """Make the named environments, or those of the named libraries; of every library and added row without names.

    Returns:
        For each its `name`, `status` ("ok" or "unavailable") and `reason`.

    Raises:
        PlanError: a name that is neither.
    """
    known = [(place.recipe(), place.library.name) for place in places()]
    chosen: list[Recipe] = []
    for name in names:
        check("environment", name, (label for recipe, library in known for label in (library, recipe.name)))
        chosen += [recipe for recipe, library in known if name in (recipe.name, library)]
    wanted = dict.fromkeys(chosen or (recipe for recipe, _ in known))
    made = maker(on_progress)(set(wanted))
    return [_said(made[recipe]) for recipe in wanted]


def add_environment(
    requirement: str, *, python: str = "", on_progress: Callable[[Progress], None] | None = None
) -> dict[str, Any]:
    """Add a row, such as "pydantic==2.5" or "cattrs" on `python` "pypy3", and make its environment.

    Returns:
        Its `name`, `status` and `reason`; a row that cannot be made is not added.

    Raises:
        PlanError: no requirement, or of no library that there is a file for.
    """
    row = Added(requirement.strip(), python.strip())
    recipe = place_of(row).recipe()
    environment = maker(on_progress)({recipe})[recipe]
    if environment.reason is None:
        add(row)
    return _said(environment)


def remove_environment(name: str) -> str:
    """Take an environment away and forget the row that was added for it; says what was done.

    Raises:
        PlanError: there is none of that name.
    """
    if name == MAIN.name:
        raise PlanError("main is serbench's own installation; `pip uninstall serbench` removes it")
    rows = [row for row in added() if name in (row.name, place_of(row).recipe().name)]
    for row in rows:
        forget(row)
    recipes = [recipe for recipe in built() if recipe != MAIN and recipe.name in (name, *_recipe_names(rows))]
    if not rows and not recipes:
        raise PlanError(f"unknown environment {name!r}; `serbench env list` names those that are made")
    for recipe in recipes:
        remove(recipe)
    return f"{name} is removed"


def _recipe_names(rows: Iterable[Added]) -> set[str]:
    return {place_of(row).recipe().name for row in rows}


def _said(environment: Environment) -> dict[str, Any]:
    status = "ok" if environment.reason is None else "unavailable"
    return {"name": environment.name, "status": status, "reason": environment.reason}


def maker(on_progress: Callable[[Progress], None] | None) -> Make:
    """Makes the environments that a plan needs, telling what it does."""

    def step(name: str, done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(Progress(f"building {name}", 0, done, total))

    return lambda recipes: make(recipes, step)
