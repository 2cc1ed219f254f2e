"""Reads payload files: JSON, JSON Lines, MessagePack, YAML, TOML, CSV and Parquet, compressed or not.

YAML is read as the JSON that it stands for: texts that look like dates, or like yes and no, stay texts.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, cast

from serbench.errors import WorkloadError
from serbench.model.records import every_value

_MOST_VALUES, _MOST_PER_BYTE = 100_000, 10  # whichever is more: without aliases, a byte holds at most one
_SCALARS = {
    "null": (r"~|null|Null|NULL|", "~nN\0"),
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?\d+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    "float": (r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", "-+.0123456789"),
    "merge": (r"<<", "<"),
}
"""Tag → the form of its scalars, and their first characters: the core schema of YAML 1.2, and merged keys."""


def parse_yaml(path: Path, blob: bytes) -> Any:
    """Parse a YAML document.

    Raises:
        WorkloadError: it is not YAML, or JSON cannot represent it; PyYAML is not installed.
    """
    try:
        import yaml
    except ImportError:
        raise WorkloadError(f"{path}: reading YAML needs PyYAML: pip install pyyaml") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # PyYAML's own name
        depth = nodes = 0

        def descend_resolver(self, *_: Any) -> None:
            """Count a node before it is made; deep ones would end the process, for libyaml recurses without a limit."""
            self.depth, self.nodes = self.depth + 1, self.nodes + 1
            if self.depth > _DEEPEST_NODE:
                raise WorkloadError(f"{path}: nested deeper than {_DEEPEST_NODE:,} levels; flatten the document")
            _check_values(path, self.nodes, "write it as JSON, or use a part of it", MOST_NODES)

        def ascend_resolver(self) -> None:
            self.depth -= 1

        def construct_document(self, root: Any) -> Any:
            todo, seen = [root], set[int]()
            while todo:
                node = todo.pop()
                if id(node) in seen or isinstance(node, yaml.ScalarNode):
                    continue
                seen.add(id(node))
                if isinstance(node, yaml.MappingNode):
                    node.value = self.with_keys_as_texts(node.value)
                    todo += [value for _, value in node.value]
                else:
                    todo += node.value
            return super().construct_document(root)

        def with_keys_as_texts(self, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
            """Return the pairs of a mapping with texts for keys, each once: numbers as written, for 007 is not 7."""
            kept: dict[Any, tuple[Any, Any]] = {}
            for key, value in pairs:
                if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                    kept[key] = key, value
                    continue
                constructed = self.construct_object(key)
                text = json.dumps(constructed) if constructed is None or isinstance(constructed, bool) else key.value
                if text in kept:
                    what = f"the key {text[:60]!r} comes twice"
                    raise yaml.constructor.ConstructorError(None, None, what, key.start_mark)
                kept[text] = yaml.ScalarNode("tag:yaml.org,2002:str", text, key.start_mark, key.end_mark), value
            return list(kept.values())

        def flatten_mapping(self, node: Any) -> None:
            """Merge keys as PyYAML does, but keep each once, the last: 700 bytes of merged merges would take all memory."""
            super().flatten_mapping(node)
            node.value = list(
                {key.value if isinstance(key, yaml.ScalarNode) else key: (key, one) for key, one in node.value}.values()
            )

    for tag, (form, firsts) in _SCALARS.items():
        pattern = re.compile(rf"(?:{form})\Z", re.ASCII)
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", pattern, ["" if c == "\0" else c for c in firsts])

    def whole_number(loader: Any, node: Any) -> int:
        text = loader.construct_scalar(node)
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))

    Loader.add_constructor("tag:yaml.org,2002:int", whole_number)

    def fitting(construct: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def constructed(loader: Any, node: Any) -> Any:
            try:
                return construct(loader, node)
            except (LookupError, AttributeError):  # PyYAML's own, of a text that does not fit its tag
                what = f"{node.value[:60]!r} does not fit {node.tag.replace('tag:yaml.org,2002:', '!!')}"
                raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from None

        return constructed

    for tag in ("bool", "float", "timestamp"):
        name = f"tag:yaml.org,2002:{tag}"
        Loader.add_constructor(name, fitting(yaml.SafeLoader.yaml_constructors[name]))
    try:
        return _Plain(path, max(_MOST_VALUES, _MOST_PER_BYTE * len(blob))).of(yaml.load(blob, Loader))  # noqa: S506  # a SafeLoader
    except WorkloadError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        if "expected a single document" in reason:
            raise WorkloadError(
                f"{path}: several documents of YAML, one behind another; write them as one list"
            ) from None
        raise WorkloadError(f"{path}: YAML that JSON cannot represent ({reason}); write it as JSON") from None


def otherwise_in_yaml11(path: Path, blob: bytes) -> list[str]:
    """Return values of a file, each once, that YAML 1.1 takes for another type or number, such as `yes`, `1e5` and `017`."""
    if _format(path, blob)[1] is not parse_yaml:
        return []
    import yaml

    todo = [yaml.compose(blob, getattr(yaml, "CBaseLoader", yaml.BaseLoader))]
    seen, met, older = set[int](), dict[str, None](), yaml.resolver.Resolver()
    while todo:
        node = todo.pop()
        if isinstance(node, yaml.ScalarNode):
            met |= {} if node.style in ("'", '"', "|", ">") else {node.value: None}
        elif node is not None and id(node) not in seen:
            seen.add(id(node))
            todo += [value for _, value in node.value] if isinstance(node, yaml.MappingNode) else node.value

    def differs(text: str) -> bool:
        before = older.resolve(yaml.ScalarNode, text, (True, False)).rpartition(":")[2]
        now = next((tag for tag, (form, _) in _SCALARS.items() if re.fullmatch(form, text, re.ASCII)), "str")
        return before != "timestamp" and (before != now or (now == "int" and re.match(r"[-+]?0\d", text) is not None))

    return [text for text in reversed(met) if differs(text)]


class _Plain:
    """Copies what PyYAML returns; an alias becomes what it stands for, so that no value contains itself."""

    def __init__(self, path: Path, most: int) -> None:
        self.path, self.most, self.made = path, most, 0

    def of(self, value: Any) -> Any:
        self.made += 1
        if self.made > self.most:
            raise WorkloadError(f"{self.path}: its aliases expand to more than {self.most:,} values; write it as JSON")
        if isinstance(value, dict):
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.of(item) for item in value]
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"the number {value}")
        if value is None or isinstance(value, str | int | float):
            return value
        raise ValueError(f"a value of type {type(value).__name__}")


LARGEST_BYTES = 1 << 30
"""Maximum size of a decompressed file that is read whole."""
MOST_VALUES = 20_000_000
"""Maximum number of values of a file that is read whole: these take up to 2 GB of memory."""
MOST_LINES = MOST_VALUES
"""Number of JSON Lines of which a sample is read; looking for more would take up to a minute."""
MOST_KEYS = 1_000_000
"""Maximum number of different keys of a document in JSON, or of a map in MessagePack: these take up to 500 MB."""
MOST_NODES = 1_000_000
"""Maximum number of values and keys of a YAML document, or of keys of a TOML one: these take up to 400 MB."""
LARGEST_FOOTER = 24 << 20
"""Maximum size of the end of a Parquet file, which describes each column of each row group: reading it takes 500 MB."""
_DEEPEST_NODE = 1_000
_LONG_KEY = re.compile(
    rb"(?<![\w\"'-])(?:[\w\"'-]++\s*+\.\s*+){200}"
)  # of TOML: the time of reading one grows with its square
_LONG_NUMBER = re.compile(rb"[=,\[\s+-]\d[\d_]{99999}")  # of TOML: its reader keeps a note of each digit
WHOLE_BYTES = 64 << 20
"""Maximum size of JSON Lines, or of a list in JSON, that is read whole; of a larger one, `SAMPLED_LINES` lines or items are."""
SAMPLED_LINES = 10_000

_INSTEAD = "give the path of a JSON file, or in Python the data itself, such as json.loads(text)"
_LONGEST_NAME = 255
_HUGE = re.compile(r"\d[eE]\+?\d{2}|\d{300}")  # matches in any number beyond the range of a float
_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_PACKED = {".gz", ".gzip", ".zst", ".zstd"}
_CHUNK = 1 << 18  # characters or rows read at once
_SNIFFED = 1 << 13  # characters that show how a table is separated, which is quadratic
_BEGIN_VALUES = {"JSON": b",[{", "JSON Lines": b",[{\n", "CSV": b",;\t\n"}
"""Format → the signs with which a value begins, or ends: what is counted while a file is read."""
_KEY = re.compile(rb'("(?:[^"\\]++|\\.)*+"?+)\s*+(:)?', re.DOTALL)  # any text of JSON; with a colon, it is a key
_LISTS = {"[": ("]", re.compile("")), "{": ("}", re.compile(r'"(?:[^"\\]++|\\.)*+"\s*:\s*'))}
"""How a list or an object begins → how it ends, and what is before each of its values."""
_NO_TEXT = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_READ_BYTES = 1 << 20
_GROUPS_LOOKED_AT, _ROWS_LOOKED_AT = 8, 32
_SMALLER = "read a part of it with --sample 10000, or use a part of it"


class Content(NamedTuple):
    """The bytes of a file, decompressed; of one that is sampled, those of a smaller file like it.

    `sha256` is that of the whole file as it is stored; `unread` says what was not read, and is empty if nothing.
    """

    unpacked: bytes
    sha256: str
    unread: str = ""

    @property
    def maps(self) -> frozenset[tuple[str, ...]]:
        """The paths of the columns that are maps, if it is Parquet; `*` is any key of a map, and lists have no step."""
        if not self.unpacked.startswith(_PARQUET):
            return frozenset()
        import pyarrow as pa
        import pyarrow.parquet as pq

        found, kinds = set[tuple[str, ...]](), pa.types
        todo: list[tuple[tuple[str, ...], Any]] = [
            ((field.name,), field.type) for field in pq.read_schema(pa.BufferReader(self.unpacked))
        ]
        while todo:
            path, type_ = todo.pop()
            if kinds.is_map(type_):
                found.add(path)
                todo.append(((*path, "*"), type_.item_type))
            elif kinds.is_struct(type_):
                todo += [((*path, field.name), field.type) for field in type_]
            elif kinds.is_list(type_) or kinds.is_large_list(type_) or kinds.is_fixed_size_list(type_):
                todo.append((path, type_.value_type))
        return frozenset(found)


def read(path: Path, sample: int = 0) -> tuple[Content, Any]:
    """Return the file's bytes, and the document in it; of a list, as many records as `sample` says.

    The file's suffix determines its format: `.ndjson` and `.jsonl` are JSON Lines, `.msgpack` and `.mpk` MessagePack,
    `.csv` and `.tsv` tables with a header, `.yaml` and `.yml` YAML, `.toml` TOML, `.parquet` Parquet, anything else JSON.
    Parquet is known by its first bytes, whatever the suffix.
    Files compressed with gzip or zstd are decompressed first.

    Raises:
        WorkloadError: the file does not exist, is too large to be read whole, or is not in the format that its suffix
            says; if it seems to be in another, the line says which.
    """
    content = _content(path, sample)
    unpacked = content.unpacked
    if not unpacked.strip():
        raise WorkloadError(f"{path}: the file is empty; write a JSON document into it")
    name, parse = _format(path, unpacked)
    try:
        return content, parse(path, unpacked)
    except WorkloadError as error:
        is_other = str(error).startswith(f"{path}: not ") or _is_binary(unpacked, parse)
        instead = _instead(path, unpacked, parse) if is_other else None
        if instead is None:
            raise
        raise WorkloadError(f"{path}: not {name}; {instead}") from None


def _check_values(path: Path, values: int, instead: str = _SMALLER, most: int | None = None) -> None:
    most = MOST_VALUES if most is None else most
    if values > most:
        raise WorkloadError(f"{path}: it has more than {most:,} values; {instead}")


def _has_many_keys(blob: bytes) -> bool:
    """Tell if JSON has so many different keys that they take more memory than all else."""
    keys = set[int]()
    for text in _KEY.finditer(blob) if blob.count(b":") > MOST_KEYS else ():
        if text[2]:
            keys.add(hash(text[1]))
            if len(keys) > MOST_KEYS:
                return True
    return False


def _instead(path: Path, blob: bytes, parse: Callable[[Path, bytes], Any]) -> str | None:
    """Return what a file that its parser refuses seems to be, and what to do; None if it is like nothing else."""
    if format_ := next(
        (name for start, name in _STARTS.items() if blob.startswith(start)), _FOREIGN.get(_suffix(path))
    ):
        return f"it seems to be {format_}, which serbench does not read; write it as JSON"
    if _suffix(path) == ".py":
        first = re.search(rb"^class +(\w+)", blob, re.MULTILINE)
        name = first[1].decode(errors="replace") if first else "Order"
        return f"it seems to be Python; name a class in it, such as {path}:{name}, with --model"
    if blob.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it seems to be UTF-16; save it as UTF-8"
    for suffix, is_like in _LIKE.items():
        name, other = _FORMATS[suffix]
        if other is not parse and is_like(blob):
            with suppress(WorkloadError):
                if isinstance(other(path, blob), dict | list):
                    renamed = f"{_short(Path(path.name)).partition('.')[0]}{suffix}"
                    renamed = f"{_short(Path(path.name))}{suffix}" if path.with_name(renamed).exists() else renamed
                    return f"it seems to be {name}; rename it to {renamed}"
    if _is_binary(blob, parse):
        *names, last = dict.fromkeys(["JSON", *(name for name, _ in _FORMATS.values())])
        return f"it is binary; give data in {', '.join(names)} or {last}"
    return None


def _is_binary(blob: bytes, parse: Callable[[Path, bytes], Any]) -> bool:
    """Tell if a file that should be text is none in UTF-8, and begins with bytes that no text has."""
    if parse in (_msgpack, _parquet) or not _NO_TEXT.search(blob, 0, _SNIFFED):
        return False
    try:
        blob.decode()
    except UnicodeDecodeError:
        return True
    return False


class FileBytes(NamedTuple):
    """The bytes of a file, decompressed: `format` is "json", "msgpack", "yaml" and the like, `lines` JSON Lines."""

    format: str
    lines: bool
    content: bytes

    @property
    def documents(self) -> list[bytes]:
        """The bytes of each document: of the lines that are not blank, or the whole file."""
        if self.lines:
            return [line for line in self.content.split(b"\n") if line.strip()]
        return [self.content]


def file_bytes(path: Path, sample: int = 0) -> FileBytes:
    """Return the bytes of a file, or of as many records as `sample` says, as its format's codecs read them.

    Raises:
        WorkloadError: the file does not exist or cannot be decompressed.
    """
    unpacked = _content(path, sample).unpacked
    name, parse = _format(path, unpacked)
    format_ = "json" if parse in (parse_json, _lines) else "msgpack" if parse is _msgpack else name.lower()
    return FileBytes(format_, parse is _lines, unpacked)


def parsed_as(format_: str, blob: bytes) -> Any:
    """Return the document of bytes in a format whose name is a suffix.

    Raises:
        WorkloadError: they are not of that format.
    """
    name = f".{format_}"
    return _FORMATS[name][1](Path(f"written{name}"), blob)


def _suffix(path: Path) -> str:
    """Return the suffix that says the format; empty if there is none."""
    return next((s for s in reversed(path.suffixes) if s.lower() not in _PACKED), "").lower()


def _format(path: Path, start: bytes = b"") -> tuple[str, Callable[[Path, bytes], Any]]:
    """Return the format that the suffix says and what parses it, unless the file begins as Parquet."""
    return _FORMATS.get(".parquet" if start.startswith(_PARQUET) else _suffix(path), ("JSON", parse_json))


def _content(path: Path, sample: int) -> Content:
    import zlib

    from serbench.machine.zstd import zstd

    try:
        with path.open("rb") as file:
            start = file.read(len(_ZSTD))
            packed = start.startswith((_GZIP, _ZSTD))
            stored, (name, parse) = path.stat().st_size, _format(path, _decompressed(file).read(len(_PARQUET)))
            unpacked = _decompressed(file)
            if parse is _lines and (sample or len(unpacked.read(WHOLE_BYTES + 1)) > WHOLE_BYTES):
                unpacked = _decompressed(file)
                content, unread = _sampled_lines(path, unpacked, sample or SAMPLED_LINES)
            elif sample:
                # zstd decompresses 128 kB at once, so that its position says little of a sample
                content, unread = _first(
                    path, parse, unpacked, sample, lambda: 1 if start == _ZSTD else file.tell() / (stored or 1)
                )
            elif parse is not parse_json or (first := _first_of_large_list(path, file, stored)) is None:
                if parse is _parquet and not packed:  # its end says what is in it
                    with _reading_parquet(path):
                        _check_items(path, _described(path, file))
                size = _checked_size(path, _decompressed(file), _BEGIN_VALUES.get(name, b""))
                content, unread = _decompressed(file).read(size), ""
            else:
                content, unread = first
            many = parse in (parse_json, _lines) and _has_many_keys(content)
            if many and parse is parse_json and not (sample or unread):
                reader, size = io.BytesIO(content), len(content)
                with suppress(WorkloadError):  # the keys are not those of the whole
                    content, unread = _first(path, parse, reader, SAMPLED_LINES, lambda: reader.tell() / size)
                    many = _has_many_keys(content)
            if many:
                instead = _SMALLER if parse is _lines and not sample else "use a part of it"
                raise WorkloadError(f"{path}: it has more than {MOST_KEYS:,} different keys; {instead}")
            file.seek(0)
            return Content(content, hashlib.file_digest(file, "sha256").hexdigest(), unread)
    except WorkloadError:
        raise
    except FileNotFoundError:
        raise WorkloadError(f"{_short(path)}: no such file; {_INSTEAD}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError) as error:
        raise WorkloadError(f"{path}: cannot be decompressed ({error}); compress it again") from None
    # ValueError: the path contains a null character.
    except (OSError, ValueError) as error:
        if os.path.isdir(path):  # noqa: PTH112 (Path.is_dir fails for a name that is too long)
            raise WorkloadError(f"{path}: this is a folder; give the path of a JSON file") from None
        reason = getattr(error, "strerror", None) or error
        raise WorkloadError(f"{_short(path)}: cannot be read ({reason}); {_INSTEAD}") from None


def _decompressed(file: IO[bytes]) -> IO[bytes]:
    """Return what reads a file from its beginning, decompressed if it is compressed."""
    from serbench.machine.zstd import zstd

    file.seek(0)
    start = file.read(len(_ZSTD))
    file.seek(0)
    if start.startswith(_GZIP):
        return cast("IO[bytes]", gzip.open(cast("IO[bytes]", _Parts(file))))
    if start.startswith(_ZSTD):
        return cast("IO[bytes]", zstd.open(cast("IO[bytes]", _Parts(file))))
    return file


class _Parts:
    """A file that is read in small parts: its position then says how much of it has been decompressed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._read, self.seek, self.seekable = file.read, file.seek, file.seekable

    def read(self, size: int) -> bytes:
        """Read fewer bytes than asked for, which decompressors accept."""
        return self._read(min(size, 1 << 10))


