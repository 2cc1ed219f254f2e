"""Values for a class of the user's: its examples, or values that it accepts; and the document of each direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random
from time import thread_time
from typing import Any

from serbench.errors import PlanError, SchemaError
from serbench.judge.outcomes import ABSENT, DEFAULTS
from serbench.model.classes.documents import with_declared
from serbench.model.classes.read import FOREIGN, OPAQUE, from_class
from serbench.model.data.dataset import Dataset
from serbench.model.data.payload import from_document
from serbench.model.fidelity import complete, json_ready
from serbench.model.inference.infer import infer
from serbench.model.normalise import apply_schema, fitted, normalise
from serbench.model.records import List, Optional, Ref, Schema
from serbench.render.left_out import fitting, left_out, without_absent, without_computed
from serbench.render.user_class.accepted import DEPTH, TRIES, drawn, in_time, refusing, seconds
from serbench.render.user_class.conversion import said
from serbench.render.user_class.documents import described, unlike
from serbench.render.user_class.drawing import UserDrawing
from serbench.render.user_class.find import UserModel, class_of, listed
from serbench.render.user_class.script import make_objects, write_document, writes_itself

_DESCRIBED = 1000  # records that describe what a class writes
_RETURNED = 128  # records that a class reads as it has written them, before the others are taken for such too
_RETURNED_S = 1.0  # of CPU time in which it reads as many of them as it can
_DESCRIBED_LETTERS = 1_000_000  # about so many describe it too, if its records are large
_MOST_KINDS = 400  # records in the inferred schema of what a class writes
_TRIED = 5  # documents in the place of one that has other fields than those before, until one of these is repeated
_STREAM_S = 1.0  # of CPU time in which a class is to read and write all documents of a run
_FEWEST, _MOST = 16, 128  # documents to which a slow class is bounded; with more it is not
_FAR = 1 << 32  # between the numbers of a document that the class refuses and of the one in its place


@in_time
def user_values(
    model: UserModel, records: int | None, depth: int | None, seed: int, others: Sequence[UserModel] = ()
) -> list[Dataset]:
    """The data sets for a class: one, or one for each direction.

    If it has examples (`json_schema_extra`, or `schema_extra` in pydantic 1), these and further records drawn from
    them; otherwise values within the limits of its fields. The class is asked about each record, and another is drawn for one that it refuses.
    With `others`, values are drawn within the limits of the fields that these take too; if there are none, the class notes
    what another refuses.

    Raises:
        WorkloadError: a number out of range.
        PlanError: an example that the class does not describe; the class accepts no value, cannot write it, or takes
            too long.
    """
    if others:
        try:
            shared = drawn(model, records, depth, seed, others)
            return by_direction(model, shared, strict=True)
        except (PlanError, SchemaError) as error:
            model.differences.append(str(error))
    examples = _examples(class_of(model))
    if examples and depth is None:
        try:
            document = json_ready(described(model, examples)[1])
            return by_direction(model, from_document(model.name, document, model.parsed.schema, records, seed))
        except SchemaError as error:
            raise PlanError(f"{model.module}:{model.name}: an example does not fit the class: {error}") from None
    return by_direction(model, drawn(model, records, depth, seed), strict=True)


@in_time
def by_direction(model: UserModel, dataset: Dataset, *, strict: bool = False) -> list[Dataset]:
    """The data set, or one for what the class reads and one for what it writes if these are different documents.

    If the class changes what it reads, as one that writes a text in lower case, the document is what it writes.

    Raises:
        PlanError: the class takes too long.
    """
    alone = not isinstance(dataset.schema.root, List)
    values = [dataset.value] if alone else dataset.value
    dataset = _bounded(model, dataset, values)
    lacks = "" if without_absent(dataset.inferred or model.parsed.user_schema, values) == values else ABSENT
    stream = _Exchanges(model, dataset, alone)
    if not writes_itself(model) and model.parsed.user_schema == model.written.user_schema:
        return [replace(_as_made(model, dataset, stream, values), left_out=lacks)]
    try:
        objects = stream.objects(0)
    except Exception:  # a payload that it refuses: its row says so
        return [dataset]
    try:
        written = write_document(model, objects)
    except Exception as error:  # whatever the class raises
        if not strict:
            return [dataset]
        model.differences.append(f"what {model.name} writes is not measured: writing a document raised {said(error)}")
        return [replace(dataset, name=f"{dataset.name} (reads)", direction="reads", left_out=lacks)]
    left = left_out(listed(dataset.schema), values, written)
    changed = unlike(model, stream.unwritten(0), written) if writes_itself(model) else ""
    if changed is None and left is not None:
        changed = stream.unlike()
        if changed is None:
            return [replace(dataset, left_out=left)]
    stable, written = changed is None, stream.written()
    if changed:
        model.differences.append(f"{changed}; so what it reads and what it writes are measured as two documents")
    if stable and (found := fitting(listed(model.parsed.schema), written)) is not None and not found[2]:
        return [replace(dataset, **stream.written_as(found[0], found[1], lambda document: document))]
    schema, value, left, read = _described(model, written)
    reads = replace(dataset, name=f"{dataset.name} (reads)", direction="reads", draw=stream.draw, left_out=lacks)
    if len(schema.records) > _MOST_KINDS:
        what = f"it has {len(schema.records):,} kinds of objects, and the fields of the class do not describe it"
        model.differences.append(f"what {model.name} writes is not measured: {what}; give a smaller payload")
        return [reads]
    writes = replace(dataset, name=f"{dataset.name} (writes)", direction="writes", reads=stream.reads, left_out=left)
    return [reads, replace(writes, **stream.written_as(schema, value, read))]


def _as_made(model: UserModel, dataset: Dataset, stream: _Exchanges, values: list[Any]) -> Dataset:
    """The data set of what the objects hold that are made by calling the class, which may change what it is called with."""
    with suppress(Exception):  # a payload that it refuses, or what no library writes: its row says so
        written = write_document(model, stream.objects(0))
        changes = left_out(listed(dataset.schema), values, written) != ""
        if changes and unlike(model, stream.unwritten(0), written) is None:
            schema, value = apply_schema(stream.written(), listed(model.parsed.schema))
            return replace(dataset, **stream.written_as(schema, value, lambda document: document))
    return dataset


def _bounded(model: UserModel, dataset: Dataset, values: list[Any]) -> Dataset:
    """The data set with no more documents than a slow class reads and writes in a while."""
    each_s = seconds(model, values)
    enough = max(_FEWEST, 1 << max(int(_STREAM_S / each_s), 1).bit_length() - 1) if each_s else _MOST
    if dataset.draw is None or enough >= _MOST:
        return dataset
    model.differences.append(
        f"{model.name} takes {each_s * 1000:,.0f} ms to read and write a document, so there are at most {enough} different "
        "ones; --conditions documents=N+fresh+kept asks for another number"
    )
    return replace(dataset, enough=enough)


class _Exchanges:
    """The documents of a data set as a class reads them and, made of these, as it writes them, by number.

    `alone` says that a document is one record and no list. The class accepts all documents but, perhaps, the first.
    """

    def __init__(self, model: UserModel, dataset: Dataset, alone: bool) -> None:
        self.model, self.dataset, self.alone = model, dataset, alone
        self._drawn: dict[int, int] = {}  # the numbers of those that were drawn in place of others
        self._described = 1  # the first ones, whose fields describe all
        made = self._made = cache(self._make)  # drawn again, a number may be another document
        self.draw = None if dataset.draw is None else lambda number: made(number)[0]

    def _make(self, number: int) -> tuple[Any, Any, list[dict[str, Any]]]:
        """A document, the class's objects, and what these have beside it."""
        reason: BaseException | None = None
        for attempt in range(TRIES if number else 1):
            value = self.dataset.draw(number + attempt * _FAR) if number and self.dataset.draw else self.dataset.value
            try:
                return value, *self._completed(value, number)
            except Exception as error:  # whatever the class raises
                if not number:
                    raise
                reason = error
        assert reason is not None
        raise refusing(self.model, f"none of {TRIES} documents", reason)

    def _completed(self, value: Any, number: int) -> tuple[Any, list[dict[str, Any]]]:
        objects = make_objects(self.model, [value] if self.alone else value, self.dataset.inferred)
        more = [] if self.alone else _only_written(self.model, objects, Random(f"{self.dataset.seed} {number}"))
        for one, beside in zip(objects, more, strict=False):
            complete(one, beside)
        return objects, more

    def objects(self, number: int) -> Any:
        return self._made(number)[1]

    def unwritten(self, number: int) -> Any:
        """The objects of a document as they are before the class writes them, which may set attributes."""
        return self._completed(self._made(number)[0], number)[0]

    def reads(self, number: int) -> tuple[Any, list[dict[str, Any]]]:
        """The values from which a document's objects are made."""
        value, _, more = self._made(self._drawn.get(number, number))
        return value, more

    def written(self) -> list[Any]:
        """The records that the class writes: of the first document, and of enough others to describe all."""
        records = write_document(self.model, self.objects(0))
        for number in range(1, self.dataset.enough or _DESCRIBED) if self.dataset.draw else ():
            if len(records) >= _DESCRIBED or len(records) * len(str(records[:1])) > _DESCRIBED_LETTERS:
                break
            records += write_document(self.model, self.objects(number))
            self._described = number + 1
        return records

    def unlike(self) -> str | None:
        """The first further document that does not survive a round trip, as a sentence, or None."""
        count = min(self.dataset.enough or _MOST, _RETURNED // (1 if self.alone else max(len(self.dataset.value), 1)))
        end = thread_time() + _RETURNED_S
        for number in range(1, count) if self.dataset.draw else ():
            if thread_time() > end:
                break
            with suppress(Exception):  # a document that it refuses or does not write: its row says so
                written = write_document(self.model, self.objects(number))
                if text := unlike(self.model, self.unwritten(number), written):
                    return text
        return None

    def written_as(self, schema: Schema, values: list[Any], read: Callable[[Any], Any]) -> dict[str, Any]:
        """The facts of the data set of what the class writes: its schema, its first document, and how others are drawn."""

        def draw(number: int) -> Any:
            places = (number + attempt * _FAR // 2 for attempt in range(_TRIED))
            what = f"{self.model.name} writes other fields in nearly every document, so {self._described} of them are repeated"
            for attempted in (*places, number % self._described):
                self._drawn[number] = attempted
                if attempted < number and what not in self.model.differences:
                    self.model.differences.append(what)
                with suppress(SchemaError):  # what no document before it had
                    written = fitted(read(write_document(self.model, self.objects(self._drawn[number]))), schema)
                    return written[0] if self.alone else written
            raise PlanError(f"{self.model.module}: each document that it writes has other fields; give a payload")

        assert isinstance(schema.root, List)
        rooted = Schema(schema.root.item, schema.records) if self.alone else schema
        first = values[0] if self.alone else values[: len(self.dataset.value)]
        return {"schema": rooted, "value": first, "draw": draw if self.dataset.draw else None}


def _described(model: UserModel, written: list[Any]) -> tuple[Schema, Any, str, Callable[[Any], Any]]:
    """The schema of what the class writes, its neutral value, what it leaves out, and what of a document the value has.

    The schema is that of the class's fields if it fits, or inferred.
    """
    described = listed(model.written.schema)

    def read(document: Any) -> Any:
        return without_computed(described, document)

    found = fitting(described, read(written))
    if found is not None and found[2] != DEFAULTS:
        return *found, read
    schema = with_declared(infer(written, model.name.partition("[")[0]), model.written.user_schema)
    values = normalise(written, schema)
    return schema, values, left_out(schema, values, written) or "", lambda document: document


def _only_written(model: UserModel, objects: Any, random: Random) -> list[dict[str, Any]]:
    """For objects that are dicts, values of the fields that the class, or one inside it, writes and does not read."""
    if not isinstance(objects, list) or not all(type(one) is dict for one in objects):
        return []
    parsed = from_class(class_of(model), drawing=True, writing=True, like=model.parsed)
    drawing = UserDrawing(parsed, random, DEPTH)
    drawing.full = True

    def beside(name: str, held: Any) -> dict[str, Any]:
        read = {f.name for f in model.parsed.user_schema.record(name).fields}
        attributes: dict[str, Any] = {}
        for f in parsed.user_schema.record(name).fields:
            match f.type.item if isinstance(f.type, Optional) else f.type:
                case _ if f.name not in read:
                    attributes |= (
                        {}
                        if f.type in (FOREIGN, OPAQUE)
                        else {f.name: drawing.field(parsed.user_schema.record(name), f)}
                    )
                case Ref(inner) if isinstance(held.get(f.name), dict):
                    attributes[f.name] = beside(inner, held[f.name])
                case List(Ref(inner)) if isinstance(held.get(f.name), list):
                    attributes[f.name] = [beside(inner, one) for one in held[f.name]]
        return {
            key: value
            for key, value in attributes.items()
            if key not in read or (any(value) if isinstance(value, list) else value)
        }

    root = parsed.user_schema.root
    if not isinstance(root, List) or not isinstance(root.item, Ref):
        return []
    attributes = [beside(root.item.record, one) for one in objects]
    return attributes if any(attributes) else []


def _examples(class_: Any) -> list[Any]:
    first = getattr(class_, "__config__", None)  # of pydantic 1
    extra = getattr(first, "schema_extra", None) or getattr(class_, "model_config", {}).get("json_schema_extra") or {}
    if not isinstance(extra, dict):
        return []
    return [*extra.get("examples", []), *([extra["example"]] if "example" in extra else [])]
