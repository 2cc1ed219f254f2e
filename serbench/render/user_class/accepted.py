"""Records that a class of the user's accepts: drawn, mended as it refuses them, without the fields that it never takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from random import Random
from time import thread_time
from typing import Any, TypeVar, cast

from serbench.errors import PlanError, SchemaError
from serbench.model.classes.read import from_class
from serbench.model.data.dataset import Dataset, check_parameters
from serbench.model.data.payload import from_schema
from serbench.model.fidelity import innermost, json_ready
from serbench.model.inference.infer import infer
from serbench.model.normalise import apply_schema, fitted
from serbench.model.records import List, Path, Ref, Schema, Type, walk_value
from serbench.render.left_out import fitting, with_absent, without_absent
from serbench.render.user_class.conversion import user_code, within
from serbench.render.user_class.documents import check_exchanged
from serbench.render.user_class.drawing import Learned, UserDrawing
from serbench.render.user_class.find import UserModel, class_of, summaries
from serbench.render.user_class.script import called, make_objects, read_records, refusal, write_document, writes_itself

TRIES = 200  # draws of a record that the class refuses
_MENDED = 25  # of them, before all of its values are drawn anew
_MOST_VALUES = 200_000  # drawn, of those that were refused too; records beyond are some of those before
_SHARED = 500  # records that several classes take, after which these come again in another order
_DESCRIBED = 300  # records, of which the types of documents are inferred
_MOST_NAMED = 5
RECORDS, FEW = 100, 10  # of a document, if no number is asked for, and of a class that is slow
DEPTH = 3  # of a record within its own type, if none is asked for
SLOW_S = 0.1  # of CPU time for a document
MOST_S = 300.0  # of which each call may have `LIMIT_S`
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


class _Asking:
    """Asks a class about a record in one way, and the others whether they read and write its document; `asked` is the last."""

    def __init__(
        self, way: Callable[[UserModel, Any], Any], model: UserModel, others: Sequence[UserModel] = ()
    ) -> None:
        self.way, self.model, self.others, self.asked = way, model, others, model
        self.enough = _SHARED if others else _MOST_VALUES
        self.end_s, self.tried = thread_time() + _ASKED_S, 0

    def __call__(self, value: Any) -> Any:
        self.asked = self.model
        self.tried += 1
        record = self.way(self.model, value)
        for other in self.others:
            self.asked = other
            check_exchanged(other, _plain(self.model, [record]), self._neutral(record))
        self.end_s = thread_time() + _ASKED_S
        return record

    def _neutral(self, record: Any) -> Any:
        """The record as the class's schema has it; None for one of which the types are not known yet."""
        if self.way is _as_written:
            return None
        return apply_schema(_plain(self.model, [record]), self.model.parsed.schema)[1]

    def refused(self, what: str, reason: BaseException) -> PlanError:
        """The line for the class that has refused all that was drawn."""
        if self.asked is self.model:
            return refusing(self.model, what, reason)
        said = str(reason) if isinstance(reason, SchemaError) else refusal(self.asked, reason)
        other, first = summaries([self.asked, self.model])
        return PlanError(f"no document that all classes take: {other} refuses what {first} takes: {said}")


def _ways(model: UserModel) -> list[Callable[[UserModel, Any], Any]]:
    """The ways to ask a class about a record, in the order in which to try them."""
    ways: list[Callable[[UserModel, Any], Any]] = [_both_ways, _read]
    if model.conversion:  # a converter of cattrs takes any keys, whatever it reads of them
        ways.insert(0 if model.conversion.home else 2, _as_written)
    return ways


def _both_ways(model: UserModel, value: Any) -> Any:
    objects = make_objects(model, [value])
    if writes_itself(model):
        write_document(model, objects)
    return value


def _read(model: UserModel, value: Any) -> Any:
    make_objects(model, [value])
    return value


def _as_written(model: UserModel, value: Any) -> Any:
    """The document of an object that is made by calling the class, which may have other keys than the fields."""
    with user_code("making its objects"):
        objects = called(model, [value])
    (document,) = write_document(model, objects)
    with user_code("reading what it has written"):
        if write_document(model, read_records(model, [document])) != [document]:
            raise ValueError("it reads what it writes as another, which it writes differently")
    return document


