"""Feeds wrong input to decoders, and derives each operation's work class from what they do with it.

A case is *strict* if it refuses every wrong input of one record, *coercing* if whatever it lets in has
become the declared type, and *unchecked* if a wrong type or a missing field gets through. The record is the
same for every library; for a class of the user's own it is the first of its data, made wrong in each place.

For `reject` to time, whole documents are made wrong at their beginning or at their end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from time import process_time
from typing import Any

from serbench.judge.outcomes import Finding
from serbench.measure.probes.wrong import BASICS, MISSING, FieldPath, StrictnessTest, WrongInput
from serbench.measure.session import Fault, WorkerSession
from serbench.model.classes.documents import form_of
from serbench.model.fidelity import json_ready, without_further
from serbench.model.fidelity.kinds import KINDS
from serbench.model.normalise import fitting
from serbench.model.records import Enum, List, Map, Ref, Schema, Set, Tuple, Type, Union, bare, member_of, type_data
from serbench.model.scalars import INTEGER_KINDS, STR, Scalar
from serbench.render.case import REJECTS, Case, render
from serbench.render.codec import formats
from serbench.render.user_class.documents import make_objects
from serbench.render.user_class.find import UserModel

NO_NAMES = "an object cannot be made without its field"


class _Positional(dict[str, Any]):
    """A record that stands in its bytes as an array of its fields."""


def strictness(session: WorkerSession, case: Case, trial: StrictnessTest = BASICS) -> str:
    """Probe the library, variant and codec of a case.

    Returns:
        What holds the records and how they are checked: "objects, strict", "dicts, coercing", …

    Raises:
        Fault: the probe itself could not be encoded or decoded, or the process ended.
    """
    rendered = render(case.library, case.variant, case.codec, trial.schema, case.environment)
    return checked(*tried(session, rendered, trial))


def checked(holder: str, findings: Mapping[str, Finding]) -> str:
    """The work class of a decoder with these findings on wrong input."""
    return _checks(holder, {finding.outcome for finding in findings.values()})


def _checks(holder: str, outcomes: Collection[str]) -> str:
    if "let through" in outcomes:
        return f"{holder}, unchecked"
    return f"{holder}, coercing" if "coerced" in outcomes else f"{holder}, strict"


def work_class(operation: str, probed: str, lost: Mapping[str, str] | None = None, left_out: str = "") -> str:
    """The words under which rows are ranked: what an operation yields or takes, how it checks, what it loses.

    `probed` is what `strictness` gave, or "builtins" for data without records; `lost` the fields that do not
    come back as they were, and what they lose; `left_out` what documents leave out, in the words of a work class.
    """
    if operation in ("dumps", "loads"):
        words = "builtins"
    else:
        words = probed if operation in ("decode", "load", *REJECTS) else probed.partition(",")[0]
    words += f", {left_out}" if left_out else ""
    if not lost:
        return words
    return f"{words}, lossy ({', '.join(f'{name}: {what}' for name, what in sorted(lost.items()))})"


def tried(
    session: WorkerSession, case: Case, trial: StrictnessTest, wanted: Iterable[WrongInput] | None = None
) -> tuple[str, dict[str, Finding]]:
    """Feed a case, which is rendered for the trial's schema, with wrong inputs; all of them if none are named.

    Returns:
        What holds the records ("objects" or "dicts"), and what became of each input by its name: "rejected",
        "coerced", "let through", "default" (a missing field got one), "ignored" (an unknown key) or "unprobed".

    Raises:
        Fault: the good record could not be encoded, decoded or written anew, or the process ended.
    """
    name, good = opened(session, case, trial.name, trial.schema, trial.good)
    write = formats()[case.codec.format].write
    inputs = list(trial.wrong if wanted is None else wanted)
    unmade: dict[str, Finding] = {}
    if write is None:
        possible = [one for one in inputs if one.value is not MISSING and not one.more and one.path[0][1] in trial.good]
        bad = [{"path": one.path, "value": one.value, "names": one.names} for one in possible]
        answers = dict(zip((one.name for one in possible), answers_to(session, name, bad), strict=True))
    else:
        document = _document(case, trial.schema, good["blob"])
        first = answers_to(session, name, [{"blob": written(case, document).hex()}])[0] if inputs else {"outcome": ""}
        if first["outcome"] == "rejected":
            raise Fault("failed", f"a valid record, written again, is rejected: {first['message']}", fatal=False)
        blobs = [(one, _made_wrong(case, one, document)) for one in inputs]
        made = [(one, blob) for one, blob in blobs if isinstance(blob, bytes)]
        bad = [{"path": one.path, "blob": blob.hex(), "names": one.names} for one, blob in made]
        answers = dict(zip((one.name for one, _ in made), answers_to(session, name, bad), strict=True))
        unmade = {one.name: Finding("unprobed", blob) for one, blob in blobs if isinstance(blob, str)}
    session.ask("drop", case=name)
    return good["holder"], {
        one.name: unmade.get(one.name) or _finding(one, answers.get(one.name), trial) for one in inputs
    }


def written_class(session: WorkerSession, case: Case, trial: StrictnessTest = BASICS) -> str:
    """What an endpoint returns ("objects", "dicts" or "bytes", "objects as lines"), and how that is checked on the way out.

    Raises:
        Fault: a right record is refused, or the process ended.
    """
    rendered = render(case.library, case.variant, case.codec, trial.schema, case.environment)
    if rendered.reason is not None:
        raise Fault("unsupported", f"the probe cannot be rendered: {rendered.reason}", fatal=False)
    name = f"written_of_{rendered.module_name}"
    session.prepare(rendered, name, trial.schema.as_data(), trial.good)
    path, right = trial.wrong[0].path[: 2 if isinstance(trial.good, list) else 1], trial.good
    for _, wire in path:
        right = right[wire]
    asked: dict[str, Any] = {"written": True, "inside": rendered.inside}
    asked["in_lines"] = rendered.in_lines and isinstance(trial.good, list)
    same = {**asked, "path": path, "value": right}
    if answers_to(session, name, [same])[0]["outcome"] != "let through":
        raise Fault("failed", "it returns something else than it is given", fatal=False)
    wrong = [one for one in trial.wrong if one.value is not MISSING]
    answers = answers_to(session, name, [{**asked, "path": one.path, "value": one.value} for one in wrong])
    outcomes = {answer["outcome"] for answer in answers}
    session.ask("drop", case=name)
    return _checks(answers[0]["holder"] + (" as lines" if rendered.in_lines else ""), outcomes)


def opened(session: WorkerSession, case: Case, key: str, schema: Schema, good: Any) -> tuple[str, dict[str, Any]]:
    """Prepare and verify a case with its good document; its name in the worker, and the answer of `verify`.

    Raises:
        Fault: it cannot be rendered, or does not come back.
    """
    if case.reason is not None:
        raise Fault("unsupported", f"the probe cannot be rendered: {case.reason}", fatal=False)
    name = f"{key.replace(' ', '_')}_of_{case.module_name}"
    session.prepare(case, name, schema.as_data(), good)
    reply = session.ask("verify", case=name, operations=[], reader=None, losses={})
    if reply["difference"] is not None:
        raise Fault("failed", f"the probe does not survive a round trip: {reply['difference']}", fatal=False)
    return name, reply


def answers_to(session: WorkerSession, name: str, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Feed a case with inputs; the worker's answer to each."""
    outcomes: list[dict[str, Any]] = session.ask("take", case=name, inputs=inputs)["outcomes"] if inputs else []
    return outcomes


