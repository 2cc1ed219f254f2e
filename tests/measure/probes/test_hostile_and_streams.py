"""Hostile bytes end in a row whatever they do to the process; files of many records are read with little memory."""

from __future__ import annotations

import pytest

from serbench.measure.probes.hostile import NESTED, hostile_results
from serbench.measure.probes.streams import streams
from serbench.model.data.generate import generate
from serbench.render.format import codecs, formats
from serbench.render.library import libraries

LIMITS = (20.0, 2 << 30)


def codec(name: str):
    return next(c for c in codecs() if f"{c.name}/{c.format}" == name)


@pytest.mark.full
@pytest.mark.parametrize(
    "name", ["json/json", "cbor2/cbor", "fastavro/avro", "jiter/json", "fory/fory", "pydantic/json"]
)
def test_each_input_is_a_row(name):
    """Every hostile input of a format comes to a row with an outcome and its reason; nothing is left out."""
    chosen = codec(name)
    found = list(hostile_results([chosen], *LIMITS))
    inputs = [*formats()[chosen.format].hostile]
    if "encode" not in chosen.limits.cannot and not formats()[chosen.format].typed:
        inputs.append(NESTED)
    assert inputs == [one.input for one in found]
    assert all(one.outcome and one.reason for one in found)
    assert "rejected" in {one.outcome for one in found}


def test_each_reason_names_its_inputs(cli):
    """The reasons below the table say which inputs they are of."""
    code, out, _ = cli("verify", "--hostile", "-f", "json/json")
    reasons = [line for line in out.splitlines() if line.startswith("- ")]
    assert (0, True) == (code, bool(reasons))
    names = [*formats()["json"].hostile, NESTED]
    assert all(any(name in line for name in names) for line in reasons)


def test_a_codec_that_ends_its_process_is_a_row():
    """A planted codec that aborts is a crash with its signal, for each input, and the next one goes on."""
    planted = codec("json/json").changed(name="planted", imports=("json", "os"), loads="os.abort() or json.loads({})")
    found = list(hostile_results([planted, codec("json/json")], *LIMITS))
    crashed = [one for one in found if one.codec == "planted" and one.input != NESTED]
    assert crashed
    assert {"crashed"} == {one.outcome for one in crashed}
    assert all("SIGABRT" in (one.reason or "") for one in crashed)
    assert "rejected" in {one.outcome for one in found if one.codec == "json"}


def test_a_long_stack_does_not_hide_the_error():
    """A process that ends deep in calls prints them after its error, which the reason still names, and no path."""
    deep = "(lambda f: f(f, 150))(lambda f, n: f(f, n - 1) if n else os.abort()) or json.loads({})"
    planted = codec("json/json").changed(name="planted", imports=("json", "os"), loads=deep)
    crashed = [one.reason or "" for one in hostile_results([planted], *LIMITS) if one.input != NESTED]
    assert crashed
    assert {"the process ended: killed by SIGABRT (Fatal Python error: Aborted)"} == set(crashed)


def test_a_codec_that_believes_the_length_is_a_row():
    """A planted codec that takes as much memory as is announced is a row that says so."""
    planted = codec("json/json").changed(name="planted", loads="json.loads({} + bytes(1 << 40))")
    assert {"memory", "rejected"} >= {one.outcome for one in hostile_results([planted], *LIMITS) if one.input != NESTED}


@pytest.mark.parametrize("name", ["json/json", "orjson/json", "msgpack/msgpack", "msgspec/msgpack", "cbor2/cbor"])
def test_a_stream_comes_back(name):
    """As many records are read as were written, in a file of at least the size that was asked for."""
    pairs = [(libraries()["dataclasses"], "default", codec(name))]
    (found,) = streams(pairs, generate("client-rich", records=10), 50_000, 0, 60.0)
    assert ("ok", None) == (found.status, found.reason)
    assert found.size_bytes >= 50_000
    assert found.records % 10 == 0
    assert found.read_per_s > 0


def test_what_cannot_stream_says_so():
    """A codec that tells no records apart, and data that is one record, are rows with their reasons."""
    pairs = [(libraries()["dataclasses"], "default", codec("pymongo/bson"))]
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
    planted = codec("msgpack/msgpack").changed(stream="list(msgpack.Unpacker({}))[1:]")
    (found,) = streams(
        [(libraries()["dataclasses"], "default", planted)], generate("client", records=5), 10_000, 0, 60.0
    )
    assert found.status == "failed"
    assert "records were written" in found.reason
