"""How much a case carries is found by bisection; what codecs make of a corpus is told by the files' names."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from planted import case

import serbench
from serbench.ask.matrices import CONFORMANCE, Matrices, published_matrices
from serbench.ask.verifying import conform, conformance
from serbench.display.corpus import corpus_rows, corpus_sentences
from serbench.judge.conformance import INVALID, VALID
from serbench.judge.outcomes import Behaviour, CorpusReading, Finding
from serbench.measure.probes import limits as limits_module
from serbench.measure.probes.limits import AXES, limits
from serbench.measure.probes.probed_case import ProbedCase
from serbench.measure.probes.probing import not_kept
from serbench.measure.sessions.session import Fault, RequestLimits, Watchdog, WorkerSession
from serbench.model.data.generate import generate
from serbench.render.environments.environment import main_environment
from serbench.render.rendering import render
from serbench.render.selection import find_case

SMALL = ("records in one another", "bits of an integer", "fields of a record")


@pytest.fixture
def found(tmp_path, monkeypatch):
    """The limits of a case, on axes that are made short."""
    short = [replace(axis, last=min(axis.last, 4096)) for axis in AXES if axis.name in SMALL]
    short += [replace(axis, first=16, last=64) for axis in AXES if axis.name not in SMALL]
    monkeypatch.setattr(limits_module, "AXES", [replace(a, last=64) if a.make == "fields" else a for a in short])

    def find(library, codec):
        install, variant, served = find_case(library, codec)
        with Watchdog() as watchdog:
            session = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(20, 4 << 30))
            return dict(limits(ProbedCase(install.library, variant, served, session)))

    return find


@pytest.mark.slow
def test_limits_are_where_they_are_known_to_be(found):
    """Orjson writes 64 bits and 254 levels; Python's json as many digits as int allows, and ends at the recursion limit."""
    orjson, standard = found("dataclasses", "orjson/json"), found("dataclasses", "json/json")
    assert (64, "refused") == (orjson["bits of an integer"].most, orjson["bits of an integer"].outcome)
    assert (4096, "") == (standard["bits of an integer"].most, standard["bits of an integer"].outcome)
    assert 200 <= (orjson["records in one another"].most or 0) < 300
    assert 900 <= (standard["records in one another"].most or 0) < 1000
    assert "RecursionError" in standard["records in one another"].detail
    assert {64} == {orjson[name].most for name in ("fields of a record", "items of a list", "characters of a text")}


def test_a_crash_is_where_the_limit_ends(found, monkeypatch):
    """A codec that refuses 400 levels may kill its process at 20,000; the limit says both."""
    monkeypatch.setattr(
        limits_module, "AXES", [replace(a, last=20_000) for a in AXES if a.name == "lists in one another"]
    )
    limit = found("dataclasses", "cbor2/cbor")["lists in one another"]
    assert ("refused", True) == (limit.outcome, 300 < (limit.most or 0) < 1_000), limit
    assert limit.far.startswith("crashed at 20,000: the process ended")


@pytest.mark.slow
def test_data_deeper_than_a_library_goes_is_told_so():
    """A limit of depth is no failure: `verify` says about how many levels a library carries, whatever its error says."""
    value: dict[str, object] = {"name": "innermost", "next": None}
    for _ in range(200):
        value = {"name": "outer", "next": value}
    cells = serbench.verify(payload=[value], libraries="jsons, schematics, msgspec", formats="json/json")
    found = {cell.library: (cell.status, re.sub(r"about \d+", "about N", cell.reason or "")) for cell in cells}
    assert {
        "jsons": ("unsupported", "deeper than jsons goes (about N levels)"),
        "schematics": ("unsupported", "deeper than schematics goes (fewer than 201 levels)"),
        "msgspec": ("ok", ""),
    } == found


CORPUS = {
    "y_array.json": b'[1, "a"]',
    "y_numbers.json": b'[-0.5, 1E2, "\\u00e9"]',
    "n_comma.json": b"[1,]",
    "n_nan.json": b"[NaN]",
    "i_huge.json": b"[1e400]",
    "i_bom.json": b"\xef\xbb\xbf[]",
    "other.json": b"{",
}


