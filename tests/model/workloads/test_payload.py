"""A JSON file becomes a data set, or an error of one line."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from serbench.errors import WorkloadError
from serbench.model.data.payload import as_document, from_payload
from serbench.model.normalise import apply_schema
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import INT, STR


def test_array(tmp_path: Path) -> None:
    """An array of n objects is n records, named after the file."""
    path = tmp_path / "user_names.json"
    path.write_text('[{"id": 1, "name": "é"}, {"id": 2, "name": "b"}]', "utf-8")
    data = from_payload(path)

    assert (data.name, data.records, data.depth, data.seed) == ("user_names.json", 2, 1, 0)
    assert data.schema == Schema(List(Ref("UserName")), (Record("UserName", (Field("id", INT), Field("name", STR))),))
    assert data.value == [{"id": 1, "name": "é"}, {"id": 2, "name": "b"}]
    assert data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("document", "depth"),
    [
        (1, 1),
        ([], 1),
        ([[[1]]], 1),
        ({}, 1),
        ({"a": {"b": 1}}, 2),
        ([{"a": [[{"b": {}}]]}, {"a": []}], 3),
    ],
)
def test_depth_counts_objects(tmp_path: Path, document: Any, depth: int) -> None:
    """Depth is the number of nested objects, not counting lists."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))

    assert from_payload(str(path)).depth == depth


def test_byte_order_mark(tmp_path: Path) -> None:
    """A byte order mark, as Windows editors write it, is ignored."""
    path = tmp_path / "x.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')

    assert from_payload(path).value == {"a": 1}


def test_long_integers_are_exact(tmp_path: Path) -> None:
    """Integers of more than 64 bits or beyond a float's precision keep all their digits."""
    path = tmp_path / "x.json"
    path.write_text("[123456789012345678901234567890, 9007199254740993]")

    assert from_payload(path).value == [123456789012345678901234567890, 9007199254740993]


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"a": 1,\n "b": oops}', "line 2, column 7.*'oops}'"),
        (b'{"a": 1', "line 1, column 8.*end"),
        (b"[1] [2]", r"line 1, column 5.*'\[2\]'"),
        (b"[NaN]", "NaN.*null"),
        (b"[-Infinity]", "-Infinity.*null"),
        (b"[1.5, -1e999]", "-1e999.*float"),
        (b'["\xff"]', "UTF-8.*line 1.*0xff"),
        (b"[" * 100_000 + b"]" * 100_000, "nested"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested.* 250 "),
        (b"[" + b"1" * 5000 + b"]", "limit"),
    ],
)
def test_bad_files(tmp_path: Path, blob: bytes, message: str) -> None:
    """A file that is not strict JSON is refused in one line that names the place."""
    path = tmp_path / "bad.json"
    path.write_bytes(blob)

    with pytest.raises(WorkloadError, match=f"^{re.escape(str(path))}: .*{message}") as caught:
        from_payload(path)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    """A path that does not exist is refused by name."""
    for path, message in ((tmp_path / "none.json", "no such file"), (tmp_path, "this is a folder")):
        with pytest.raises(WorkloadError, match=f"{re.escape(str(path))}.*{message}"):
            from_payload(path)


@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, '[{"id": 1}]' * 900, "a\nb", "a/" * 3000])
def test_text_that_is_no_path(text: str) -> None:
    """A text that names no file is refused in one short line, which says how to pass data."""
    with pytest.raises(WorkloadError, match=r"path .*json\.loads") as caught:
        from_payload(text)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def numbers(count):
    """Records of equal size, each with its number."""
    return [{"number": number + 1000} for number in range(count)]


def test_a_large_list_is_sampled_in_documents(tmp_path):
    """Of about so many bytes each, evenly over the file, with other records in each; a size that is asked for comes first."""
    path = tmp_path / "large.json"
    path.write_text(json.dumps(numbers(1000), separators=(",", ":")))
    data = from_payload(path, sample_bytes=2000)
    first, second = islice(data.stream(), 2)
    assert data.sampled
    assert abs(len(json.dumps(first, separators=(",", ":"))) - 2000) < 50
    assert data.records == len(first) == len(second)
    assert first[0]["number"] < 1020
    assert first[-1]["number"] > 1960
    assert not {one["number"] for one in first} & {one["number"] for one in second}
    for whole in (
        from_payload(path, 7, sample_bytes=2000),
        from_payload(path, sample_bytes=1 << 20),
        from_payload(path),
    ):
        assert not whole.sampled
    assert from_payload(path, 7, sample_bytes=2000).records == 7


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: {"meta": {"total": 1000, "next": None}, "rows": rows},
        lambda rows: {"log": {"rows": rows, "pages": [{"id": 1}]}},
        lambda rows: {"by_id": {f"{number:04}": row for number, row in enumerate(rows)}},
        lambda rows: [{"rows": rows}],
        lambda rows: {"one": rows[:500], "two": rows[500:], "note": "x"},
        lambda rows: [rows, [1, "a"], "b", None],
    ],
)
def test_a_large_object_is_sampled_where_it_is_large(tmp_path, make):
    """Lists and maps inside it are shorter, and nothing else is missing; the schema is that of the whole file."""
    path, rows = tmp_path / "large.json", numbers(1000)
    document = make(rows)
    path.write_text(json.dumps(document, separators=(",", ":")))
    whole, data = from_payload(path), from_payload(path, sample_bytes=2000)
    assert whole.schema == data.schema
    assert data.sampled
    first, second = islice(data.stream(), 2)
    assert first != second
    for sample in (first, second):
        assert 1000 < len(json.dumps(sample, separators=(",", ":"))) < 3000
    assert type(first) is type(document)
    if isinstance(document, dict):
        assert first.keys() == document.keys()
    for schema in (whole.schema, lambda document: apply_schema(document, whole.schema)):
        described = from_payload(path, sample_bytes=2000, schema=schema)
        assert [described.value, described.draw(1)] == [data.value, data.draw(1)]