def _checked_size(path: Path, file: IO[bytes], signs: bytes) -> int:
    """Read a file through, keeping nothing, and return its size.

    Raises:
        WorkloadError: it is larger, or has more values, than may be read.
    """
    size = values = without = 0
    is_blank = True
    while chunk := file.read(_READ_BYTES):
        if is_blank and not (is_blank := chunk.isspace()) and size > WHOLE_BYTES:
            raise WorkloadError(f"{path}: it begins with more than {WHOLE_BYTES >> 20} MiB of blanks; remove them")
        if not size and signs and chunk.startswith(b"\0\0"):
            raise WorkloadError(f"{path}: not {_format(path)[0]}: it begins with zero bytes; write it again")
        size += len(chunk)
        found = sum(map(chunk.count, signs))
        if not found and signs == _BEGIN_VALUES["CSV"] and len(chunk) == _READ_BYTES:
            raise WorkloadError(f"{path}: not CSV (a field has more than 1 MiB); save it as CSV, or as JSON")
        values += found
        _check_values(path, values)
        without = 0 if found or is_blank or len(chunk) < _READ_BYTES else without + len(chunk)
        if signs and without > WHOLE_BYTES:
            raise WorkloadError(f"{path}: a value in it has more than {WHOLE_BYTES >> 20} MiB; shorten it")
        if size > LARGEST_BYTES:
            raise WorkloadError(f"{path}: it has more than {LARGEST_BYTES >> 30} GiB; {_SMALLER}")
    return 0 if is_blank else size