@pytest.mark.slow
def test_a_corpus_is_read_by_every_codec(tmp_path):
    """Each codec that reads JSON has each file that is named so; NaN is json's departure, 1e400 a matter of taste."""
    for name, blob in CORPUS.items():
        (tmp_path / name).write_bytes(blob)
    found = conform(tmp_path)
    assert {"json", "orjson", "msgspec", "pydantic", "yyjson", "jiter"} <= {one.codec for one in found}
    assert {6} == set(Counter(one.codec for one in found).values())
    by_name = {(one.codec, one.file): one for one in found}
    assert {"accepted"} == {one.outcome for one in found if one.expected == "accepted"}
    assert ("accepted", "refused") == (by_name["json", "n_nan.json"].outcome, by_name["orjson", "n_nan.json"].outcome)
    assert ("accepted", "refused") == (by_name["json", "i_huge.json"].outcome, by_name["orjson", "i_huge.json"].outcome)
    said = "\n".join(corpus_sentences(found))
    assert re.search(r"standard: n_nan\.json .*json \(accepted: \[nan\]\)", said)
    assert "taste: i_huge.json: json" in said
    assert "array" not in said


def test_a_corpus_in_one_table():
    """A codec's line counts what it reads as the names say; a value that differs from the others' is told."""
    readings = [
        CorpusReading("good", "json", "y_a.json", "accepted", "accepted", "[1]"),
        CorpusReading("good", "json", "n_b.json", "refused", "refused", "ValueError: no"),
        CorpusReading("bad", "json", "y_a.json", "accepted", "accepted", "[2]"),
        CorpusReading("bad", "json", "n_b.json", "refused", "crashed", "SIGSEGV"),
    ]
    good, bad = corpus_rows(readings)
    assert ("1/1", "1/1", None) == (good["accepts what is right"], good["refuses what is wrong"], good["lost"])
    assert ("0/1", 1) == (bad["refuses what is wrong"], bad["lost"])
    assert [
        "standard: y_a.json is read differently: good: [1]; bad: [2]",
        "standard: n_b.json must be refused, but bad (crashed: SIGSEGV)",
    ] == corpus_sentences(readings)


@pytest.mark.slow
def test_a_corpus_has_files_of_any_format_and_values(tmp_path):
    """A file's name tells its format; an accepted file with another value than the one beside it is changed."""
    for name, blob in {
        "y_true.cbor": b"\xf5",
        "n_short.cbor": b"\x82\x01",
        "y_one.msgpack": b"\x01",
        "y_one.msgpack.value": b"1",
        "y_accent.json": '["é"]'.encode(),
        "y_accent.json.value": b'["\\u00e9"]',
    }.items():
        (tmp_path / name).write_bytes(blob)
    found = {(one.codec, one.format, one.file): one.outcome for one in conform(tmp_path)}
    assert ("accepted", "refused") == tuple(found["cbor2", "cbor", name] for name in ("y_true.cbor", "n_short.cbor"))
    assert "accepted" == found["msgspec", "msgpack", "y_one.msgpack"]
    accent = {codec: outcome for (codec, _, file), outcome in found.items() if file == "y_accent.json"}
    assert ("changed", "accepted") == (accent["yyjson"], accent["json"])
    (tmp_path / "y_a.unheard").write_bytes(b"")
    with pytest.raises(serbench.PlanError, match="has no known format"):
        conform(tmp_path)


