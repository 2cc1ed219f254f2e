"""The command line says in one line what is wrong, prints what it promises, and loses nothing when it is killed."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from waits import LONGEST_S, run, until

from serbench.api.command_line.commands import USUAL
from serbench.api.command_line.printing import print_rows
from serbench.api.command_line.program import COMMANDS, program
from serbench.api.running import load, runs
from serbench.api.verifying import Matrices, probed, verify
from serbench.errors import StoreError
from serbench.judge.rows import COLUMNS
from serbench.render.case import render
from serbench.store.store import Store

RUN_KEYS = {"run", "date", "command", "machine", "control", "warnings", "rows"}
PROGRAM = [sys.executable, "-c", "from serbench.api.command_line.program import main; main()"]
HELP = ("--help", "--help-all")
HOT = ("--conditions", "hot")  # a program of its own has no short streams: see conftest.py
SMALL = ("run", "-n", "1", "-e", "quick", "-l", "msgspec,dataclasses", "-f", "orjson,msgpack/msgpack", *HOT)

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc and sends POSIX signals")


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """The store of this test, which the environment names."""
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "runs.sqlite"))
    return tmp_path / "runs.sqlite"


def start(*arguments):
    """The command line in a process of its own."""
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_nothing_to_resume_is_said(refused):
    """A store without an unfinished run has none to go on with."""
    assert "there is no unfinished run in" in refused("run", "--resume")


def test_the_module_is_the_program():
    """`python -m serbench` is `serbench`: its version and its commands."""
    done = run([sys.executable, "-m", "serbench", "--version"])
    assert re.fullmatch(r"serbench \S+\n", done.stdout)


@pytest.mark.parametrize("width", [60, 90])
def test_a_piped_table_is_as_wide_as_columns_says(cli, monkeypatch, width):
    """COLUMNS is the width where there is no terminal."""
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = cli("show", "workloads")
    lines = out.splitlines()
    assert (0, True) == (code, width - 10 < max(map(len, lines)) <= width)
    assert "integers" in " ".join(lines).split()


def test_the_code_of_another_version_is_shown(cli):
    """`show` writes for the version that is named, and says if that has run nothing here."""
    code, out, err = cli("show", "pydantic@1.10", "json")
    assert (0, True) == (code, "parse_obj_as" in out)
    code, out, err = cli("show", "msgspec@9.9", "json")
    assert (0, "import msgspec") == (code, out.splitlines()[0])
    assert "msgspec==9.9.* is not built here" in err
    assert "`serbench verify --library msgspec@9.9 --format json` does" in err


def test_nothing_measured_is_no(cli):
    """A run whose every case lacks what was named ends with 1, and one line says why."""
    code, out, err = cli(
        "run", "-w", "tiny", "-l", "dataclasses", "-f", "orjson", "--python", "nosuch", "-e", "quick", "--json"
    )
    assert (1, True) == (code, all(row["time_ns"] is None for row in json.loads(out)["rows"]))
    assert err.splitlines()[-1].startswith("nothing was measured: ")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["", "--all", "--sweep=3"])
def test_nothing_verified_is_no(cli, mode):
    """Proving ends with 1 if no case of what was named could be had, and one line says why; a note names the case."""
    codecs = ["-f", "orjson"] if mode else ["-w", "tiny", "-f", "json"]  # some of json's only read
    named = ["verify", *([mode] if mode else []), "-l", "dataclasses", *codecs]
    code, out, err = cli(*named, "--python", "nosuch")
    assert "\n- :" not in out
    assert (1, 1) == (code, sum(line.startswith("nothing was ") for line in err.splitlines()))
    assert "no interpreter 'nosuch'" in err.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["run", *(pytest.param(name, marks=pytest.mark.full) for name in ("history", "recommend"))]
)
def test_one_of_several_named_libraries_measures_nothing(cli, command):
    """A version that cannot be built ends with 1, and its line names it; what could be measured is printed."""
    named = {"history": ["pydantic", "99.99,installed"]}.get(command, ["-l", "pydantic@99.99,dataclasses"])
    code, out, err = cli(command, *named, "-w", "tiny", "-f", "json/json", "-e", "quick")
    (line,) = (line for line in err.splitlines() if line.startswith("nothing was measured"))
    assert (1, True) == (code, line.startswith("nothing was measured of pydantic (pydantic==99.99.*): "))
    assert out


@pytest.mark.slow
def test_one_of_several_named_endpoints_cannot_be_had(cli):
    """As of libraries: the rest is printed, a line names the framework, and the code is 1."""
    code, out, err = cli("verify", "--endpoint", "flask,falcon@99.99", "-w", "tiny", "-o", "encode")
    assert (1, True) == (code, "nothing was verified of falcon (falcon==99.99.*): " in err)
    assert "flask" in out


def test_no_command_at_all_gives_the_help(cli):
    """`serbench` alone is `serbench --help`, which fits on a screen of 24 lines above the prompt."""
    assert cli("--help") == cli()
    code, out, _ = cli()
    assert (0, True) == (code, len(out.splitlines()) <= 23 and max(map(len, out.splitlines())) <= 80)


@linux
@pytest.mark.parametrize(
    ("closed", "told"),
    [(">&-", (2, "serbench: standard output is closed; send it to a file or to /dev/null\n")), ("2>&-", (0, ""))],
)
def test_a_stream_that_the_shell_has_closed(closed, told):
    """Without standard output nothing can be answered, which is said; without standard error, the answer is printed."""
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "serbench", "show", "workloads"]
    done = run(command, check=False)
    assert told == (done.returncode, done.stderr)
    assert ("integers" in done.stdout) == (told[0] == 0)


def test_nothing_is_completed(cli, monkeypatch):
    """What click would read from the environment changes no command, whatever version of click is there."""
    version = cli("--version")
    monkeypatch.setenv("_SERBENCH_COMPLETE", "bash_source")
    assert version == cli("--version")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "env"])  # which is a group of two
def test_rare_options_are_shown_on_request(cli, name):
    """A command's help has at most eight options, and with --help-all every one."""
    usual, every = (set(re.findall("^  (?:-., )?(--[a-z-]+)", cli(name, flag)[1], re.MULTILINE)) for flag in HELP)
    known = {flag for param in program().get_command(None, name).params for flag in param.opts if flag[:2] == "--"}
    assert {f"--{option}" for option in USUAL[name].split()} == usual - set(HELP)
    assert (known, True) == (every - set(HELP), len(usual - set(HELP)) <= 8)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The one object that a run of article 004's libraries prints, and the store it is in."""
    path = tmp_path_factory.mktemp("measured") / "runs.sqlite"
    choice = ["-n", "1", "-e", "quick", "-l", "dataclasses,dacite,pydantic,cattrs,msgspec", "-o", "decode"]
    return run([*PROGRAM, "run", *choice, *HOT, "--store", path, "--json"]), path