def _first(
    path: Path, parse: Callable[..., Any], file: IO[bytes], sample: int, share: Callable[[], float]
) -> tuple[bytes, str]:
    """Return a file of the first records of another, and what was left out; `share` says how far that has been read."""
    if parse is _parquet:
        return _first_of_parquet(path, file, sample)
    if parse not in (parse_json, _csv):
        raise WorkloadError(f"{path}: {_format(path)[0]} cannot be sampled; omit --sample, or write it as JSON Lines")
    try:
        content, count, whole, part = (_first_items if parse is parse_json else _first_rows)(path, file, sample)
    except UnicodeDecodeError as error:
        raise WorkloadError(f"{path}: not UTF-8 ({error.reason}); save the file as UTF-8") from None
    about = "" if share() == 1 else f" of about {float(f'{count / (share() * part or 1):.2g}'):,.0f}"
    what = "keys" if parse is parse_json and content.startswith(b"{") else "records"
    return content, "" if whole else f"the first {count:,}{about} {what} are read"


def _first_of_large_list(path: Path, file: IO[bytes], stored: int) -> tuple[bytes, str] | None:
    """As `_first`, of a list that is too large to be read whole; None for any other document, or one that is no JSON."""
    unpacked = _decompressed(file)
    beginning = unpacked.read(min(_READ_BYTES, WHOLE_BYTES)).removeprefix(b"\xef\xbb\xbf")
    if not beginning.lstrip().startswith(b"[") or len(unpacked.read(WHOLE_BYTES)) < WHOLE_BYTES:
        return None
    try:
        with path.open("rb") as own:  # which an error closes
            return _first(path, parse_json, _decompressed(own), SAMPLED_LINES, lambda: own.tell() / (stored or 1))
    except WorkloadError:  # a record is large too, or the reader of the whole says where it is wrong
        return None


