"""What others wrote is data: valid stores, run folders, claims and archives are mutated, and each is shown or refused in one line."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sqlite3
import sys
import time
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import known_runs
import pytest

from serbench.ask.matrices import published_matrices
from serbench.claims.ledger import ledger
from serbench.errors import SerbenchError, StoreError
from serbench.keep.archive import Archive, resources
from serbench.keep.checking import checked_run
from serbench.keep.files import write_files
from serbench.keep.folder import as_files
from serbench.keep.reading import read_run
from serbench.keep.run import Run
from serbench.keep.store import Store
from serbench.keep.weighings import add_weights, begin_weighing, load_weighing
from serbench.results import CaseId, Point, Weight

LONGEST_S = 20
ODD = (None, True, -1, 0, 1, 2**63, -(2**70), 1.5, float("nan"), float("inf"), "", "x", "\x00", "\ud800", "🙈" * 50)
ODD_JSON = (*ODD[:7], 1.5, "", "x", "decode", [], [[]], {}, {"a": 1}, ["client"], "2026-01-01", "../../x", "9" * 400)
ODD_COLUMNS = (None, -1, 0, 7, 2**62, 1.5, -1e308, "", "x", "{bad", "[]", "{}", "null", b"\xff\x00", "a\nb", "1" * 5000)


def shown(run):
    """Whatever a command prints of a run."""
    return [str(run.table()), run.to_markdown(), str(run.closing()), json.dumps(run.to_data()), run.export("pyperf")]


def look_at_store(path):
    """What commands read of a store."""
    with Store(path, read_only=True) as store:
        store.runs()
        store.facts("")
        shown(Run.from_store(store.load()))
        str(load_weighing(store).weights)
    list(Archive(path, ()))


def look_at_folder(path):
    """What `report` reads of a published run."""
    shown(Run.from_store(read_run(path)))


def look_at_claims(path):
    """What `claims --stored` prints."""
    known = ledger(path)
    str((known.to_markdown(), known.to_csv(), known.findings()))


def look_at_archive(path):
    """What `report` and the pages read of probes."""
    str(published_matrices(path).to_data())


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """A valid file or folder of each kind, with the function that looks at it."""
    folder = tmp_path_factory.mktemp("originals")
    run = known_runs.run("20260101-000000-abcd", [Point("client", 10, 2, 0)], ("encode", "decode"))
    with Store(folder / "runs.sqlite") as store:
        name = store.begin(command="serbench run", plan=run.info.plan, machine=run.machine, versions=run.info.versions)
        store.put_cells(name, run.cells)
        store.add_samples(name, run.samples)
        for sha256, text in run.sources.items():
            store.put_source(sha256, text)
        store.put_facts({"strictness 2: one": "strict", "selfcheck: loop": {"date": "2026-01-01"}})
        store.finish(name, seconds=2.5, warnings=["one"])
        weighing = begin_weighing(store, command="serbench weigh", plan={}, machine={}, versions={})
        case = CaseId("attrs", "default", "orjson", "json", "main", "25.3.0", "3.11")
        add_weights(
            store, weighing, [Weight(Point("client", 1, 2, 7), case, "memory", "retained", "bytes", (1.5, 2.0))]
        )
        store.connection.execute("PRAGMA journal_mode = DELETE")
    (folder / "run").mkdir()
    write_files(folder / "run", as_files(run))
    (folder / "claims").mkdir()
    first = sorted(resources("data").glob("claims/*.json"))[3]
    shutil.copy(first, folder / "claims")
    matrices = published_matrices()
    few = replace(matrices, cases=matrices.cases[:3])
    few.write(folder / "archive" / "fidelity")
    looks = {"runs.sqlite": look_at_store, "run": look_at_folder, "claims": look_at_claims, "archive": look_at_archive}
    for name, look in looks.items():
        look(folder / name)
    return {folder / name: look for name, look in looks.items()}


def change_bytes(drawn, path):
    """Flip, remove, double or cut bytes."""
    content = bytearray(path.read_bytes() or b"?")
    place = drawn.randrange(len(content))
    how = drawn.randrange(4)
    if how == 0:
        for _ in range(drawn.randint(1, 8)):
            content[drawn.randrange(len(content))] ^= 1 << drawn.randrange(8)
    elif how == 1:
        del content[place : place + drawn.randint(1, 200)]
    elif how == 2:
        content[place:place] = content[place : place + drawn.randint(1, 200)]
    else:
        del content[place:]
    path.write_bytes(content)


def change_column(drawn, path):
    """Put an odd value into a row of a store, by whatever means SQLite has; bytes if it has none."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            table = drawn.choice([name for name in tables if not name.startswith("sqlite_")])
            column = drawn.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
            how = drawn.random()
            if how < 0.8:
                (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
                place = f"rowid = (SELECT rowid FROM {table} LIMIT 1 OFFSET {drawn.randrange(max(rows, 1))})"
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {place}", (drawn.choice(ODD_COLUMNS),))
            elif how < 0.9:
                connection.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO odd")
            else:
                connection.execute(f"ALTER TABLE {table} RENAME TO other")
                endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT * FROM n"
                connection.execute(f"CREATE VIEW {table} AS {endless}")
    except (sqlite3.Error, IndexError, UnicodeDecodeError):  # the table has no rowid, or refuses, or is damaged already
        change_bytes(drawn, path)


def changed_value(drawn, value):
    """JSON data with one value somewhere replaced, removed or nested."""
    if isinstance(value, dict | list) and value and drawn.random() < 0.8:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = drawn.choice(keys)
        inner, how = value[key], drawn.random()
        if how < 0.1:
            del value[key]
        elif how < 0.15 and isinstance(value, dict):
            value[str(drawn.choice(ODD_JSON))] = value.pop(key)
        else:
            value[key] = changed_value(drawn, inner)
        return value
    if drawn.random() < 0.05:
        return json.loads("[" * 500 + "]" * 500)
    return drawn.choice(ODD_JSON)


def change_document(drawn, path):
    """Change a value of a JSON document, packed or not; bytes if it is damaged already."""
    packed = path.suffix == ".gz"
    try:
        content = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
        text = json.dumps(changed_value(drawn, json.loads(content))).encode()
    except (ValueError, OSError, EOFError, zlib.error):
        change_bytes(drawn, path)
    else:
        path.write_bytes(gzip.compress(text, mtime=0) if packed else text)


def mutate(drawn, path):
    """Change a file, or one in a folder, in one of these ways."""
    if path.suffix == ".sqlite":
        (change_column if drawn.random() < 0.8 else change_bytes)(drawn, path)
        return
    files = sorted(one for one in path.rglob("*") if one.is_file() and not one.name.startswith("results."))
    documents = [one for one in files if one.name.endswith((".json", ".json.gz"))]
    if documents and drawn.random() < 0.75:
        change_document(drawn, drawn.choice(documents))
    else:
        change_bytes(drawn, drawn.choice(files))


def mutated(originals, folder, count, seed):
    """So many mutated files; how many were refused."""
    drawn, refused = random.Random(seed), 0
    for number in range(count):
        original = list(originals)[number % len(originals)]
        copy = folder / f"{number}{original.suffix}"
        (shutil.copytree if original.is_dir() else shutil.copy)(original, copy)
        for _ in range(drawn.randint(1, 2)):
            mutate(drawn, copy)
        began = time.monotonic()
        try:
            originals[original](copy)
        except SerbenchError as error:
            refused += 1
            if "\n" in str(error) or str(copy) not in str(error):
                raise AssertionError(f"seed {seed}, number {number}: the line is {error}") from None
        except Exception as error:
            raise AssertionError(f"seed {seed}, number {number}, {original.name}") from error
        assert time.monotonic() - began < LONGEST_S
        shutil.rmtree(copy) if copy.is_dir() else [one.unlink() for one in Path(folder).glob(f"{number}.*")]
    return refused


def test_foreign_files_are_shown_or_refused(originals, tmp_path):
    """Of a few mutated files none ends in a traceback or hangs; a line names the file."""
    assert mutated(originals, tmp_path, 120, 41) > 20


@pytest.mark.every
@pytest.mark.timeout(3600)
def test_ten_thousand_foreign_files(originals, tmp_path, capsys):
    """Of 10,000 mutated stores, folders, claims and archives none ends in a traceback or hangs."""
    refused = mutated(originals, tmp_path, 10_000, 10_000)
    with capsys.disabled():
        sys.stdout.write(f"\n10,000 mutated files: {refused:,} refused in one line, the others shown\n")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("plan", "{bad", r"run 2\S+: plan: Expecting property name"),
        ("plan", '{"records": "many"}', r"run 2\S+: plan: Expected `array`, got `str` - at `records`"),
        ("seconds", -1.0, r"seconds is -1.0, less than 0"),
        ("started", "yesterday", r"started 'yesterday' is no date"),
    ],
)
def test_a_line_names_file_and_field(originals, tmp_path, column, value, words):
    """A store of somebody else's with a wrong value is refused with the path, the run and the field."""
    path = tmp_path / "theirs.sqlite"
    shutil.copy(next(iter(originals)), path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE run SET {column} = ?", (value,))
        connection.commit()
    with pytest.raises(StoreError, match=rf"theirs\.sqlite is not as serbench makes it \(.*{words}"):
        look_at_store(path)


def test_a_run_folder_has_a_plan(tmp_path, originals):
    """A published run whose plan is a list is refused by its folder and field."""
    shutil.copytree(list(originals)[1], folder := tmp_path / "run")
    facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert checked_run(facts).plan == facts["plan"]
    (folder / "run.json").write_text(json.dumps({**facts, "plan": []}), encoding="utf-8")
    with pytest.raises(StoreError, match=r"run has no readable run \(run \S+: plan: Expected `object`, got `array`"):
        read_run(folder)
