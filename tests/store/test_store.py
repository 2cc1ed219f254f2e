"""The store keeps what was committed, refuses what it must not touch, and says why in one line."""

import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from waits import LONGEST_S, joined

from serbench.errors import StoreError
from serbench.results import CaseId, Cell, Point, Sample
from serbench.store import opening as migrate_module
from serbench.store import recorder
from serbench.store import store as store_module
from serbench.store.active_run import acquire, is_locked
from serbench.store.store import Store

CELL = Cell(
    id=3,
    **vars(Point("client", 100, 2, 7)),
    **vars(CaseId("attrs", "default", "orjson", "json", version="25.3.0")),
    operation="decode",
)


def samples(wave, cells=(3,), rounds=8):
    return [
        Sample(c, wave, c, r, 500_000 + r, 510_000 + r, 501_000 + r, r % 2)
        for c in sorted(cells)
        for r in range(rounds)
    ]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.sqlite"


def sources(store):
    return dict(map(tuple, store.connection.execute("SELECT sha256, text FROM source")))


def begin(store, **plan):
    return store.begin(command="serbench run", plan=plan, machine={"cpu": "Abacus"}, versions={"attrs": "25.3.0"})


def test_a_run_comes_back_as_it_was_measured(path):
    """Cells, samples, sources and the run's facts are the same after loading."""
    cells = [CELL, replace(CELL, id=4, control=True), replace(CELL, id=5, status="crashed", reason="SIGSEGV", loops=9)]
    stored_samples = samples(0, (3, 4)) + samples(1, (3, 4))
    with Store(path) as store:
        run = begin(store, records=[100])
        store.put_cells(run, cells)
        store.put_source("ab12", "def encode(): ...")
        for wave in (0, 1):
            store.add_samples(run, [s for s in stored_samples if s.wave == wave])
        store.finish(run, warnings=["noisy"], seconds=2.5)
    with Store(path, read_only=True) as store:
        loaded = store.load(run)
        assert cells == loaded.cells
        assert stored_samples == [Sample(*row) for row in loaded.samples.tolist()]
        assert Sample._fields == loaded.samples.dtype.names
        assert {"ab12": "def encode(): ..."} == sources(store)
        info = loaded.info
        assert ("finished", ["noisy"], 2.5, 3, 2) == (info.status, info.warnings, info.seconds, info.cells, info.waves)
        assert ({"records": [100]}, {"cpu": "Abacus"}, {"attrs": "25.3.0"}) == (info.plan, info.machine, info.versions)
        assert (run, loaded.machine) == (loaded.id, info.machine)


def test_samples_are_added_whole_or_not_at_all(path):
    """A batch with one sample that is there already adds none of its samples."""
    with Store(path) as store:
        run = begin(store)
        store.add_samples(run, samples(0))
        with pytest.raises(StoreError, match="has these samples already"):
            store.add_samples(run, samples(1) + samples(0))
        assert 8 == len(store.load(run).samples)


def test_runs_are_named_listed_and_found(path):
    """Runs list newest first and answer to their id, a unique beginning, "latest" and "previous"."""
    with Store(path) as store:
        first = begin(store)
        with pytest.raises(StoreError, match="no previous one"):
            store.load("previous")
        second, third = begin(store), begin(store)
        assert [third, second, first] == [run.id for run in store.runs()]
        assert third == store.load().id == store.load("latest").id
        assert second == store.load(second).id == store.load("previous").id
        assert first[:8] == first.split("-")[0]
        with pytest.raises(StoreError, match="3 runs begin with"):
            store.load(first[:8])
        with pytest.raises(StoreError, match="no run has the id 'x'"):
            store.load("x")
        with pytest.raises(StoreError, match="no run has the id"):
            store.add_samples("x", samples(0))


def test_unfinished_runs_are_listed(path):
    """A run that was killed or interrupted is unfinished, until it is finished."""
    with Store(path) as store:
        killed, interrupted, done = begin(store, a=(1, 2)), begin(store, a=3), begin(store, a=(1, 2))
        store.finish(interrupted, status="interrupted")
        store.finish(done)
        assert [interrupted, killed] == [run.id for run in store.unfinished()]
        store.reopen(interrupted)
        assert "running" == store.load(interrupted).info.status
        assert [done] == [run.id for run in store.runs() if run.status == "finished"]


def test_an_empty_store_says_so(path):
    """Asking an empty store for a run tells how to make one."""
    with Store(path) as store, pytest.raises(StoreError, match="has no run yet; measure one with `serbench run`"):
        store.load()


