import argparse
import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from inspect import getsource
from pathlib import Path

import pytest

import serbench
from serbench.render.source import module

PARSES = {  # the only files that call `ast.parse`
    "render/source/module.py",
    "api/command_line/program.py",  # before anything else is imported, and before any thread starts
}


class _Slow:
    """An object whose end runs Python code, so that another thread may go on in the middle of a tree."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(2_000):
            pass


@pytest.mark.slow
def test_threads_read_at_once():
    """CPython 3.11 raised SystemError if two threads built a tree at once and one was interrupted."""

    def read(depth: int) -> None:
        if depth:
            return read(depth - 1)
        for _ in range(10):
            for _ in range(5):
                _Slow()
            module.tree(text)
        return None

    text, interval, threshold = getsource(argparse), sys.getswitchinterval(), gc.get_threshold()
    try:
        sys.setswitchinterval(1e-6)
        gc.set_threshold(500, 2, 2)
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(read, (1, 10, 20, 30)))
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*threshold)


def test_code_is_read_in_one_place():
    """Nothing else builds trees, since the lock holds only for those that ask for it."""
    package = Path(serbench.__file__).parent
    paths = [path for path in package.rglob("*.py") if "ast.parse(" in path.read_text(encoding="utf-8")]
    assert {path.relative_to(package).as_posix() for path in paths if "sources" not in path.parts} == PARSES
