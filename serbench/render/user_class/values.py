"""Values for a class of the user's: its examples, or values that it accepts; and the document of each direction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, wraps
from random import Random
from time import thread_time
from typing import Any, TypeVar, cast

from serbench.errors import PlanError, SchemaError, and_more
from serbench.judge.outcomes import ABSENT, DEFAULTS
from serbench.model.classes.documents import with_declared
from serbench.model.classes.read import FOREIGN, OPAQUE, from_class
from serbench.model.data.dataset import Dataset, check_parameters
from serbench.model.data.payload import from_document, from_schema
from serbench.model.fidelity import complete, innermost, json_ready
from serbench.model.inference.infer import infer
from serbench.model.normalise import apply_schema, fitted, normalise
from serbench.model.records import List, Optional, Path, Ref, Schema, Type, walk_value
from serbench.render.left_out import fitting, left_out, with_absent, without_absent, without_computed
from serbench.render.user_class.conversion import said, user_code, within
from serbench.render.user_class.documents import (
    check_exchanged,
    described,
    make_objects,
    of_json,
    read_records,
    refusal,
    unlike,
    write_document,
    writes_itself,
)
from serbench.render.user_class.drawing import Learned, UserDrawing
from serbench.render.user_class.find import UserModel, class_of, listed, summaries

TRIES = 200  # draws of a record that the class refuses
_MENDED = 25  # of them, before all of its values are drawn anew
_MOST_VALUES = 200_000  # drawn, of those that were refused too; records beyond are some of those before
_AT_ONCE = 100  # records about which a class is asked together
_SHARED = 500  # records that several classes take, after which these come again in another order
_INFERRED_FROM = 300  # records, of which the types of documents are inferred
_MOST_NAMED = 5
RECORDS, FEW = 100, 10  # of a document, if no number is asked for, and of a class that is slow
DEPTH = 3  # of a record within its own type, if none is asked for
SLOW_S = 0.1  # of CPU time for a document
MOST_S = 120.0  # of which each call may have `LIMIT_S`
_ASKED_S = 10.0  # of CPU time in which a class is asked without accepting anything

Step = TypeVar("Step", bound=Callable[..., Any])


def in_time(function: Step) -> Step:
    """Have a step of the class that took too long refuse it, or steps that did so together."""

    @wraps(function)
    def asked(model: UserModel, *rest: Any, **more: Any) -> Any:
        with within(MOST_S, of=f"{model.module}:{model.name}: "):
            return function(model, *rest, **more)

    return cast("Step", asked)


def seconds(model: UserModel, values: list[Any]) -> float:
    """The CPU time that the class takes to make objects of these values and to write them; judged by the first few."""
    few, times = values[:FEW], []
    for _ in range(2):  # the first time, it may have to be prepared
        began = thread_time()
        with suppress(Exception):  # it writes none of them
            write_document(model, make_objects(model, few))
        times.append(thread_time() - began)
    return min(times) / max(len(few), 1) * len(values)


def drawn(
    model: UserModel, count: int | None, depth: int | None, seed: int, others: Sequence[UserModel] = ()
) -> Dataset:
    """Records that the class reads and writes; if it writes none, that it reads. If no count is given, few of a slow class.

    If a depth is given, each record nests to it exactly.

    All `others` read and write the same documents.

    Raises:
        WorkloadError: a number out of range.
        PlanError: the class accepts none.
    """
    asked = RECORDS if count is None else count
    simple = from_schema(
        model.name, model.parsed.schema, min(asked, 1), depth or DEPTH, seed
    )  # which checks the numbers
    if depth is not None:
        levels, root = model.parsed.user_schema.levels, model.parsed.user_schema.item
        least = levels[root.record] if isinstance(root, Ref) else 1
        check_parameters(asked, depth, seed, shallowest=least, of=f"the class {model.name}")
    refused: PlanError | SchemaError | None = None
    for way in _ways(model):
        try:
            return _by(_Asking(way, model, others), model, replace(simple, records=asked), depth, lighten=count is None)
        except (PlanError, SchemaError) as error:  # it refuses all, or its fields do not describe what it takes
            refused = refused or error
    assert refused is not None
    raise refused


Way = Callable[[UserModel, list[Any]], list[Any]]


class _Asking:
    """Asks a class about records in one way, and the others whether they read and write their document; `asked` is the last."""

    def __init__(self, way: Way, model: UserModel, others: Sequence[UserModel] = ()) -> None:
        self.way, self.model, self.others, self.asked = way, model, others, model
        self.enough = _SHARED if others else _MOST_VALUES
        self.end_s, self.tried = thread_time() + _ASKED_S, 0
        self.at_once = 1  # records; more after those that it takes, fewer after those that it refuses

    def __call__(self, values: list[Any]) -> list[Any]:
        self.asked = self.model
        self.tried += 1
        records = self.way(self.model, values)
        for other in self.others:
            self.asked = other
            check_exchanged(other, _plain(self.model, records), self._neutral(records))
        self.end_s = thread_time() + _ASKED_S
        return records

    def _neutral(self, records: list[Any]) -> Any:
        """The records as the class's schema has them; None for those of which the types are not known yet."""
        if self.way is _as_written:
            return None
        return apply_schema(_plain(self.model, records), self.model.parsed.schema)[1]

    def refused(self, what: str, reason: BaseException, value: Any) -> PlanError:
        """The line for the class that has refused all that was drawn, this value last."""
        if self.asked is self.model:
            return refusing(self.model, what, reason, value)
        said = str(reason) if isinstance(reason, SchemaError) else refusal(self.asked, reason)
        other, first = summaries([self.asked, self.model])
        return PlanError(f"no document suits all classes: {other} refuses what {first} accepts: {said}")


