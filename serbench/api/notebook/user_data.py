"""The user's own data in the explorer: its facts, and files that the page uploads."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from serbench.api.calling import make_plan
from serbench.api.showing import schema_text
from serbench.display.words import data_words
from serbench.errors import SerbenchError, WorkloadError, check, line_of
from serbench.machine.files import stamp, write_private
from serbench.measure.plan import datasets, depths
from serbench.model.inference.decided import Doubt
from serbench.render.user_class.find import locate
from serbench.results import Point
from serbench.store.archive import UserData, user_data_of
from serbench.store.opening import PAYLOADS

MOST_BYTES = 512 << 20


@dataclass(frozen=True)
class DataFacts:
    """What serbench reads from the user's data: its size, if it nests deeper, its schema as classes, and what of it is doubtful; or why it cannot be used."""

    records: int = 1
    depth: int = 1
    nests: bool = True
    about: str = ""
    models: str = ""
    reason: str = ""
    doubts: tuple[Doubt, ...] = ()


def facts(user_data: UserData) -> DataFacts:
    """Return what is known of the user's data; read again only if a file has changed."""
    files = [Path(user_data[name]) for name in ("payload", "schema") if name in user_data]
    return _read(tuple(user_data.items()), tuple(map(stamp, files)))


@lru_cache(16)
def _read(user_data: tuple[tuple[str, Any], ...], _changed: tuple[tuple[int, int], ...]) -> DataFacts:
    try:
        plan = make_plan(None, **dict(user_data))
        data = next(datasets(plan))
        nests = plan.model is None or (plan.payload is None and bool(depths(replace(plan, depth=(data.depth,)))))
        models = schema_text(data.schema, "python")
    except (SerbenchError, OSError) as error:
        return DataFacts(reason=line_of(error))
    if not data.records:
        return DataFacts(reason=f"{data.name}: an empty list has nothing to measure; put a record into it")
    about = data_words(Point(data.name, data.records, data.depth, data.seed))
    return DataFacts(data.records, data.depth, nests, about, models, doubts=data.doubts)


DECISIONS = ("map", "record", "union", "text", "any")


def doubts_data(user_data: UserData) -> list[dict[str, Any]]:
    """Return what the user decided, then what is doubtful and can be decided: the words, the option and the path of each."""
    decided = [(name, path) for name in DECISIONS for path in user_data.get(f"as_{name}", ())]
    said = [
        {"says": f"`{path}`: {name}, as you decided", "option": name, "path": path, "on": True}
        for name, path in decided
    ]
    for doubt in facts(user_data).doubts:
        if doubt.choice is not None:
            name, path = doubt.choice
            said.append({"says": str(doubt).partition(";")[0], "option": name, "path": path, "on": False})
    return said


def decided(user_data: UserData, option: str, path: str) -> UserData:
    """Return the data with a decision of the user's, or without it if it was made.

    Raises:
        PlanError, WorkloadError: an unknown option, or a path that decides nothing.
    """
    check("option", option, DECISIONS)
    name = f"as_{option}"
    paths = tuple(user_data.get(name, ()))
    paths = tuple(one for one in paths if one != path) if path in paths else (*paths, path)
    chosen = user_data_of({**user_data, name: paths})
    if reason := facts(chosen).reason:
        raise WorkloadError(reason)
    return chosen


def class_data(text: str, payload: UserData) -> UserData:
    """Return a class that the page names as data, with the values of the file that is chosen, if one is.

    A file or module is looked for in the kernel's folder, then in that in which the app was started.

    Raises:
        PlanError, WorkloadError: no class is named so, or it cannot be measured.
    """
    module, _, name = text.strip().rpartition(":")
    folders = [Path.cwd(), Path(os.environ.get("PWD", "."))]
    if module.endswith(".py"):
        module = str(next((path for folder in folders if (path := folder / module).is_file()), module))
    elif module and not Path(module.rpartition(":")[0]).is_absolute():
        top = module.partition(".")[0]
        folder = next((one for one in folders if (one / top).is_dir() or (one / f"{top}.py").is_file()), folders[0])
        module = f"{folder}:{module}"
    chosen = user_data_of({**payload, "model": locate(f"{module}:{name}")})
    if reason := facts(chosen).reason:
        raise WorkloadError(reason)
    return chosen


def check_size(name: str, size: int) -> None:
    """Refuse a file that is too large to be sent, as soon as so much of it has come.

    Raises:
        WorkloadError: that line.
    """
    if size > MOST_BYTES:
        raise WorkloadError(f"{name} is larger than {MOST_BYTES >> 20} MiB; open it with serbench.Explorer(payload=…)")


def uploaded(name: str, content: bytes, folder: Path) -> UserData:
    """Keep a file that the page sends in the folder of the store, in a folder named after its content.

    Raises:
        WorkloadError: the file is too large, cannot be kept, or holds no data.
    """
    name = PurePath(name.replace("\\", "/")).name or "payload.json"
    path = folder / PAYLOADS / hashlib.sha256(content).hexdigest()[:12] / name
    user_data: UserData = {"payload": str(path.absolute())}
    try:
        write_private(path, content)
        if reason := facts(user_data).reason:
            path.unlink()
            path.parent.rmdir()
            raise WorkloadError(reason.replace(str(path), name))
    except (OSError, ValueError) as error:
        if isinstance(error, WorkloadError):
            raise
        raise WorkloadError(f"{name} cannot be saved in {path.parent}: {error}") from None
    return user_data