def written(case: Case, document: Any, write: Callable[[Any], bytes] | None = None) -> bytes:
    """A document in the format of the case, by that writer, or else by serbench's usual one."""
    write = write or formats()[case.codec.format].write
    assert write is not None
    plain = _plain(document)
    try:
        return write({case.root: plain} if case.root else plain)
    except Exception as error:  # whatever a writer raises on what its reader gave
        raise Fault("failed", f"the wrong input cannot be written: {error}", fatal=False) from None


def read(case: Case, schema: Schema, blob: bytes) -> Any:
    """The document in these bytes as the first independent reader has it; records that are arrays get their keys."""
    readers = list(case.readers(schema.as_data()).values())
    if not readers:
        raise Fault("failed", "nothing else reads these bytes", fatal=False)
    return _named(schema, schema.root, readers[0](blob))


def wrong_documents(
    case: Case, schema: Schema, blob: bytes, positions: Mapping[str, int]
) -> tuple[bytes, dict[str, bytes]]:
    """Write the document anew with serbench's own writer: as it is, and lacking a field in the record at each place.

    The field is the last one without a default, which no record may lack.

    Raises:
        Fault: the document is not a list of records, or no such bytes can be made.
    """
    if (record := schema.row) is None:
        raise Fault("unsupported", "the data is not a list of records", fatal=False)
    if formats()[case.codec.format].write is None:
        raise Fault("unsupported", f"{case.codec.format} cannot be written wrong", fatal=False)
    needed = [f.wire for f in record.fields if f.required]
    if not needed:
        raise Fault("unsupported", "no field is required", fatal=False)
    try:
        rows = read(case, schema, blob)
        if not rows:
            raise Fault("unsupported", "the data has no record that could lack a field", fatal=False)
        wrong = {name: _without(rows, position, needed[-1]) for name, position in positions.items()}
    except Fault:
        raise
    except Exception as error:  # whatever an independent reader raises
        raise Fault("unsupported", f"its bytes cannot be read: {error}", fatal=False) from None
    return written(case, rows), {name: written(case, document) for name, document in wrong.items()}