@pytest.mark.slow
def test_run_prints_one_object_with_the_promised_keys(measured):
    """Nothing but one JSON object goes to standard output, and every row has every key."""
    done, _ = measured
    data = json.loads(done.stdout)
    assert 1 == done.stdout.count("\n")
    assert set() == RUN_KEYS - set(data)
    assert {"aa_error", "aa_miss_rate", "aa_cases"} == set(data["control"])
    assert data["command"].endswith("--json")
    assert data["rows"]
    for row in data["rows"]:
        assert set(COLUMNS) == set(row)
        assert ("client", 1, 2, 0, "decode") == tuple(
            row[k] for k in ("workload", "records", "depth", "seed", "operation")
        )


def test_the_sizes_are_those_of_the_published_comparison(measured):
    """One `client` has the bytes that article 004 prints, with every library."""
    rows = [row for row in json.loads(measured[0].stdout)["rows"] if row["format"] != "pickle"]
    published = {"json": {"json": 106, "orjson": 100, "msgspec": 100, "pydantic": 100}}
    published["msgpack"] = {"msgpack": 86, "msgspec": 86}
    sizes = {(row["library"], row["codec"], row["format"]): row["size_bytes"] for row in rows}
    assert {key: published[key[2]][key[1]] for key in sizes} == sizes
    for library in ("dacite", "pydantic", "cattrs", "msgspec"):
        assert {"json", "orjson", "msgspec", "msgpack"} <= {codec for name, codec, _ in sizes if name == library}


