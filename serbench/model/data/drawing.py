"""Draws random values that are the same on every platform, using only `random()` and `getrandbits()`.

Other methods of `random.Random` may change between versions of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar

T = TypeVar("T")


def words(text: str) -> tuple[str, ...]:
    """Split a text into words."""
    return tuple(text.split())


LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_NAMES = words(
    "Alice Amara Ana Bruno Chen Clara Dara Elif Emeka Farid Grace Hana Igor Ines Ivan Jonas Kaito Leila Liam Lucia "
    "Maya Mateo Nadia Noah Olga Omar Priya Rosa Samir Sofia Tariq Uma Viktor Wanda Yara Zoe"
)
LAST_NAMES = words(
    "Abebe Ahmed Andersen Bauer Costa Diaz Dubois Evans Fischer Garcia Haddad Ito Jansen Kaya Khan Kim Kowalski Lopez "
    "Martin Mensah Nakamura Novak Okafor Olsen Patel Popov Rossi Sato Silva Smith Tanaka Ueda Virtanen Wang Yilmaz"
)
WORDS = words(
    "amber basin cable delta ember field grain harbor island jungle kernel ladder meadow night ocean paper quartz river "
    "signal timber umbrella valley window yellow zephyr anchor bridge copper desert engine forest garden"
)

_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
_YEAR_US = 366 * 86_400 * 1_000_000


def pick(random: Random, items: Sequence[T]) -> T:
    """Return a random item."""
    return items[int(random.random() * len(items))]


def random_int(random: Random, low: int, high: int) -> int:
    """Return an int from `low` to `high`, inclusive."""
    return low + int(random.random() * (high - low + 1))


def letters(random: Random, count: int) -> str:
    """Return `count` lower-case letters."""
    return "".join([LETTERS[int(random.random() * 26)] for _ in range(count)])


def sentence(random: Random, count: int) -> str:
    """Return `count` words separated by spaces."""
    return " ".join([WORDS[int(random.random() * len(WORDS))] for _ in range(count)])


def random_datetime(random: Random) -> datetime:
    """Return a datetime of 2024 in UTC, with non-zero microseconds."""
    return _EPOCH + timedelta(microseconds=int(random.random() * _YEAR_US) | 1)