def test_facts_are_remembered(path):
    """A fact is any JSON data, replaced by the next under its key."""
    with Store(path) as store:
        store.put_facts({"strictness ab12": {"class": "strict", "refused": [1, None]}})
        store.put_facts({"strictness ab12": {"class": "é"}})
        assert {"class": "é"} == store.fact("strictness ab12")
        assert store.fact("other") is None


WRITER = """
import sys
from serbench.results import Sample
from serbench.store.store import Store
with Store(sys.argv[1]) as store:
    run = store.begin(command="", plan={}, machine={})
    for wave in range(10**6):
        store.add_samples(run, [Sample(c, wave, c, r, 1, 1, 1, 0) for c in range(20) for r in range(8)])
        print(wave, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_killed_process_loses_no_committed_sample(path):
    """After SIGKILL every wave that was reported written is there, whole, and the run can be found to go on."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    written = [int(process.stdout.readline()) for _ in range(20)][-1]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=LONGEST_S)
    written = max([written, *map(int, rest.split("\n")[:-1])])
    with Store(path) as store:
        (unfinished,) = store.unfinished()
        found = store.load(unfinished.id).samples
        assert written + 1 <= unfinished.waves
        assert unfinished.waves * 160 == len(found)


def _append(path, count):
    with Store(path) as store:
        run = begin(store)
        for wave in range(count):
            store.add_samples(run, samples(wave, range(10)))
        store.finish(run)


@pytest.mark.full
def test_two_processes_append_at_the_same_time(path):
    """Processes that open a new store together and write at once all keep everything."""
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_append, args=(path, 40)) for _ in range(3)]
    for writer in writers:
        writer.start()
    joined(*writers)
    assert [0, 0, 0] == [writer.exitcode for writer in writers]
    with Store(path) as store:
        assert [3200] * 3 == [len(store.load(run.id).samples) for run in store.runs()]


def test_a_lock_that_lasts_is_one_clear_line(path):
    """Where another process holds the lock, writing says so after the time-out; reading goes on."""
    with Store(path, timeout=0.1) as store:
        run = begin(store)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is locked") as caught:
            store.add_samples(run, samples(0))
        assert "\n" not in str(caught.value)
        assert run == store.load().id
        other.close()
        store.add_samples(run, samples(0))


def test_what_is_no_database_is_left_alone(path):
    """A file that is not SQLite is refused by name and not changed."""
    path.write_text("name,age\n" * 500)
    with pytest.raises(StoreError, match=r"runs\.sqlite is not a serbench store"):
        Store(path)
    assert "name,age\n" * 500 == path.read_text()


def test_another_programs_database_is_left_alone(path):
    """An SQLite file of another program is refused, and stays as it was to the byte."""
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE cookies (name)")
    other.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="SQLite database of another program"):
            Store(path, read_only=read_only)
    assert before == path.read_bytes()


def test_a_store_that_lacks_a_column_is_one_clear_line(path):
    """A store of the right version that somebody else has changed says what it lacks and what to do."""
    with Store(path) as store:
        begin(store)
        store.connection.execute("ALTER TABLE cell DROP COLUMN machine")
        with pytest.raises(StoreError, match=r"no such column: machine.*move"):
            store.load()
        store.connection.execute("DROP TABLE fact")
        with pytest.raises(StoreError, match="no such table: fact"):
            store.put_facts({"a": 1})
        with pytest.raises(sqlite3.OperationalError, match="syntax error"), store.transaction() as connection:
            connection.execute("SELEKT")