def test_list_libraries_has_the_promised_keys(cli):
    """One object with `libraries`, each with name, version, environment, variants, work class, status and reason."""
    code, out, err = cli("show", "libraries", "--json")
    assert (0, "") == (code, err)
    listed = json.loads(out)["libraries"]
    assert {"msgspec", "pydantic", "dataclasses"} <= {library["name"] for library in listed}
    for library in listed:
        keys = {"name", "version", "environment", "variants", "work_class", "status", "reason"}
        assert set() == keys - set(library)


@pytest.mark.parametrize("what", ["libraries", "formats", "workloads", "environments", "runs"])
def test_every_list_prints_with_and_without_json(cli, what):
    """A list is text for people, and one object under its own name for programs."""
    assert [what] == list(json.loads(cli("show", what, "--json")[1]))
    assert (0, "") == cli("show", what)[::2]


@pytest.mark.slow
def test_what_a_run_measured_can_be_listed_and_compared(measured, cli):
    """A stored run is in the list of runs; another is held against it, and it is not held against itself."""
    done, path = measured
    name = json.loads(done.stdout)["run"]
    (listed,) = json.loads(cli("show", "runs", "--store", path, "--json")[1])["runs"]
    assert (name, "finished") == (listed["run"], listed["status"])
    code, out, error = cli("compare", name, "latest", "--store", path)
    assert (2, "") == (code, out)
    assert "cannot be compared with itself" in error
    row = json.loads(done.stdout)["rows"][0]
    one = ("-w", row["workload"], "-n", row["records"], "-l", "msgspec", "-f", "orjson", "-e", "quick")
    assert cli("run", *one, *HOT, "--store", path)[0] == 0
    code, out, _ = cli("compare", name, "--store", path)
    assert code == 0
    assert name in out
    changes = json.loads(cli("compare", name, "latest", "--store", path, "--json")[1])["changes"]
    assert {"msgspec"} == {change["library"] for change in changes if change["verdict"] != "missing"}


def test_a_stored_run_is_shown_and_converted(measured, cli):
    """`run --stored` prints the object that the run printed, and `--to` what `Run.export` gives."""
    printed, path = json.loads(measured[0].stdout), measured[1]
    stored = ("run", "--stored", printed["run"], "--store", path)
    code, out, _ = cli(*stored, "--json")
    assert (0, printed["rows"]) == (code, json.loads(out)["rows"])
    assert (0, load(printed["run"], store=path).export("csv"), "") == cli(*stored, "--to", "csv")


def test_a_proof_that_takes_long_says_so(tmp_path, cli, monkeypatch):
    """While a module is proven, a line on standard error says what is done, and for how long."""
    monkeypatch.setattr("serbench.store.progress.SILENCE_S", 0.0)
    monkeypatch.setattr("serbench.store.progress.LOOKED_S", 0.001)
    (tmp_path / "orders.json").write_text('[{"id": 1}]')
    code, out, told = cli("adopt", "msgspec", "json", "--payload", tmp_path / "orders.json")
    assert (code, "class Order" in out) == (0, True)
    assert re.search(r"(?m)^proving the module \(\d+ s\)$", told)


def test_verify_says_yes_where_every_case_keeps_the_data(cli):
    """Exit code 0, and a row with a work class and a size for each case."""
    code, out, _ = cli(
        "verify", "-n", "2", "-l", "msgspec,dataclasses", "-f", "json/json,orjson/json,msgspec/json", "--json"
    )
    assert code == 0
    assert {("ok", None)} == {(row["status"], row["reason"]) for row in json.loads(out)["rows"]}
    assert all(row["size_bytes"] and row["work_class"] for row in json.loads(out)["rows"])
    assert 6 == len({(row["library"], row["codec"]) for row in json.loads(out)["rows"]}) == len(json.loads(out)["rows"])


