"""The conditions of a measurement, and the stream of documents that its calls get."""

from __future__ import annotations

import io
import marshal
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from serbench.errors import PlanError
from serbench.measure.session import write_values
from serbench.model.records import Record, Schema

AS_NEEDED = -1
KEPT = 8


@dataclass(frozen=True)
class Conditions:
    """The arguments of consecutive calls of an operation.

    Attributes:
        documents: how many different documents they get in turn; `AS_NEEDED` for as many as defeat what can be learned
            of them.
        fresh: whether the argument of each call is made right before, outside of the timed span.
        kept: how many results of earlier calls are alive.
    """

    documents: int = 1
    fresh: bool = False
    kept: int = 0

    @classmethod
    def parse(cls, text: str) -> Conditions:
        """Read "hot", "varied" or parts joined by "+": "documents", "documents=64", "fresh", "kept", "kept=4".

        Raises:
            PlanError: the text is none of these.
        """
        if text in PRESETS:
            return PRESETS[text]
        parts: dict[str, int | bool] = {}
        for part in text.split("+"):
            name, equals, number = part.partition("=")
            known = getattr(PRESETS["varied"], name, None) if name in _PARTS else None
            if known is None or name in parts or (equals and (name == "fresh" or not number.isdecimal())):
                raise PlanError(
                    f"unknown conditions {text!r}; name hot, varied, or parts such as documents=64+fresh+kept=8"
                )
            parts[name] = int(number) if equals else known
        if not 1 <= parts.get("documents", 1) <= MOST and parts["documents"] != AS_NEEDED:
            raise PlanError(f"documents must be from 1 to {MOST:,}, not {parts['documents']:,}")
        if parts.get("kept", 0) > MOST:
            raise PlanError(f"kept must be at most {MOST:,}, not {parts['kept']:,}")
        return cls(**parts)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """The shortest text that `parse` reads as these conditions."""
        for name, preset in PRESETS.items():
            if self == preset:
                return name
        parts = []
        for name in _PARTS:
            value, usual = getattr(self, name), getattr(PRESETS["varied"], name)
            if value != getattr(PRESETS["hot"], name):
                parts.append(name if value == usual else f"{name}={value}")
        return "+".join(parts)


MOST = 1_000_000
PRESETS = {"varied": Conditions(AS_NEEDED, fresh=True, kept=KEPT), "hot": Conditions()}
"""`varied` is what a service meets: other data in each call, objects that were just made, results still in use.
`hot` is one document again and again, as most published benchmarks have it."""
_PARTS = tuple(field.name for field in fields(Conditions))


LEAST_BYTES, MOST_BYTES = 512 << 10, 2 << 20  # of pickled documents in all
ENOUGH_TEXTS = 3 * 16384  # different ones: a cache inside a library that holds 16,384 finds one in twenty of them
GROWTH = 1.25  # of the different texts, from half of the least bytes to all: with less, no more are to come
MOST_DOCUMENTS = 16384
SPAN_BYTES = 64 << 10  # of pickled documents that are timed together: what is made of them is still in cache
MOST_IN_SPAN = 320  # a batch of the most calls, and a fifth more, is one part
KEPT_BYTES = 64 << 20
GOLDEN = (5**0.5 - 1) / 2


