"""Older stores are brought up to date, newer ones refused by name."""

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial

import pytest

from serbench.errors import StoreError
from serbench.store import opening as migrate_module
from serbench.store.opening import FIRST, MIGRATIONS, installed_version, migrate, steps
from serbench.store.store import Store

NEWEST = max(steps())
NEXT = f"{NEWEST + 1:04}_add_host.sql"
COLUMN = "-- why; with a semicolon\nALTER TABLE run ADD COLUMN host TEXT;\nUPDATE run\n  SET host = 'a;b';\n"


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "runs.sqlite"
    with Store(file) as store:
        store.begin(command="", plan={}, machine={})
    return file


@pytest.fixture
def migrations(tmp_path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    for file in MIGRATIONS.iterdir():
        (folder / file.name).write_text(file.read_text(encoding="utf-8"))
    (folder / NEXT).write_text(COLUMN)
    return folder


@pytest.fixture
def connection(path):
    """A connection to the store."""
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        yield opened


def version(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def test_an_older_store_is_migrated_by_one_new_file(path, migrations, connection):
    """One file with the next number brings an older store to that version, with its runs, and is logged by name."""
    before = version(path)
    migrate(connection, path, "9.9", migrations)
    assert (NEWEST, NEWEST + 1) == (before, version(path))
    assert [("a;b",)] == connection.execute("SELECT host FROM run").fetchall()
    logged = connection.execute("SELECT version, name FROM migration").fetchall()
    assert [(FIRST, "schema"), (NEWEST + 1, "add_host")] == [logged[0], logged[-1]]
    migrate(connection, path, "9.9", migrations)


def test_a_new_store_is_made_by_the_same_steps(tmp_path, migrations):
    """A new store goes through all the steps, so that old and new stores cannot differ."""
    connection = sqlite3.connect(tmp_path / "new.sqlite", isolation_level=None)
    migrate(connection, tmp_path / "new.sqlite", "9.9", migrations)
    assert "host" in [row[1] for row in connection.execute("PRAGMA table_info(run)")]
    connection.close()


def test_a_migration_that_fails_changes_nothing(path, migrations, connection):
    """A step that fails half-way leaves the store at its version, with the schema of that version."""
    (migrations / NEXT).write_text(COLUMN + "INSERT INTO nowhere VALUES (1);")
    with pytest.raises(StoreError, match="no such table: nowhere"):
        migrate(connection, path, "9.9", migrations)
    assert "host" not in [row[1] for row in connection.execute("PRAGMA table_info(run)")]
    assert NEWEST == version(path)


def test_a_store_that_is_not_what_its_version_says_is_refused(path, migrations, connection):
    """A column that a step is to add and that is there already is one line, and changes nothing."""
    connection.execute("ALTER TABLE run ADD COLUMN host TEXT")
    with pytest.raises(StoreError, match=r"other tables .*--store"):
        migrate(connection, path, "9.9", migrations)
    assert version(path) == NEWEST


def test_a_newer_store_is_refused_by_name(path, migrations, connection):
    """An older serbench names the one that wrote a newer store, and what to do; it changes nothing."""
    migrate(connection, path, "9.9", migrations)
    connection.close()
    for read_only in (False, True):
        with pytest.raises(
            StoreError, match=rf"written by serbench 9\.9 \(store version {NEWEST + 1}\).*upgrade with"
        ) as caught:
            Store(path, read_only=read_only)
        assert "\n" not in str(caught.value)
    assert NEWEST + 1 == version(path)


@pytest.mark.parametrize("change", ["DROP TABLE migration", "DELETE FROM migration"])
def test_a_newer_store_without_a_log_is_refused_too(path, change):
    """Where its log of migrations has gone, who wrote it is not known."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(change)
        connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    with pytest.raises(StoreError, match=rf"written by a newer serbench \(store version {NEWEST + 1}\)"):
        Store(path)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_from_before_the_schema_is_refused_with_what_to_do(path, read_only):
    """One line names its version and who wrote it; the file stays as it is."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 4")
    before = path.read_bytes()
    with pytest.raises(
        StoreError, match=r"written by serbench .*\(store version 4\).* move it away, .*--store"
    ) as caught:
        Store(path, read_only=read_only)
    assert "\n" not in str(caught.value)
    assert before == path.read_bytes()


def test_an_older_store_is_read_without_a_change(path, migrations, monkeypatch):
    """It is brought up to date in a copy in memory, and the file stays as it was."""
    before = path.read_bytes()
    monkeypatch.setattr("serbench.store.store.steps", lambda: steps(migrations))
    monkeypatch.setattr("serbench.store.store.migrate", partial(migrate, migrations=migrations))
    with Store(path, read_only=True) as store:
        assert ["a;b"] == [host for (host,) in store.connection.execute("SELECT host FROM run")]
    assert before == path.read_bytes()
    assert NEWEST == version(path)


def test_numbers_without_a_gap_are_asked_for(migrations):
    """A gap in the numbers is found when the steps are read."""
    (migrations / "0900_late.sql").write_text("SELECT 1;")
    with pytest.raises(StoreError, match="without gaps"):
        steps(migrations)


def test_the_shipped_steps_are_whole():
    """The migrations that come with serbench are numbered without gaps from the schema on."""
    assert min(steps(MIGRATIONS)) == FIRST


def test_a_store_that_another_process_has_brought_up_to_date_meanwhile_is_left(path, monkeypatch, connection):
    """Each step looks again once it has the lock."""
    monkeypatch.setattr(migrate_module, "is_current", lambda *_: False)
    before = version(path)
    logged = connection.execute("SELECT count(*) FROM migration").fetchall()
    migrate(connection, path, "9.9")
    assert not connection.in_transaction
    assert logged == connection.execute("SELECT count(*) FROM migration").fetchall()
    assert before == version(path)


def test_a_lock_is_no_fault_of_the_store(path, migrations):
    """What is locked by another process is told as that."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    connection = sqlite3.connect(path, isolation_level=None, timeout=0.0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        migrate(connection, path, "9.9", migrations)
    connection.close()
    other.close()


def test_a_step_that_breaks_a_rule_of_the_data_is_undone(path, migrations, connection):
    """It is raised as it is, and the next attempt finds the old version."""
    (migrations / NEXT).write_text(COLUMN + "INSERT INTO run SELECT * FROM run;")
    with pytest.raises(sqlite3.IntegrityError):
        migrate(connection, path, "9.9", migrations)
    assert not connection.in_transaction
    assert NEWEST == version(path)


def test_a_step_may_end_without_a_semicolon(path, migrations, connection):
    """Its last statement is executed as well."""
    (migrations / NEXT).write_text("ALTER TABLE run ADD COLUMN host TEXT;\n\nUPDATE run SET host = 'a'\n\n")
    migrate(connection, path, "9.9", migrations)
    assert [("a",)] == connection.execute("SELECT host FROM run").fetchall()


def test_a_new_store_is_marked_and_says_who_made_it(connection):
    """Its log has each step with the version and the second; other programs see that the file is serbench's."""
    assert int.from_bytes(b"SERB") == connection.execute("PRAGMA application_id").fetchone()[0]
    rows = connection.execute("SELECT version, applied, serbench FROM migration").fetchall()
    assert [*range(FIRST, NEWEST + 1)] == [row[0] for row in rows]
    assert {installed_version()} == {row[2] for row in rows}
    assert all(datetime.fromisoformat(row[1]).utcoffset() == timedelta(0) for row in rows)


def test_other_files_beside_the_migrations_are_no_steps(migrations):
    """A step has four digits, a name and `.sql`, and the steps are in the order of their numbers."""
    names = ("README.md", "12_few.sql", "00012_many.sql", "0009_dash-ed.sql", "0009_late.sql.orig")
    for name in names:
        (migrations / name).write_text("broken")
    known = steps(migrations)
    assert [*range(FIRST, NEWEST + 2)] == list(known)
    assert ("schema", "add_host") == (known[FIRST][0], known[NEWEST + 1][0])
    assert COLUMN == known[NEWEST + 1][1]


def test_an_empty_file_becomes_a_store(tmp_path):
    """It belongs to nobody."""
    (tmp_path / "empty").touch()
    with Store(tmp_path / "empty") as store:
        assert [] == store.runs()
    assert NEWEST == version(tmp_path / "empty")
