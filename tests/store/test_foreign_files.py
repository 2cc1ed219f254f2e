"""What others wrote is data: valid files of each kind are mutated, and each is shown or refused in one line."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sqlite3
import sys
import zlib
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import known_runs
import pytest

import serbench
from serbench.api import verifying
from serbench.api.notebook.settings import Settings
from serbench.api.notebook.views import show
from serbench.api.reports.execute import EXECUTED, has_result, notebooks
from serbench.api.selfcheck import FULL, selfcheck, selfcheck_file
from serbench.api.showing import list_libraries
from serbench.api.verifying import Matrices, published_matrices
from serbench.api.weighing import PUBLISHED, published_costs
from serbench.claims.ledger import ledger
from serbench.errors import PlanError, SerbenchError, StoreError
from serbench.machine.files import write_files
from serbench.render import environments
from serbench.render.environments import Recipe
from serbench.results import Point
from serbench.store.active_run import _lock_key
from serbench.store.archive import ROWS, Archive, published, read_run, read_size_grid, resources
from serbench.store.folder import as_files, checked_run
from serbench.store.recorder import conduct_prefix
from serbench.store.run import Run
from serbench.store.store import Store, load_weighing

MANIFEST = {
    "recipe": asdict(Recipe(("pydantic==2.5",), "3.9", "pydantic==2.5")),
    "version": [3, 9],
    "implementation": "CPython",
    "full_version": "3.9.1",
    "packages": {"pydantic": "2.5"},
    "free_threaded": False,
    "missing": {},
}
ODD = (None, True, -1, 0, 1, 2**63, -(2**70), 1.5, float("nan"), float("inf"), "", "x", "\x00", "\ud800", "🙈" * 50)
ODD_JSON = (*ODD[:7], 1.5, "", "x", "decode", [], [[]], {}, {"a": 1}, ["client"], "2026-01-01", "../../x", "9" * 400)
ODD_COLUMNS = (None, -1, 0, 7, 2**62, 1.5, -1e308, "", "x", "{bad", "[]", "{}", "null", b"\xff\x00", "a\nb", "1" * 5000)


def shown(run):
    """Whatever a command prints of a run."""
    return [str(run.table()), run.to_markdown(), str(run.closing()), json.dumps(run.to_data()), run.export("pyperf")]


def look_at_store(path):
    """What commands read of a store."""
    with Store(path, read_only=True) as store:
        store.facts("")
        shown(Run.from_store(store.load()))
        str(load_weighing(store).weights)
    serbench.runs(store=path)
    with pytest.MonkeyPatch.context() as patch:  # they take a while, and are looked at below
        patch.setattr(verifying, "published_matrices", lambda: Matrices(()))
        str(serbench.probed(path).to_data())
    list_libraries(path)
    str(selfcheck(measure=False, store=path).table())
    list(Archive(path, ()))


def look_at_folder(path):
    """What `report` reads of a published run."""
    shown(Run.from_store(read_run(path)))


def look_at_claims(path):
    """What `claims --stored` prints."""
    known = ledger(path)
    str((known.to_markdown(), known.to_csv()))


def look_at_archive(path):
    """What `report` and the pages read of probes."""
    known = published_matrices(path)
    str((known.to_data(), known.to_markdown()))


def look_at_costs(path):
    """What the published page has of `weigh --output` and its like."""
    str([one.to_markdown() for one in published_costs(path)])


def look_at_selfcheck(path):
    """What `report --splice` reads of `selfcheck --output`."""
    str(selfcheck_file(path / "selfcheck.json").table())


def look_at_results(path):
    """What the explorer shows of published rows."""
    sheets = published(path)
    for view in ("ranking", "table", "tradeoff"):
        show(Settings(workload="client", view=view, formats=()), Archive(path / "none", sheets))


def look_at_grid(path):
    """What the explorer shows of a size grid."""
    sheet = read_size_grid(path / ROWS)
    show(Settings(workload="tiny", formats=()), Archive(path / "none", [] if sheet is None else [sheet]))


def look_at_notebooks(path):
    """What `report NOTEBOOK.ipynb --only-missing` reads of a notebook and its last execution."""
    (known,) = notebooks([str(path / "nested_models.ipynb")])
    str((known.question, known.parameters, has_result(path, known.name)))


def look_at_environments(path):
    """What is remembered of environments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(environments.FOLDER, str(path))
        str(environments._read(path / "made" / environments.MANIFEST))


