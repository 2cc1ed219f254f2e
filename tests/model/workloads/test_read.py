"""Payloads in each format, compressed or not, are read as the documents that they contain."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import tomllib
import tracemalloc
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import pytest
from documents import without_nones

from serbench.errors import SerbenchError, WorkloadError
from serbench.machine.zstd import zstd
from serbench.model.data.dataset import Dataset
from serbench.model.data.files import _msgpack_counts, file_bytes, parse_yaml, read
from serbench.model.data.payload import from_payload
from serbench.model.inference.decided import Overrides
from serbench.model.records import Field, Map, Optional
from serbench.model.scalars import BIGINT, BOOL, BYTES, DATE, DATETIME, FLOAT, INT, STR

RECORDS = [{"id": 1, "name": "é"}, {"id": 2, "name": "b"}]
JSON = json.dumps(RECORDS, ensure_ascii=False).encode()


def payload(tmp_path: Path, name: str, blob: bytes) -> Dataset:
    """Return the data set of a file with this name and content."""
    path = tmp_path / name
    path.write_bytes(blob)
    return from_payload(path)


@pytest.mark.parametrize(
    ("name", "blob"),
    [
        ("x.json", JSON),
        ("x.ndjson", b'{"id": 1, "name": "\xc3\xa9"}\n\n{"id": 2, "name": "b"}\n'),
        ("x.jsonl", b'\xef\xbb\xbf{"id": 1, "name": "\xc3\xa9"}\r\n{"id": 2, "name": "b"}'),
        ("x.json.gz", gzip.compress(JSON, mtime=0)),
        ("x.json", gzip.compress(JSON, mtime=0)),
        ("x.json.zst", zstd.compress(JSON)),
        ("x.msgpack", msgspec.msgpack.encode(RECORDS)),
        ("x.msgpack.zst", zstd.compress(msgspec.msgpack.encode(RECORDS))),
        ("x.csv", "id,name\n1,é\n2,b\n".encode()),
        ("x.csv.gz", gzip.compress("id;name\r\n1;é\r\n2;b\r\n".encode(), mtime=0)),
        ("x.tsv", "id\tname\n1\té\n2\tb".encode()),
    ],
)
def test_formats(tmp_path: Path, name: str, blob: bytes) -> None:
    """A table gives the same records in every format."""
    data = payload(tmp_path, name, blob)

    assert RECORDS == data.value
    assert (data.records, data.schema.records[0].name) == (2, "X")


def test_columns_of_a_table(tmp_path: Path) -> None:
    """A column of a table has numbers, booleans or dates if all its texts are such, and null for empty texts."""
    table = b"n,f,b,d,code,big,none\n1,1.5,true,2024-01-01,007,18446744073709551616,\n,2,FALSE,2024-02-29,8,1,\n"
    data = payload(tmp_path, "x.csv", table)

    assert {f.name: f.type for f in data.schema.records[0].fields if f.name != "none"} == {
        "f": FLOAT,
        "b": BOOL,
        "d": DATE,
        "code": STR,
        "big": BIGINT,
        "n": Optional(INT),
    }
    assert data.value[1]["d"] == date(2024, 2, 29)


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1.10", "2.50", "0.00"], [1.1, 2.5, 0.0]),
        (["5", "2.50", "-0"], [5.0, 2.5, -0.0]),
        (["1e-05", "1.5E10", "-2.5e+07"], [1e-05, 1.5e10, -2.5e7]),
        (["0.10000000000000001", "1.000000000000000056e-01"], None),  # both are 0.1
        (["0.10000000000000001", "2.000000000000000111e-01"], [0.1, 0.2]),
        (["0.3333333333333333", "5.684341886080802e-14"], [1 / 3, 2.0**-44]),
        (["123456789012345680000", "1.5"], [123456789012345680000.0, 1.5]),
        (["12345678901234567891", "1.5"], None),
        (["0.1234567890123456789", "1"], None),
        (["9007199254740993.0", "1"], None),
        (["1.1", "1.10", "1.9"], None),
        (["1e5", "2e7"], None),
        (["1" * 400, "2"], None),
        (["0." + "0" * 400 + "1", "2"], None),
        (["-0", "0"], [-0.0, 0.0]),
        (["-1", "0"], [-1, 0]),
    ],
)
def test_numbers_of_a_table_are_the_numbers_of_its_texts(tmp_path: Path, texts: list[str], values: Any) -> None:
    """A column is numbers only if these keep its digits, and texts apart that differ; what stays text is told."""
    data = payload(tmp_path, "x.csv", "\n".join(["n,a", *(f"{text},b" for text in texts)]).encode())

    assert repr(values or texts) == repr([row["n"] for row in data.value])
    assert [
        str(doubt).startswith("`n`: text, though all are numbers") for doubt in data.doubts if doubt.path == ("n",)
    ] == [True] * (values is None)


@pytest.mark.parametrize("sample", [0, 1])
def test_a_cell_of_a_table_may_be_long(tmp_path: Path, sample: int) -> None:
    """Python's `csv` refuses more than 128 KiB unless told otherwise, and refuses it again afterwards."""
    (tmp_path / "x.csv").write_text(f"id,text\n1,{'x' * 140_000}\n2,b\n")
    before = csv.field_size_limit()
    assert 140_000 == len(from_payload(tmp_path / "x.csv", sample=sample).value[0]["text"])
    assert before == csv.field_size_limit()


