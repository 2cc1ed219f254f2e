"""Files are written whole, all of them or none."""

from __future__ import annotations

import ast
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import serbench
from serbench.machine import files
from serbench.machine.files import append_to_file, schema, write_file, write_files

OTHERS = {
    "api/command_line/program.py",
    "api/notebook/app.py",
    "api/reports/execute.py",
    "store/scale_out.py",
    "measure/comparing.py",
    "measure/probes/adoption.py",
    "measure/probes/streams.py",
    "measure/weighing.py",
    "measure/session.py",
    "measure/worker/prepared_case.py",
    "measure/worker/files.py",
    "measure/worker/weigher.py",
    "render/environments.py",
    "machine/caretaker.py",
    "machine/supervisor.py",
}
"""What writes into a scratch folder, which goes whatever comes, the log of a notebook as it runs, standard output, and nowhere."""


@contextmanager
def limited(most_bytes):
    """No file can have more bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource", reason="this platform does not limit files")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def writes(node):
    """Say if a node of a program writes a file by itself."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    modes = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    opens = name == "open" and any(len(mode) < 4 and set(mode) & set("wax+") for mode in modes)
    return opens or name in ("write_text", "write_bytes") or ast.unparse(node.func).startswith("shutil.copy")


@pytest.mark.slow
def test_every_file_is_written_whole():
    """No other module writes a file by itself, but for what goes in any case."""
    top = Path(serbench.__file__).parent
    found = {
        path.relative_to(top).as_posix()
        for path in top.rglob("*.py")
        if any(map(writes, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert OTHERS | {"machine/files.py"} == found


def test_a_full_disk_leaves_what_was_there(tmp_path):
    """Where there is no room for one of the new files all old ones stay, and no part of a new one beside them."""
    write_files(tmp_path, {"a.md": "old\n", "b.md": "old\n"})
    with limited(1000), pytest.raises(OSError, match="File too large"):
        write_files(tmp_path, {"a.md": "new\n", "b.md": "new\n" * 1000})
    assert {"a.md": "old\n", "b.md": "old\n"} == {path.name: path.read_text() for path in tmp_path.iterdir()}


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_full_disk_leaves_what_a_link_leads_to(tmp_path):
    """The file behind a link is whole too, and the next try succeeds."""
    (tmp_path / "link").symlink_to(tmp_path / "table.md")
    write_file(tmp_path / "table.md", "old\n")
    with limited(1000), pytest.raises(OSError, match="File too large"):
        write_file(tmp_path / "link", "new\n" * 1000)
    assert "old\n" == (tmp_path / "table.md").read_text()
    write_file(tmp_path / "link", "new\n" * 1000)
    assert "new\n" * 1000 == (tmp_path / "table.md").read_text()
    assert {"link", "table.md"} == {path.name for path in tmp_path.iterdir()}


def test_a_text_is_added_whole_or_not_at_all(tmp_path):
    """A disk that is full in the middle of it leaves the file as it was, or none if there was none."""
    append_to_file(tmp_path / "summary", "old\n" * 200)
    with limited(1000):
        with pytest.raises(OSError, match="File too large") as told:
            append_to_file(tmp_path / "summary", "new\n" * 200)
        with pytest.raises(OSError, match="File too large"):
            append_to_file(tmp_path / "another", "new\n" * 1000)
    assert str(tmp_path / "summary") == told.value.filename
    assert {"summary": "old\n" * 200} == {path.name: path.read_text() for path in tmp_path.iterdir()}
    append_to_file(tmp_path / "summary", "é\n")
    assert ("old\n" * 200 + "é\n").encode() == (tmp_path / "summary").read_bytes()


def test_a_file_that_cannot_be_written_is_named_as_asked(tmp_path):
    """The error has the name that somebody gave, and not that of the file which takes its place."""
    with pytest.raises(FileNotFoundError) as missing:
        write_file(tmp_path / "nowhere" / "table.md", "new\n")
    assert str(tmp_path / "nowhere" / "table.md") == missing.value.filename


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_link_and_a_pipe_stay_what_they_are(tmp_path):
    """What stands in the place of a file is written through and not replaced."""
    write_file(tmp_path / "table.md", "old\n")
    (tmp_path / "link").symlink_to(tmp_path / "table.md")
    write_file(tmp_path / "link", "new\n")
    assert ("new\n", True) == ((tmp_path / "table.md").read_text(), (tmp_path / "link").is_symlink())
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_file(tmp_path / "pipe", "new\n")
        assert (b"new\n", True) == (os.read(reader, 100), (tmp_path / "pipe").is_fifo())
    finally:
        os.close(reader)


def test_texts_bytes_and_tables_are_written_as_they_are(tmp_path):
    """The paths are given back in the order of the names; lines end as they do everywhere, in UTF-8."""
    table = pa.table({"a": [1, 2]})
    written = write_files(tmp_path, {"b": "é\n", "a": b"\r\n", "c": table})
    assert [tmp_path / "b", tmp_path / "a", tmp_path / "c"] == written
    assert [b"\xc3\xa9\n", b"\r\n"] == [path.read_bytes() for path in written[:2]]
    assert table == pq.read_table(written[2])
    assert {"a", "b", "c"} == {path.name for path in tmp_path.iterdir()}
    assert tmp_path / "b" == write_file(tmp_path / "b", "new\n")
    assert "new\n" == (tmp_path / "b").read_text()


def test_a_new_file_is_beside_the_old_one_until_all_are_written(tmp_path, monkeypatch):
    """Its name is hidden and has the process's number, so that two processes do not write into one file."""
    seen = []
    monkeypatch.setattr(files, "_write", lambda path, content: (seen.append(path.name), path.write_text(content)))
    write_files(tmp_path, {"a": "1", "b": "2"})
    assert [f".a.{os.getpid()}", f".b.{os.getpid()}"] == seen


def test_what_comes_in_the_place_of_a_file_that_fails_goes(tmp_path, monkeypatch):
    """Whatever ends the writing, Ctrl-C too; an error of the system's without a text has that of the error."""

    def fails(path, _):
        path.write_text("part")
        raise OSError("planted")

    monkeypatch.setattr(files, "_write", fails)
    with pytest.raises(OSError, match="planted") as told:
        write_file(tmp_path / "a", "new")
    assert (str(tmp_path / "a"), "planted") == (told.value.filename, told.value.strerror)
    assert [] == list(tmp_path.iterdir())


def test_a_folder_is_not_replaced(tmp_path):
    """It is no file, so writing into it fails, and it stays."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path / "folder", "new\n")
    assert (tmp_path / "folder").is_dir()


def test_a_link_to_nothing_makes_its_target(tmp_path):
    """As any program's would that writes into a link."""
    (tmp_path / "link").symlink_to(tmp_path / "target")
    assert tmp_path / "link" == write_file(tmp_path / "link", "new\n")
    assert ("new\n", True) == ((tmp_path / "target").read_text(), (tmp_path / "link").is_symlink())


@dataclass
class One:
    number: int
    ratio: float | None
    text: str


@dataclass
class Two:
    flag: bool
    number: float
    anything: dict[str, int]


def test_columns_have_the_types_of_the_fields():
    """Those of all classes in order, or those that are named; the last class that has a field says its type."""
    types = {
        "number": pa.float64(),
        "ratio": pa.float64(),
        "text": pa.string(),
        "flag": pa.bool_(),
        "anything": pa.string(),
    }
    assert pa.schema(list(types.items())) == schema(One, Two)
    assert {} == (schema(One).metadata or {})
    named = schema(One, columns=["text", "number"], about={"a": "b"})
    assert pa.schema([("text", pa.string()), ("number", pa.int64())]) == named
    assert {b"a": b"b"} == named.metadata
    with pytest.raises(KeyError):
        schema(One, columns=["flag"])


def test_tables_are_compressed_as_well_as_can_be(tmp_path):
    """With zstd: published runs are kept in the repository."""
    write_file(tmp_path / "t", pa.table({"a": [7] * 1000}))
    assert "ZSTD" == pq.ParquetFile(tmp_path / "t").metadata.row_group(0).column(0).compression
