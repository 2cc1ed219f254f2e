"""A store is opened as safely as its folder allows, and what SQLite says becomes a line that says what to do."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest

from serbench.errors import StoreError
from serbench.store.opening import copied, default_path, explained, open_for_reading, open_for_writing
from serbench.store.store import Store


def error(name, text="planted", kind=sqlite3.OperationalError):
    """An error as SQLite raises it."""
    made = kind(text)
    made.sqlite_errorname = name
    return made


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SQLITE_BUSY", "locked"),
        ("SQLITE_BUSY_SNAPSHOT", "locked"),
        ("SQLITE_LOCKED", "locked"),
        ("SQLITE_READONLY_DIRECTORY", "read-only"),
        ("SQLITE_CANTOPEN", "cannot be opened"),
        ("SQLITE_PERM", "denied"),
        ("SQLITE_FULL", "full.* --resume"),
        ("SQLITE_IOERR_WRITE", r"read or written \(planted\)"),
        ("SQLITE_NOTADB", "not an SQLite database"),
        ("SQLITE_CORRUPT_INDEX", r"damaged.*sqlite3 runs\.sqlite \.recover"),
    ],
)
def test_an_error_of_sqlite_s_is_one_line(name, words):
    """It names the file and says what to do, for each code and those that are more exact."""
    planted = error(name)
    with pytest.raises(StoreError, match=words) as told, explained("runs.sqlite"):
        raise planted
    assert "runs.sqlite" in str(told.value)
    assert "\n" not in str(told.value)
    assert planted is told.value.__cause__


@pytest.mark.parametrize("text", ["no such table: run", "no such column: x", "table run has no column named x"])
def test_what_is_missing_is_the_store_s_fault(text):
    """Somebody has changed it since serbench made it."""
    with pytest.raises(StoreError, match=rf"runs\.sqlite .*\({text}\)"), explained("runs.sqlite"):
        raise error("SQLITE_ERROR", text)


@pytest.mark.parametrize(
    "planted",
    [error("SQLITE_ERROR", 'near "x": syntax error'), error(None), error("SQLITE_MISUSE"), sqlite3.Error("bare")],
)
def test_a_fault_of_ours_stays_as_it_is(planted):
    """Wrong SQL is no fault of the user's, and is shown whole."""
    with pytest.raises(sqlite3.Error) as told, explained("runs.sqlite"):
        raise planted
    assert planted is told.value


def test_the_variable_names_the_store_if_it_is_not_empty(monkeypatch):
    """An empty one is as good as none."""
    monkeypatch.setenv("SERBENCH_STORE", "here.sqlite")
    assert "here.sqlite" == str(default_path())
    monkeypatch.setenv("SERBENCH_STORE", "")
    assert ("serbench", "serbench.sqlite") == default_path().parts[-2:]


def rights(*paths):
    """What a user, the group and others may do with files and folders."""
    return [oct(path.stat().st_mode & 0o777) for path in paths]


needs_rights = pytest.mark.skipif(os.name == "nt", reason="Windows keeps a user's folders from others by itself")


@needs_rights
def test_a_new_store_is_its_user_s_alone(tmp_path):
    """So are its journals, and the folders that are made for it; one that is there keeps its rights."""
    tmp_path.chmod(0o755)
    path = tmp_path / "a" / "b" / "s"
    with Store(path) as store:
        store.begin(command="", plan={}, machine={})
        assert ["0o600"] * 3 == rights(path, path.with_name("s-wal"), path.with_name("s-shm"))
    assert ["0o700", "0o700", "0o755"] == rights(path.parent, path.parents[1], tmp_path)


@needs_rights
@pytest.mark.parametrize("read_only", [False, True])
def test_an_older_store_becomes_its_user_s_alone(tmp_path, monkeypatch, read_only):
    """So do kept payloads, and serbench's own folder; other files beside them keep their rights."""
    monkeypatch.delenv("SERBENCH_STORE")
    monkeypatch.setattr("serbench.store.opening.data_folder", lambda: tmp_path / "serbench")
    path = default_path()
    with Store(path):
        pass
    payloads, others = path.parent / "payloads", path.parent / "other"
    upload, document, of_the_user = (payloads / name for name in ("0123456789ab", "document.01234567.json", "own.json"))
    for folder in (upload, others):
        folder.mkdir(parents=True)
    for file in (upload / "orders.json", document, of_the_user, others / "x"):
        file.touch()
    for one in (path.parent, *path.parent.rglob("*")):
        one.chmod(0o755 if one.is_dir() else 0o644)
    path.chmod(0o444)
    with Store(path, read_only=read_only or os.geteuid() != 0):
        pass
    assert ["0o700", "0o400", "0o700"] == rights(path.parent, path, upload)
    assert ["0o600", "0o600"] == rights(upload / "orders.json", document)
    assert ["0o755", "0o644", "0o644"] == rights(others, others / "x", of_the_user)