@pytest.mark.parametrize(
    ("name", "blob", "last"),
    [
        ("x.csv", b"a,b\n" + b'"x","y"\n' * 9_000 + b'"say ""hi"" now","z"\n', ['say "hi" now', "z"]),
        ("x.csv", b"a,b,c\n" + b"x,'y',z\n" * 3 + b"x,\"y,'z'\",1\n", ["x", "y,'z'", "1"]),
        ("x.csv", b'"a\nb";c\n1;2,5\n', [1, "2,5"]),
        ("x.csv", b'a, b\n1, "x, y"\n', [1, "x, y"]),
        ("x.tsv", b"text\nhello, world\nbye, all\n", ["bye, all"]),
        ("x.tsv", b"\ta\nhello, world\tx; y\n", ["hello, world", "x; y"]),
        ("x.tsv", b"a,b\n1,2\n", [1, 2]),
    ],
)
def test_the_texts_of_a_table_are_as_they_stand(tmp_path: Path, name: str, blob: bytes, last: list[Any]) -> None:
    """A text may have doubled quotes that no earlier one has, apostrophes, line ends, and what separates other tables."""
    assert last == [*payload(tmp_path, name, blob).value[-1].values()]


def test_parquet(tmp_path: Path) -> None:
    """A Parquet table has its own types."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rows = [{"at": datetime(2024, 1, 1, tzinfo=UTC), "blob": b"\0", "inner": {"x": [1.5]}, "n": 1}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
    data = from_payload(tmp_path / "x.parquet")

    assert rows == data.value
    types = {f.name: f.type for f in data.schema.record("X").fields}
    assert (DATETIME, BYTES, INT) == (types["at"], types["blob"], types["n"])


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("timestamp[ns]", 1_000, datetime.fromisoformat("1970-01-01T00:00:00.000001")),
        ("timestamp[ns]", 1, "1970-01-01 00:00:00.000000001"),
        ("timestamp[us]", 253_402_300_800_000_000, "10000-01-01 00:00:00.000000"),
        ("date32[day]", 2_932_897, "10000-01-01"),
        ("duration[ns]", 1_000, timedelta(microseconds=1)),
        ("duration[ns]", 1, 1),
        ("time64[ns]", 1, "00:00:00.000000001"),
    ],
)
def test_parquet_times_are_whole(tmp_path: Path, type_: str, value: int, expected: Any) -> None:
    """Times that Python's own types hold are these; a column with any other is text, of durations their number."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    known = {"timestamp[ns]": pa.timestamp("ns"), "timestamp[us]": pa.timestamp("us"), "date32[day]": pa.date32()}
    known |= {"duration[ns]": pa.duration("ns"), "time64[ns]": pa.time64("ns")}
    column = pa.array([value, None], known[type_])
    pq.write_table(
        pa.table({"at": column, "list": pa.array([[value], []], pa.list_(known[type_]))}), tmp_path / "x.parquet"
    )
    rows = read(tmp_path / "x.parquet")[1]
    assert [{"at": expected, "list": [expected]}, {"at": None, "list": []}] == rows