def test_a_damaged_store_is_one_clear_line(path):
    """Damaged pages are reported as damage, with what to do."""
    _append(path, 60)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(StoreError, match=r"damaged.*move"), Store(path) as store:
        store.load()


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path):
    """A path below a regular file names the file and the way out."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"below\.sqlite cannot be created: .*--store"):
        Store(tmp_path / "file" / "below.sqlite")
    with pytest.raises(StoreError, match="is a folder"):
        Store(tmp_path, read_only=True)
    with pytest.raises(StoreError, match="is a folder"):
        Store(tmp_path)


def test_a_read_only_store_is_read_and_not_written(path):
    """A store opened for reading shows its runs and refuses to write in one line."""
    _append(path, 1)
    with Store(path, read_only=True) as store:
        assert 80 == len(store.load().samples)
        with pytest.raises(StoreError, match=r"cannot be written: .*read-only"):
            begin(store)


def test_reading_makes_no_file(path):
    """Looking for runs where there is no store says so and leaves nothing behind."""
    with pytest.raises(StoreError, match="there is no store at"):
        Store(path, read_only=True)
    assert not path.exists()


def test_a_folder_that_cannot_be_written_can_be_read(path, monkeypatch):
    """In a folder without write access a closed store is read without the files that WAL would need."""
    _append(path, 1)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Store(path, read_only=True) as store:
        assert 80 == len(store.load().samples)
    assert [path] == list(path.parent.iterdir())


def test_a_full_disk_is_one_clear_line(path):
    """Where no page can be added the batch is refused in one line, and what was committed stays."""
    with Store(path) as store:
        run = begin(store)
        store.add_samples(run, samples(0))
        store.connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError, match=r"is full.*--resume"):
            store.add_samples(run, samples(1, range(2000)))
        assert 8 == len(store.load(run).samples)


def test_plans_are_stored_as_json(path):
    """What JSON cannot hold is refused at once, not stored as text that cannot be read."""
    with Store(path) as store, pytest.raises(TypeError):
        begin(store, a={1, 2})
    with sqlite3.connect(path) as plain:
        assert 0 == plain.execute("SELECT count(*) FROM run").fetchone()[0]
    plain.close()


@pytest.mark.slow
def test_of_several_takers_one_has_it(tmp_path):
    """Of processes that take a run at the same moment exactly one gets it; who is gone holds nothing."""
    path = tmp_path / "s"
    with Store(path) as store:
        run = store.begin(command="", plan={}, machine={})
    code = (
        "import sys, time\nfrom serbench.store.active_run import acquire\nfrom serbench.store.store import Store\n"
        f"with Store({str(path)!r}, timeout=60) as store:\n"
        "    sys.stdin.readline()\n"
        f"    print(acquire(store, {run!r}), flush=True)\n    sys.stdin.readline()\n"
    )
    takers = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    for taker in takers:
        taker.stdin.write("\n")
        taker.stdin.flush()
    assert ["False", "False", "False", "True"] == sorted(taker.stdout.readline().strip() for taker in takers)
    with Store(path) as store:
        assert is_locked(store, run)
        for taker in takers:
            taker.communicate("\n", timeout=LONGEST_S)
        assert not is_locked(store, run)
        assert acquire(store, run)


def test_an_id_tells_the_second_in_utc(path, monkeypatch):
    """It is `YYYYMMDD-HHMMSS-` and random digits that no other has; an id is itself, though it is also the beginning of another."""
    digits = iter(["ab", "ab", "ab12"])
    asked = []
    monkeypatch.setattr(store_module, "now", lambda: "2026-01-02T03:04:05Z")
    monkeypatch.setattr(
        store_module, "secrets", SimpleNamespace(token_hex=lambda size: asked.append(size) or next(digits))
    )
    with Store(path) as store:
        ids = [begin(store), begin(store)]
        assert ["20260102-030405-ab", "20260102-030405-ab12"] == ids
        assert ids == [store.load(name).id for name in ids]
        assert "2026-01-02T03:04:05Z" == store.load(ids[0]).info.started
    assert [2, 2, 3] == asked
    monkeypatch.undo()
    assert datetime.now(UTC) - datetime.fromisoformat(store_module.now()) < timedelta(days=1)
    assert store_module.now().endswith("Z")


def test_nothing_is_no_beginning_of_an_id(path):
    """An empty name is refused also if there is only one run."""
    with Store(path) as store:
        only = begin(store)
        assert only == store.load(only[:5]).id
        with pytest.raises(StoreError, match=r"1 .*''"):
            store.load("")


def test_a_run_ends_with_what_was_learnt(path):
    """Versions are kept unless others are told; a run that goes on has no end."""
    with Store(path) as store:
        run = begin(store)
        before = store.load(run).info
        assert ("running", None, [], None, {}) == (
            before.status, before.finished, before.warnings, before.seconds, before.machines,
        )  # fmt: skip
        store.finish(run, status="interrupted", warnings=["a"], seconds=1.5)
        info = store.load(run).info
        assert ("interrupted", ["a"], 1.5, {"attrs": "25.3.0"}) == (
            info.status,
            info.warnings,
            info.seconds,
            info.versions,
        )
        assert info.finished is not None
        store.reopen(run)
        assert ("running", None) == (store.load(run).info.status, store.load(run).info.finished)


@pytest.mark.parametrize(("waves", "count"), [([], 0), ([4], 1), ([1, 2, 3], 3), ([2, 5], 4)])
def test_waves_are_counted_from_the_first_to_the_last(path, waves, count):
    """Whichever number the first has; other runs do not count."""
    with Store(path) as store:
        run, other = begin(store), begin(store)
        for wave in waves:
            store.add_samples(run, samples(wave))
        store.add_samples(other, samples(9))
        assert (count, 1) == (store.load(run).info.waves, store.load(other).info.waves)


def test_a_run_has_its_own_cells_samples_and_sources(path):
    """Nothing of another run, in the order of the cells' ids; a source is kept once."""
    with Store(path) as store:
        for name in ("one", "two"):
            run = begin(store)
            store.put_cells(run, [replace(CELL, id=7, source_sha256="same"), replace(CELL, source_sha256=name)])
            store.add_samples(run, samples(1, [3] if name == "one" else [3, 7]))
            for sha256 in ("same", name):
                store.put_source(sha256, f"text of {sha256} for {name}")
        found = store.load("previous")
        assert [3, 7] == [cell.id for cell in found.cells]
        assert 8 == len(found.samples)
        assert {"one": "text of one for one", "same": "text of same for one"} == found.sources


