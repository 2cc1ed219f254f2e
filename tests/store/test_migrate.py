"""Older stores are brought up to date, newer ones refused by name."""

import sqlite3

import pytest

from serbench.errors import StoreError
from serbench.store import Store
from serbench.store.migrate import MIGRATIONS, migrate, steps

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


def version(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


def test_an_older_store_is_migrated_by_one_new_file(path, migrations):
    """One file with the next number brings an older store to that version, with its runs, and is logged by name."""
    before = version(path)
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, "9.9", migrations)
    assert (NEWEST, NEWEST + 1) == (before, version(path))
    assert [("a;b",)] == connection.execute("SELECT host FROM run").fetchall()
    logged = connection.execute("SELECT version, name FROM migration").fetchall()
    assert [(1, "schema"), (NEWEST + 1, "add_host")] == [logged[0], logged[-1]]
    migrate(connection, path, "9.9", migrations)
    connection.close()


def test_a_new_store_is_made_by_the_same_steps(tmp_path, migrations):
    """A new store goes through all the steps, so that old and new stores cannot differ."""
    connection = sqlite3.connect(tmp_path / "new.sqlite", isolation_level=None)
    migrate(connection, tmp_path / "new.sqlite", "9.9", migrations)
    assert "host" in [row[1] for row in connection.execute("PRAGMA table_info(run)")]
    connection.close()


def test_a_migration_that_fails_changes_nothing(path, migrations):
    """A step that fails half-way leaves the store at its version, with the schema of that version."""
    (migrations / NEXT).write_text(COLUMN + "INSERT INTO nowhere VALUES (1);")
    connection = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(StoreError, match="no such table: nowhere"):
        migrate(connection, path, "9.9", migrations)
    assert "host" not in [row[1] for row in connection.execute("PRAGMA table_info(run)")]
    connection.close()
    assert NEWEST == version(path)


def test_a_store_that_is_not_what_its_version_says_is_refused(path, migrations):
    """A column that a step is to add and that is there already is one line, and changes nothing."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("ALTER TABLE run ADD COLUMN host TEXT")
    with pytest.raises(StoreError, match=r"other tables .*--store"):
        migrate(connection, path, "9.9", migrations)
    connection.close()
    assert version(path) == NEWEST


def test_a_newer_store_is_refused_by_name(path, migrations):
    """An older serbench names the one that wrote a newer store, and what to do; it changes nothing."""
    connection = sqlite3.connect(path, isolation_level=None)
    migrate(connection, path, "9.9", migrations)
    connection.close()
    for read_only in (False, True):
        with pytest.raises(
            StoreError, match=rf"written by serbench 9\.9 \(store version {NEWEST + 1}\).*upgrade with"
        ) as caught:
            Store(path, read_only=read_only)
        assert "\n" not in str(caught.value)
    assert NEWEST + 1 == version(path)


def test_a_newer_store_without_a_log_is_refused_too(path):
    """A newer store is refused even where its log of migrations has gone."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TABLE migration")
    connection.execute("PRAGMA user_version = 70")
    connection.close()
    with pytest.raises(StoreError, match=r"written by a newer serbench \(store version 70\)"):
        Store(path)


def test_numbers_without_a_gap_are_asked_for(migrations):
    """A gap in the numbers is found when the steps are read."""
    (migrations / "0900_late.sql").write_text("SELECT 1;")
    with pytest.raises(StoreError, match="without gaps"):
        steps(migrations)


def test_the_shipped_steps_are_whole():
    """The migrations that come with serbench are numbered without gaps from the schema on."""
    assert 1 == min(steps(MIGRATIONS))