def _without(rows: list[Any], position: int, key: str) -> list[Any]:
    changed = list(rows)
    changed[position] = type(rows[position])((name, value) for name, value in rows[position].items() if name != key)
    return changed


def _document(case: Case, schema: Schema, blob: bytes) -> Any:
    try:
        return read(case, schema, blob)
    except Fault:
        raise
    except Exception as error:
        raise Fault("failed", f"the good record cannot be read: {error}", fatal=False) from None


def _made_wrong(case: Case, wrong_input: WrongInput, document: Any) -> bytes | str:
    """The bytes of a wrong input, or the reason why there are none."""
    try:
        return written(case, wrong_input.document(document))
    except (LookupError, TypeError) as error:
        return f"its bytes have no such place: {error}"
    except Fault as fault:
        return fault.reason


def _finding(wrong: WrongInput, answer: Mapping[str, Any] | None, trial: StrictnessTest) -> Finding:
    if answer is None:
        return Finding("unprobed", NO_NAMES)
    if answer["outcome"] == "rejected":
        return Finding("rejected", answer["message"], names=set(answer["names"]) == set(wrong.names))
    what = f"{answer['value']} of type {answer['outcome']}"
    if answer["outcome"] in wrong.right:
        return Finding("default" if wrong.value is MISSING else "coerced", f"becomes {what}")
    if answer["outcome"] == "NoneType" and not trial.of_user and wrong.path[0][1] not in trial.good:
        return Finding("ignored", "it is left out")
    return Finding("let through", f"becomes {what}" if wrong.value is not MISSING else f"its place has {what}")


def _named(schema: Schema, type_: Type, parsed: Any) -> Any:
    """Records that are arrays of their fields as mappings that remember it."""
    if isinstance(type_, List) and isinstance(parsed, list):
        return [_named(schema, type_.item, item) for item in parsed]
    if not isinstance(type_, Ref) or not isinstance(parsed, list | dict):
        return parsed
    fields = schema.record(type_.record).fields
    if isinstance(parsed, dict):
        known = {f.wire: f.type for f in fields}
        return {key: _named(schema, known[key], v) if key in known else v for key, v in parsed.items()}
    if len(parsed) != len(fields):
        return parsed
    pairs = zip(fields, parsed, strict=True)
    return _Positional((f.wire, _named(schema, f.type, value)) for f, value in pairs)


def _plain(document: Any) -> Any:
    """The document as it is written: arrays in place of what was one."""
    if isinstance(document, _Positional):
        return [_plain(value) for value in document.values()]
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    return [_plain(item) for item in document] if isinstance(document, list) else document


_CONTAINERS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((List, Tuple), ("list", "tuple")),
    Set: ("set", "frozenset"),
    Map: ("dict",),
}
_WRONG: dict[str, tuple[Any, ...]] = {
    "str": (12, None),
    **dict.fromkeys(INTEGER_KINDS, ("x", "12", 1.5)),
    "float": ("x", "1.5"),
    "bool": ("maybe", "true"),
    "bytes": (12,),
    "any": (),
}
_NO_TEXT = "no such value"
_OF_FORM: dict[str, Any] = {"text": _NO_TEXT, "int": 12, "array": [[]]}
"""Form of a value → one that no type of another form takes."""
_EXTREME: dict[str, tuple[Any, ...]] = {
    "str": ("", "x" * 300, _NO_TEXT),
    **dict.fromkeys(INTEGER_KINDS, (-1, 0, 10**9)),
    "float": (-1.0, 0.0, 1e12),
    "any": (_NO_TEXT, 12, [[]]),
}
"""Kind of a value → others of the same type, which validators and limits often refuse."""
_MOST_WRONG, _LEAST_WRONG = 400, 40
_MOST_CHARACTERS = 4_000_000
"""Of all wrong inputs together as JSON: each row is given them."""
_ASKED_S = 1.0  # of CPU time in which a class is asked about values


