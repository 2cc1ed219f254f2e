"""Nobody is favoured by place or neighbour."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from serbench.measure.rounds import latin_rows, orders, visit_groups


@pytest.mark.parametrize("size", range(1, 14))
def test_each_item_stands_equally_often_in_each_place(size):
    """The rows are a Latin square, or two of them."""
    rows = latin_rows(size)
    for column in range(size):
        assert set(Counter(row[column] for row in rows).values()) == {len(rows) // size}


@pytest.mark.parametrize("size", range(2, 14))
def test_each_item_follows_each_other_equally_often(size):
    """The square is balanced for the neighbour as well."""
    followed = Counter(pair for row in latin_rows(size) for pair in pairwise(row))
    assert len(followed) == size * (size - 1)
    assert len(set(followed.values())) == 1


def test_two_items_alternate():
    """Two items go A B, B A, A B and so on."""
    rounds = orders(["a", "b"], 4, random.Random(0))
    assert rounds[0] == rounds[1][::-1] == rounds[2] == rounds[3][::-1]


def test_no_items_have_empty_rounds():
    """Rounds of nothing, after all have failed, are empty."""
    assert orders([], 3, random.Random(0)) == [[], [], []]


def test_every_item_of_every_queue_is_in_one_group():
    """Groups have at most one item of a queue, and lose none."""
    queues = [[1, 2, 3], [4], [], [5, 6]]
    found = visit_groups(queues, random.Random(1))
    assert sorted(item for group in found for item in group) == [1, 2, 3, 4, 5, 6]
    assert all(
        len({next(i for i, queue in enumerate(queues) if x in queue) for x in group}) == len(group) for group in found
    )