def test_a_large_document_without_lists_is_measured_as_it_is(tmp_path):
    """A long text cannot be sampled."""
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"text": "x" * 9000}))
    assert not from_payload(path, sample_bytes=2000).sampled


@pytest.mark.parametrize("value", [[float("nan")], {"a": {"b": float("-inf")}}, {1: "a", "1": "b"}, [object()]])
def test_an_object_that_is_no_json_is_refused(value):
    """NaN, infinities, keys that would be one, and what has no form: they are not changed without a word."""
    with pytest.raises(WorkloadError, match=r"cannot be written as JSON \((nan|-inf|two keys|object has no)"):
        as_document(value)


def test_an_object_is_its_json():
    """Keys that are numbers are texts, and what a data frame lacks is null."""
    pd = pytest.importorskip("pandas")
    assert b'{"1":"2024-01-01"}' == as_document({1: date(2024, 1, 1)})
    frame = pd.DataFrame({"a": [1.5, None], "b": ["x", None], "n": [1, 2]})
    rows = b'[{"a":1.5,"b":"x","n":1},{"a":null,"b":null,"n":2}]'
    assert rows == as_document(frame)
    assert rows == as_document(pytest.importorskip("polars").DataFrame(json.loads(rows)))


def test_times_of_data_frames_are_those_of_python():
    """Dates with and without an offset and durations are what Python's are, and what is missing is null."""
    pd = pytest.importorskip("pandas")
    days, spans = pd.to_datetime(["2024-01-01", None]), pd.to_timedelta([1.5, None], unit="s")
    frame = pd.DataFrame(
        {"at": days, "utc": days.tz_localize("UTC"), "there": days.tz_localize("Asia/Tokyo"), "s": spans}
    )
    east = timezone(timedelta(hours=9))
    first = [datetime(2024, 1, 1, tzinfo=zone) for zone in (None, UTC, east)]
    row = dict(zip(frame.columns, [*first, timedelta(seconds=1.5)], strict=True))
    assert as_document([row, dict.fromkeys(row)]) == as_document(frame)
    del row["there"]  # polars keeps the time, and not its offset
    assert as_document([row]) == as_document(pytest.importorskip("polars").DataFrame([row]))


def _frames():
    """Data frames of which a part would be lost, and how they are refused."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    finer = "2024-01-01T00:00:00.123456789"
    yield pd.DataFrame({"at": pd.to_datetime([finer])}), r"\.123456789 has nanoseconds"
    yield pd.DataFrame({"for": pd.to_timedelta([1], unit="ns")}), r"0+1 has nanoseconds"
    yield pl.DataFrame({"at": [finer]}).select(pl.col("at").str.to_datetime(time_unit="ns")), "a column has nanoseconds"
    yield pd.DataFrame([[1, 2]], columns=["id", "id"]), "two columns have the name 'id'"
    yield {"at": pd.NaT}, "NaT"
    yield pd.DataFrame, "a class has no JSON form"
    yield pd.DataFrame({"at": pd.to_datetime(["9999-12-31"]) + pd.Timedelta(days=1)}), "outside the range"


def test_what_a_data_frame_would_lose_is_refused():
    """Nanoseconds, one of two columns of the same name, and years that Python does not have."""
    for frame, told in _frames():
        with pytest.raises(WorkloadError, match=rf"cannot be written as JSON \(.*{told}") as caught:
            as_document(frame)
        assert "\n" not in str(caught.value)


def test_a_file_named_by_an_identifier_has_a_plain_root(tmp_path):
    """A name that begins with digits is not that of a class."""
    path = tmp_path / "2180-SjF3IkuNXJk.json"
    path.write_text('{"a": 1}', encoding="utf-8")
    assert ["Record"] == [record.name for record in from_payload(path).schema.records]