def test_a_block_of_another_machine_is_kept_whole(path):
    """Its cells, samples, sources and its machine's facts are there, and the block is remembered as done."""
    part = {"cells": [CELL], "samples": samples(1), "sources": {"ab12": "text"}}
    with Store(path) as store:
        run = begin(store)
        store.put_part(run, "done one", **part, host="first", machine={"cpu": "A"})
        later = {**part, "samples": samples(2), "cells": [replace(CELL, status="ok")]}
        store.put_part(run, "done two", **later, host="second", machine={"cpu": "B"})
        found = store.load(run)
        assert {"first": {"cpu": "A"}, "second": {"cpu": "B"}} == found.info.machines
        assert ([replace(CELL, status="ok")], 16) == (found.cells, len(found.samples))
        assert {"ab12": "text"} == sources(store)
        assert {"done one": True, "done two": True} == store.facts("done ")


def test_a_block_that_cannot_be_kept_leaves_nothing(path):
    """If one of its samples is there already, no other part of it is kept."""
    with Store(path) as store:
        run = begin(store)
        store.add_samples(run, samples(1))
        part = {"cells": [CELL], "samples": samples(2) + samples(1), "sources": {"ab12": "text"}}
        with pytest.raises(StoreError, match="already"):
            store.put_part(run, "done", **part, host="first", machine={})
        found = store.load(run)
        assert ({}, [], 8) == (found.info.machines, found.cells, len(found.samples))
        assert ({}, None) == (sources(store), store.fact("done"))


def test_facts_are_listed_by_their_beginning(path):
    """Those that have it, in letters of any language, and no wildcard; null is a value."""
    facts = {"é a": 1, "é b": [None], "é": {}, "e a": 2, "% x": 3, "_ x": None}
    with Store(path) as store:
        store.put_facts(facts)
        assert {"é a": 1, "é b": [None]} == store.facts("é ")
        assert {"% x": 3} == store.facts("%")
        assert {"_ x": None} == store.facts("_")
        assert facts == store.facts("")


def test_a_value_is_taken_if_nobody_holds_it(path):
    """Or if what is held is free; whoever does not get it changes nothing."""
    with Store(path) as store:
        assert store.take("key", "first", lambda _: False)
        assert not store.take("key", "second", lambda held: held != "first")
        assert "first" == store.fact("key")
        assert store.take("key", "third", lambda held: held == "first")
        assert "third" == store.fact("key")


@pytest.mark.parametrize(("seconds", "milliseconds"), [(0, 0), (0.0506, 51), (2.5, 2500)])
def test_a_lock_is_waited_for(path, seconds, milliseconds):
    """As long as was asked last; at first for five seconds."""
    with Store(path) as store:
        assert 5000 == store.connection.execute("PRAGMA busy_timeout").fetchone()[0]
        store.wait(seconds)
        assert milliseconds == store.connection.execute("PRAGMA busy_timeout").fetchone()[0]


def test_equal_data_has_one_text():
    """Keys are sorted, nothing is between, and letters stay letters."""
    assert '{"a":["é",null],"b":1}' == store_module.as_json({"b": 1, "a": ["é", None]})


