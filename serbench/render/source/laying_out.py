"""Rendered modules laid out by `ruff format`, all of a block in one call."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Sequence
from functools import cache

from serbench.errors import PlugInError
from serbench.render.environments.caretaker import with_us

WIDTH = 88
"""The length of a line in a rendered module, which is ruff's own default."""
_KEPT = 2000
_done: dict[tuple[tuple[int, int], str], str] = {}  # the last modules and their layout, for blocks with the same ones
_KNOWN = ((3, 7), (3, 13))  # the oldest and the newest Python that every supported ruff writes for


class NotPythonError(PlugInError):
    """A rendered module that is no valid Python, because a template is wrong."""

    def __init__(self, module: str, said: str, line: int | None) -> None:
        where = f", in {module.splitlines()[line - 1].strip()!r}" if line else ""
        super().__init__(f"the rendered module is not Python: {said}{where}; correct what writes this line")
        self.module = module


@cache
def _ruff() -> str:
    from ruff import find_ruff_bin

    return str(find_ruff_bin())


def laid_out(texts: Sequence[str], python: tuple[int, int]) -> list[str]:
    """The modules as `ruff format` writes them for this Python, whatever configuration the user has.

    Raises:
        NotPythonError: ruff cannot parse a module, because a template is wrong.
    """
    new = [text for text in dict.fromkeys(texts) if (python, text) not in _done]
    if len(_done) + len(new) > _KEPT:
        _done.clear()
        new = list(dict.fromkeys(texts))
    if new:
        _done.update(zip(((python, text) for text in new), _formatted(new, python), strict=True))
    return [_done[python, text] for text in texts]


def _formatted(texts: Sequence[str], python: tuple[int, int]) -> list[str]:
    """The modules as one process writes them, which gets them as one text, between comments that occur in none of them."""
    mark = f"# {hashlib.sha256(''.join(texts).encode(errors='surrogatepass')).hexdigest()}\n"
    major, minor = min(max(python, _KNOWN[0]), _KNOWN[1])
    target = ("--target-version", f"py{major}{minor}", "--line-length", str(WIDTH))
    command = [_ruff(), "format", "--isolated", *target, "--stdin-filename", "module.py", "-"]
    done = subprocess.run(command, input=mark.join(texts).encode(), capture_output=True, check=False, **with_us())
    laid_out_texts = done.stdout.decode().split(mark)
    if done.returncode or len(laid_out_texts) != len(texts):
        if len(texts) > 1:
            return [_formatted([text], python)[0] for text in texts]  # one of them is wrong
        said = done.stderr.decode().strip().removeprefix("error: Failed to parse ")
        position = re.match(r"module\.py:(\d+):\d+: ", said)
        raise (
            NotPythonError(texts[0], said[position.end() :], int(position[1]))
            if position
            else NotPythonError(texts[0], said, None)
        )
    return [f"{text.strip()}\n" for text in laid_out_texts]
