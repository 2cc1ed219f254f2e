"""The rows that the user has added: a version of a library, or a library on another interpreter."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from serbench.environments.build import FOLDER
from serbench.names import PlanError


@dataclass(frozen=True)
class Added:
    """One row: what brings the library, such as "pydantic==2.5", and the interpreter, empty for serbench's own."""

    requirement: str
    python: str = ""

    @property
    def name(self) -> str:
        """What `serbench env` calls it."""
        return f"{self.requirement} on {self.python}" if self.python else self.requirement


def file() -> Path:
    """Where they are kept: in `$SERBENCH_ENVIRONMENTS`, or in the user's data folder."""
    if os.environ.get(FOLDER):
        return Path(os.environ[FOLDER]) / "added.json"
    from platformdirs import user_data_path

    return user_data_path("serbench") / "environments.json"


def added() -> tuple[Added, ...]:
    """Every added row, in the order in which they were added.

    Raises:
        PlanError: the file is not what `add` writes.
    """
    try:
        return tuple(Added(**one) for one in json.loads(file().read_text(encoding="utf-8")))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError) as error:
        raise PlanError(f"{file()} cannot be read ({error}); mend it or remove it") from None


def add(row: Added) -> None:
    """Remember a row; adding it twice changes nothing."""
    if row not in added():
        _write((*added(), row))


def forget(row: Added) -> None:
    """Forget a row."""
    _write(tuple(one for one in added() if one != row))


def _write(rows: tuple[Added, ...]) -> None:
    path = file()
    scratch = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
        scratch.replace(path)
    except OSError as error:
        raise PlanError(f"{path} cannot be written ({error.strerror}); set {FOLDER} to another folder") from None