def test_a_serbench_that_is_not_installed_has_no_version(monkeypatch):
    """A copy on a path can still measure."""
    assert "unknown" != migrate_module.installed_version()

    def missing(name):
        raise migrate_module.metadata.PackageNotFoundError(name)

    versions = SimpleNamespace(**vars(migrate_module.metadata) | {"version": missing})
    monkeypatch.setattr(migrate_module, "metadata", versions)
    assert "unknown" == migrate_module.installed_version.__wrapped__()


def test_an_error_within_a_transaction_undoes_it(path):
    """Nothing of it stays, no transaction is open, and the error is the first one."""
    with Store(path) as store:
        for statement in ("SELECT 1", "ROLLBACK"):  # SQLite itself does the second when the disk is full
            with suppress(ValueError), store.transaction() as connection:
                connection.execute("INSERT INTO fact VALUES ('a', '1')")
                connection.execute(statement)
                raise ValueError
            assert (None, False) == (store.fact("a"), store.connection.in_transaction)
        with pytest.raises(KeyError), store.transaction():
            ended_by_sqlite(store.connection)


def ended_by_sqlite(connection):
    """An error after which no transaction is left."""
    connection.execute("ROLLBACK")
    raise KeyError


def test_a_transaction_takes_the_lock_at_its_beginning(path):
    """Nobody else writes meanwhile, also before the first change."""
    with Store(path) as store, Store(path, timeout=0.0) as other:
        with store.transaction(), pytest.raises(StoreError, match="locked"):
            other.put_facts({"a": 1})
        other.put_facts({"a": 1})
        assert 1 == store.fact("a")


def test_an_error_that_comes_while_rows_are_read_is_one_line(path, monkeypatch):
    """Damage shows only where it is, which may be behind the first row."""

    class Damaged:
        def execute(self, *_):
            return self

        def fetchall(self):
            error = sqlite3.DatabaseError("planted")
            error.sqlite_errorname = "SQLITE_CORRUPT"
            raise error

        __iter__ = fetchall

    with Store(path) as store:
        monkeypatch.setattr(store, "connection", Damaged())
        for read in (store.runs, lambda: store.facts(""), lambda: store.fact("a")):
            with pytest.raises(StoreError, match="damaged"):
                read()
        monkeypatch.undo()


def test_a_run_that_is_not_there_cannot_be_changed(path):
    """Each way to change one says so."""
    with Store(path) as store:
        for change in (store.reopen, store.finish, lambda run: store.put_cells(run, [CELL])):
            with pytest.raises(StoreError, match=r"no run .*'nothing'"):
                change("nothing")


def test_flags_come_back_as_flags(path):
    """Not as the numbers that the file has."""
    with Store(path) as store:
        run = begin(store)
        store.put_cells(run, [CELL, replace(CELL, id=4, control=True, reference=True, takes_part=False)])
        found = [(cell.control, cell.reference, cell.takes_part) for cell in store.load(run).cells]
        assert [(False, False, True), (True, True, False)] == found
        assert all(isinstance(flag, bool) for flags in found for flag in flags)


@pytest.mark.parametrize("loss", ["file", "folder", "another file"])
def test_a_store_that_vanishes_is_one_line(path, loss):
    """The next write says so; a file in its place stays as it is, also when the store is closed."""
    path = path.parent / "deep" / path.name
    with Store(path) as store:
        run = begin(store)
        if loss == "folder":
            shutil.rmtree(path.parent)
        else:
            for file in path.parent.iterdir():
                file.unlink()
        if loss == "another file":
            path.write_bytes(b"mine")
        for write in (lambda: store.put_cells(run, [CELL]), lambda: store.finish(run)):
            with pytest.raises(
                StoreError, match=r"runs\.sqlite is gone, or is another file now; nothing more can be kept"
            ):
                write()
    assert (loss == "another file") == path.exists()
    assert not path.exists() or path.read_bytes() == b"mine"


def test_a_store_is_closed_after_its_block(path):
    """Its file can then be moved on any system."""
    with Store(path) as store:
        pass
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        store.connection.execute("SELECT 1")


def test_what_probes_found_is_asked_again_of_other_code(tmp_path, monkeypatch):
    """The store's keys have a digest of the source that renders and probes."""
    source = tmp_path / "__init__.py"
    monkeypatch.setattr(recorder.render, "__file__", str(source))
    prefixes = set()
    for text in ("before", "after"):
        source.write_text(text)
        recorder._digest.cache_clear()
        prefixes.add(recorder.conduct_prefix("strictness"))
    recorder._digest.cache_clear()
    assert 2 == len(prefixes)