def test_parquet_has_old_timestamps_and_maps(tmp_path: Path) -> None:
    """Timestamps of 96 bits have any year or all their digits; maps have their keys as texts, each once."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"at": [datetime.fromisoformat("9999-12-31")]})
    pq.write_table(table, tmp_path / "old.parquet", use_deprecated_int96_timestamps=True)
    assert [{"at": datetime.fromisoformat("9999-12-31")}] == read(tmp_path / "old.parquet")[1]
    table = pa.table({"at": pa.array([1], pa.timestamp("ns"))})
    pq.write_table(table, tmp_path / "fine.parquet", use_deprecated_int96_timestamps=True)
    for sample in (0, 1):
        assert [{"at": "1970-01-01 00:00:00.000000001"}] == read(tmp_path / "fine.parquet", sample)[1]
    inner = pa.struct([("tags", pa.map_(pa.string(), pa.string()))])
    table = pa.table({"m": pa.array([[(1, {"tags": [("a", "b")]})], None], pa.map_(pa.int64(), inner))})
    pq.write_table(table, tmp_path / "maps.parquet")
    assert [{"m": {"1": {"tags": {"a": "b"}}}}, {"m": None}] == read(tmp_path / "maps.parquet")[1]
    twice = pa.table({"m": pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))})
    pq.write_table(twice, tmp_path / "twice.parquet")
    named = pa.Table.from_arrays([pa.array([1])] * 2, names=["a", "a"])
    pq.write_table(named, tmp_path / "named.parquet")
    for sample in (0, 1):
        with pytest.raises(WorkloadError, match=r"not a table: two columns have the same name"):
            read(tmp_path / "named.parquet", sample)
    with pytest.raises(WorkloadError, match=r"twice\.parquet: JSON cannot represent the column 'm' \(.*'a'.*; omit it"):
        read(tmp_path / "twice.parquet")


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.yaml", "x.csv", "x.csv.gz", "x.mpk"])
@pytest.mark.parametrize("sample", [0, 2])
def test_parquet_may_have_any_name(tmp_path: Path, name: str, sample: int) -> None:
    """Its first bytes say what it is: it is sampled, doubted and adopted as Parquet."""
    blob = _as_parquet([{"n": "1.10"}, {"n": "1.1"}])
    (tmp_path / name).write_bytes(gzip.compress(blob) if name.endswith("gz") else blob)
    data = from_payload(tmp_path / name, sample=sample)
    assert ([{"n": "1.10"}, {"n": "1.1"}], []) == (data.value, [doubt for doubt in data.doubts if doubt.path == ("n",)])
    assert ("parquet", False) == file_bytes(tmp_path / name, sample)[:2]


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If pyarrow is not installed, one line says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(WorkloadError, match="pip install pyarrow"):
        payload(tmp_path, "x.parquet", b"PAR1")


def test_toml_has_moments_as_texts(tmp_path: Path) -> None:
    """TOML is read as the JSON that it stands for."""
    data = payload(tmp_path, "x.toml", b"at = 2024-01-01T00:00:00Z\n[server]\nport = 80\n")

    assert {"at": datetime(2024, 1, 1, tzinfo=UTC), "server": {"port": 80}} == data.value


TEXTS = ['"{}"', "'{}'", '"""\n{}"""', "'''\n{}'''", r'"\"{}"', '""""{}"""', "1 # {}", "'#' # {}"]


@pytest.mark.parametrize("text", TEXTS)
def test_digits_of_texts_and_comments_are_no_times(tmp_path: Path, text: str) -> None:
    """Only a time loses digits, whatever texts and comments beside it say."""
    line = f"a = {text.format('10:00:00.1234567')}\n".encode()
    assert payload(tmp_path, "x.toml", line).schema.records[0].fields[0].type in (STR, INT)
    with pytest.raises(WorkloadError, match="has more digits of a second than Python holds"):
        payload(tmp_path, "x.toml", line + b"b = 10:00:00.1234567\n")


def test_many_times_in_comments_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is no reason to read the file again."""
    reads, loads = [], tomllib.loads
    monkeypatch.setattr(tomllib, "loads", lambda text: reads.append(text) or loads(text))
    payload(tmp_path, "x.toml", b"a = 1 # 10:00:00.1234567\nb = 1 # 11:00:00.1234567\n")
    assert 1 == len(reads)


def test_bytes_of_messagepack_are_no_times(tmp_path: Path) -> None:
    """Only a timestamp has nanoseconds."""
    blob = msgspec.msgpack.encode({"a": b"\xd7\xff" + (5 << 34).to_bytes(8, "big")})
    assert payload(tmp_path, "x.msgpack", blob).value == msgspec.msgpack.decode(blob)


def test_a_key_that_is_merged_often_is_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged mappings that merge others do not multiply; first comes what is merged, and what stands last counts."""
    constructor, pairs = pytest.importorskip("yaml.constructor").BaseConstructor, list[int]()
    made = constructor.construct_mapping

    def noted(loader: Any, node: Any, **options: Any) -> Any:
        pairs.append(len(node.value))
        return made(loader, node, **options)

    monkeypatch.setattr(constructor, "construct_mapping", noted)
    merged = "".join(f"  - &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}], k: {n}, k{n}: 0}}\n" for n in range(1, 4))
    whole = f"all:\n  - &m0 {{k: 0}}\n{merged}".encode()
    *_, last = parse_yaml(Path("x.yaml"), whole)["all"]
    assert [("k", 3), ("k1", 0), ("k2", 0), ("k3", 0)] == list(last.items())
    assert max(pairs) == 4


def test_yaml_that_older_versions_read_otherwise(tmp_path: Path) -> None:
    """Numbers and booleans are those of YAML 1.2; what 1.1 takes otherwise is named, unless quotes make it a text."""
    pytest.importorskip("yaml")
    blob = b"{on: 1, a: [0x1F, 0o17, 017, 'no', yes, 1e5, 7], b: 2024-01-01}"
    data = payload(tmp_path, "x.yaml", blob)
    assert data.value == {"on": 1, "a": [31, 15, 17, "no", "yes", 1e5, 7], "b": date(2024, 1, 1)}
    assert "takes `0o17`, `017`, `yes` and 1 more otherwise" in " ".join(map(str, data.doubts))
    assert "YAML 1.1" not in str(payload(tmp_path, "x.yaml", b"{on: 1, a: 'yes'}").doubts)


