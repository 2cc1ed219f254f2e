"""Writes files whole or not at all: text, bytes, and Parquet whose columns are those of dataclasses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from serbench.errors import PlanError
from serbench.machine.platform import is_running

if TYPE_CHECKING:
    import pyarrow as pa

    Content: TypeAlias = str | bytes | pa.Table


def stamp(path: Path) -> tuple[int, int]:
    """Tell one content of a file from another without reading it: two that were written in one tick of the clock differ in size."""
    facts = path.stat() if os.path.isfile(path) else None  # noqa: PTH113  # Path.is_file fails for a name that is too long
    return (facts.st_mtime_ns, facts.st_size) if facts else (0, 0)


def write_file(path: Path, content: Content) -> Path:
    """Write a text, bytes, or a table as Parquet, replacing the file or a link's target; writes into a device or a pipe.

    Raises:
        OSError: it cannot be written; the old file stays.
    """
    if _is_stream(path):
        _write(path, content)
    else:
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        write_files(target.parent, {target.name: content})
    return path


def write_private(path: Path, content: Content) -> Path:
    """Write a file that only this user can read, as `write_file` does; its folder is made if it is missing."""
    make_private_folder(path.parent)
    return restrict(write_file(path, content))


def make_private_folder(folder: Path) -> Path:
    """Make a folder, and those above it, for this user alone; one that is there keeps its rights."""
    for missing in reversed([above for above in folder.parents if not above.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def restrict(path: Path) -> Path:
    """Take the rights of everybody but the owner from a file or folder; nothing happens if it is gone, or another's."""
    with suppress(OSError):
        mode = path.stat().st_mode
        if mode & 0o077:
            path.chmod(mode & 0o700)
    return path


def append_to_file(path: Path, text: str) -> None:
    """Add a text to the end of a file, which is made if missing, a device or a pipe.

    Raises:
        OSError: it cannot be written; the file stays as it was.
    """
    left, was_there = memoryview(text.encode()), path.exists()
    with path.open("ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            while left:
                left = left[file.write(left) :]
        except OSError as error:
            if not _is_stream(path):
                file.truncate(size)
                if not was_there:
                    path.unlink()
            raise OSError(error.errno, error.strerror, str(path)) from None


def write_files(folder: Path, contents: Mapping[str, Content]) -> list[Path]:
    """Write texts, bytes, and tables as Parquet into a folder by their names: all of them or none if one cannot be written.

    Raises:
        OSError: as `write_file` does.
    """
    beside = {name: _beside(folder / name, os.getpid()) for name in contents}
    try:
        for name, content in contents.items():
            _remove_leftovers(folder / name)
            try:
                _write(beside[name], content)
            except OSError as error:  # under the name that somebody has asked for
                raise OSError(error.errno, error.strerror or str(error), str(folder / name)) from None
        return [path.replace(folder / name) for name, path in beside.items()]
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)


def write_folder(folder: str | os.PathLike[str], contents: Mapping[str, Content]) -> list[Path]:
    """Write files into a folder by their names, all or none; the folder is made if it is missing.

    Raises:
        PlanError: it cannot be written.
    """
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
        return write_files(home, contents)
    except OSError as error:
        what = f"{error.filename or home} cannot be written: {error.strerror or error}"
        raise PlanError(f"{what}; make room, or name another folder") from None


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse a path at which something else than a folder stands, or at which no folder can be made.

    Raises:
        PlanError: something else stands there.
    """
    at = os.path.abspath(folder)  # noqa: PTH100  # Path's fail for some names, as the next ones do
    while not os.path.exists(at) and (above := os.path.dirname(at)) != at:  # noqa: PTH110, PTH120
        at = above
    if not os.path.isdir(at):  # noqa: PTH112
        raise PlanError(f"{at} is not a folder; name another")


def _is_stream(path: Path) -> bool:
    """Say if what stands there is no file of its own: a device, a pipe, or whatever file standard output is sent to."""
    return (path.exists() and not path.is_file()) or str(path.absolute()).startswith(("/dev/", "/proc/"))


def _beside(path: Path, pid: int | str) -> Path:
    return path.with_name(f".{path.name}.{pid}")


def _remove_leftovers(path: Path) -> None:
    """Remove what a process that was killed has begun of a file."""
    for left in path.parent.glob(str(_beside(Path(escape(path.name)), "*"))):
        pid = left.suffix.removeprefix(".")
        if pid.isdigit() and not is_running(int(pid)):
            left.unlink(missing_ok=True)


def schema(*shapes: type, columns: Sequence[str] | None = None, about: Mapping[str, str] | None = None) -> pa.Schema:
    """An Arrow schema from the annotations of dataclasses, so that a column of None alone has its type too.

    Args:
        shapes: the dataclasses.
        columns: names of fields in the order wanted; all fields by default.
        about: facts of the whole table, kept as its metadata.
    """
    import pyarrow as pa

    kinds = {"int": pa.int64(), "bool": pa.bool_(), "float": pa.float64()}
    known = {field.name: str(field.type).removesuffix(" | None") for shape in shapes for field in fields(shape)}
    named = [(name, kinds.get(known[name], pa.string())) for name in columns or known]
    return pa.schema(named, metadata=dict(about or {}))


def _write(path: Path, content: Content) -> None:
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="\n")
        return
    if isinstance(content, bytes):
        path.write_bytes(content)
        return
    import pyarrow.parquet as pq

    with path.open("wb") as file:  # whose name might be taken for an address
        pq.write_table(content, file, compression="zstd", compression_level=19)
