"""A gate for two git revisions of a module: proven slower, proven not to be, or refused because the answers differ."""

from __future__ import annotations

import json

import pytest
from waits import run

from serbench.ask.command_line.program import main
from serbench.ask.judging import gate
from serbench.errors import PlanError
from serbench.measure.plan import Effort
from serbench.measure.revisions import compare_sides
from serbench.model.data.payload import from_payload
from serbench.results import Point

PLAIN = "import json\n\ndef encode(document):\n    return json.dumps(document).encode()\n\n\ndef decode(blob):\n    return json.loads(blob)\n"
SLOW = PLAIN.replace("    return json.loads", "    sum(range(20000))\n    return json.loads")
COMPACT = PLAIN.replace("json.dumps(document)", 'json.dumps(document, separators=(",", ":"))')
WRONG = PLAIN.replace("json.loads(blob)", "[dict(one, fullname=0) for one in json.loads(blob)]")
BROKEN = PLAIN.replace("json.loads(blob)", "json.no_such_function(blob)")
MODELS = "class Item:\n    def __init__(self, name):\n        self.name = name\n"
OBJECTS = """import json

from .models import Item


def build(values):
    return [Item(value["name"]) for value in values]


def encode(items):
    return json.dumps([item.name for item in items]).encode()


def decode(blob):
    return [Item(name) for name in json.loads(blob)]
"""


@pytest.fixture
def repository(tmp_path):
    """Commits a text as shop/codec.py of a package, under a tag; gives the file's path."""
    folder = tmp_path / "shop"
    folder.mkdir()

    def git(*arguments):
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
        run(["git", *who, *arguments], cwd=tmp_path)

    def commit(**texts):
        for tag, text in texts.items():
            (folder / "codec.py").write_text(text, encoding="utf-8")
            git("add", "-A")
            git("commit", "--allow-empty", "-m", tag)
            git("tag", tag)
        return folder / "codec.py"

    git("init", "-q")
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "models.py").write_text(MODELS, encoding="utf-8")
    return commit


@pytest.fixture
def payload(tmp_path):
    """A small document of records with a name."""
    path = tmp_path / "items.json"
    path.write_text(json.dumps([{"name": f"item {n}", "when": "2026-01-01"} for n in range(20)]), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_slower_decode_is_proven(repository, payload, capsys):
    """The exit code is 1, decode is slower, and the encoding that did not change is not."""
    module = repository(old=PLAIN, new=SLOW)
    arguments = [
        "--module",
        str(module),
        "--payload",
        str(payload),
        "--effort",
        "quick",
        "--threshold",
        "20%",
        "--json",
    ]
    with pytest.raises(SystemExit) as ended:
        main(["gate", "--baseline", "old", "--candidate", "new", *arguments])
    found = json.loads(capsys.readouterr().out)
    assert (1, "slower") == (ended.value.code, found["verdict"])
    verdicts = {check["operation"]: check["verdict"] for check in found["checks"]}
    assert "slower" == verdicts["decode"]
    assert "slower" != verdicts["encode"]


@pytest.mark.slow
def test_other_bytes_are_fine_where_they_mean_the_same(repository, payload):
    """A candidate that writes no spaces is compared, and its way back is far from slower than 500 %."""
    module = repository(old=PLAIN)
    module.write_text(COMPACT, encoding="utf-8")  # not committed: the work tree
    found = gate("old", ".", module=module, payload=payload, effort="quick", threshold=5.0)
    assert ("fine", 2) == (found.verdict, len(found.checks))


@pytest.mark.slow
def test_objects_of_a_package_are_compared_by_their_fields(repository, payload):
    """A module with relative imports makes its objects by its own `build`, and they are alike by type and fields."""
    module = repository(old=OBJECTS, new=OBJECTS.replace("json.loads(blob)", "list(json.loads(blob))"))
    assert "slower" != gate("old", "new", module=module, payload=payload, effort="quick", threshold=9.0).verdict


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "broken", "message"),
    [
        (WRONG, {"decode"}, "decodes to other data"),
        (BROKEN, {"decode"}, "AttributeError: module 'json' has no"),
        ("x = 1\n", {"encode", "decode"}, "has no attribute"),
        (
            PLAIN.replace("dumps(document)", "dumps(document[:1])"),
            {"encode"},
            "candidate's bytes",
        ),
        (
            PLAIN.replace("json.dumps(document).encode()", 'b"[]"'),
            {"encode"},
            "candidate's bytes",
        ),
        (
            PLAIN.replace("dumps(document)", 'dumps([{**one, "country": "?"} for one in document])'),
            {"encode"},
            "to other data",
        ),
        (PLAIN.replace("json.dumps(document).encode()", 'b"{"'), {"encode"}, "JSONDecodeError"),
        (PLAIN.replace(".encode()", ""), {"encode"}, "encode returned str, not bytes"),
    ],
)
def test_unequal_work_is_broken(repository, tmp_path, text, broken, message):
    """A candidate that fails, or loses data on its way to bytes or back, fails in that operation, with the reason."""
    module = repository(old=PLAIN, new=text)
    file = tmp_path / "two.json"
    file.write_text('[{"name": "a", "when": "2026-01-01"}, {"name": "b", "when": null}]', encoding="utf-8")
    items = from_payload(file, literal_strings=True)
    done = compare_sides(module, ("old", "new"), {Point("items", 2, 1, 0): items}, Effort(0, 0, 0.1), lambda _: None)
    failed = {cell.operation: cell.reason for pair in done.pairs for cell in pair if cell.status != "ok"}
    assert broken == failed.keys()
    assert all(message in reason for reason in failed.values())