def test_maps_of_parquet_are_maps(tmp_path: Path) -> None:
    """The file says which columns are maps, also inside of lists, records and maps; --record decides otherwise."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    inner = pa.map_(pa.string(), pa.map_(pa.string(), pa.int64()))
    column = pa.array([[{"id": 1, "m": [("id", [("name", 2)])]}]], pa.list_(pa.struct({"id": pa.int64(), "m": inner})))
    pq.write_table(pa.table({"items": column}), tmp_path / "x.parquet")
    schema = from_payload(tmp_path / "x.parquet").schema
    assert Field("m", Map(Map(INT))) in schema.record("Item").fields
    record = from_payload(tmp_path / "x.parquet", overrides=Overrides(records=["items.m"])).schema
    assert not any(isinstance(field.type, Map) for field in record.record("Item").fields)


def test_a_new_name_takes_no_other_file_s(tmp_path: Path) -> None:
    """A file that is to be renamed is not given the name of a file beside it."""
    payload(tmp_path, "Cargo.toml", b"a = 1\n")
    with pytest.raises(WorkloadError, match=r"it seems to be TOML; rename it to Cargo\.lock\.toml$"):
        payload(tmp_path, "Cargo.lock", b'version = 4\n[[package]]\nname = "syn"\n')


def test_messagepack_has_bytes_and_moments(tmp_path: Path) -> None:
    """Values that MessagePack has types for keep their kind."""
    value = {"at": datetime(2024, 1, 1, tzinfo=UTC), "blob": b"\0"}
    data = payload(tmp_path, "x.msgpack", msgspec.msgpack.encode(value))

    assert value == data.value
    assert (Field("at", DATETIME), Field("blob", BYTES)) == data.schema.records[0].fields


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1"
BINARY = ("x.png", "x.json", "x.csv", "x.toml", "x.yaml", "x.ndjson")


@pytest.mark.parametrize(
    ("name", "blob", "message"),
    [
        ("x.ndjson", b'{"a": 1}\n{"a": }\n', "x.ndjson, line 2: not JSON in line 1, column 7"),
        ("x.json", b'{"a": 1}\n{"a": 2}', "not JSON; it seems to be JSON Lines; rename it to x.ndjson"),
        ("x.json.gz", gzip.compress(b"a,b\n1,2\n"), "not JSON; it seems to be CSV; rename it to x.csv"),
        ("x.txt", b"a: 1\nb: [x, y]\n", "it seems to be YAML; rename it to x.yaml"),
        ("x.txt", b'[server]\nport = 80\nname = "a"\n', "it seems to be TOML; rename it to x.toml"),
        ("x.bin", msgspec.msgpack.encode([{"a": 1}]), "it seems to be MessagePack; rename it to x.msgpack"),
        ("x.cbor", b"\x81\xa1aa\x01", "it seems to be CBOR, which serbench does not read; write it as JSON"),
        ("x.json", b"\x80\x04N.", "it seems to be a pickle, which serbench does not read"),
        ("x.json", '[{"a": 1}]'.encode("utf-16"), "it seems to be UTF-16; save it as UTF-8"),
        (
            "shop.py",
            b"class _Odd: pass\nclass Order(Odd):\n  id: int\n",
            r"Python; name a class in it, such as .*:_Odd, with",
        ),
        (
            "shop.py",
            b"x = 1\n",
            r"not JSON; it seems to be Python; name a class in it, such as .*shop\.py:Order, with --model",
        ),
        *((name, PNG, "it is binary; give data in JSON, JSON Lines, .* or TOML") for name in BINARY),
        ("x.bin", b"\x7fELF\2\1\xff", "not JSON; it is binary; give data in"),
        ("x.json", b'["\xe9\1"]', "not JSON; it is binary"),
        ("x.json", b'["\xe9"]', "not UTF-8 in line 1"),
        ("x.json", b'{"a": "\0"}', "invalid control character"),
        ("x.toml", b"a = [1", "not TOML"),
        (
            "x.json",
            b'{"a": [\n{"b": 1},\n]}',
            r"not JSON in line (3, column 1: expecting value|2, column 9: illegal trailing comma)",
        ),
        ("x.json.gz", gzip.compress(JSON, mtime=0)[:-9], "cannot be decompressed"),
        ("x.json.zst", zstd.compress(JSON)[:8] + b"xx", "cannot be decompressed"),
        ("x.msgpack", b"\xc1", "not MessagePack"),
        ("x.msgpack", msgspec.msgpack.encode({1: 2}), "found a key that is not a string"),
        ("x.msgpack", msgspec.msgpack.encode([float("inf")]), "found NaN or infinity"),
        ("x.yaml", b"a: !!bool maybe\n", "'maybe' does not fit !!bool in .*line 1, column 4"),
        ("x.yaml", b"a: 1\nb: !!bool ''\n", "'' does not fit !!bool in .*line 2, column 4"),
        ("x.yaml", b"!!bool maybe: 1\n", "'maybe' does not fit !!bool"),
        ("x.yaml", b"- !!timestamp soon\n", "'soon' does not fit !!timestamp"),
        ("x.yml", b"a: !!float ''\n", "'' does not fit !!float"),
        ("x.yml", b"a: !!float '_'\n", "'_' does not fit !!float"),
        ("x.yml", b"a: !!int ''\n", "YAML that JSON cannot represent"),
        ("x.yml", b"a: .inf\n", "YAML that JSON cannot represent .the number inf."),
        ("x.yml", b"a: 1\n---\na: 2\n", "several documents of YAML, one behind another; write them as one list"),
        ("x.msgpack", b"\x01\x02", "several values of MessagePack, one behind another; write them as one list"),
        ("x.msgpack", b"\xd7\xff" + (5 << 34).to_bytes(8, "big"), "a timestamp has nanoseconds"),
        ("x.msgpack", b"\xc7\x0c\xff" + (5).to_bytes(4, "big") + bytes(8), "a timestamp has nanoseconds"),
        ("x.toml", b"at = 10:00:00.1234567\n", "10:00:00.1234567 has more digits of a second than Python holds"),
        ("x.csv", b"\xef\xbb\xbf", "x.csv: the table is empty; write a header and rows into it"),
        ("x.tsv.gz", gzip.compress(b"\xef\xbb\xbf\r\n\r\n", mtime=0), "the table is empty"),
        ("x.csv", b"a,b\n1\n", "row 2 and the header differ in length"),
        ("x.csv", b"a,a\n1,2\n", "two columns have the same name"),
        ("x.csv", b"a\n\xff\n", "not UTF-8 in line 2"),
        ("x.json", b'["\\ud800"]', "is a lone surrogate"),
        ("x.json", b"[" * 10_000 + b"]" * 10_000, "nested"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, blob: bytes, message: str) -> None:
    """A file that does not match its suffix is refused in one line."""
    with pytest.raises(WorkloadError, match=message) as caught:
        payload(tmp_path, name, blob)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("x.csv.gz", [gzip.compress(b"a,b\n", mtime=0), gzip.compress(b"1234,5678\n" * 100, mtime=0)]),
        (
            "x.csv.zst",
            [
                zstd.compress(b"a,b\n"),
                b"\x50\x2a\x4d\x18\2\0\0\0ab",  # which readers skip
                zstd.compress(b"1234,5678\n" * 100, options={zstd.CompressionParameter.checksum_flag: 1}),
            ],
        ),
    ],
)
def test_a_compressed_file_that_was_cut_off_is_refused(tmp_path: Path, name: str, frames: list[bytes]) -> None:
    """Wherever it ends, except after a frame, it is not read as a shorter one."""
    blob, path, ends = b"".join(frames), tmp_path / name, set(accumulate(map(len, frames)))
    for length in range(5, len(blob) + 1):
        path.write_bytes(blob[:length])
        with nullcontext() if length in ends else pytest.raises(WorkloadError, match="cannot be decompressed"):
            read(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file that decompresses to a huge one is refused."""
    monkeypatch.setattr("serbench.model.data.files.LARGEST_BYTES", 1 << 20)
    for name, blob in (
        ("x.json.gz", gzip.compress(b"x" * (2 << 20), mtime=0)),
        ("x.json.zst", zstd.compress(b"x" * (2 << 20))),
    ):
        with pytest.raises(WorkloadError, match="it has more than"):
            payload(tmp_path, name, blob)


