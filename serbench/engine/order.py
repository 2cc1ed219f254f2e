"""Orders and groups of visits, in which neither place nor neighbour favours anybody."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def latin_rows(size: int) -> list[list[int]]:
    """A balanced Latin square (Williams 1949): each item stands once in each place, and each follows each equally often.

    `size` rows for an even size, twice as many for an odd one. For two items the rows are AB, BA.
    """
    first = [(place + 1) // 2 if place % 2 else (size - place // 2) % size for place in range(size)]  # 0, 1, -1, 2, …
    rows = [[(item + shift) % size for item in first] for shift in range(size)]
    return rows if size % 2 == 0 else [row for pair in rows for row in (pair, pair[::-1])]


def orders(items: Sequence[T], rounds: int, rng: random.Random) -> list[list[T]]:
    """An order of the items for each round, from a Latin square with the items and its rows shuffled.

    Two items alternate strictly (A B, B A, A B, …).
    """
    shuffled = rng.sample(list(items), len(items))
    rows = latin_rows(len(items)) or [[]]
    if len(items) > 2:
        rng.shuffle(rows)
    return [[shuffled[index] for index in rows[turn % len(rows)]] for turn in range(rounds)]


def visit_groups(
    queues: Sequence[Sequence[T]], rng: random.Random, matches: Mapping[T, Hashable] | None = None
) -> list[list[T]]:
    """One item of each queue per group, at random, until every item has been in one group.

    Items that have the same match are in one group; a queue has at most one item of each match.
    """
    matches = matches or {}
    matched: dict[Hashable, list[T]] = {}
    for queue in queues:
        for item in queue:
            if item in matches:
                matched.setdefault(matches[item], []).append(item)
    found = rng.sample(list(matched.values()), len(matched))
    for queue in queues:
        loose = [item for item in queue if item not in matches]
        free = [group for group in found if not set(group) & set(queue)]
        more: list[list[T]] = [[] for _ in range(len(loose) - len(free))]
        for group, item in zip(rng.sample([*free, *more], len(loose)), loose, strict=True):
            group.append(item)
        found += more
    return found