def test_rows_of_several_sizes_say_theirs(cli):
    """JSON has the size in each row; a table, and the notebook's, only if there are several."""
    choice = ("verify", "-w", "client", "-l", "msgspec", "-f", "json/json")
    rows = json.loads(cli(*choice, "-n", "1,3", "-d", "2,3", "--json")[1])["rows"]
    assert {(1, 2), (1, 3), (3, 2), (3, 3)} == {(row["records"], row["depth"]) for row in rows}
    assert "records" in cli(*choice, "-n", "1,3")[1].split()
    assert "records" not in cli(*choice)[1].split()
    found = verify(libraries="msgspec", formats="json/json", records=[1, 3])
    assert {1, 3} == {row["records"] for row in found.to_data()["rows"]}
    assert "records" in str(found)


def test_verify_answers_where_the_usual_store_is_a_folder(cli, tmp_path, monkeypatch):
    """As wherever the usual store cannot be written, nothing is remembered; one that is named is refused."""
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path))
    choice = ("verify", "-l", "msgspec", "-f", "json/json")
    code, out, _ = cli(*choice)
    assert (0, True) == (code, "msgspec" in out)
    code, _, error = cli(*choice, "--store", tmp_path)
    assert (2, f"serbench: {tmp_path} is a folder; name a file in it with --store\n") == (code, error)


@pytest.mark.slow
def test_verify_says_what_becomes_of_unknown_keys(cli):
    """A row says what its case does with an unknown key, as the probes have found it; for an unprobed variant nothing."""
    choice = ("-n", "2", "-l", "msgspec,marshmallow,typeddict,msgspec[forbid_unknown_fields=True]", "-f", "json/json")
    rows = json.loads(cli("verify", *choice, "--json")[1])["rows"]
    found = {(row["library"], row["variant"]): row["unknown_keys"] for row in rows}
    assert {
        ("msgspec", "default"): "dropped",
        ("marshmallow", "default"): "refused",
        ("typeddict", "default"): "kept",
        ("msgspec", "forbid_unknown_fields=True"): None,
    } == found


def test_an_unknown_key_of_another_version_names_it(cli, monkeypatch):
    """What was probed with a version that is not installed says so."""
    others = Matrices(tuple(replace(one, version="0.1") for one in probed()))
    monkeypatch.setattr("serbench.api.command_line.proving.probed", lambda **_: others)
    (row,) = json.loads(cli("verify", "-n", "2", "-l", "msgspec", "-f", "json/json", "--json")[1])["rows"]
    assert "dropped in 0.1" == row["unknown_keys"]