LOOKS = {
    "runs.sqlite": look_at_store,
    "run": look_at_folder,
    "claims": look_at_claims,
    "archive": look_at_archive,
    "costs": look_at_costs,
    "selfcheck": look_at_selfcheck,
    "results": look_at_results,
    "grid": look_at_grid,
    "notebooks": look_at_notebooks,
    "environments": look_at_environments,
}
"""Kind of file or folder → what reads it."""


def make_store(path, run):
    """A store with two runs that say that they go on, a weighing, and all that is remembered between runs."""
    known_runs.stored(path, run)
    parts = json.loads((resources("data") / "selfcheck.json").read_text(encoding="utf-8"))["parts"]
    with Store(path) as store:
        store.put_facts(
            {conduct_prefix("strictness") + "one": "strict", **{FULL + name: parts[name] for name in ("loop", "aa")}}
        )
        store.put_facts(
            {conduct_prefix("behaviour") + str(n): asdict(one) for n, one in enumerate(known_runs.matrices()[:2])}
        )
        store.put_facts({_lock_key(one.id): {"pid": 1, "began": "1"} for one in store.runs()})
        store.connection.execute("UPDATE run SET status = 'running'")
        store.connection.execute("PRAGMA journal_mode = DELETE")


def make_published(folder, run):
    """A published run, claims, matrices, costs, a self-check, rows and a size grid."""
    data = resources("data")
    for name in ("run", "claims", f"costs/{PUBLISHED}", "selfcheck", "results", "grid"):
        (folder / name).mkdir(parents=True)
    write_files(folder / "run", as_files(run))
    shutil.copy(sorted(data.glob("claims/*.json"))[3], folder / "claims")
    matrices = published_matrices()
    Matrices(matrices[:3]).write(folder / "archive" / "fidelity")
    for path in (data / PUBLISHED).glob("*.json"):
        known = json.loads(path.read_text(encoding="utf-8"))
        few = {name: value[:4] if isinstance(value, list) else value for name, value in known.items()}
        (folder / "costs" / PUBLISHED / path.name).write_text(json.dumps(few), encoding="utf-8")
    shutil.copy(data / "selfcheck.json", folder / "selfcheck")
    rows = json.loads((data / "nested_models" / "results.json").read_text(encoding="utf-8"))
    (folder / "results" / "results.json").write_text(json.dumps(rows | {"rows": rows["rows"][:8]}), encoding="utf-8")
    shutil.copy(data / "size-grids" / "varied" / "tiny" / ROWS, folder / "grid")