def _ways(model: UserModel) -> list[Way]:
    """The ways to ask a class about records, in the order in which to try them."""
    ways: list[Way] = [_both_ways, _read]
    if model.conversion:  # a converter of cattrs takes any keys, whatever it reads of them
        ways.insert(0 if model.conversion.home else 2, _as_written)
    return ways


def _both_ways(model: UserModel, values: list[Any]) -> list[Any]:
    objects = make_objects(model, values)
    if writes_itself(model):
        write_document(model, objects)
    return values


def _read(model: UserModel, values: list[Any]) -> list[Any]:
    make_objects(model, values)
    return values


def _as_written(model: UserModel, values: list[Any]) -> list[Any]:
    """The document of objects that are made by calling the class, which may have other keys than the fields."""
    with user_code("making its objects"):
        objects = model.parsed.make(values)
    document = write_document(model, objects)
    with user_code("reading what it has written"):
        if write_document(model, read_records(model, document)) != document:
            raise ValueError("it reads its own output as a different value, which it then writes differently")
    return document


def _by(ask: _Asking, model: UserModel, simple: Dataset, depth: int | None, *, lighten: bool) -> Dataset:
    """Records that the class takes in one way."""
    parsed = from_class(class_of(model), drawing=True, like=model.parsed)
    root, learned, class_schema = parsed.user_schema.root, Learned(), model.parsed.schema
    assert isinstance(root, List)

    drawing = UserDrawing(parsed, Random(simple.seed), depth or DEPTH, learned, nests=depth is not None)
    kept: list[Any] = []

    def document(random: Random) -> list[Any]:
        drawing.random = random
        made = list[Any]()
        before = learned.values
        while len(made) < simple.records and learned.values - before < _MOST_VALUES:
            if (learned.values < _MOST_VALUES and len(kept) < ask.enough) or not kept:
                new = _taken(ask, drawing, root.item, simple.records - len(made))
                made += new
                kept.extend(new)
            else:  # those that were accepted, in another order
                made.append(kept[int(random.random() * len(kept))])
        return [made[number % len(made)] for number in range(simple.records)]

    records = document(Random(simple.seed))
    if lighten and seconds(model, records) > SLOW_S:
        records = records[:FEW]
        simple = replace(simple, records=len(records))
    _tell(model, UserDrawing(parsed, Random(0), depth or DEPTH, learned))
    inferred = None
    if ask.way is _as_written:
        count = _INFERRED_FROM // max(simple.records, 1)
        more = [one for number in range(1, count) for one in document(Random(f"{simple.seed} {number}"))]
        documents = _plain(model, [*records, *more])
        found = fitting(class_schema, documents)
        schema = infer(documents, model.name.partition("[")[0]) if found is None else found[0]
        inferred = with_absent(schema, documents)
    else:
        schema = apply_schema(_plain(model, records), class_schema)[0]

    def neutral(records: list[Any]) -> Any:
        return fitted(_plain(model, records), schema)

    def draw(number: int) -> Any:
        for attempt in range(TRIES):
            with suppress(SchemaError):  # what no document before it had
                return neutral(document(Random(f"{simple.seed} {number}" + f" {attempt}" * bool(attempt))))
        raise PlanError(f"{model.module}: {TRIES} documents that it accepts have other fields; give a payload")

    value = neutral(records)
    has_root = any(
        record.root for record in parsed.user_schema.records
    )  # whose values are no records that could be counted
    reached = depth if depth and has_root else _depth(schema, value)
    return replace(simple, value=value, schema=schema, draw=draw, depth=reached, inferred=inferred)


