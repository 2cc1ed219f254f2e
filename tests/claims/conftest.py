"""Claims of the tests' own."""

from __future__ import annotations

from pathlib import Path

import pytest

SNIPPET = '''
"""Sums."""

import os
import sys


def prepare(size):
    return list(range(size))


def once(numbers):
    return sum(numbers)


def ten_times(numbers):
    return [sum(numbers) for _ in range(10)][0]


def wrong(numbers):
    return -1


def fails(numbers):
    return missing


def crashes(numbers):
    os._exit(3)


def lacks(numbers):
    import no_such_library


class Unavailable(Exception):
    pass


def needs(numbers):
    raise Unavailable("there is no such server: install one")


def text(numbers):
    return bytes(len(numbers))


def nothing(numbers):
    return 0


def alone(numbers):
    rows = [name for name in sys.modules if name.startswith("row_")]
    assert len(rows) == 1, rows


def same(numbers):
    return numbers is numbers
'''
HEAD = 'statement = "Ten sums take ten times as long."\ncompared = "Sums."\nfair = "The same numbers."\n'


@pytest.fixture
def write(tmp_path):
    """Writes a claim of rows and further TOML, and gives the folder of its source's folder."""

    def written(*calls: str, more: str = "", size: int = 2000) -> Path:
        folder = tmp_path / "ours"
        folder.mkdir(exist_ok=True)
        (folder / "source.toml").write_text('title = "Sums"\nauthor = "us"\ndate = "2026"\n', encoding="utf-8")
        (folder / "sums.py").write_text(SNIPPET, encoding="utf-8")
        rows = []
        for call in calls:
            name, _, rest = call.partition(" ")
            rows.append(
                f'[[row]]\nname = "{name}"\nsnippet = "sums.py"\ncall = "{name}"\n'
                f"parameters = {{ size = {size} }}\n{rest}\n"
            )
        (folder / "sums.toml").write_text("\n".join([HEAD, *rows, more]), encoding="utf-8")
        return tmp_path

    return written