@pytest.mark.parametrize(
    ("name", "blob", "reason"),
    [
        ("x.yaml", b"[" * 60 + b"]" * 60, "nested deeper than 50 levels"),
        ("x.yaml", b"- " * 60 + b"1", "nested deeper than 50 levels"),
        ("x.yaml", b"[" + b"1," * 3_000 + b"1]", "it has more than 2,000 values; write it as JSON"),
        ("x.toml", b"[" + b".".join([b"a"] * 300) + b"]\nb = 1\n", "a key has more than 200 parts"),
        ("x.toml", b"a = " + b"9" * 5_000, "Exceeds the limit"),
        ("x.toml", b"".join(b"a%d = 1\n" % number for number in range(3_000)), "it has more than 2,000 values"),
        ("x.json.gz", gzip.compress(bytes(5_000)), "not JSON: it begins with zero bytes"),
        ("x.json", b"x" * 5_000, "not JSON at byte 0, found 'xxx"),
        ("x.toml", b"a = [\n-" + b"9" * 200_000 + b"]", "a number has more than 100,000 digits"),
        ("x.csv", b'a,b\n"' + b"x" * (3 << 20), "not CSV (a field has more than 1 MiB)"),
        ("x.json", b'{"' + b"k" * 20_000 + b'": 1}', "a key has 20,000 characters, more than 10,000"),
        ("x.jsonl.gz", gzip.compress(b'"' + b"x" * (3 << 10)), "a line is longer than"),
        ("x.json.gz", gzip.compress(b'{"a": "' + b"x" * (3 << 20) + b'"}'), "a value in it has more than"),
    ],
)
def test_what_would_take_all_time_or_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, blob: bytes, reason: str
) -> None:
    """Small files that a reader of others would never end with, or that would end the process, are one line."""
    monkeypatch.setattr("serbench.model.data.files._DEEPEST_NODE", 50)
    monkeypatch.setattr("serbench.model.data.files.MOST_NODES", 2_000)
    monkeypatch.setattr("serbench.model.data.files.WHOLE_BYTES", 1 << 10)
    with pytest.raises(SerbenchError) as raised:
        payload(tmp_path, name, blob)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("sample", [0, 2_000])
