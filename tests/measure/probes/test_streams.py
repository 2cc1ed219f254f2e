"""Files of many records are written and read with little memory, each record one by one."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

import serbench
from serbench.measure.probes.streams import Lines, streams
from serbench.model.data.dataset import generate
from serbench.model.data.payload import from_payload
from serbench.render.codec import codec_named, codecs
from serbench.render.library import libraries


@pytest.mark.parametrize("name", ["json/json", "orjson/json", "msgpack/msgpack", "msgspec/msgpack", "cbor2/cbor"])
def test_a_stream_comes_back(name):
    """As many records are read as were written, in a file of at least the size that was asked for."""
    pairs = [(libraries()["dataclasses"], "default", codec_named(name))]
    (found,) = streams(pairs, generate("client-rich", records=10), 50_000, 0, 60.0)
    assert ("ok", None) == (found.status, found.reason)
    assert found.size_bytes >= 50_000
    assert found.records % 10 == 0
    assert found.read_per_s > 0


def test_what_cannot_stream_says_so():
    """A codec that tells no records apart, and data that is one record, are rows with their reasons."""
    pairs = [(libraries()["dataclasses"], "default", codec_named("pymongo/bson"))]
    (found,) = streams(pairs, generate("client", records=2), 1000, 0, 60.0)
    assert ("unsupported", "the codec reads no stream of records") == (found.status, found.reason)
    (found,) = streams(pairs, generate("client", records=1), 1000, 0, 60.0)
    assert "is one record" in found.reason


@pytest.mark.parametrize("chosen", [c for c in codecs() if c.format in ("msgpack", "cbor")], ids=lambda c: c.name)
def test_a_stream_or_its_reason(chosen):
    """Every codec of MessagePack and CBOR tells the records of a file apart, or says in its row why it cannot."""
    library = next(iter(chosen.only), "dataclasses")
    (found,) = streams([(libraries()[library], "default", chosen)], generate("client", records=2), 1000, 0, 60.0)
    expected = ("unsupported", chosen.limits.cannot["stream"]) if "stream" in chosen.limits.cannot else ("ok", None)
    assert expected == (found.status, found.reason)


def test_a_planted_stream_that_loses_a_record_fails():
    """A stream that gives back fewer records than went in is a failure with both numbers."""
    planted = codec_named("msgpack/msgpack").changed(stream="list(msgpack.Unpacker({}))[1:]")
    (found,) = streams(
        [(libraries()["dataclasses"], "default", planted)], generate("client", records=5), 10_000, 0, 60.0
    )
    assert found.status == "failed"
    assert "records were written" in found.reason


ROWS = [{"id": n, "text": "é" * (n % 7), "price": n / 4, "more": {"tags": ["x"]}} for n in range(50)]
READERS = [
    "json/json",
    "orjson/json",
    "msgspec/json",
    "ijson/json",
    "jiter/json",
    *(["pysimdjson/json", "pysimdjson[lazy]/json"] if find_spec("simdjson") else []),
]


@pytest.fixture
def lines(tmp_path):
    """A JSON Lines file, with a blank line."""
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n", encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_file_of_the_users_is_read_as_it_is(name, lines, model):
    """Every codec of JSON reads it record by record, also those that only read, and a class reads a part of it."""
    located = model("@dataclass\nclass Row:\n    id: int\n    text: str\n    price: float\n", "Row")
    found = serbench.stream(payload=lines, model=located, size=10, formats=name, libraries=("yours", "dataclasses"))
    assert [("ok", None)] * len(found) == [(one.status, one.reason) for one in found]
    assert {"yours (dataclass)", "dataclasses"} == {one.library for one in found}
    assert {(50, lines.stat().st_size, "rest ignored", None)} == {
        (one.records, one.size_bytes, one.ignores, one.written_per_s) for one in found
    }


def test_a_short_file_is_repeated(lines):
    """A file that is shorter than the size is written over and over, as a workload is; what only reads says what it needs."""
    first, second = serbench.stream(payload=lines, size=20_000, formats=("json/json", "ijson"))
    assert first.size_bytes >= 20_000
    assert 0 == first.records % 50
    assert second.reason.endswith("it can read your own JSON Lines file")


@pytest.mark.parametrize(
    ("loads", "said"),
    [
        ("{**json.loads({}), 'id': 7}", "record 1.id: expected 0, got 7"),
        ("{key: value for key, value in json.loads({}).items() if key != 'id'}", "KeyError"),
    ],
)
def test_a_file_that_is_read_wrongly_fails(loads, said, lines, tmp_path):
    """The first part is compared with the data, record by record."""
    planted = codec_named("json/json").changed(name="planted", loads=loads)
    data, head = from_payload(lines), tmp_path / "head"
    head.mkdir()
    pairs = [(libraries()["dataclasses"], "default", planted)]
    (found,) = streams(pairs, data, 10, 0, 60.0, Lines.of(lines, head))
    assert "failed" == found.status
    assert said in found.reason


def test_a_stream_is_of_the_installed_versions():
    """Another version is refused, not measured as if it were that one; a library that has an environment of its own has its line."""
    with pytest.raises(serbench.PlanError, match="installed versions; omit the versions behind @"):
        serbench.stream(libraries="pydantic@2.5", formats="json/json")
    (one,) = serbench.stream(libraries="marshmallow2", formats="json/json", size=10)
    assert ("marshmallow2", "unavailable") == (one.library, one.status)