def make_others(folder):
    """A notebook with its execution, and environments."""
    (folder / "notebooks" / EXECUTED).mkdir(parents=True)
    notebook = json.loads((resources("notebooks") / "nested_models.ipynb").read_text(encoding="utf-8"))
    (folder / "notebooks" / "nested_models.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    notebook["metadata"]["papermill"] = {"exception": None, "end_time": "2026-01-01T00:00:00"}
    for cell in notebook["cells"]:
        cell["metadata"]["papermill"] = {"end_time": "2026-01-01T00:00:00"}
    (folder / "notebooks" / EXECUTED / "nested_models.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "environments" / "made" / "bin").mkdir(parents=True)
    (folder / "environments" / "made" / "bin" / "python").touch()
    (folder / "environments" / "made" / environments.MANIFEST).write_text(json.dumps(MANIFEST), encoding="utf-8")


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """A valid file or folder of each kind, with the function that looks at it."""
    folder = tmp_path_factory.mktemp("originals")
    run = known_runs.run("20260101-000000-abcd", [Point("client", 10, 2, 0)], ("encode", "decode"))
    make_store(folder / "runs.sqlite", run)
    make_published(folder, run)
    make_others(folder)
    for name, look in LOOKS.items():
        look(folder / name)
    assert published(folder / "results")
    assert read_size_grid(folder / "grid" / ROWS)
    assert has_result(folder / "notebooks", "nested_models")
    assert environments._read(folder / "environments" / "made" / environments.MANIFEST)
    return {folder / name: look for name, look in LOOKS.items()}


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
    derived = "results.*" if (path / "run.json").exists() else ""  # which nobody reads
    files = sorted(one for one in path.rglob("*") if one.is_file() and not (derived and one.match(derived)))
    documents = [one for one in files if one.name.endswith((".json", ".json.gz", ".ipynb", ".value"))]
    if documents and drawn.random() < 0.75:
        change_document(drawn, drawn.choice(documents))
    else:
        change_bytes(drawn, drawn.choice(files))


def mutated(originals, folder, count, seed):
    """So many mutated files; how many of each kind were refused."""
    drawn, refused = random.Random(seed), Counter()
    for number in range(count):
        original = list(originals)[number % len(originals)]
        copy = folder / f"{number}{original.suffix}"
        (shutil.copytree if original.is_dir() else shutil.copy)(original, copy)
        for _ in range(drawn.randint(1, 2)):
            mutate(drawn, copy)
        try:
            originals[original](copy)
        except SerbenchError as error:
            refused[original.name] += 1
            if "\n" in str(error) or str(copy) not in str(error):
                raise AssertionError(f"seed {seed}, number {number}: the line is {error}") from None
        except Exception as error:
            raise AssertionError(f"seed {seed}, number {number}, {original.name}") from error
        shutil.rmtree(copy) if copy.is_dir() else [one.unlink() for one in Path(folder).glob(f"{number}.*")]
    return refused


@pytest.mark.slow
def test_foreign_files_are_shown_or_refused(originals, tmp_path):
    """Of a few mutated files none ends in a traceback or hangs; a line names the file."""
    assert mutated(originals, tmp_path, 165, 41).total() > 30


@pytest.mark.every
@pytest.mark.timeout(3600)
def test_ten_thousand_foreign_files(originals, tmp_path, capsys):
    """Of more than 10,000 mutated files of all kinds none ends in a traceback or hangs."""
    refused = mutated(originals, tmp_path, 11_000, 10_000)
    told = ", ".join(f"{name} {count:,}" for name, count in refused.items())
    with capsys.disabled():
        said = f"11,000 mutated files, 1,000 of each kind: {refused.total():,} refused in one line"
        sys.stdout.write(f"\n{said} ({told}), the others shown or left out\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("plan", "{bad", r"run 2\S+: plan: Expecting property name"),
        ("plan", '{"records": "many"}', r"run 2\S+: plan: Expected `array`, got `str` - at `records`"),
        ("seconds", -1.0, r"seconds is -1.0, less than 0"),
        ("started", "yesterday", r"started 'yesterday' is not a date"),
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


def test_the_probes_of_an_archive_have_names(tmp_path, originals):
    """Matrices of somebody else's whose probe is a number are refused by the file."""
    archive = next(path for path in originals if path.name == "archive")
    shutil.copytree(archive, folder := tmp_path / "archive")
    (path,) = folder.rglob("*.json.gz")
    data = json.loads(gzip.decompress(path.read_bytes()))
    data["probes"]["fidelity"][0] = 5
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    with pytest.raises(PlanError, match=r"has no readable matrices \(probes: Expected `str`, got `int`"):
        look_at_archive(folder)


def test_matrices_are_read_again_if_their_file_changes(tmp_path):
    """Outcomes that are asked for with every move of a control are read once, and again if others are written."""
    all_of_them = published_matrices()
    for some in (all_of_them[:2], all_of_them[2:5]):
        Matrices(tuple(some)).write(tmp_path)
        first, second = (Matrices.read(tmp_path) for _ in range(2))
        assert tuple(some) == first.cases
        assert list(map(id, first)) == list(map(id, second))