def _first_items(path: Path, file: IO[bytes], sample: int) -> tuple[bytes, int, bool, float]:
    """Return a list of the first items of one, or an object of the first keys of one with more.

    With it come their number, if these are all, and what part they are of what was read.
    """
    decode, text = json.JSONDecoder().raw_decode, io.TextIOWrapper(file, "utf-8-sig")
    items: list[str] = []
    buffer, at, seen, space = text.read(_CHUNK), 0, 0, re.compile(r"\s*")
    start = space.match(buffer)
    assert start is not None
    opening = buffer[start.end() :][:1]
    closing, lead = _LISTS.get(opening, ("", space))
    refused = f"{path}: --sample takes items of a list or keys of a map, and this document is not one; omit --sample"
    if not closing:
        raise WorkloadError(refused)
    at = start.end() + 1
    while len(items) < sample and seen + at < LARGEST_BYTES:
        begin = space.match(buffer, at).end()  # type: ignore[union-attr]  # it always matches
        try:
            value = lead.match(buffer, begin).end()  # type: ignore[union-attr]  # as below
            end = space.match(buffer, decode(buffer, value)[1]).end()  # type: ignore[union-attr]
            follows = buffer[end : end + 1]
        except (ValueError, RecursionError, AttributeError):  # nor is a key there as a whole
            follows = ""
        if follows == closing or (not items and buffer.startswith(closing, begin)):
            if opening == "{":  # all its keys are fewer
                raise WorkloadError(refused)
            items += [buffer[begin:end]] if follows == closing else []
            rest = chain([buffer[end if follows else begin :][1:]], iter(partial(text.read, _CHUNK), ""))
            if any(map(str.strip, rest)):
                raise WorkloadError(f"{path}: not JSON behind its list; correct the file there")
            text.detach()
            return f"[{','.join(items)}]".encode(), len(items), True, 1.0
        if follows == ",":
            items.append(buffer[begin:end])
            at = end + 1
        elif len(buffer) - at > WHOLE_BYTES or _has_many_keys(buffer[at:].encode()):
            most = f"{WHOLE_BYTES >> 20} MiB or {MOST_KEYS:,} different keys"
            raise WorkloadError(f"{path}: a record of it has more than {most}, or is not JSON; use a part of it")
        elif not (more := text.read(max(_CHUNK, len(buffer) - at))):
            raise WorkloadError(f"{path}: not JSON behind {len(items):,} records of its list; correct the file there")
        else:
            seen, buffer, at = seen + at, buffer[at:] + more, 0
    text.detach()
    return f"{opening}{','.join(items)}{closing}".encode(), len(items), False, (seen + at) / (seen + len(buffer))