@pytest.mark.parametrize("kind", ["plain", "dictionary", "list of dictionary"])
def test_a_small_table_of_very_large_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, sample: int
) -> None:
    """Parquet stores a text of many rows once, and Arrow may do so too; of Python's, each row has its own."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("serbench.model.data.files.LARGEST_BYTES", 1 << 20)
    column = pa.array(["x" * 1_000] * 2_000)
    if kind != "plain":
        column = column.dictionary_encode()
    if kind == "list of dictionary":
        column = pa.ListArray.from_arrays(pa.array(range(2_001), pa.int32()), column)
    pq.write_table(pa.table({"a": column}), tmp_path / "x.parquet")
    if kind != "plain":
        assert read(tmp_path / "x.parquet", 1)[1] == [{"a": ["x" * 1_000] if "list" in kind else "x" * 1_000}]
    assert (tmp_path / "x.parquet").stat().st_size < 20_000
    with pytest.raises(WorkloadError, match="its rows take more than"):
        read(tmp_path / "x.parquet", sample)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_a_large_file_of_lines_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    """Lines from all over the file are read, and what was not read is said; a smaller one is read whole."""
    monkeypatch.setattr("serbench.model.data.files.WHOLE_BYTES", 1 << 10)
    monkeypatch.setattr("serbench.model.data.files.SAMPLED_LINES", 10)
    lines = [b'{"n":%d,"text":"%s"}\n\n' % (number, b"0123456789" * 2) for number in range(1000)]
    path = tmp_path / "x.jsonl"
    path.write_bytes(pack(b"".join(lines)))
    large = from_payload(path)
    assert "10 of 1,000 lines are read, evenly spaced over the file" == large.unread
    assert [large.unread] == [doubt.says for doubt in large.doubts]
    assert large.value == [json.loads(lines[value["n"]]) for value in large.value]
    assert [0, 1] == [large.value[0]["n"], large.value[-1]["n"] // 800]
    assert large.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(pack(b"".join(lines[:10])))
    assert ("", 10) == (from_payload(path).unread, from_payload(path).records)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_a_large_list_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    """Its first items are read, and what was not read is said; one of large items, or that is wrong, is read whole."""
    monkeypatch.setattr("serbench.model.data.files.WHOLE_BYTES", 1 << 10)
    monkeypatch.setattr("serbench.model.data.files.SAMPLED_LINES", 10)
    items = [b'{"n":%d,"text":"%s"}' % (number, b"0123456789" * 2) for number in range(1000)]
    path = tmp_path / "x.json"
    path.write_bytes(pack(b" [" + b", ".join(items) + b"]\n"))
    large = from_payload(path)
    assert large.unread.startswith("the first 10 ")
    assert large.value == [json.loads(item) for item in items[:10]]
    path.write_bytes(pack(b"[" + b",".join(items[:10]) + b"]"))
    assert ("", 10) == (from_payload(path).unread, from_payload(path).records)
    path.write_bytes(pack(json.dumps([{"text": "x" * 5_000}] * 3).encode()))
    assert 3 == from_payload(path).records
    path.write_bytes(pack(b"[" + b",".join(items) + b",]"))
    assert 10 == from_payload(path).records
    path.write_bytes(pack(b"[" + b",\n".join(items[:5]) + b",oh," + b",".join(items) + b"]"))
    with pytest.raises(WorkloadError, match=r"not JSON at byte \d+, found 'oh,"):
        from_payload(path)


@pytest.mark.parametrize("opened", [open, gzip.open])
def test_a_large_file_of_blanks_is_not_kept(tmp_path: Path, opened: Any) -> None:
    """It is empty, which is known when it has been read through, with no memory for it."""
    path = tmp_path / "x.json"

    def write(mebibytes: int, end: bytes) -> None:
        with opened(path, "wb") as file:
            file.writelines([b" \n" * (1 << 19)] * mebibytes)
            file.write(end)

    write(32, b"")
    tracemalloc.start()
    with pytest.raises(WorkloadError, match="the file is empty"):
        read(path)
    write(66, b"[1]")
    tracemalloc.reset_peak()
    with pytest.raises(WorkloadError, match=r"it begins with more than 64 MiB of blanks; remove them$"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def _rows(count: int) -> list[dict[str, Any]]:
    return [{"n": number, "text": f'a, "b"] \u00e9\n{number}' * (number % 3 + 1)} for number in range(count)]


def _as_csv(rows: list[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, ["n", "text"])
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def _as_parquet(rows: list[dict[str, Any]]) -> bytes:
    pa = pytest.importorskip("pyarrow")
    sink = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


WRITERS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "x.json": lambda rows: json.dumps(rows, ensure_ascii=False, indent=1).encode(),
    "x.jsonl": lambda rows: b"\n".join(json.dumps(row).encode() for row in rows),
    "x.csv": _as_csv,
    "x.parquet": _as_parquet,
}


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl"])
def test_nothing_is_sampled_of_an_empty_file(tmp_path: Path, name: str) -> None:
    """It is refused as without --sample."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"") if name.endswith("gz") else b"")
    with pytest.raises(WorkloadError, match="the file is empty"):
        from_payload(path, sample=10)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
