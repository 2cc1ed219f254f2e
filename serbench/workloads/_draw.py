"""Random values that are the same on every platform: made of `random()` and `getrandbits` alone.

The other methods of `random.Random` may give other values in the next version of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar

T = TypeVar("T")


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
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
    """One of the items."""
    return items[int(random.random() * len(items))]


def whole(random: Random, low: int, high: int) -> int:
    """An int from `low` to `high`, both included."""
    return low + int(random.random() * (high - low + 1))


def letters(random: Random, count: int) -> str:
    """That many small letters."""
    return "".join([LETTERS[int(random.random() * 26)] for _ in range(count)])


def sentence(random: Random, count: int) -> str:
    """That many words with spaces between."""
    return " ".join([WORDS[int(random.random() * len(WORDS))] for _ in range(count)])


def moment(random: Random) -> datetime:
    """A moment of the year 2024 in UTC, to the microsecond (which is never 0)."""
    return _EPOCH + timedelta(microseconds=int(random.random() * _YEAR_US) | 1)
