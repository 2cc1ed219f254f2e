"""What the store keeps of weighings: each with its weights, beside the runs."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from serbench.engine.results import Point, Weight
from serbench.store.errors import StoreError, explained
from serbench.store.store import POINT, Store

COLUMNS = (
    *("library", "variant", "codec", "format", "environment", "version", "python", "metric", "quantity", "unit"),
    *("readings", "status", "reason"),
)
FACTS = ("plan", "machine", "versions")


@dataclass(frozen=True)
class StoredWeighing:
    """A weighing as it was made. `started` is ISO 8601 in UTC."""

    id: str
    started: str
    command: str
    plan: Any
    machine: Mapping[str, Any]
    versions: Mapping[str, Any]
    weights: list[Weight]


def begin_weighing(
    store: Store, *, command: str, plan: Any, machine: Mapping[str, Any], versions: Mapping[str, Any]
) -> str:
    """A new weighing; gives its id, made like a run's."""
    now = datetime.now(UTC)
    name = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    row = (name, now.strftime("%Y-%m-%dT%H:%M:%SZ"), command, *map(_json, (plan, machine, versions)), store.serbench)
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO weighing (id, started, command, plan, machine, versions, serbench)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        )
    return name


def add_weights(store: Store, weighing: str, weights: Iterable[Weight]) -> None:
    """Appends weights: all of them, or none."""
    columns = (*POINT, *COLUMNS)
    with store.transaction() as connection:
        (number,) = connection.execute("SELECT number FROM weighing WHERE id = ?", (weighing,)).fetchone()
        connection.executemany(
            f"INSERT INTO weight (weighing, {', '.join(columns)}) VALUES (?{', ?' * len(columns)})",  # noqa: S608 (names of ours)
            ((number, *(getattr(one.point, name) for name in POINT), *_values(one)) for one in weights),
        )


def load_weighing(store: Store, weighing: str = "latest") -> StoredWeighing:
    """A weighing by its id, the beginning of it, or "latest".

    Raises:
        StoreError: no weighing, or more than one, answers to that name.
    """
    with explained(store.path):
        rows = store.connection.execute("SELECT * FROM weighing ORDER BY number").fetchall()
        found = rows[-1:] if weighing == "latest" else [row for row in rows if row["id"].startswith(weighing)]
        if len(found) != 1:
            what = f"no weighing has the id {weighing!r}" if rows else "there is no weighing"
            raise StoreError(f"{what} in {store.path}; make one with `serbench weigh`")
        facts = {name: json.loads(found[0][name]) for name in FACTS}
        weights = store.connection.execute(
            "SELECT * FROM weight WHERE weighing = ? ORDER BY rowid", (found[0]["number"],)
        )
        head = {name: found[0][name] for name in ("id", "started", "command")}
        return StoredWeighing(**head, **facts, weights=[_weight(row) for row in weights])


def _values(weight: Weight) -> list[Any]:
    return [_json(weight.readings) if name == "readings" else getattr(weight, name) for name in COLUMNS]


def _weight(row: sqlite3.Row) -> Weight:
    fields: dict[str, Any] = {name: row[name] for name in COLUMNS}
    fields["readings"] = tuple(json.loads(fields["readings"]))
    return Weight(point=Point(**{name: row[name] for name in POINT}), **fields)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