@pytest.mark.parametrize("name", WRITERS)
def test_a_sample_is_what_a_smaller_file_would_be(tmp_path: Path, name: str, pack: Any) -> None:
    """As many records as asked for are read, a line says of how many; of a smaller file all are."""
    path, rows = tmp_path / name, _rows(20_000)
    path.write_bytes(pack(WRITERS[name](rows)))
    some = from_payload(path, sample=50)
    assert 50 == some.records
    assert some.value == (rows[:50] if name != "x.jsonl" else [rows[value["n"]] for value in some.value])
    told = re.fullmatch(r"(the first )?50(?: of (?:about )?([\d,]+))? (records|lines) are read.*", some.unread)
    assert told is not None
    assert told[2] or pack is not bytes  # a small file is unpacked at once
    assert 0.5 < int((told[2] or "20,000").replace(",", "")) / len(rows) < 2
    assert [some.unread] == [doubt.says for doubt in some.doubts if not doubt.path]
    path.write_bytes(pack(WRITERS[name](rows[:50])))
    for count in (50, 60):
        assert (rows[:50], "") == (from_payload(path, sample=count).value, from_payload(path, sample=count).unread)
    few = from_payload(path, sample=40)
    assert (40, True) == (few.records, "40" in few.unread)


@pytest.mark.parametrize(
    ("name", "blob", "told"),
    [
        ("x.json", b'{"a": [1, 2]}', "this document is not one"),
        ("x.json", b'[{"a": 1}, {"a": }]', "not JSON behind 1 records"),
        ("x.json", b'[{"a": 1}, {"a"', "not JSON behind 1 records"),
        ("x.json", b'[{"a": "\xff"}]', "not UTF-8"),
        ("x.json", b'[{"a": 1}]\n[{"a": 2}]', "not JSON behind its list"),
        ("x.json", b"[]" + b" " * 600_000 + b"]", "not JSON behind its list"),
        ("x.mpk", b"\x91\x01", "MessagePack cannot be sampled"),
        ("x.parquet", b"PAR1", "not Parquet"),
    ],
)
def test_what_cannot_be_sampled(tmp_path: Path, name: str, blob: bytes, told: str) -> None:
    """What has no records to sample, or is damaged, is refused in a line."""
    (tmp_path / name).write_bytes(blob)
    with pytest.raises(WorkloadError, match=told):
        from_payload(tmp_path / name, sample=5)


@pytest.mark.parametrize(
    ("name", "blob"),
    [
        ("x.json", b"[" + b"[]," * 99 + b"[]]"),
        ("x.csv", b"a,b\n" + b"1,2\n" * 99),
        ("x.jsonl", b"[1,2]\n" * 99),
        ("x.mpk", b"\xdc\0\x63" + b"\x90" * 99),
        ("x.mpk", msgspec.msgpack.encode([1] * 99)),
    ],
)
def test_a_file_of_very_many_values_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, blob: bytes
) -> None:
    """Each value takes memory, however small it is in the file; the line says what to do."""
    monkeypatch.setattr("serbench.model.data.files.MOST_VALUES", 50)
    monkeypatch.setattr("serbench.model.data.files.WHOLE_BYTES", 1000 if name in ("x.json", "x.jsonl") else 99)
    instead = "use a part of it, or write" if name == "x.mpk" else "read a part of it with --sample"
    with pytest.raises(WorkloadError, match=f"it has more than 50 values; {instead}"):
        payload(tmp_path, name, blob)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_without_end_are_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    """A sample of lines takes time for each of them: it is one of the first, which is said, and blank lines are refused."""
    limits = {"MOST_VALUES": 50, "MOST_LINES": 70, "WHOLE_BYTES": 90, "SAMPLED_LINES": 5}
    for name, most in limits.items():
        monkeypatch.setattr(f"serbench.model.data.files.{name}", most)
    lines = [b'{"n":%d}\n' % number for number in range(99)]
    found = payload(tmp_path, "x.jsonl", pack(b"".join(lines)))
    assert "5 of the first 70 lines are read, evenly spaced over these" == found.unread
    assert 70 > found.value[-1]["n"] > 50
    with pytest.raises(WorkloadError, match="it has more than 50 values; remove its blank lines"):
        payload(tmp_path, "x.jsonl", pack(b"\n" * 99 + lines[0]))


