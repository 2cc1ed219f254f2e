"""Runs a plain program in an environment, as a user would."""

from __future__ import annotations

import os
import subprocess

from serbench.render.environments.caretaker import with_us
from serbench.render.environments.environment import Environment

_LONGEST = 500  # characters of a program's last words


def run_script(environment: Environment, script: str, text: str, limit_s: float) -> tuple[str, str | None]:
    """Return what a program prints if it gets a text on standard input, and how it failed: its last words, or None."""
    variables = {**os.environ, "PYTHONWARNINGS": "ignore"}
    command = [environment.python, "-c", script]
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
            env=variables,
            **with_us(),
        )
    except subprocess.TimeoutExpired:
        return "", f"takes more than {limit_s:g} s"
    if done.returncode:
        lines = [
            line.strip(" |+-") for line in done.stderr.splitlines()
        ]  # those of a group of exceptions are drawn as a tree
        last = next(filter(None, reversed(lines)), "no message")
        return "", f"ends with {last if len(last) <= _LONGEST else f'{last[:_LONGEST]}…'}"
    return done.stdout, None
