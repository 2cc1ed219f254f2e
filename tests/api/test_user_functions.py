"""Functions of one's own are cases: plain pairs, proven as any other, rows like any other."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import pytest
from waits import run

import serbench
from serbench.errors import PlanError
from serbench.measure.carried import function_files

SCRIPT = """
import json
from dataclasses import asdict, dataclass
import serbench

@dataclass
class User:
    name: str
    email: str

@dataclass
class Client:
    id: str
    user: User

SEPARATORS = (",", ":")
opened = open(__file__)

def write(document):
    return json.dumps(document, separators=SEPARATORS).encode()

def broken(blob):
    return {**json.loads(blob), "last_contact": "1"}

def held(blob):
    return opened.read()

if __name__ == "__main__":
    serbench.run("client", libraries=["msgspec", {"mine/json": (write, json.loads)}], formats="json", effort="quick").write("out")
    for pair in ((write, broken), (write, held), write):
        try:
            cells = serbench.verify("client", records=1, libraries={"mine/json": pair})
            print(cells[0].status, cells[0].reason)
        except serbench.PlanError as error:
            print(error)
"""


def verified(libraries, workload="client", **options):
    """The status and the reason of each of these functions."""
    cells = serbench.verify(workload, records=1, libraries=libraries, operations=["encode"], **options)
    return [(cell.library, cell.format, cell.status, cell.reason) for cell in cells]


@pytest.mark.full
def test_functions_of_a_script_are_rows(tmp_path):
    """They are measured beside libraries, with work class and bytes; what they spoil, and what cannot travel, is told."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {"SERBENCH_STORE": str(tmp_path / "store.sqlite"), "PYTHONPATH": ":".join(filter(None, sys.path))}
    spoiled, held, no_pair = run([sys.executable, script], env=environment, cwd=tmp_path).stdout.splitlines()
    assert spoiled.startswith("failed decode: value.last_contact: expected ")
    assert held.startswith("mine/json: opened cannot be taken to a fresh process")
    assert no_pair.startswith("mine/json is a pair of functions, (encode, decode), not <function write")
    rows = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["rows"]
    (mine,) = [row for row in rows if row["library"] == "mine" and row["operation"] == "decode"]
    assert ("functions", "json", "dicts, unchecked") == tuple(mine[name] for name in ("codec", "format", "work_class"))
    assert mine["time_ns"] > 0
    (source,) = [
        text
        for text in serbench.load("latest", store=tmp_path / "store.sqlite").sources.values()
        if "_serbench_user_code" in text
    ]
    assert "# encode:\n# def write(document):\n#     return json.dumps(document" in source
    assert "# decode:\n# json.loads\n" in source


def test_a_file_of_functions_is_a_case(tmp_path, monkeypatch):
    """The text `name/format=file.py` names a file with encode and decode, as the command line takes it."""
    (tmp_path / "codec.py").write_text(
        "from json import dumps, loads as decode\ndef encode(x): return dumps(x).encode()\n"
    )
    monkeypatch.chdir(tmp_path)
    assert [("mine", "json", "ok", None)] == verified("mine/json=codec.py")
    assert [("mine", "bytes", "ok", None)] == verified("mine=codec.py")
    with pytest.raises(PlanError, match="msgspec is a library"):
        verified("msgspec=codec.py")
    with pytest.raises(PlanError, match="unknown format 'jsn'"):
        verified("mine/jsn=codec.py")
    with pytest.raises(PlanError, match="avro cannot be read without its schema"):
        verified("mine/avro=codec.py")
    (tmp_path / "half.py").write_text("def encode(x): return b''\n")
    with pytest.raises(PlanError, match="has no function decode"):
        verified("mine=half.py")


@dataclass
class Person:
    fullname: str
    email: str


@dataclass
class Customer:
    user: Person
    last_contact: str


def dump(one):
    return json.dumps({"user": vars(one.user), "last_contact": one.last_contact}).encode()


def load(blob):
    data = json.loads(blob)
    return Customer(Person(**data["user"]), data["last_contact"])


@pytest.mark.slow
def test_functions_may_have_objects_of_their_own():
    """What encode takes is what decode makes of the document's bytes, or what a third function makes of plain values."""

    def build(document):
        return Customer(Person(**document["user"]), document["last_contact"])

    assert [("mine", "json", "ok", None)] == verified({"mine/json": (dump, load)})
    assert [("mine", "bytes", "ok", None)] == verified({"mine": (dump, load, build)})
    ((_, _, status, reason),) = verified({"mine": (dump, load)})
    assert ("failed", "AttributeError: 'dict' object has no attribute 'user'") == (status, reason)


def test_the_bytes_are_read_in_the_format_that_is_named():
    """Functions that agree with each other and not with the document's JSON are refused."""
    backwards = (lambda document: json.dumps(document).encode()[::-1], lambda blob: json.loads(blob[::-1]))
    assert "ok" == verified({"mine": backwards})[0][2]
    assert "failed" == verified({"mine/json": backwards})[0][2]


def test_a_name_that_cannot_be_one_is_refused():
    """A comma would make two of it."""
    with pytest.raises(PlanError, match="cannot be a name"):
        function_files({"a,b": (dump, load)})


@pytest.mark.slow
def test_functions_are_recommended_with_what_is_known_of_them():
    """Advice on a run counts them; a demand of which only a library's file knows refuses them, and so do the probes."""
    pair = {"mine/json": (lambda document: json.dumps(document).encode(), json.loads)}
    run = serbench.run("tiny", records=1, libraries=[pair, "dataclasses"], formats="json/json", effort="quick")
    assert "mine via functions" in str(serbench.recommend(measured=run))
    refused = "1 combination left out: standard-library is unknown for your own functions"
    assert refused in str(serbench.recommend(measured=run, demands=["standard-library"]))
    refused = "2 combinations left out: wrong input passes unchecked"
    assert refused in str(serbench.recommend(measured=run, demands=["validating"]))
    with pytest.raises(PlanError, match="are functions; only run, recommend and verify"):
        serbench.probe(libraries=pair)