@needs_rights
def test_a_foreign_file_keeps_its_rights(tmp_path):
    """A published store is read as it is, and another program's file refused as it is."""
    published, foreign = tmp_path / "published", tmp_path / "foreign"
    with Store(published):
        pass
    with closing(sqlite3.connect(foreign)) as other:
        other.execute("CREATE TABLE cookies (name)")
    for path in (published, foreign):
        path.chmod(0o644)
    with Store(published, read_only=True), pytest.raises(StoreError):
        Store(foreign)
    assert ["0o644", "0o644"] == rights(published, foreign)


def pragma(connection, name):
    """The value of a setting."""
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_writing_is_safe_and_shared(tmp_path):
    """Readers do not wait for a writer, nor does a power cut damage the file; references must exist."""
    with closing(open_for_writing(tmp_path / "s", 2.5)) as connection:
        settings = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        assert ["wal", 1, 1, 2500] == [pragma(connection, name) for name in settings]
        connection.execute("CREATE TABLE one (a)")
        assert not connection.in_transaction  # none is begun unless it is asked for
        connection.execute("INSERT INTO one VALUES (7)")
        assert 7 == connection.execute("SELECT a FROM one").fetchone()["a"]


def test_a_cell_belongs_to_a_run_that_exists(tmp_path):
    """The file refuses another."""
    with Store(tmp_path / "s") as store:
        columns = [row["name"] for row in store.connection.execute("PRAGMA table_info(cell)")]
        with pytest.raises(sqlite3.IntegrityError):
            store.insert("cell", columns, [[1] * len(columns)])


def test_a_store_is_read_beside_its_writer(tmp_path):
    """What is committed is seen at once; nothing can be written."""
    path = tmp_path / "a b?#%.sqlite"
    with Store(path) as store:
        store.begin(command="", plan={}, machine={})
        with closing(open_for_reading(path, 1.5)) as connection:
            assert 1500 == pragma(connection, "busy_timeout")
            assert 1 == connection.execute("SELECT count(*) AS runs FROM run").fetchone()["runs"]
            store.begin(command="", plan={}, machine={})
            assert 2 == connection.execute("SELECT count(*) AS runs FROM run").fetchone()["runs"]
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                connection.execute("DELETE FROM run")


@pytest.mark.parametrize(("writable", "log"), [(True, False), (True, True), (False, True), (False, False)])
def test_a_file_is_read_alone_if_nobody_can_write_it(tmp_path, monkeypatch, writable, log):
    """Only in a folder without write access, and only if no log of a writer is there."""
    path = tmp_path / "s"
    with Store(path):
        pass
    if log:
        (tmp_path / "s-wal").touch()
    asked = []
    real = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda address, **options: asked.append(address) or real(address, **options)
    )
    monkeypatch.setattr(os, "access", lambda folder, mode: writable or (folder, mode) != (tmp_path, os.W_OK))
    open_for_reading(path, 1.0).close()
    assert [f"{path.as_uri()}?mode=ro{'' if writable or log else '&immutable=1'}"] == asked


def test_a_copy_replaces_its_original():
    """The original is closed, and rows have names as before."""
    original = sqlite3.connect(":memory:", isolation_level=None)
    original.execute("CREATE TABLE one AS SELECT 7 AS a")
    with closing(copied(original)) as copy:
        assert 7 == copy.execute("SELECT a FROM one").fetchone()["a"]
        copy.execute("INSERT INTO one VALUES (8)")
        assert not copy.in_transaction
    with pytest.raises(sqlite3.ProgrammingError):
        original.execute("SELECT 1")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_that_is_refused_is_closed(tmp_path, monkeypatch, read_only):
    """No connection to another program's file stays open."""
    path = tmp_path / "s"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE cookies (name)")
    opened = []
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **o: opened.append(real(*a, **o)) or opened[-1])
    with pytest.raises(StoreError):
        Store(path, read_only=read_only)
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    assert opened