def _first_rows(path: Path, file: IO[bytes], sample: int) -> tuple[bytes, int, bool, float]:
    """Return a table of the first rows of one, their number, if these are all, and what part they are of what was read."""
    import csv

    text, taken = io.TextIOWrapper(file, "utf-8-sig", newline=""), list[str]()
    head = text.readlines(_SNIFFED)

    def lines() -> Iterator[str]:
        for line in chain(head, text):
            taken.append(line)
            yield line

    rows = (row for row in csv.reader(lines(), **_separated(path, "".join(head))) if row)
    with _reading_csv(path):
        count = sum(1 for _ in islice(rows, sample + 1)) - 1
        content = "".join(taken).encode()
        whole = next(rows, None) is None
    part = len(content) / max(len(content), sum(map(len, head)), 1)
    text.detach()
    return content, count, whole, part


@contextmanager
def _reading_parquet(path: Path) -> Iterator[Any]:
    """Give pyarrow, and tell its errors."""
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise WorkloadError(f"{path}: reading Parquet needs pyarrow: pip install pyarrow") from None
    try:
        yield pa
    except (pa.ArrowException, OSError) as error:
        raise WorkloadError(f"{path}: not Parquet ({str(error).splitlines()[0]}); write it again") from None


def _first_of_parquet(path: Path, file: IO[bytes], sample: int) -> tuple[bytes, str]:
    with _reading_parquet(path) as pa:
        stored_plainly = isinstance(getattr(file, "raw", None), io.FileIO)
        source = file if stored_plainly else pa.BufferReader(file.read(LARGEST_BYTES))
        described = _described(path, source)

        def first(unit: str) -> Any:
            stored = pa.parquet.ParquetFile(source, metadata=described, coerce_int96_timestamp_unit=unit)
            _check_rows(path, stored, min(sample, described.num_rows))
            batches = stored.iter_batches(min(sample, _CHUNK))
            return pa.Table.from_batches(islice(batches, -(-sample // _CHUNK)), stored.schema_arrow).slice(0, sample)

        table = _with_nanoseconds(path, described, first)
        pa.parquet.write_table(table, sink := io.BytesIO())
    total = described.num_rows
    unread = f"the first {table.num_rows:,} of {total:,} records are read" if table.num_rows < total else ""
    return sink.getvalue(), unread


def _sampled_lines(path: Path, file: IO[bytes], sample: int) -> tuple[bytes, str]:
    """Return lines of a file, evenly spaced over its first `MOST_LINES`, and what was left out; blank lines do not count."""
    kept: list[bytes] = []
    step, total, held, blank = 1, 0, 0, 0
    while (line := file.readline(WHOLE_BYTES)) and total < MOST_LINES:
        if len(line) == WHOLE_BYTES:
            raise WorkloadError(f"{path}: a line is longer than {WHOLE_BYTES >> 20} MiB; write shorter documents")
        if line.isspace():
            blank += 1
            _check_values(path, blank, "remove its blank lines")
            continue
        if total % step == 0:
            kept.append(line)
            held += len(line)
            if len(kept) == 2 * sample or held > 2 * WHOLE_BYTES:
                del kept[1::2]
                step, held = 2 * step, sum(map(len, kept))
        total += 1
    if len(kept) > sample:
        kept = [kept[len(kept) * index // sample] for index in range(sample)]
    of, over = (f"the first {total:,}", "these") if line else (f"{total:,}", "the file")
    unread = f"{len(kept):,} of {of} lines are read, evenly spaced over {over}" if line or len(kept) < total else ""
    return b"".join(kept), unread


def _short(path: Path) -> str:
    """Return the path in one line; of a text that is too long for a name, the beginning."""
    text = str(path) if len(str(path)) <= _LONGEST_NAME else f"{path.name[:60]}…"
    return text if text.isprintable() else repr(text)


def parse_json(path: Path, blob: bytes) -> Any:
    """Parse a JSON document; errors name the line and column."""
    import msgspec

    blob = blob.removeprefix(b"\xef\xbb\xbf")
    try:
        # Strict and exact; for non-Latin text it takes a third of the memory that `json` does.
        return msgspec.json.decode(blob)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        where = re.search(r"\(byte (\d+)\)", str(error))
        if where and len(blob) > WHOLE_BYTES:  # a second reader would take as much memory again
            met = ascii(blob[(at := int(where[1])) : at + 20].decode(errors="replace"))
            raise WorkloadError(f"{path}: not JSON at byte {at:,}, found {met}; correct the file there") from None
        document = _parse_again(path, blob)
    if lone := _lone_surrogate(document):
        raise WorkloadError(
            f"{path}: {lone!a} is a lone surrogate, which UTF-8 cannot encode; write the full character"
        )
    return document


def _parse_again(path: Path, blob: bytes) -> Any:
    """Parse with Python's own parser, whose errors say where they are."""

    def refuse(constant: str) -> NoReturn:
        raise WorkloadError(f"{path}: {constant} is not JSON; write null or a number instead")

    def finite(number: str) -> float:
        if math.isinf(float(number)):
            raise WorkloadError(
                f"{path}: {number[:20]} exceeds the range of a float; write null or a smaller number instead"
            )
        return float(number)

    text = _decoded(path, blob)
    try:
        # Python reads 1e999 as infinity; checking every float would double the time.
        return json.loads(text, parse_constant=refuse, parse_float=finite if _HUGE.search(text) else None)
    except json.JSONDecodeError as error:
        met = repr(text[error.pos : error.pos + 20].split("\n")[0]) if error.pos < len(text) else "the end of the file"
        what = error.msg[0].lower() + error.msg[1:]
        raise WorkloadError(
            f"{path}: not JSON in line {error.lineno}, column {error.colno}: {what}, found {met}; correct the file there"
        ) from None
    except RecursionError:
        raise WorkloadError(f"{path}: nested too deeply for Python's JSON reader; flatten the document") from None
    except WorkloadError:
        raise
    # Python reads integers of at most 4300 digits.
    except ValueError as error:
        raise WorkloadError(f"{path}: {str(error).split(';')[0]}; shorten the number") from None


def _decoded(path: Path, blob: bytes) -> str:
    try:
        return blob.decode()
    except UnicodeDecodeError as error:
        line = blob.count(b"\n", 0, error.start) + 1
        raise WorkloadError(
            f"{path}: not UTF-8 in line {line} (byte {blob[error.start]:#04x}); save the file as UTF-8"
        ) from None


def _lone_surrogate(document: object) -> str | None:
    for part in every_value(document):
        for text in part if isinstance(part, dict) else [part]:
            if isinstance(text, str) and (match := re.search("[\ud800-\udfff]", text)):
                return match[0]
    return None


def _lines(path: Path, blob: bytes) -> list[Any]:
    import msgspec

    blob = blob.removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.Decoder().decode_lines(blob)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        lines = enumerate(blob.splitlines(), 1)
        return [parse_json(Path(f"{path}, line {number}"), line) for number, line in lines if line.strip()]


def _msgpack(path: Path, blob: bytes) -> Any:
    import msgspec

    if len(blob) > min(MOST_KEYS, MOST_VALUES):  # fewer bytes hold fewer keys and values, and counting takes time
        values, keys = _msgpack_counts(blob)
        _check_values(path, values, "use a part of it, or write it as JSON Lines")
        if keys > MOST_KEYS:
            raise WorkloadError(f"{path}: a map in it has more than {MOST_KEYS:,} keys; use a part of it")
    try:
        document = msgspec.msgpack.decode(blob)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        if "trailing characters" in str(error):
            raise WorkloadError(
                f"{path}: several values of MessagePack, one behind another; write them as one list"
            ) from None
        raise WorkloadError(f"{path}: not MessagePack ({error}); if it is JSON, rename it to .json") from None
    if _has_nanoseconds(blob) and any(isinstance(part, datetime) for part in every_value(document)):
        raise WorkloadError(
            f"{path}: a timestamp has nanoseconds, which Python's datetime does not hold; write it as text"
        )
    return document


_TIMESTAMP = re.compile(rb"\xd7\xff(.{8})|\xc7\x0c\xff(.{4})", re.DOTALL)  # the two forms that have nanoseconds


def _has_nanoseconds(blob: bytes) -> bool:
    found = (
        int.from_bytes(time[1][:4], "big") >> 2 if time[1] else int.from_bytes(time[2], "big")
        for time in _TIMESTAMP.finditer(blob)
    )
    return any(nanoseconds % 1_000 for nanoseconds in found)


_SINGLE = re.compile(rb"[\x00-\x7f\xc0-\xc3\xe0-\xff]+")
_WIDTHS = dict(zip(range(0xCA, 0xD9), (4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17), strict=True))
_LENGTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4}
_COUNTS = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
"""First byte of a value in MessagePack → the bytes that follow it, those of its length, or those of the number of its items."""


def _msgpack_counts(blob: bytes) -> tuple[int, int]:
    """Return the number of items of lists and maps, no more than the first beyond the limit; and of those of the largest map."""
    at = count = keys = 0
    while at < len(blob) and count <= MOST_VALUES:
        if run := _SINGLE.match(blob, at):
            at = run.end()
            continue
        head, at = blob[at], at + 1
        if 0x80 <= head <= 0x9F:
            count += head & 0x0F
        elif width := _COUNTS.get(head):
            items, at = int.from_bytes(blob[at : at + width], "big"), at + width
            count, keys = count + items, max(keys, items if head in (0xDE, 0xDF) else 0)
        elif width := _LENGTHS.get(head):
            at += width + int.from_bytes(blob[at : at + width], "big") + (0xC7 <= head <= 0xC9)
        else:
            at += _WIDTHS.get(head, head & 0x1F)
    return count, keys


def _toml(path: Path, blob: bytes) -> Any:
    import tomllib

    import msgspec

    if _LONG_KEY.search(blob):
        raise WorkloadError(f"{path}: a key has more than 200 parts; flatten the document")
    _check_values(path, blob.count(b"="), "write it as JSON, or use a part of it", MOST_NODES)
    if _LONG_NUMBER.search(blob):
        raise WorkloadError(f"{path}: a number has more than 100,000 digits; shorten it")
    try:
        text = blob.decode("utf-8-sig")
        document = msgspec.to_builtins(tomllib.loads(text))
        cut = next((token[1] for token in _TOKEN.finditer(text) if token[1]), None)
    except (ValueError, RecursionError) as error:
        raise WorkloadError(
            f"{path}: not TOML ({' '.join(str(error).split())[:200]}); correct the file there"
        ) from None
    if cut is not None:
        raise WorkloadError(f"{path}: {cut} has more digits of a second than Python holds; write it in quotes")
    return document


_TOKEN = re.compile(
    r""""{3}(?:\\.|"(?!"")|[^"\\]+)*+"{3,5}|'{3}(?:'(?!'')|[^']+)*+'{3,5}|"(?:\\.|[^"\\]+)*+"|'[^']*'|#[^\n]*"""
    r"|(\d\d:\d\d:\d\d\.\d{6}\d*[1-9])",
    re.DOTALL,
)
"""A text or a comment of TOML, or else a time with more digits than Python holds."""


def _csv(path: Path, blob: bytes) -> list[Any]:
    import csv

    text = _decoded(path, blob.removeprefix(b"\xef\xbb\xbf"))
    with _reading_csv(path):
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), **_separated(path, text)) if row]
    if not rows:
        raise WorkloadError(f"{path}: the table is empty; write a header and rows into it")
    header, rows = rows[0], rows[1:]
    uneven = next((number for number, row in enumerate(rows, 2) if len(row) != len(header)), None)
    if uneven is not None or len(set(header)) < len(header):
        where = f"row {uneven} and the header differ in length" if uneven else "two columns have the same name"
        raise WorkloadError(f"{path}: not a table: {where}; correct the file there")
    columns = [_typed(list(column)) for column in zip(*rows, strict=True)]
    return [dict(zip(header, row, strict=True)) for row in zip(*columns, strict=True)]


@contextmanager
def _reading_csv(path: Path) -> Iterator[None]:
    """Have `csv` read cells of any length, which it refuses above 128 KiB unless told otherwise, and tell its errors."""
    import csv

    limit = csv.field_size_limit(LARGEST_BYTES)
    try:
        yield
    except csv.Error as error:
        raise WorkloadError(f"{path}: not CSV ({error}); save it as CSV, or as JSON") from None
    finally:
        csv.field_size_limit(limit)


def _separated(path: Path, text: str) -> dict[str, Any]:
    """Return how a table separates its columns: as the Sniffer of `csv`, which guesses quotes wrongly, says of all but those."""
    import csv

    with suppress(csv.Error):
        sniffed = csv.Sniffer().sniff(text[:_SNIFFED], ",;\t|")
        found: dict[str, Any] = {"delimiter": sniffed.delimiter, "skipinitialspace": sniffed.skipinitialspace}
        if len(next(filter(None, csv.reader(io.StringIO(text, newline=""), **found)), [])) > 1:
            return found
    return {"delimiter": "\t" if _suffix(path) == ".tsv" else ","}


def _typed(column: list[str]) -> list[Any]:
    """Convert a column to ints, floats or booleans if all its texts allow it; empty texts become None."""
    texts = {text for text in column if text}
    for fit, read_text in _CELLS:
        if texts and fit(texts):
            return [read_text(text) if text else None for text in column]
    return [text or None for text in column]


_INT = re.compile(r"0|-?[1-9]\d{0,300}", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d{1,2})?", re.ASCII)
_CODE = re.compile(r"-?\d+[eE]\d+", re.ASCII)  # no program writes a float so
_SURE_DIGITS = 15  # a float keeps so many of any number


def _are_floats(texts: Collection[str]) -> bool:
    """Return whether floats keep the texts of a column: their digits, and those apart that differ, as 1.1 and 1.10 do."""
    if not all(map(_NUMBER.fullmatch, texts)) or any(map(_CODE.fullmatch, texts)):
        return False
    kept = all(len(text) <= _SURE_DIGITS or _is_kept(text) for text in texts)
    return kept and len({repr(float(text)) for text in texts}) == len(texts)


def _is_kept(text: str) -> bool:
    """Return whether a float, written with as many digits or as few as it needs, is the number of the text."""
    said, number = Decimal(text), float(text)
    return said in (Decimal(repr(number)), Decimal(f"{number:.{len(said.as_tuple().digits) - 1}e}"))


_CELLS: tuple[tuple[Callable[[Collection[str]], bool], Callable[[str], Any]], ...] = (
    (lambda texts: all(map(_INT.fullmatch, texts)), int),
    (_are_floats, float),
    (lambda texts: {text.lower() for text in texts} <= {"true", "false"}, lambda text: text.lower() == "true"),
)


def numbers_as_texts(path: Path, blob: bytes, document: Any) -> list[str]:
    """Return the columns of a table of CSV that are texts, although each text is a number."""
    if _format(path, blob)[1] is not _csv:
        return []

    def is_number(cell: Any) -> bool:
        return cell is None or (type(cell) is str and _NUMBER.fullmatch(cell) is not None)

    columns = (key for key in document[0] if all(is_number(row[key]) for row in document)) if document else ()
    return [key for key in columns if any(row[key] is not None for row in document)]


def _parquet(path: Path, blob: bytes) -> list[Any]:
    with _reading_parquet(path) as pa:
        source = pa.BufferReader(blob)
        described = _described(path, source)
        _check_items(path, described)
        _check_rows(path, pa.parquet.ParquetFile(source, metadata=described), described.num_rows)

        def read_in(unit: str) -> Any:  # `read_table` would take another 40 kB for each row group
            return pa.parquet.ParquetFile(source, metadata=described, coerce_int96_timestamp_unit=unit).read()

        table = _with_nanoseconds(path, described, read_in)
    columns = [_values(path, name, table.column(name)) for name in table.column_names]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def _described(path: Path, source: Any) -> Any:
    """Return what the end of Parquet says of its row groups, of which it must not have very many."""
    import pyarrow.parquet as pq

    source.seek(-len(_PARQUET) - 4, os.SEEK_END)
    size, sign = int.from_bytes(source.read(4), "little"), source.read(len(_PARQUET))
    if sign == _PARQUET and size > LARGEST_FOOTER:
        what = f"the description of its row groups takes more than {LARGEST_FOOTER >> 20} MiB"
        raise WorkloadError(f"{path}: {what}; write it again with fewer and larger ones, such as of 100,000 rows")
    source.seek(0)
    return pq.read_metadata(source)


def _check_items(path: Path, described: Any) -> None:
    groups = map(described.row_group, range(described.num_row_groups))
    items = sum(group.column(index).num_values for group in groups for index in range(group.num_columns))
    _check_values(path, max(items, described.num_rows * described.num_columns))  # a list has many in a row


def _check_rows(path: Path, opened: Any, rows: int) -> None:
    """Refuse so many rows of Parquet that take more memory than a file may have bytes: it stores repeated texts once.

    The first rows of some of its groups tell how much memory one takes.
    """
    groups = range(0, opened.num_row_groups, opened.num_row_groups // _GROUPS_LOOKED_AT + 1)
    heads = [batch for group in groups for batch in islice(opened.iter_batches(_ROWS_LOOKED_AT, [group]), 1)]
    looked_at = sum(batch.num_rows for batch in heads)
    taken = sum(_written_out(column).nbytes for batch in heads for column in batch.columns)
    if looked_at and taken / looked_at * rows > LARGEST_BYTES:
        raise WorkloadError(f"{path}: its rows take more than {LARGEST_BYTES >> 30} GiB; use a part of it")


def _written_out(column: Any) -> Any:
    """Return a column without dictionaries, in which a value stands once for all its rows."""
    if "dictionary<" not in str(column.type):
        return column
    return column.cast(_python_type(column.type, as_text=False), safe=False)


def _with_nanoseconds(path: Path, described: Any, read_in: Callable[[str], Any]) -> Any:
    """Read a table; timestamps of 96 bits have nanoseconds unless a column has years that these do not reach."""
    stored = described.schema
    names = stored.to_arrow_schema().names
    if len({*names}) < len(names):
        raise WorkloadError(f"{path}: not a table: two columns have the same name; correct the file there")
    table = read_in("us")
    if any(stored.column(index).physical_type == "INT96" for index in range(len(stored))):
        finer = read_in("ns")
        for index, name in enumerate(table.column_names):
            column = finer.column(index)
            if column.cast(table.column(index).type, safe=False).equals(table.column(index)):
                table = table.set_column(index, name, column)
    return table


def _values(path: Path, name: str, column: Any) -> list[Any]:
    """Return the values of a column: times to the microsecond, or as text if Python's own do not hold all of them."""
    reason: Exception | None = None
    for as_text in (False, True):
        try:
            values: list[Any] = column.cast(_python_type(column.type, as_text=as_text)).to_pylist(
                maps_as_pydicts="strict"
            )
        except (ValueError, OverflowError, NotImplementedError, KeyError) as error:  # those of Arrow are of these
            reason = error
        else:
            return values
    said = str(reason).splitlines()[0]
    raise WorkloadError(f"{path}: JSON cannot represent the column {name!r} ({said}); omit it")


def _python_type(type_: Any, *, as_text: bool) -> Any:
    """Return the type of Arrow whose values Python's types hold: of times microseconds or text, of keys text."""
    import pyarrow as pa

    def inner(type_: Any) -> Any:
        return _python_type(type_, as_text=as_text)

    kinds = pa.types
    if kinds.is_dictionary(type_):
        return inner(type_.value_type)
    if kinds.is_map(type_):
        return pa.map_(pa.string(), inner(type_.item_type))
    if kinds.is_struct(type_):
        return pa.struct([field.with_type(inner(field.type)) for field in type_])
    if kinds.is_list(type_) or kinds.is_large_list(type_) or kinds.is_fixed_size_list(type_):
        return pa.list_(inner(type_.value_type))
    if kinds.is_duration(type_):
        return pa.int64() if as_text else pa.duration("us")
    if not kinds.is_temporal(type_):
        return type_
    if as_text:
        return pa.string()
    if kinds.is_timestamp(type_):
        return pa.timestamp("us", type_.tz)
    return pa.time64("us") if kinds.is_time64(type_) else type_


_FORMATS: dict[str, tuple[str, Callable[[Path, bytes], Any]]] = {
    **dict.fromkeys((".ndjson", ".jsonl"), ("JSON Lines", _lines)),
    **dict.fromkeys((".msgpack", ".mpk"), ("MessagePack", _msgpack)),
    **dict.fromkeys((".csv", ".tsv"), ("CSV", _csv)),
    **dict.fromkeys((".yaml", ".yml"), ("YAML", parse_yaml)),
    ".parquet": ("Parquet", _parquet),
    ".toml": ("TOML", _toml),
}
"""Suffix → the format of a file, and what parses it; all others are JSON."""
_FEW = 1 << 20  # bytes of a file that may be YAML, which is read slowly
_LIKE: dict[str, Callable[[bytes], bool]] = {
    ".ndjson": lambda blob: blob.lstrip().startswith(b"{") and b"\n{" in blob,
    ".msgpack": lambda blob: blob[0] & 0xF0 in (0x80, 0x90) or 0xDC <= blob[0] <= 0xDF,
    ".toml": lambda blob: re.match(rb"\s*(\[+[\w.\"-]+\]+\s*$|#|[\w.\"-]+\s*=)", blob, re.MULTILINE) is not None,
    ".csv": lambda blob: re.match(rb"[^\n,;\t|:{[]+[,;\t|][^\n]*\n[^\n]*[,;\t|]", blob) is not None,
    ".yaml": lambda blob: len(blob) < _FEW and re.match(rb"\s*[^\s{[\0][^\0]*\Z", blob) is not None,
}
"""Suffix of each format that a file may have under another name → whether it is worth the reading, the surest first."""
_STARTS = {
    b"PK\3\4": "a ZIP archive or an Excel table",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"Obj\1": "Avro",
    b"ARROW1": "Arrow",
    b"ORC": "ORC",
    b"SQLite format 3": "SQLite",
    b"\x89HDF": "HDF5",
    b"<": "XML",
    b"bplist": "a property list",
    b"\xd9\xd9\xf7": "CBOR",
    **dict.fromkeys((b"\x80\2", b"\x80\3", b"\x80\4", b"\x80\5"), "a pickle"),
}
_FOREIGN = {
    ".cbor": "CBOR",
    ".bson": "BSON",
    ".avro": "Avro",
    **dict.fromkeys((".pickle", ".pkl"), "a pickle"),
    ".xml": "XML",
    ".ini": "an INI file",
    ".ubj": "UBJSON",
    ".ion": "Ion",
    ".pb": "Protocol Buffers",
    **dict.fromkeys((".arrow", ".feather"), "Arrow"),
    ".plist": "a property list",
}
