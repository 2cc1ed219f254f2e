"""Weighings in the store, each with its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.errors import StoreError, checked, parsed
from serbench.judge.weights import COLUMNS, Weight
from serbench.keep.checking import check_plan, shown
from serbench.keep.opening import explained
from serbench.keep.store import NAMED, Store, as_json
from serbench.results import Origin

JSON = ("plan", "machine", "versions")
HEAD = ("id", "started", "command", *JSON)


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
        facts = [vars(weight) | {"readings": as_json(weight.readings)} for weight in weights]
        store.insert("weight", ("weighing", *COLUMNS), ((number, *(row[name] for name in COLUMNS)) for row in facts))


def load_weighing(store: Store, weighing: str = "latest") -> StoredWeighing:
    """A weighing by its id, the beginning of it, "latest" or "previous".

    Raises:
        StoreError: no weighing, or more than one, answers to that name.
    """
    with explained(store.path):
        query = f"SELECT number, {', '.join(HEAD)} FROM weighing ORDER BY number"  # noqa: S608 (names of ours)
        weighings = store.connection.execute(query).fetchall()
        if weighing in NAMED:
            matches = weighings[::-1][NAMED[weighing] - 1 : NAMED[weighing]]
        else:
            matches = [row for row in weighings if row["id"].startswith(weighing)]
        if len(matches) != 1:
            what = f"no weighing has the id {weighing!r}" if weighings else "there is no weighing"
            raise StoreError(f"{what} in {store.path}; make one with `serbench weigh`")
        number, *values = matches[0]
        head, what = dict(zip(HEAD, values, strict=True)), f"weighing {matches[0]['id']}"
        head |= {name: parsed(head[name], f"{what}: {name}") for name in JSON}
        check_plan(head["plan"], f"{what}: plan")
        rows = store.connection.execute("SELECT * FROM weight WHERE weighing = ? ORDER BY rowid", (number,))
        weights = [shown(dict(row)) for row in rows]
        readings = [{"readings": parsed(row["readings"], "weight: readings")} for row in weights]
        facts = {"plan": head["plan"], "weights": [row | more for row, more in zip(weights, readings, strict=True)]}
        return checked(StoredWeighing, shown(head) | facts, what)