def _by(ask: _Asking, model: UserModel, simple: Dataset, depth: int | None, *, lighten: bool) -> Dataset:
    """Records that the class takes in one way."""
    parsed = from_class(class_of(model), drawing=True, like=model.parsed)
    root, learned, class_schema = parsed.user_schema.root, Learned(), model.parsed.schema
    assert isinstance(root, List)

    kept: list[Any] = []

    def document(random: Random) -> list[Any]:
        drawing = UserDrawing(parsed, random, depth or DEPTH, learned, nests=depth is not None)
        made = list[Any]()
        before = learned.values
        while len(made) < simple.records and learned.values - before < _MOST_VALUES:
            if (learned.values < _MOST_VALUES and len(kept) < ask.enough) or not kept:
                kept.append(_accepted(ask, drawing, root.item))
                made.append(kept[-1])
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
        count = _DESCRIBED // max(simple.records, 1)
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
        more = f" and {len(places) - _MOST_NAMED:,} more" if len(places) > _MOST_NAMED else ""
        named = f"{', '.join(places[:_MOST_NAMED])}{more}"
        model.differences.append(f"not in the drawn values, as the class refuses what is drawn: {named}")


def _plain(model: UserModel, records: list[Any]) -> Any:
    return json_ready(without_absent(model.parsed.user_schema, records))


def _depth(schema: Schema, value: Any) -> int:
    """The number of records within one another at the deepest place, at least 1."""
    depths: dict[tuple[Any, ...], int] = {}  # path → records down to there
    for path, type_, _ in walk_value(schema, schema.root, value):
        above = depths[path[:-1]] if path else 0
        depths[path] = max(depths.get(path, above), above + isinstance(type_, Ref))
    return max(1, *depths.values())


def _accepted(ask: _Asking, drawing: UserDrawing, type_: Type) -> Any:
    """A record that the class takes: what it refuses gets other values where it says so, or has its required fields alone.

    Raises:
        PlanError: it has refused all that was tried.
    """
    with suppress(_Refused):
        return _steered(ask, drawing, type_, TRIES)
    try:
        drawing.learned.left.update(drawing.optional)
        return _steered(ask, drawing, type_, TRIES)
    except _Refused as refused:
        raise ask.refused(f"none of {min(ask.tried, TRIES)} values", refused.reason) from None


class _Refused(Exception):
    """A class has refused all that was tried, the last for this reason."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


def _steered(ask: _Asking, drawing: UserDrawing, type_: Type, tries: int) -> Any:
    """A record that the class takes, with other values where it has complained.

    Raises:
        _Refused: it has refused all.
    """
    reason: BaseException | None = None
    value: Any = None
    for attempt in range(tries):
        if attempt % _MENDED == 0:
            value = drawing.item(type_)
        try:
            accepted = ask(value)
        except Exception as error:  # whatever the class raises
            if thread_time() > ask.end_s or (reason is not None and no_value_helps(error)):
                raise _Refused(error) from None
            reason = error
            value = drawing.mended(value, refused_paths(error, value))
        else:
            drawing.settle(value)
            return accepted
    assert reason is not None
    raise _Refused(reason)


def refused_paths(error: BaseException, record: Any) -> list[Path]:
    """Return the places in a record that a refusal names, which was that of a list of it alone; the record if it names none."""
    paths, (_, error) = list[Path](), innermost(error)
    with suppress(Exception):  # an exception of the class's own may not even tell its text
        paths = [_there(location, [record])[1:] for location in _locations(error)]
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


def refusing(model: UserModel, what: str, reason: BaseException) -> PlanError:
    """The line for a class that has refused all that was drawn."""
    if no_value_helps(reason):
        said = f"no value can be accepted: {refusal(model, reason)}"
        return PlanError(f"{model.module}: {said}; name a class that can be made, such as one derived from it")
    skeleton = f"`serbench show {model.module}:{model.name} --as example` writes one to fill in"
    return PlanError(f"{model.module}: {what} was accepted: {refusal(model, reason)}; give a payload: {skeleton}")
