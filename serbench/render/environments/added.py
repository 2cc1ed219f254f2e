"""Remembers the environments that the user added: other versions of libraries, or other interpreters."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from serbench.errors import PlanError, checked, parsed
from serbench.render.environments.build import FOLDER
from serbench.render.environments.files import write_file


@dataclass(frozen=True)
class Added:
    """An added environment: a requirement such as "pydantic==2.5" and an interpreter, empty for serbench's own."""

    requirement: str
    python: str = ""

    @property
    def name(self) -> str:
        """Name in `serbench env`."""
        return f"{self.requirement} on {self.python}" if self.python else self.requirement


def added_file() -> Path:
    """Return the path of the file, in `$SERBENCH_ENVIRONMENTS` or in the user's data folder."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER]) / "added.json"
    from platformdirs import user_data_path

    return user_data_path("serbench") / "environments.json"


def added() -> tuple[Added, ...]:
    """Return the added environments, oldest first.

    Raises:
        PlanError: the file is malformed.
    """
    try:
        known = parsed(added_file().read_text(encoding="utf-8"), "environments")
        return tuple(checked(list[Added], known, "environments"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise PlanError(f"{added_file()} cannot be read ({error}); repair or delete it") from None


def add(row: Added) -> None:
    """Add an environment; adding it twice has no effect."""
    if row not in added():
        _write((*added(), row))


def forget(row: Added) -> None:
    """Remove an added environment."""
    _write(tuple(one for one in added() if one != row))


def _write(rows: tuple[Added, ...]) -> None:
    path = added_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps([asdict(row) for row in rows], indent=1))
    except OSError as error:
        raise PlanError(f"{path} cannot be written ({error.strerror}); set {FOLDER} to another folder") from None