@pytest.mark.slow
def test_conformance_is_published_beside_the_matrices(tmp_path):
    """What codecs make of a corpus is written with its origin, read back, and stands beside the probes of their cases."""
    corpus, data = tmp_path / "corpus", tmp_path / "data" / "fidelity"
    corpus.mkdir()
    for name, blob in CORPUS.items():
        (corpus / name).write_bytes(blob)
    (corpus / "corpus.json").write_text('{"package": "ours", "version": "1.2", "licence": "MIT"}')
    found = conformance(corpus, conform(corpus))
    (about,) = found.corpora
    assert ("json", "ours", "1.2", "MIT", 6) == (about.format, about.package, about.version, about.licence, about.files)
    assert 64 == len(about.sha256)
    strict, lax = (next(one for one in found.codecs if one.codec == name) for name in ("orjson", "json"))
    assert ("2/2", "2/2") == (f"{strict.accepted}/{strict.valid}", f"{strict.refused}/{strict.invalid}")
    assert (1, {"n_nan.json": "accepted: [nan]"}) == (lax.refused, dict(lax.deviations))
    kept, refused = {"float 0.1": Finding("exact")}, {"bytes: last byte missing": Finding("rejected")}
    about_case = {"environment": "main", "python": "3.11", "format": "json", "fidelity": kept, "strictness": refused}
    cases = tuple(Behaviour("typeddict", "default", "1", codec=codec, **about_case) for codec in ("json", "orjson"))
    Matrices(cases).write(data)
    (data / CONFORMANCE).write_text(json.dumps(found.to_data()))
    published = published_matrices(tmp_path / "data")
    assert (cases, found) == (published.cases, published.conformance)
    assert ["let through", "rejected"] == [one.strictness[INVALID].outcome for one in published]
    assert ["exact", "exact"] == [one.fidelity[VALID].outcome for one in published]
    assert "n_nan.json" in (published[0].strictness[INVALID].detail or "")
    lines = published.to_markdown().splitlines()
    assert "| json/json | 2 | 2/2 | 1/2 | 2/2 | – | – | – |" in lines
    assert any("ours 1.2 (MIT), 6 files" in line for line in lines)
    (data / CONFORMANCE).write_text("{}")
    with pytest.raises(serbench.PlanError, match="cannot be read"):
        published_matrices(tmp_path / "data")


def test_a_folder_without_a_corpus_is_refused(tmp_path):
    """A folder that is none, or has no file named so, is one line that says what to name."""
    with pytest.raises(serbench.PlanError, match="is not a folder"):
        conform(tmp_path / "absent")
    (tmp_path / "a.json").write_bytes(b"1")
    with pytest.raises(serbench.PlanError, match="begins with y_, n_ or i_"):
        conform(tmp_path)


def test_each_case_is_tried_in_a_folder_of_its_own(tmp_path):
    """What a case is tried with is no other's file, since several are tried at once, and nothing of it stays."""
    dataset = generate("tiny", records=2)
    install, variant, served = find_case("dataclasses", "json/json")
    folders = []

    class Seen(WorkerSession):
        def __exit__(self, *error):
            folders.append((self.scratch, any(self.scratch.glob("*.pickle"))))
            super().__exit__(*error)

    with pytest.MonkeyPatch.context() as patch, Watchdog() as watchdog:
        patch.setattr("serbench.measure.sessions.session.WorkerSession", Seen)
        for _ in range(2):
            tried = render(install.library, variant, served, dataset.schema)
            assert not_kept(tried, dataset.schema, watchdog, tmp_path, RequestLimits(20, 4 << 30)) is None
    assert [(True, True), (True, True)] == [(path.parent == tmp_path, wrote) for path, wrote in folders]
    assert 2 == len({path for path, _ in folders})
    assert [] == list(tmp_path.iterdir())


@pytest.mark.full
def test_what_does_not_keep_all_is_left_out():
    """With `keeps_all`, a case that changes an ordinary value of the data's types has that for its reason."""
    choices = {
        "workload": "client-rich",
        "records": 2,
        "libraries": "dataclasses",
        "formats": "json/json, pymongo",
        "effort": "quick",
    }
    run = serbench.run(**choices, precision=0.5, keeps_all=True)
    rows = {row.codec: row for row in run.rows}
    assert ("ok", "unsupported") == (rows["json"].status.replace("unresolved", "ok"), rows["pymongo"].status), rows[
        "json"
    ].reason
    assert "datetime UTC with microseconds is changed" in (rows["pymongo"].reason or "")
    advice = serbench.recommend(measured=run, demands="keeps-all")
    assert ["dataclasses"] == [option.decode.library for option in advice.advice[0].fastest]
    with pytest.raises(serbench.PlanError, match="was measured without --keeps-all"):
        serbench.recommend(measured=serbench.run(**choices, precision=0.5), demands="keeps-all")


def test_a_module_that_cannot_be_imported_says_so_each_time(tmp_path):
    """Who asks again after a failed import is told the same, and nothing is tried with half a module."""
    broken = case("broken", "raise ImportError('not today')")
    with Watchdog() as watchdog:
        session = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(20, 4 << 30))
        for _ in range(2):
            with pytest.raises(Fault, match="not today"):
                session.load(broken, "broken")