def test_very_many_keys_are_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each different key takes memory: the first ones of a map are read, and what has no first ones is refused."""
    monkeypatch.setattr("serbench.model.data.files.MOST_KEYS", 50)
    monkeypatch.setattr("serbench.model.data.files.SAMPLED_LINES", 40)
    document = {f'"{number}\\': {"a": [number, "x:y"]} for number in range(99)}
    blob = json.dumps(document).replace('":', '" : ').encode()
    for pack in (bytes, gzip.compress, zstd.compress):
        found = payload(tmp_path, "x.json", pack(blob))
        assert "the first 40 keys are read" == found.unread
        assert dict(list(document.items())[:40]) == found.value
    assert "the first 9 keys are read" == from_payload(tmp_path / "x.json", sample=9).unread
    keys = [{key: 1} for key in document]
    assert "the first 40 records are read" == payload(tmp_path, "x.json", json.dumps(keys).encode()).unread
    assert 500 == payload(tmp_path, "x.json", json.dumps([{"a": {"b": ": :"}}] * 500).encode()).records
    for name, wrong, told in (
        ("x.json", b'{"a": "' + b':\\"' * 1_000_000, "not JSON in line 1, column 7"),  # at once, though no text ends
        ("x.json", b'{"a": %s}' % blob, "it has more than 50 different keys; use a part of it"),
        ("x.json", b"[%s]" % blob, "it has more than 50 different keys; use a part of it"),
        ("x.jsonl", b"\n".join(map(msgspec.json.encode, keys)), "50 different keys; read a part of it with --sample"),
        ("x.mpk", msgspec.msgpack.encode(document), "a map in it has more than 50 keys; use a part of it"),
    ):
        with pytest.raises(WorkloadError, match=told):
            payload(tmp_path, name, wrong)


def test_very_many_row_groups_are_read_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of Parquet describes each column of each row group; if that is long, it would take gigabytes."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({f"c{number}": [1] * 500 for number in range(20)})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=1)
    monkeypatch.setattr("pyarrow.parquet.read_table", None)  # which takes 40 kB for each row group
    assert 500 == from_payload(tmp_path / "x.parquet").records
    monkeypatch.setattr("serbench.model.data.files.LARGEST_FOOTER", 1 << 20)
    for sample in (0, 5):
        with pytest.raises(WorkloadError, match="its row groups takes more than 1 MiB; write it again with fewer"):
            from_payload(tmp_path / "x.parquet", sample=sample)


def test_a_row_of_very_many_values_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The items of lists in Parquet are values, however few its rows are."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("serbench.model.data.files.MOST_VALUES", 50)
    pq.write_table(pa.table({"a": [[0] * 99]}), tmp_path / "x.parquet")
    with pytest.raises(WorkloadError, match="it has more than 50 values"):
        read(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    "document",
    [
        ["\x10\x40\x50\u0410" * 40, b"\x90" * 70_000, -1, -200, 300, 70_000, 1 << 40, 0.5, None, True],
        {"a": {"b": [[], {}]}, "c" * 40: msgspec.msgpack.Ext(5, b"\x80" * 9), "d": ["x" * 300, "y" * 70_000]},
        [[0] * 20, dict.fromkeys(map(str, range(20)))],
    ],
)
def test_values_of_messagepack_are_counted_by_its_own_counts(document: Any) -> None:
    """Bytes within texts and numbers are no values."""

    def items(value: Any) -> int:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return len(parts) + sum(map(items, parts))

    assert items(document) == _msgpack_counts(msgspec.msgpack.encode(document))[0]


@pytest.mark.parametrize(
    "document",
    [
        {"__class__": 1, '"); import os; os._exit(9)': 2, "__init__": {"__dict__": []}},
        {"class": 1, "class_": 2, "Class": {"def": 3}},
        {f"key{number}": number for number in range(50_000)},
        [{"a": 1, "self": 2}, {"type": '"); import os', "x": 1}, {"type": "b"}],
    ],
    ids=["code", "keywords", "very many keys", "code as tag"],
)
def test_hostile_documents(tmp_path: Path, document: Any) -> None:
    """Keys that look like code are data, and are returned unchanged."""
    assert json.loads(json.dumps(document)) == without_nones(
        payload(tmp_path, "x.json", json.dumps(document).encode()).value
    )


def test_duplicate_keys(tmp_path: Path) -> None:
    """If a key occurs twice, the last value counts, as in every JSON reader of Python."""
    assert payload(tmp_path, "x.json", b'{"a": 1, "a": 2}').value == {"a": 2}
