"""Modules to take home: proven with the user's own files before they are written, with comments that say what was seen."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from pyarrow import parquet
from round_trip import USUAL
from waits import run

import serbench
from serbench.api.adopting import suppressions
from serbench.errors import PlanError
from serbench.model.data.payload import from_payload
from serbench.model.inference.infer import infer
from serbench.render.case import combinations, lay_out, render
from serbench.render.library import libraries
from serbench.render.selection import is_installed

ORDERS = [
    {"id": 1, "at": "2024-01-01T00:00:00Z", "class": "a", "pay": {"type": "card", "no": "1"}, "to": ["x"]},
    {"id": 2, "at": "2024-01-02T00:00:00Z", "class": "b", "pay": {"type": "cash"}, "to": "y", "note": None},
]
LINES = '{"id": 1, "note": "a"}\n\n{"id": 2}\r\n'
CORE = (
    "attrs",
    "cattrs",
    "class",
    "dacite",
    "dataclasses",
    "mashumaro",
    "marshmallow",
    "msgspec",
    "pydantic",
    "typeddict",
)
WHOLE = ("attrs", "class", "dacite", "dataclasses", "typeddict")  # which leave a number as the codec reads it
ROWS = [{"id": 1, "owner": {"name": "a"}}, {"id": 2, "owner": {"name": "b"}}]


@pytest.fixture
def file(tmp_path):
    """Writes a file, and gives its path."""

    def write(content, name="orders.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.fixture
def base64_schema(file):
    """A JSON Schema whose one field is base64."""
    field = {"type": "string", "contentEncoding": "base64"}
    draft = "https://json-schema.org/draft/2020-12/schema"
    record = {"type": "object", "title": "Row", "properties": {"k": field}, "required": ["k"]}
    return file({"$schema": draft, "type": "array", "items": record}, "rows.schema.json")


def proven(adopted):
    """Return what an adopted module was found to do with files, without what is worth checking of others."""
    return [line for line in adopted.said if not line.startswith("worth checking: ")]


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Imports an adopted source."""

    def imported(adopted, name):
        (tmp_path / f"{name}.py").write_text(adopted.source, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        try:
            return __import__(name)
        finally:
            sys.modules.pop(name, None)

    return imported


@pytest.mark.full
@pytest.mark.xdist_group("mypy")
def test_adopted_modules_are_clean(file, tmp_path):
    """An adopted module of any library here passes mypy --strict and ruff, and does not know serbench."""
    # these with every codec, the core libraries with the core codecs, the others with their own and the usual ones
    beyond = ("dataclasses", "generated")
    flat = [
        {"id": 1, "lines": [{"n": 0.5}], "note": None},
        {"id": 2, "lines": [], "note": "x"},
    ]  # what more formats carry
    schemas = {"orders": from_payload(file(ORDERS)).schema, "flat": infer(flat)}
    wanted = [
        (schemas[name], library, codec)
        for library, codec in combinations()
        if is_installed(library)
        and (codec.name in USUAL or codec.only or library.name in beyond or (codec.core and library.core))
        for name in (schemas if library.core else ["flat"])
    ]
    for number, case in enumerate(
        lay_out(render(library, "default", codec, schema) for schema, library, codec in wanted)
    ):
        if case.source:
            text = suppressions(case) + case.source
            (tmp_path / f"{case.module_name}_{case.codec.format}_{number}.py").write_text(text, encoding="utf-8")
            assert "serbench" not in text
    for tool in (["mypy", "--strict", "--config-file", os.devnull], ["ruff", "check", "--isolated"]):
        run([sys.executable, "-m", *tool, "."], cwd=tmp_path)


def test_adopt_writes_a_module_that_runs_alone(cli, file, tmp_path):
    """An adopted module decodes and encodes the data in an interpreter that has no serbench in sight."""
    code, out, err = cli("adopt", "msgspec", "json", "--payload", file(ORDERS * 2), "-o", tmp_path / "models.py")
    assert (code, out) == (0, "")
    assert err.splitlines()[0] == "orders.json: decoded and written: the same data"
    program = (
        "import models; blob = open('orders.json', 'rb').read(); print(models.encode(models.decode(blob)).decode())"
    )
    done = run([sys.executable, "-c", program], cwd=tmp_path)
    assert json.loads(done.stdout) == [{**order, "note": None} for order in ORDERS * 2]


def test_what_is_decided_on_little_evidence_is_said(cli, file):
    """A map of few keys is worth checking, with the option that makes it a record; once it is decided, nothing is said."""
    rows = [{"id": 1, "labels": {"team": "a"}}, {"id": 2, "labels": {"area": "b"}}]
    arguments = ("adopt", "msgspec", "json", "--payload", file(rows))
    line = "worth checking: `labels`: map of text, 2 keys in 2 objects; --record labels makes it a record"
    assert line in cli(*arguments)[2].splitlines()
    for option in ("--map", "--record"):
        assert "worth checking: `labels`: map" not in cli(*arguments, option, "labels")[2]


def test_what_the_next_file_may_lose_is_said(file):
    """A module that drops unknown keys says so with the options that do not, and so do records of which little was seen."""
    rows = file([{"id": 1, "at": "2024-01-01T00:00:00.123456", "opacity": 1}])
    said = serbench.adopt("msgspec", "json", payload=rows).said
    assert [
        "an unknown key is dropped; --forbid-unknown refuses it",
        "`opacity`: int, but its name or its neighbours are those of fractions, which an int refuses; a JSON Schema (--schema) may say number",
        "`at`: datetime with microseconds; further digits would be cut or rounded; --text at keeps the text",
        "`$`: record of few objects, or with a key of only one, so others may have other keys and types; --check tries further files",
    ] == [line.removeprefix("worth checking: ") for line in said[1:]]
    rows = [{"id": number} for number in range(5)]
    plain = serbench.adopt("msgspec", "json", payload=file(rows), forbid_unknown=True).said
    assert ("orders.json: decoded and written: exactly the same data",) == plain


def test_any_json_keeps_what_no_field_has(file, module):
    """Objects of which a further one often has a new key are doubted; with `--any`, keys that the file lacks are kept."""
    calls = [{"id": n, "asked": {"kind": "x", f"of {'abcdefgh'[n]}": n}} for n in range(8)]
    line = "worth checking: `asked`: record, 9 keys in 8 objects: the next object has a new key with a chance of 50%; --any asked makes it any JSON"
    assert line in serbench.adopt("msgspec", "json", payload=file(calls)).said
    adopted = serbench.adopt("msgspec", "json", payload=file(calls), as_any="asked")
    models = module(adopted, "any_models")
    [row] = models.decode(b'[{"id": 1, "asked": {"new": [0.5]}}]')
    assert {"new": [0.5]} == row.asked


@pytest.mark.parametrize(("library", "codec", "does"), [("serpy", "json", "written"), ("msgspec", "jiter", "decoded")])
def test_adopt_takes_what_has_one_direction(cli, file, library, codec, does):
    """What reads nothing is adopted for writing, and what writes nothing for reading, once it keeps the file's data."""
    code, out, err = cli("adopt", library, codec, "--payload", file(ROWS))
    assert (0, does == "written", does == "decoded") == (code, "def encode(" in out, "def decode(" in out)
    assert f"orders.json: {does}: exactly the same data" in err


@pytest.mark.drawn(part=6)
@pytest.mark.parametrize("library", CORE)
def test_what_comes_back_in_another_form_is_said(library, file):
    """Of each core library it is said, by path and value, what of the file comes back as null, float or another spelling."""
    rows = [
        {"id": 1, "at": "2024-01-01T00:00:00Z", "price": 1.5},
        {"id": 2, "at": "2024-01-02T00:00:00Z", "price": 1, "n": 3},
    ]
    adopted = serbench.adopt(library, "json/json", payload=file(rows))
    assert "- [0].n: absent, comes back as null" in adopted.said
    assert "# An absent key comes back as null: [].n\n" in adopted.source
    assert any(line.startswith("- [1].price: ") for line in adopted.said)
    assert ("# A whole number is decoded as an int where the type is float: " in adopted.source) is (library in WHOLE)
    spelled = '- [0].at: "2024-01-01T00:00:00Z", comes back as "2024-01-01T00:00:00+00:00" (2 times)'
    assert (spelled in adopted.said) is (library not in ("msgspec", "pydantic"))


def test_a_value_that_is_read_as_another_is_no_proof(cli, file, tmp_path, base64_schema):
    """A module that reads base64 as base85 is not written, even if the text comes back; the line names file, path and value."""
    rows = file([{"k": "QUJDREVGR0hJSktM"}], "rows.json")
    call = ("adopt", "cattrs", "json/json", "--payload", rows, "--schema", base64_schema, "-o", tmp_path / "models.py")
    code, out, err = cli(*call)
    assert (1, "") == (code, out)
    assert "- lost: [0].k: decoded to another value: expected b'ABCDEFGHIJKL'" in err
    assert err.splitlines()[-1].startswith("cattrs via json loses data of rows.json: [0].k")
    assert not (tmp_path / "models.py").exists()
    code, _, err = cli(*call, "--lossy")
    assert (0, True) == (code, (tmp_path / "models.py").exists())
    assert "# A value is lost or changed: [].k\n" in (tmp_path / "models.py").read_text()


def test_a_value_that_is_written_as_another_is_a_loss(file, base64_schema):
    """A module that writes another text than it has read is not returned."""
    rows = file([{"k": "QUJDREVGR0hJSktM"}], "rows.json")
    with pytest.raises(PlanError, match=r"mashumaro via json loses data of rows.json: \[0\]\.k: "):
        serbench.adopt("mashumaro", "json/json", payload=rows, schema=base64_schema)


def test_a_loss_of_the_codec_is_one_of_the_module(file):
    """A format that cannot keep the data, by its codec's word, is adopted only with lossy."""
    rows = file([{"id": 1, "at": "2024-01-01T00:00:00.123456Z"}])
    with pytest.raises(PlanError, match=r"loses data of orders.json, lossy \(at: microseconds.*--lossy"):
        serbench.adopt("dataclasses", "pymongo", payload=rows)
    adopted = serbench.adopt("dataclasses", "pymongo", payload=rows, lossy=True)
    assert ["orders.json: verified as bson"] == proven(adopted)


def test_a_key_that_stands_twice_is_a_loss(file):
    """A document in which a key stands twice cannot come back, which is said."""
    with pytest.raises(PlanError, match=r"\[0\]\.id: the key occurs twice, and 1 is lost"):
        serbench.adopt("msgspec", "json", payload=file('[{"id": 1, "id": 2}]'))


def test_lines_are_read_one_by_one(file, module):
    """A module made of JSON Lines decodes a line, and its documented way reads and writes the whole file."""
    path = file(LINES, "log.ndjson")
    adopted = serbench.adopt("msgspec", "json", payload=path)
    models = module(adopted, "log_models")
    assert adopted.said[0] == "log.ndjson: decoded and written, line by line: the same data"
    assert "# `decode` reads a line of log.ndjson, and `read_stream` all lines of a file" in adopted.source
    assert models.decode(b'{"id": 3}') == models.Log(3, None)
    with path.open("rb") as source, path.with_suffix(".copy").open("wb") as copy:
        models.write_stream(models.read_stream(source), copy)
    assert [{"id": 1, "note": "a"}, {"id": 2, "note": None}] == [
        json.loads(line) for line in path.with_suffix(".copy").read_text().splitlines()
    ]


@pytest.mark.drawn(part=6)
@pytest.mark.parametrize("library", CORE)
def test_every_core_library_reads_lines(library, file):
    """A module of each core library is proven with the lines of its file."""
    adopted = serbench.adopt(library, "json/json", payload=file(LINES, "log.ndjson"))
    assert "def read_stream(file: IO[bytes]) -> Iterator[" in adopted.source
    null = ("the same data", "- [1].note: absent, comes back as null")
    same, *changes = null if library != "typeddict" else ("exactly the same data",)
    assert [f"log.ndjson: decoded and written, line by line: {same}", *changes] == proven(adopted)


@pytest.mark.parametrize("codec", ["json/json", "msgspec/json"])
def test_a_dict_may_lack_what_the_file_lacks(codec, file):
    """A key that the file lacks is NotRequired in a TypedDict, so that the dict without it is of its type, and is read."""
    adopted = serbench.adopt("typeddict", codec, payload=file(LINES, "log.ndjson"))
    assert "note: NotRequired[str | None]" in adopted.source
    assert ["log.ndjson: decoded and written, line by line: exactly the same data"] == proven(adopted)


def test_what_only_reads_says_how_it_reads_a_file(file):
    """A module that cannot write has the function alone that reads whole files, which its comment names."""
    source = serbench.adopt("msgspec", "jiter", payload=file(LINES, "log.ndjson")).source
    assert "# `decode` reads a line of log.ndjson, and `read_stream` all lines of a file" in source
    assert "def read_stream(" in source
    assert "write_stream" not in source


@pytest.mark.parametrize(
    ("name", "content", "case", "options", "said"),
    [
        ("log.ndjson.gz", gzip.compress(LINES.encode()), ("msgspec", "json"), {}, "decoded and written, line by line: the same data"),
        ("rows.msgpack", msgspec.msgpack.encode(ROWS), ("dataclasses", "msgpack/msgpack"), {}, "decoded and written: exactly the same data"),
        ("rows.yaml", b"- {id: 1, at: 2024-01-01T00:00:00Z}", ("msgspec", "msgspec/yaml"), {}, "decoded and written: the same data"),
        ("rows.toml", b"[[rows]]\nid = 1\n", ("msgspec", "tomllib/toml"), {}, "decoded and written: exactly the same data"),
        ("orders.json", json.dumps(ROWS).encode(), ("msgspec", "msgpack"), {}, "verified as msgpack"),
        ("orders.json", json.dumps(ROWS).encode(), ("msgspec", "json"), {"depth": 3}, "verified as json"),
    ],
    ids=["compressed", "MessagePack", "YAML", "TOML", "another format", "scaled"],
)  # fmt: skip
def test_a_module_is_proven_with_what_it_can_read(tmp_path, name, content, case, options, said):
    """It decodes the decompressed bytes of its file; with another format, or of more levels, it is verified with the data."""
    (tmp_path / name).write_bytes(content)
    assert f"{name}: {said}" == serbench.adopt(*case, payload=tmp_path / name, **options).said[0]


def test_a_module_that_does_not_read_its_own_file_is_not_written(cli, file, tmp_path):
    """A codec of YAML that reads `on` as a truth value refuses the file, and so does a library nanoseconds of Parquet."""
    workflow = file("on: {push: 1}\njobs: {a: {n: 1}, b: {n: 2}}\n", "ci.yaml")
    table = pa.table({"at": pa.array([10**18], pa.timestamp("ns"))})
    parquet.write_table(table, tmp_path / "at.parquet")
    for path, codec in ((workflow, "pyyaml/yaml"), (tmp_path / "at.parquet", "pyarrow/parquet")):
        code, out, err = cli("adopt", "msgspec", codec, "--payload", path, "-o", tmp_path / "models.py")
        assert (1, "", False) == (code, out, (tmp_path / "models.py").exists())
        assert f"refuses {path.name}: ValidationError: " in err.splitlines()[-1]
    assert "worth checking: an unknown key is dropped" in err
    more = file("on: {push: 2}\njobs: {c: {n: 1}}\n", "more.yaml")
    said = proven(serbench.adopt("msgspec", "ruamel/yaml", payload=workflow, check=(more,)))
    assert [path.name for path in (workflow, more)] == [Path(line.partition(": ")[0]).name for line in said]


def test_further_files_are_proven(cli, file, tmp_path):
    """What the first file has not shown is found in another: a module that refuses or loses it is not written."""
    (tmp_path / "more").mkdir()
    first, same = file(ROWS), file(ROWS[:1], "more/a.json")
    call = ("adopt", "msgspec", "json", "--payload", first, "-o", tmp_path / "models.py", "--check")
    for name, row in (("b", {"id": "x", "owner": {"name": "c"}}), ("c", {"id": 3, "owner": {"name": "c"}, "more": 1})):
        file([ROWS[0], row], f"more/{name}.json")
    code, out, err = cli(*call, tmp_path / "more" / "*.json")
    assert (1, "", False) == (code, out, (tmp_path / "models.py").exists())
    assert f"{same}: decoded and written: exactly the same data" in err
    assert "b.json is refused: ValidationError: Expected `int`, got `str` - at `$[1].id`" in err
    assert "- lost: [1].more: 1 does not come back" in err
    assert all("widen the schema" in line for line in err.splitlines()[-2:])
    assert ["msgspec loses", "msgspec refuses"] == [" ".join(line.split()[:2]) for line in err.splitlines()[-2:]]
    code, _, err = cli(*call, same, first)
    assert (0, True) == (code, (tmp_path / "models.py").exists())


def test_a_further_file_may_have_any_name(cli, file):
    """A comma, or a sign of a pattern, in the name of a further file is no other file."""
    first, others = file(ROWS), [file(ROWS[:1], "a,b.json"), file(ROWS[1:], "c[1].json")]
    code, _, err = cli("adopt", "msgspec", "json", "-p", first, "--check", others[0], "--check", others[1])
    assert (0, 3) == (code, err.count("exactly the same data"))


def test_a_file_that_cannot_be_checked_is_one_line(refused, file):
    """A missing file, and one in another format, are refused with what is wrong."""
    first, table = file(ROWS), file("id\n1\n", "rows.csv")
    assert "no file to check: nosuch*.json" in refused(
        "adopt", "msgspec", "json", "-p", first, "--check", "nosuch*.json"
    )
    assert "the module is of json" in refused("adopt", "msgspec", "json", "-p", first, "--check", table)
    assert "unexpected argument" in refused("adopt", "msgspec", "json", first)


OUTCOMES = {
    "attrs": "dropped",
    "cattrs": "dropped; with forbid_extra_keys=True it is refused",
    "class": "dropped",
    "dacite": "dropped",
    "dataclasses": "dropped",
    "marshmallow": "refused",
    "mashumaro": "dropped; with forbid_extra_keys it is refused",
    "msgspec": "dropped; with forbid_unknown_fields=True it is refused",
    "pydantic": "dropped; with extra=forbid it is refused",
    "typeddict": "kept",
}


@pytest.mark.drawn(part=6)
@pytest.mark.parametrize("library", CORE)
def test_a_module_says_what_becomes_of_unknown_keys(library, file):
    """The comment of each core library's module says what it does with an unknown key, and its options."""
    adopted = serbench.adopt(library, "json/json", payload=file(ROWS))
    comment = " ".join(line.removeprefix("# ") for line in adopted.source.splitlines() if line.startswith("# "))
    assert f"An unknown key is {OUTCOMES[library]}" in comment


@pytest.mark.drawn(part=6)
@pytest.mark.parametrize(
    ("library", "outcome", "variant"),
    [(name, outcome, variant) for name, one in libraries().items() for outcome, variant in one.unknown_keys.items()],
)
def test_a_documented_option_does_what_it_says(library, outcome, variant, file):
    """A variant for unknown keys refuses, keeps or drops them in each record of the data."""
    if not is_installed(libraries()[library]):
        pytest.skip(f"{library} has an environment of its own")
    rows = [
        {"id": 1, "sub": {"y": [{"z": 1}]}, "by": {"2024-01-01": {"k": True}}},
        {"id": 2, "sub": {"y": []}, "by": {}},
    ]
    adopted = serbench.adopt(f"{library}[{variant}]", "json", payload=file(rows))
    assert f"# An unknown key is {outcome}" in adopted.source


@pytest.mark.parametrize(("flag", "outcome"), [("--forbid-unknown", "refused"), ("--keep-unknown", "kept")])
def test_unknown_keys_are_refused_or_kept_if_asked(cli, flag, outcome, file):
    """A flag chooses the library's documented variant, in each member of a union, too."""
    events = [
        {"type": "a", "x": 1, "sub": {"y": [{"z": 1}]}},
        {"type": "b", "w": "t"},
        {"type": "a", "x": 2, "sub": {"y": []}},
    ]
    code, out, _ = cli("adopt", "pydantic", "json", "--payload", file(events), flag)
    assert (0, True) == (code, f"# An unknown key is {outcome}" in out)


def test_a_library_without_such_an_option_says_so(cli, file):
    """If no option of the library has unknown keys refused or kept, one line says so and names others."""
    code, out, err = cli("adopt", "dataclasses", "json/json", "--payload", file(ROWS), "--forbid-unknown")
    assert (1, "") == (code, out)
    said = err.splitlines()[-1]
    assert "drops an unknown key; serbench knows no documented option of dataclasses that refuses" in said
    assert all(name in said for name in ("cattrs", "mashumaro", "msgspec", "pydantic"))
    code, *_ = cli("adopt", "marshmallow", "json/json", "--payload", file(ROWS), "--forbid-unknown")
    assert 0 == code  # it refuses them anyway
    code, *_ = cli("adopt", "typeddict", "json/json", "--payload", file(ROWS), "--keep-unknown")
    assert 0 == code  # it keeps them anyway


def test_text_of_the_data_stays_in_its_comment(file, module):
    """Whatever a key or file name holds, a comment of it is comment, in one encoding."""
    keys = ["coding: latin-1", "a\nimport os", "# type: ignore", "é\u2028x"]
    rows = [dict.fromkeys(keys, 1), {}]
    path = file("\n".join(json.dumps(row) for row in rows), "coding=x\n.ndjson")
    adopted = serbench.adopt("dataclasses", "json/json", payload=path)
    heads = Counter(line[:1] for line in adopted.source.partition("import json")[0].splitlines())
    assert {"#"} == set(heads)
    assert module(adopted, "awkward_models").decode(b"{}")


def test_a_byte_order_mark_is_refused_or_read(file):
    """A file that begins with a byte order mark is proven with it: what does not read that is not adopted."""
    path = file("\ufeff" + json.dumps(ROWS))
    assert serbench.adopt("dataclasses", "json/json", payload=path).said[0].endswith("exactly the same data")
    with pytest.raises(PlanError, match=r"msgspec refuses orders.json: "):
        serbench.adopt("msgspec", "json", payload=path)


def test_a_json_schema_is_no_data(base64_schema, file):
    """A module of a JSON Schema is verified with values made of it, and can be proven with files."""
    rows = file([{"k": "QUJDREVGR0hJSktM"}], "rows.json")
    adopted = serbench.adopt("msgspec", "json", payload=base64_schema, check=rows)
    assert ["rows.schema.json: verified as json", f"{rows}: decoded and written: exactly the same data"] == proven(
        adopted
    )


@pytest.mark.full
def test_nothing_of_a_document_is_lost_in_silence():
    """Documents of four kinds come back through modules of six libraries, by a comparison that is not serbench's."""
    script = Path(__file__).parents[1] / "scripts" / "adopted_documents.py"
    done = run([sys.executable, script, "push", "lock_file", "awkward_texts", "service_log"])
    assert 24 == len(re.findall(r"(?m)^\w+\.(?:nd)?json \w+: (?:equal|said)", done.stdout)), done.stdout
