"""Weighings in the store, each with its weights."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.errors import StoreError, checked, parsed
from serbench.judge.weights import COLUMNS, Weight
from serbench.keep.checking import check_plan, shown
from serbench.keep.opening import explained
from serbench.keep.store import NAMED, Store, as_json
from serbench.results import Origin

FACTS = ("plan", "machine", "versions")


@dataclass(frozen=True)
class StoredWeighing(Origin):
    """A weighing as it was made."""

    plan: Any
    weights: list[Weight]


def begin_weighing(
    store: Store, *, command: str, plan: Any, machine: Mapping[str, Any], versions: Mapping[str, Any]
) -> str:
    """A new weighing; gives its id, made like a run's."""
    return store.add_entry("weighing", command, {"plan": plan, "machine": machine, "versions": versions})


def add_weights(store: Store, weighing: str, weights: Sequence[Weight]) -> None:
    """Append weights: all of them, or none."""
    with store.transaction() as connection:
        (number,) = connection.execute("SELECT number FROM weighing WHERE id = ?", (weighing,)).fetchone()
        store.insert("weight", ("weighing", *COLUMNS), ((number, *_values(one)) for one in weights))


def load_weighing(store: Store, weighing: str = "latest") -> StoredWeighing:
    """A weighing by its id, the beginning of it, "latest" or "previous".

    Raises:
        StoreError: no weighing, or more than one, answers to that name.
    """
    with explained(store.path):
        rows = store.connection.execute(
            "SELECT number, id, started, command, plan, machine, versions FROM weighing ORDER BY number"
        ).fetchall()
        if weighing in NAMED:
            matches = rows[::-1][NAMED[weighing] - 1 : NAMED[weighing]]
        else:
            matches = [row for row in rows if row["id"].startswith(weighing)]
        if len(matches) != 1:
            what = f"no weighing has the id {weighing!r}" if rows else "there is no weighing"
            raise StoreError(f"{what} in {store.path}; make one with `serbench weigh`")
        what = f"weighing {matches[0]['id']}"
        facts = {name: parsed(matches[0][name], f"{what}: {name}") for name in FACTS}
        check_plan(facts["plan"], f"{what}: plan")
        weights = store.connection.execute(
            f"SELECT {', '.join(COLUMNS)} FROM weight WHERE weighing = ? ORDER BY rowid",  # noqa: S608 (names of ours)
            (matches[0]["number"],),
        )
        head = {name: matches[0][name] for name in ("id", "started", "command")}
        plan = facts.pop("plan")
        return checked(
            StoredWeighing,
            {**shown({**head, **facts}), "plan": plan, "weights": [_weight(row) for row in weights]},
            what,
        )


def _values(weight: Weight) -> list[Any]:
    return [as_json(weight.readings) if name == "readings" else getattr(weight, name) for name in COLUMNS]


def _weight(row: sqlite3.Row) -> dict[str, Any]:
    facts: dict[str, Any] = shown({name: row[name] for name in COLUMNS})
    return facts | {"readings": parsed(facts["readings"], "weight: readings")}