@dataclass(frozen=True)
class _Spot:
    """A value in a document; `required` is None for an item, and `unions` has those that it stands in, with their other members."""

    path: FieldPath
    type: Type
    value: Any
    required: bool | None = None
    unions: tuple[tuple[_Spot, tuple[Type, ...]], ...] = ()

    @property
    def name(self) -> str:
        """The keys from the record to the value, joined by dots."""
        return ".".join(str(key) for _, key in self.path)


_Fits = Callable[[tuple[Type, ...], _Spot, WrongInput], bool]


def user_probe(
    schema: Schema,
    value: Any,
    model: UserModel | None = None,
    *,
    inferred: Schema | None = None,
    whole: bool = False,
) -> StrictnessTest | None:
    """A test with a document's first record and wrong versions of it; None if the document has no record.

    With a class, also what is wrong for it alone: members of unions that are any JSON in the schema, and values of the
    right type that the class refuses, as validators and limits do; `inferred` is that of the data set. With `whole`, the document stays a list if it is one,
    with this record alone.
    """
    item, first = schema.root, value
    if isinstance(schema.root, List):
        item, first = schema.root.item, value[0] if value else None
    if not isinstance(item, Ref) or first is None:
        return None
    listed = whole and isinstance(schema.root, List)
    root = _Spot((("", 0),) if listed else (), item, first)
    fits = _fitting(schema)
    wrong = [one for spot in _spots(schema, root, set()) for one in _wrong(spot, fits)]
    if model is not None:
        wrong += _in_unions(schema, item, first, model)
        wrong += _refused(schema, item, first, model, inferred)
    if listed:
        return StrictnessTest("user", schema, [first], _some(wrong, first), of_user=True)
    return StrictnessTest("user", Schema(item, schema.records), first, _some(wrong, first), of_user=True)