def _tell(model: UserModel, drawing: UserDrawing) -> None:
    """Note which fields have no value in any record."""
    if places := drawing.never():
        named = and_more(places, _MOST_NAMED)
        model.differences.append(f"left out of the drawn values, because the class refuses them: {named}")


def _plain(model: UserModel, records: list[Any]) -> Any:
    return json_ready(without_absent(model.parsed.user_schema, records))


def _depth(schema: Schema, value: Any) -> int:
    """The number of records within one another at the deepest place, at least 1."""
    depths: dict[tuple[Any, ...], int] = {}  # path → records down to there
    for path, type_, _ in walk_value(schema, schema.root, value):
        above = depths[path[:-1]] if path else 0
        depths[path] = max(depths.get(path, above), above + isinstance(type_, Ref))
    return max(1, *depths.values())


def _taken(ask: _Asking, drawing: UserDrawing, type_: Type, most: int) -> list[Any]:
    """New records that the class takes: it is asked about several together, and about each if it refuses them."""
    count, began = min(ask.at_once, most), thread_time()
    records = [_accepted(ask, drawing, type_)] if count == 1 else _together(ask, drawing, type_, count)
    if records and thread_time() - began < SLOW_S:
        ask.at_once = min(ask.at_once * 2, _AT_ONCE)
    else:
        ask.at_once = max(ask.at_once // 2, 1)
    return records or [_accepted(ask, drawing, type_) for _ in range(count)]


def _together(ask: _Asking, drawing: UserDrawing, type_: Type, count: int) -> list[Any]:
    """New records that the class takes all; none, and nothing learned, if it refuses one."""
    random, learned = drawing.random, drawing.learned
    state, values, accepted = random.getstate(), learned.values, set(learned.accepted)
    try:
        return ask([drawing.settled(type_) for _ in range(count)])
    except Exception:  # whatever the class raises
        random.setstate(state)
        learned.values, learned.accepted = values, accepted
        return []


def _accepted(ask: _Asking, drawing: UserDrawing, type_: Type) -> Any:
    """A record that the class takes: what it refuses gets other values where it says so, or has its required fields alone.

    Raises:
        PlanError: it has refused all that was tried.
    """
    with suppress(_Refused):
        return _steered(ask, drawing, type_)
    try:
        drawing.learned.left.update(drawing.optional)
        return _steered(ask, drawing, type_)
    except _Refused as refused:
        raise ask.refused(f"none of {min(ask.tried, TRIES)} values", refused.reason, refused.value) from None


class _Refused(Exception):
    """A class has refused all that was tried, the last value for this reason."""

    def __init__(self, reason: BaseException, value: Any) -> None:
        super().__init__()
        self.reason, self.value = reason, value


def _steered(ask: _Asking, drawing: UserDrawing, type_: Type) -> Any:
    """A record that the class takes, with other values where it has complained.

    Raises:
        _Refused: it has refused all.
    """
    reason: BaseException | None = None
    value = refused = None
    for attempt in range(TRIES):
        if attempt % _MENDED == 0:
            value = drawing.item(type_)
        try:
            (accepted,) = ask([value])
        except Exception as error:  # whatever the class raises
            if thread_time() > ask.end_s or (reason is not None and no_value_helps(error)):
                raise _Refused(error, value) from None
            reason, refused = error, value
            value = drawing.mended(value, refused_paths(error, value))
        else:
            drawing.settle(value)
            return accepted
    assert reason is not None
    raise _Refused(reason, refused)


def refused_paths(error: BaseException, record: Any) -> list[Path]:
    """Return the places in a record that a refusal names, of a list of it alone or of it; the record if it names none."""
    paths, (_, error) = list[Path](), innermost(error)
    with suppress(Exception):  # an exception of the class's own may not even tell its text
        for location in _locations(error):
            of_list = isinstance(next(iter(location), None), int)  # not of pydantic 1
            paths.append(_there(location, [record])[1:] if of_list else _there(location, record))
    return paths or [()]


def _locations(error: Any) -> Iterator[Sequence[Any]]:
    """The locations in an error of pydantic, of msgspec behind its text, and of marshmallow or Django REST framework in its messages."""
    if hasattr(error, "errors"):
        yield from (one["loc"] for one in error.errors())
    elif match := re.search(r" - at `(?:key in )?\$(.*)`$", str(error)):
        yield [name or int(index) for name, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", match[1])]
    messages = getattr(error, "messages", None) or getattr(error, "detail", None)
    yield from _keys_to_texts(messages, []) if isinstance(messages, Mapping | list) else ()


def _keys_to_texts(messages: Any, path: list[Any]) -> Iterator[list[Any]]:
    """The paths of the messages in dicts and lists that have the form of a document."""
    if isinstance(messages, Mapping):
        for key, inner in messages.items():
            yield from _keys_to_texts(inner, [*path, key])
    elif isinstance(messages, list) and any(isinstance(message, Mapping) for message in messages):
        for index, inner in enumerate(messages):
            yield from _keys_to_texts(inner, [*path, index])
    elif messages:
        yield path


def _there(location: Sequence[Any], document: Any) -> Path:
    """The part of a location that exists in the document."""
    path: list[str | int] = []
    for part in location:
        with suppress(KeyError, IndexError, TypeError):  # the name of a union's member, or a field by another name
            document = document[part]
            path.append(part)
    return tuple(path)


_FOREIGN = re.compile(r"^Expected `[A-Z]\w*`")
_NO_VALUE = re.compile(
    r"abstract (?:class|method)|unexpected keyword argument|missing \d+ required|takes no arguments|positional arguments? but"
    r"|(?:is|are) not supported|may not contain more than one|[Uu]nsupported type|not fully defined|[Nn]o (?:\w+ )?hook"
)
_INCOMPLETE = frozenset(
    ("NotImplementedError", "ImportError", "NameError", "PydanticUserError", "StructureHandlerNotFoundError")
)


def no_value_helps(error: BaseException) -> bool:
    """Return True if a class raises this of any value: it is abstract or incomplete, or its library does not take it."""
    _, inner = innermost(error)
    if _INCOMPLETE & {one.__name__ for one in type(inner).__mro__}:
        return True
    with suppress(Exception):  # its class cannot tell it
        if type(inner).__module__.startswith("msgspec"):  # whose own types have names in lower case
            return _FOREIGN.search(str(inner)) is not None
        return isinstance(inner, TypeError) and _NO_VALUE.search(str(inner)) is not None
    return False


_OBJECT = re.compile(
    r"(?:should|must) be (?:a )?callable|(?<!object )is not callable|instance of \w+ expected|Cannot check `is(?:instance|subclass)`"
    r"|(?:should|must) be (?:an? (?:instance|subclass) of (?!(?:str|int|float|bool|list|dict)\b)|a type\b|<class '\w+\.)"
)
_OF_A_UNION = re.compile("callable$|is-")


def no_json_helps(error: BaseException) -> bool:
    """Return True if a class asks for what no JSON holds: a function, a class, or an object of a class."""
    _, inner = innermost(error)
    with suppress(Exception):  # its class cannot tell it
        if callable(getattr(inner, "errors", None)):  # pydantic
            alone = (one["msg"] for one in cast("Any", inner).errors() if not _OF_A_UNION.match(str(one["loc"][-1])))
            return any(map(_OBJECT.search, alone))
        return _OBJECT.search(said(inner)) is not None
    return False


@in_time
def user_example(model: UserModel) -> list[Any]:
    """A document of one record with all of its fields, to fill in; the class accepts it unless it refuses all that is drawn."""
    parsed = from_class(class_of(model), drawing=True, like=model.parsed)
    assert isinstance(parsed.user_schema.root, List)
    drawing = UserDrawing(parsed, Random(0), 1)
    drawing.full = True
    with suppress(PlanError):
        return [_accepted(_Asking(_ways(model)[0], model), drawing, parsed.user_schema.root.item)]
    drawing.learned.left.clear()
    return [drawing.item(parsed.user_schema.root.item)]


def refusing(model: UserModel, what: str, reason: BaseException, value: Any = None) -> PlanError:
    """The line for a class that has refused all that was drawn, this value last."""
    text, name = refusal(model, reason), f"{model.module}:{model.name}"
    if no_value_helps(reason):
        hook = "compare functions that pass a dec_hook, with `serbench compare`"
        cure = (
            hook
            if model.kind == "msgspec" and "Expected `" in text
            else "name a class derived from it that can be made"
        )
        return PlanError(f"{model.module}: no value can be accepted: {text}; {cure}")
    if no_json_helps(reason):
        return PlanError(f"{name} cannot be read from JSON, which has no such value: {text}")
    cure = of_json(model, without_absent(model.parsed.user_schema, [value])) if value is not None else ""
    if not cure and model.conversion:  # which may read other keys than those of its fields
        cure = "; give a payload, as its package writes it"
    elif not cure:
        cure = f"; give a payload: `serbench show {name} --as example` writes one to fill in"
    return PlanError(f"{model.module}: {what} was accepted: {text}{cure}")


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
    except Exception as error:  # a payload that it refuses: its row says so
        if model.conversion and (text := of_json(model, values)):
            raise PlanError(f"{dataset.name}: the class refuses it: {refusal(model, error)}{text}") from None
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