@pytest.mark.parametrize(
    ("document", "found"), [([1, 2], None), ({"en": 1, "de": 1.5, "fr": 2.5}, None), ([{"a": 1}], "dropped")]
)
def test_data_without_records_has_no_unknown_keys(cli, tmp_path, document, found):
    """Where no object has fields, verify says nothing of an unknown key."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    rows = json.loads(cli("verify", "--payload", path, "-l", "msgspec", "-f", "orjson", "--json")[1])["rows"]
    assert {found} == {row["unknown_keys"] for row in rows}


def test_codecs_that_validate_differently_are_told_in_words(capsys):
    """Of a library whose codecs validate differently all kinds are printed as tables name them; fields stay as they are."""
    classes = ["objects, coercing; objects, unchecked, lossy (at: offset; of: sign)", "objects"]
    print_rows([{"name": "some", "work_class": one} for one in classes], nothing="")
    assert "coerces; no validation, lossy (at: offset; of: sign)" in " ".join(capsys.readouterr().out.split())


def test_a_codec_that_only_writes_has_no_validation(cli, tmp_path):
    """A row whose decoding is not supported says nothing in the column of validation."""
    path = tmp_path / "x.json"
    path.write_text('{"name": "a"}', encoding="utf-8")
    pytest.importorskip("yyjson")
    code, out, _ = cli("verify", "--payload", path, "-l", "msgspec", "-f", "yyjson")
    assert (0, True, False) == (code, "decodes text beyond" in " ".join(out.split()), "objects" in out)


def test_verify_says_no_where_one_case_loses_data(cli, monkeypatch):
    """With a decoder that drops the last record the exit code is 1, and its row alone says what is missing."""

    def broken(library, variant, codec, schema, *rest):
        case = render(library, variant, codec, schema, *rest)
        if library.name != "msgspec":
            return case
        return replace(
            case, source=f"{case.source}\nwhole = decode\n\n\ndef decode(blob):\n    return whole(blob)[:-1]\n"
        )

    monkeypatch.setattr("serbench.measure.plan.render", broken)
    code, out, _ = cli("verify", "-n", "2", "-l", "msgspec,dataclasses", "-f", "orjson", "--json")
    assert code == 1
    rows = {row["library"]: row for row in json.loads(out)["rows"]}
    assert ("failed", "ok") == (rows["msgspec"]["status"], rows["dataclasses"]["status"])
    assert rows["msgspec"]["reason"].startswith("decode: value")


def samples_in(path):
    """The samples of the newest run: (cell, wave, visit, round) → times."""
    with Store(path, read_only=True) as opened:
        return {tuple(row[:4]): tuple(row[4:]) for row in opened.load().samples.tolist()}


def wait_for_wave(process, path, wave):
    """Returns once the store has samples of that wave, while the run goes on."""

    def has_it():
        assert process.poll() is None, process.communicate(timeout=LONGEST_S)
        try:
            return path.exists() and any(key[1] >= wave for key in samples_in(path))
        except StoreError:  # it has no run yet
            return False

    until(has_it, f"samples of wave {wave}")


@pytest.mark.full
@linux
def test_an_interrupted_run_shows_what_is_measured_and_goes_on(store, cli, refused):
    """While it measures no other process takes it; after Ctrl-C there is a table and how to go on, which loses nothing."""
    process = start(*SMALL)
    wait_for_wave(process, store, 1)
    assert "is being measured by another process" in refused("run", "--resume")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130
    assert "decode client · 1 record · depth 2" in out
    assert not set(out) & {"\x1b", "\r", "\b"}
    assert "interrupted; what was measured is kept; `serbench run --resume` goes on" in err
    before = samples_in(store)
    code, out, _ = cli("run", "--resume", "--json")
    assert code == 0
    assert {"ok", "unresolved"} >= {row["status"] for row in json.loads(out)["rows"]}
    assert before.items() <= samples_in(store).items()
    (listed,) = json.loads(cli("show", "runs", "--json")[1])["runs"]
    assert "finished" == listed["status"]
    assert "no unfinished run" in cli("run", "--resume")[2]


@pytest.mark.slow
def test_what_is_probed_is_remembered_by_others(store):
    """Another process, in which sets have another order, knows what one has found out."""
    before = {one.case: one.date for one in probed()}
    script = "import serbench; serbench.probe('dataclasses', 'json/json')"
    environment = {**os.environ, "SERBENCH_STORE": str(store), "PYTHONHASHSEED": "1"}
    run([sys.executable, "-c", script], env=environment)
    fresh = [one for one in probed() if one.date > before.get(one.case, "")]
    assert {("dataclasses", "json")} == {(one.library, one.codec) for one in fresh}


GATE = ("gate", "--baseline", "dataclasses", "--candidate", "typeddict")


@pytest.mark.parametrize(
    ("command", "option", "place", "words"),
    [
        (GATE, "--output", "", "Is a directory"),
        (GATE, "--output", "nowhere/out", "No such file or directory"),
        (GATE, "--output", "file/out", "Not a directory"),
        (("history", "dataclasses", "installed"), "--output", "file/out", "Not a directory"),
        (("verify",), "--output", "", "Is a directory"),
        (("verify", "--all"), "--output", "nowhere/out", "No such file or directory"),
        (("weigh",), "--output", "file/out", "Not a directory"),
        (("selfcheck",), "--output", "nowhere/out", "No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_measured(
    refused, store, tmp_path, command, option, place, words
):
    """A file that cannot be written is named with the reason and what to do instead; nothing is measured or stored."""
    (tmp_path / "file").touch()
    said = refused(*command, option, tmp_path / place)
    assert f"{tmp_path / place} cannot be written: {words}; name another with {option}" in said
    assert not store.exists()


@pytest.mark.slow
def test_every_probe_from_the_command_line(cli):
    """`verify --all` prints the matrices as one JSON object and ends with 0, whatever they say."""
    code, out, _ = cli("verify", "--all", "-l", "dataclasses", "-f", "cbor2", "--json")
    (case,) = json.loads(out)["cases"]
    assert (0, "refused") == (code, case["fidelity"]["lists 1,000 deep"]["outcome"])
    (remembered,) = (one for one in probed() if one.case == ("dataclasses", "default", "main", "cbor", "cbor2"))
    assert case["fidelity"].keys() == remembered.fidelity.keys()
    assert case["date"] == remembered.date


@pytest.mark.slow
def test_a_sweep_from_the_command_line(cli):
    """`verify --sweep` tells each difference in one line and ends with 1 if there is one; the seed decides the values."""
    code, out, _ = cli("verify", "--sweep", "30", "--seed", "3", "-l", "marshmallow", "-f", "json/json")
    (line,) = (line for line in out.splitlines() if line.startswith("marshmallow") and ": decimal " in line)
    assert (1, True) == (
        code,
        re.search(r"expected Decimal\('\dE\+\d+'\), got Decimal\('\d0*'\)$", line) is not None,
    ), line
    code, out, _ = cli("verify", "--sweep", "2", "-l", "typeddict", "-f", "json/json", "--json")
    (case,) = json.loads(out)["rows"]
    assert (0, [], 88) == (code, case["differences"], case["tried"] + 2 * len(case["unsupported"]))


@pytest.mark.full
def test_a_budget_does_not_hold_readers_against_objects(cli):
    """What a format's own objects can do in decoding stands on a board of its own, below that of a user's objects."""
    choice = ("-w", "rows", "-n", "5", "-l", "dataclasses,generated", "-f", "numpy,orjson", "-o", "decode")
    assert cli("run", *choice, "-e", "quick")[0] == 0
    code, out, _ = cli("recommend", "--run", "latest", "--bandwidth", "1Gbit/s")
    titles = [line for line in out.splitlines() if line.startswith("decode rows")]
    assert (0, ["decode rows · 5 records · depth 1 · varied documents", f"{titles[0]}, a format's own objects"]) == (
        code,
        titles,
    )


@pytest.mark.slow
def test_recommend_needs_nothing_but_a_file(cli, tmp_path, monkeypatch):
    """The schema comes first, at most four lines of evidence follow, and the answer is last, with the command to adopt it."""
    file = tmp_path / "my orders.json"
    file.write_text('[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]')
    monkeypatch.setattr(sys, "argv", ["serbench", "recommend", str(file)])
    store = tmp_path / "s.sqlite"
    code, out, said = cli("recommend", file, "-l", "msgspec,dataclasses", "-f", "orjson", "--store", store)
    assert (1, True) == (len(runs(store=store)), "combinations can still change that" in said)
    lines = [line for line in out.splitlines() if line.strip()]
    assert (0, "list of ") == (code, lines[0][:8])
    answer = [
        line.split()[0]
        for line in lines[-6:]
        if line[:1].strip() and line.split()[0] in ("use", "gain", "cost", "next")
    ]
    assert ["use", "gain", "cost", "next"] == answer
    assert re.search(r"^next  serbench (adopt|recommend) ", "\n".join(lines[-6:]), re.MULTILINE)
    assert "my orders.json" in " ".join(" ".join(lines[-6:]).split())