def _some(wrong: list[WrongInput], record: Any) -> tuple[WrongInput, ...]:
    """All wrong inputs, or evenly spread ones of a large class or record, which are enough to tell its work class."""
    most = min(_MOST_WRONG, max(_LEAST_WRONG, _MOST_CHARACTERS // len(json.dumps(json_ready(record)))))
    step = -(-len(wrong) // most) or 1
    return tuple(wrong[::step])


def _spots(schema: Schema, outer: _Spot, seen: set[str]) -> Iterator[_Spot]:
    """Each value inside another, with those inside it, and the fields of each class once."""
    for spot in _inside(schema, outer, seen):
        yield spot
        yield from _spots(schema, spot, seen)


def _inside(schema: Schema, outer: _Spot, seen: set[str]) -> Iterator[_Spot]:
    path, type_, value = outer.path, bare(outer.type), outer.value
    match type_:
        case List(item) if value:
            yield _Spot((*path, ("", 0)), item, value[0], unions=outer.unions)
        case Tuple(items) if value:
            pairs = enumerate(zip(items, value, strict=True))
            yield from (_Spot((*path, ("", number)), item, one, unions=outer.unions) for number, (item, one) in pairs)
        case Map(item, key) if value and key == STR:
            first = next(iter(value))
            yield _Spot((*path, (first, first)), item, value[first], unions=outer.unions)
        case Ref(name) if name not in seen and isinstance(value, dict) and not schema.record(name).root:
            seen.add(name)
            for f in schema.record(name).fields:
                yield _Spot((*path, (f.name, f.wire)), f.type, value.get(f.wire), f.required, outer.unions)
        case Union(members, tag) if isinstance(member := member_of(schema, type_, value), Ref):
            others = () if tag else tuple(other for other in members if other != member)
            yield from _inside(schema, replace(outer, type=member, unions=(*outer.unions, (outer, others))), seen)


def _wrong(spot: _Spot, fits: _Fits) -> Iterator[WrongInput]:
    type_ = bare(spot.type)
    right = _right(type_)
    if right is None:
        return
    nullable = spot.required is None or type_ is not spot.type
    values = [(f"{value!r}", value) for value in _values(type_) if value is not None or not nullable]
    values += [("missing", MISSING)] if spot.required else []  # another one's right type is that of its default
    for name, value in values:
        wrong = WrongInput(f"{spot.name}: {name}", spot.path, value, right)
        if not any(fits(others, within, wrong) for within, others in spot.unions):
            yield wrong


def _fitting(schema: Schema) -> _Fits:
    """What tells if the value of a union, made wrong inside, is right for another of its members."""
    data, known = schema.as_data(), fitting(schema)
    written: dict[FieldPath, Any] = {}  # place of a union → its value, which may be large

    def fits(members: tuple[Type, ...], within: _Spot, wrong: WrongInput) -> bool:
        if within.path not in written:
            written[within.path] = json_ready(within.value)
        document = _with(written[within.path], wrong.path[len(within.path) :], wrong.value)
        return any(known(member, without_further({**data, "root": type_data(member)}, document)) for member in members)

    return fits


def _with(value: Any, path: FieldPath, wrong: Any) -> Any:
    """The value with a wrong one at a place; all that is not around the place is shared."""
    if not path:
        return wrong
    (_, key), copy = path[0], value.copy()
    if wrong is MISSING and len(path) == 1:
        del copy[key]
    else:
        copy[key] = _with(value[key] if path[1:] else None, path[1:], wrong)
    return copy


def _in_unions(schema: Schema, item: Ref, value: Any, model: UserModel) -> Iterator[WrongInput]:
    """Wrong inputs in the members of the class's unions, where the schema has any JSON."""
    shared = _Spot((), item, value)
    anything = [spot.path for spot in _spots(schema, shared, set()) if _right(spot.type) is None]
    user_schema = model.parsed.user_schema
    if not anything or all(record.name != item.record for record in user_schema.records):
        return
    fits = _fitting(user_schema)
    for spot in _spots(user_schema, shared, set()):
        if any(spot.path[: len(path)] == path for path in anything):
            yield from _wrong(spot, fits)


def _refused(schema: Schema, item: Ref, value: Any, model: UserModel, inferred: Schema | None) -> Iterator[WrongInput]:
    """Inputs with a value of the right type that the class refuses; none if it refuses the record as it is."""
    if _refuses(model, inferred, value):
        return
    began = process_time()
    for spot in _spots(schema, _Spot((), item, value), set()):
        if process_time() - began > _ASKED_S:
            break
        for extreme in _extremes(spot):
            wrong = WrongInput(f"{spot.name}: {extreme!r:.40}, which the class refuses", spot.path, extreme)
            with suppress(LookupError, TypeError):  # a place in what cannot be changed, such as a tuple
                if _refuses(model, inferred, wrong.document(value)):
                    yield wrong


def _extremes(spot: _Spot) -> tuple[Any, ...]:
    type_ = bare(spot.type)
    if isinstance(type_, List):
        return ([],) if spot.value else ()
    if type_ == Scalar("bool"):
        return (not spot.value,)
    return _EXTREME.get(type_.kind, ()) if isinstance(type_, Scalar) else ()


def _refuses(model: UserModel, inferred: Schema | None, record: Mapping[str, Any]) -> bool:
    try:
        make_objects(model, [record], inferred)
    except Exception:  # whatever the class raises
        return True
    return False


def _values(type_: Type) -> tuple[Any, ...]:
    if isinstance(type_, Scalar):
        return _WRONG.get(type_.kind, (_NO_TEXT,))
    if isinstance(type_, Union):
        forms = {form_of(member) for member in type_.members}
        forms |= {"int"} if forms & {"float", "bool"} else set()
        digits = ("12",) if "int" in forms and "text" not in forms else ()
        return (*[wrong for form, wrong in _OF_FORM.items() if form not in forms][:2], *digits)
    return ("ab", 5) if isinstance(type_, List | Set | Tuple) else (_NO_TEXT,)


def _right(type_: Type) -> tuple[str, ...] | None:
    """The names of the classes that values of the type have; None for one that anything may be."""
    match bare(type_):
        case Scalar("any" | "opaque"):
            return None
        case Scalar(kind):
            return (getattr(KINDS[kind].cls, "__name__", kind),)
        case Enum(name):
            return (name,)
        case Ref(name):
            return (name, "dict")
        case Union(members):
            rights = [_right(member) for member in members]
            return None if None in rights else tuple(dict.fromkeys(chain.from_iterable(filter(None, rights))))
        case other:
            return _CONTAINERS.get(type(other))