@pytest.mark.slow
def test_what_is_broken_stands_in_the_summary(repository, payload, tmp_path, capsys):
    """The exit code is 1, and the summary and the printed verdicts say what the candidate's bytes lack."""
    module = repository(old=PLAIN, new=PLAIN.replace("dumps(document)", "dumps(document[:1])"))
    summary = tmp_path / "summary.md"
    arguments = ["--module", str(module), "--payload", str(payload), "--effort", "quick", "--output", str(summary)]
    with pytest.raises(SystemExit) as ended:
        main(["gate", "--baseline", "old", "--candidate", "new", *arguments, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (1, "broken") == (ended.value.code, found["verdict"])
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("**broken**")
    assert "candidate's bytes" in text


def test_a_baseline_that_fails_is_refused(repository):
    """Nothing can be compared with a baseline that fails; one line says so."""
    module = repository(old=BROKEN, new=PLAIN)
    with pytest.raises(PlanError, match="the baseline fails to decode: AttributeError"):
        gate("old", "new", module=module, records=2, effort="quick")


@pytest.mark.full
def test_each_document_is_compared(repository):
    """Every document that is named has its rows, under the revision, and a fault in one of them is found."""
    two = PLAIN.replace("dumps(document)", "dumps(document[:20])")
    module = repository(old=PLAIN, new=two)
    found = gate("old", ".", module=module, records=[2, 30], effort="quick", threshold=9.0)
    rows = [(check.cell.records, check.cell.operation, check.verdict) for check in found.checks]
    assert [(2, "encode", "fine"), (2, "decode", "fine"), (30, "encode", "broken"), (30, "decode", "fine")] == rows
    assert {"work tree via codec.py"} == {check["name"].partition(",")[0] for check in found.to_data()["checks"]}


@pytest.mark.full
def test_a_fault_with_one_of_many_documents_is_broken(repository):
    """What goes wrong with a document that is not the first of the stream is found, each way."""
    text = PLAIN.replace(
        "json.loads(blob)", "{**json.loads(blob), 'last_contact': ''} if b'\"df\"' in blob else json.loads(blob)"
    )
    module = repository(old=PLAIN, new=text)
    found = gate("old", "new", module=module, records=1, effort="quick", threshold=9.0, conditions="varied")
    assert {"encode": "fine", "decode": "broken"} == {check.cell.operation: check.verdict for check in found.checks}
    hot = gate("old", "new", module=module, records=1, effort="quick", threshold=9.0, conditions="hot")
    assert {"fine"} == {check.verdict for check in hot.checks}


@pytest.mark.full
def test_a_memory_of_the_last_bytes_is_no_gain(repository):
    """A decoder that remembers its last input is far faster with one document again and again, and not otherwise."""
    text = "import functools\n" + PLAIN.replace("def decode", "@functools.lru_cache(1)\ndef decode")
    module = repository(old=PLAIN, new=text)
    asked = {"module": module, "records": 1, "effort": "quick", "threshold": 0.5}
    changes = {
        (conditions, check.cell.operation): check.change
        for conditions in ("hot", "varied")
        for check in gate("old", "new", conditions=conditions, **asked).checks
    }
    assert changes["hot", "decode"] < 0.2
    assert changes["varied", "decode"] > 0.6


def test_what_is_not_there_is_named(repository, tmp_path_factory):
    """A revision that is none, a file that a revision lacks, and a place without a repository."""
    module = repository(old=PLAIN)
    with pytest.raises(PlanError, match="'v9' is not a revision"):
        gate("old", "v9", module=module)
    with pytest.raises(PlanError, match=r"no shop/nothing\.py at old"):
        gate("old", ".", module=module.with_name("nothing.py"))
    outside = tmp_path_factory.mktemp("outside") / "codec.py"
    with pytest.raises(PlanError, match="not in a git repository"):
        gate("old", ".", module=outside)