class Stream:
    """Documents in the order in which calls get them, in a file for workers.

    Args:
        values: the documents, as many as there are; no more are taken than the conditions need.
        keys: texts that all documents share, as a program has them as names.
        enough: how many there are at most if the conditions name no number.
        slim: returns a document with a tuple of values for each record; raises ValueError if one has no such form.

    Attributes:
        documents: their neutral values; the first stays the first.
        places: the place of each among the values.
        request: the arguments with which a worker reads them.
    """

    def __init__(
        self,
        values: Iterable[Any],
        conditions: Conditions,
        path: Path,
        keys: Sequence[str] = (),
        enough: int = MOST_DOCUMENTS,
        slim: Callable[[Any], Any] | None = None,
    ) -> None:
        numbers = {key: number for number, key in enumerate(keys)}
        texts: set[str] = set()
        documents, pickled, size, early = [], [], 0, 0
        for value in values:
            documents.append(value)
            pickled.append(_pickled(value, numbers, texts))
            size += len(pickled[-1])
            early = len(texts) if size <= LEAST_BYTES // 2 else early
            wanted = MOST_BYTES if GROWTH * early < len(texts) < ENOUGH_TEXTS else LEAST_BYTES
            if len(pickled) >= (enough if conditions.documents == AS_NEEDED else conditions.documents):
                break
            if conditions.documents == AS_NEEDED and size >= wanted:
                break
        self.positions = [0, *(position + 1 for position in evenly([len(text) for text in pickled[1:]]))]
        self.documents = [documents[position] for position in self.positions]
        mean = size / len(pickled)
        chosen = [pickled[position] for position in self.positions]
        forms: list[tuple[list[bytes], list[bytes]]] = [(chosen, _marshalled(chosen, keys)), ([], [])]
        with suppress(ValueError):
            slims = [pickle.dumps(slim(value), protocol=4) for value in self.documents] if slim else []
            forms[1] = slims, _marshalled(slims, ())
        self.request = {
            "path": str(write_values(path, (list(keys), sys.implementation.cache_tag, forms[0], forms[1]))),
            "span": max(1, min(MOST_IN_SPAN, int(SPAN_BYTES / mean))),
            "fresh": conditions.fresh,
            "kept": min(conditions.kept, max(1, int(KEPT_BYTES / mean))),
        }

    def __len__(self) -> int:
        return len(self.documents)


def evenly(sizes: Sequence[int]) -> list[int]:
    """Return an order of places in which a few that follow each other have about the mean size.

    Multiples of the golden section, modulo 1, leave no large gaps however many one takes (Weyl 1916); the place of the
    n-th is that of its rank by size.
    """
    ranked = sorted(range(len(sizes)), key=sizes.__getitem__)
    turns = sorted(range(len(sizes)), key=lambda turn: turn * GOLDEN % 1)
    order = [0] * len(sizes)
    for rank, turn in enumerate(turns):
        order[turn] = ranked[rank]
    return order


def names_in(schema: Schema) -> list[str]:
    """Return the keys of the records of a schema, and their tags."""
    tags = {text for record in schema.records if record.name in schema.tags for text in _tag(schema, record)}
    return sorted({*tags, *(key for record in schema.records for key in _keys(record))})


def _keys(record: Record) -> Iterator[str]:
    yield from (field.wire for field in record.fields)
    yield from record.computed


def _tag(schema: Schema, record: Record) -> Iterator[str]:
    yield schema.tags[record.name]
    if isinstance(record.tag_value, str):
        yield record.tag_value


class _Pickler(pickle.Pickler):
    """Pickles texts that a program has as names, such as the keys of records, by their number; `texts` gets the others."""

    def __init__(self, file: io.BytesIO, numbers: Mapping[str, int], texts: set[str]) -> None:
        super().__init__(file, protocol=4)
        self.numbers, self.texts = numbers, texts

    def persistent_id(self, value: Any) -> int | None:
        if type(value) is not str:
            return None
        number = self.numbers.get(value)
        if number is None:
            self.texts.add(value)
        return number


def _pickled(value: Any, numbers: Mapping[str, int], texts: set[str]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, numbers, texts).dump(value)
    return file.getvalue()


def _marshalled(pickled: Iterable[bytes], keys: Sequence[str]) -> list[bytes]:
    """The same documents by marshal, with `keys` as names that a program has; none if there is more than builtins."""

    class Unpickler(pickle.Unpickler):
        persistent_load = [sys.intern(key) for key in keys].__getitem__

    try:
        return [marshal.dumps(Unpickler(io.BytesIO(document)).load()) for document in pickled]
    except ValueError:
        return []
