"""Values for a class of the user's: its examples, or values that it accepts; and the document of each direction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from random import Random
from typing import Any

from serbench.cases.own_class import OwnModel, class_of, said
from serbench.cases.own_drawing import OwnDrawing
from serbench.cases.own_script import NATIVE, make_objects, read_document, refusal, write_document, writes_itself
from serbench.errors import PlanError, SchemaError
from serbench.schema import List, Schema, apply_schema, infer, normalise
from serbench.schema.from_class import FOREIGN, from_class
from serbench.worker.fidelity import own_difference, wire_difference
from serbench.workloads import Dataset, from_document, from_schema

_FACTORIES = {
    "dataclass": ("polyfactory.factories", "DataclassFactory"),
    "attrs": ("polyfactory.factories.attrs_factory", "AttrsFactory"),
    "msgspec": ("polyfactory.factories.msgspec_factory", "MsgspecFactory"),
    "pydantic": ("polyfactory.factories.pydantic_factory", "ModelFactory"),
    "pydantic1": ("polyfactory.factories.pydantic_factory", "ModelFactory"),
    "typeddict": ("polyfactory.factories", "TypedDictFactory"),
}
RECORDS, DEPTH = 100, 3
TRIES = 200  # draws of a record that the class refuses


def own_values(model: OwnModel, records: int | None, depth: int | None, seed: int) -> list[Dataset]:
    """The data sets for a class: one, or one for each direction.

    If it has examples (`json_schema_extra`, or `schema_extra` in pydantic 1), these and further records drawn from
    them; otherwise values by polyfactory, if it is installed and the class accepts them; otherwise values within the
    limits of its fields. The class is asked about each record, and another is drawn for one that it refuses.

    Raises:
        WorkloadError: a number out of range.
        PlanError: an example that the class does not describe; the class accepts no value, or cannot write it.
    """
    examples = _examples(class_of(model))
    if examples and depth is None:
        try:
            return by_direction(model, from_document(model.name, examples, model.parsed.schema, records, seed))
        except SchemaError as error:
            raise PlanError(f"{model.module}:{model.name}: an example does not fit the class: {error}") from None
    made = _made(model, class_of(model), RECORDS if records is None else records, seed) if depth is None else None
    if made is not None:
        with suppress(Exception):  # a form of the class's own, such as an array, or values that it refuses
            dataset = from_document(model.name, made, model.parsed.schema, records, seed)
            make_objects(model, dataset.value)
            return by_direction(model, dataset, strict=True)
    found = by_direction(model, _drawn(model, records, depth, seed, full=False), strict=True)
    if len(found) > 1 or _complete(model, found[0]):
        return found
    return by_direction(model, _drawn(model, records, depth, seed, full=True), strict=True)


def _drawn(model: OwnModel, records: int | None, depth: int | None, seed: int, *, full: bool) -> Dataset:
    """Records that the class accepts; with `full`, no optional value is absent."""
    count, deep = RECORDS if records is None else records, DEPTH if depth is None else depth
    simple = from_schema(model.name, model.parsed.schema, min(count, 1), deep, seed)  # which checks the numbers
    parsed = from_class(class_of(model), drawing=True)
    root = parsed.own.root
    assert isinstance(root, List)

    def document(random: Random) -> list[Any]:
        drawing = OwnDrawing(parsed, random, deep)
        drawing.full = full
        return [_accepted(model, lambda: drawing.item(root.item)) for _ in range(count)]

    value = document(Random(seed))
    return replace(
        simple,
        records=count,
        value=value,
        schema=model.parsed.schema,
        draw=lambda number: document(Random(f"{seed} {number}")),
        depth=_depth(value),
    )


def _depth(value: Any) -> int:
    if isinstance(value, list | tuple):
        return max(map(_depth, value), default=1)
    if isinstance(value, dict):
        return max((_depth(one) + isinstance(one, dict | list) for one in value.values()), default=1)
    return 1


def _accepted(model: OwnModel, draw: Callable[[], Any]) -> Any:
    """A record that the class takes.

    Raises:
        PlanError: it has refused all that was tried.
    """
    reason: BaseException | None = None
    for _ in range(TRIES):
        value = draw()
        try:
            make_objects(model, [value])
        except (Exception, SystemExit) as error:  # whatever the class raises
            reason = error
        else:
            return value
    assert reason is not None
    told = refusal(model, reason)
    raise PlanError(f"{model.module}: none of {TRIES} values was accepted: {told}; give a payload") from None


def _complete(model: OwnModel, dataset: Dataset) -> bool:
    """Return False if the class leaves out what is absent."""
    if not writes_itself(model) or not isinstance(dataset.value, list):
        return True
    written = write_document(model, make_objects(model, dataset.value))
    spec = dataset.schema.as_data()
    return wire_difference(spec, spec["root"], dataset.value, written) is None


def by_direction(model: OwnModel, dataset: Dataset, *, strict: bool = False) -> list[Dataset]:
    """The data set, or one for what the class reads and one for what it writes if these are different documents.

    If the class changes what it reads, as one that writes a text in lower case, the document is what it writes.

    Raises:
        PlanError: with `strict`, the class cannot write what it has read.
    """
    alone = not isinstance(dataset.schema.root, List)
    values = [dataset.value] if alone else dataset.value
    if not writes_itself(model) and model.parsed.own == model.written.own:
        return [dataset]
    try:
        objects = make_objects(model, values)
        more = [] if alone else _only_written(model, objects, dataset.seed)
        for one, beside in zip(objects, more, strict=False):
            one.update(beside)
    except Exception:  # a payload that it refuses: its row says so
        return [dataset]
    try:
        written = write_document(model, objects)
    except Exception as error:  # whatever the class raises
        if not strict:
            return [dataset]
        raise PlanError(f"{model.module}:{model.name}: writing a document raised {said(error)}") from None
    same = _difference(dataset.schema, values, written, alone) is None
    if writes_itself(model) and (same or _fills(dataset, values, written, alone)) and _stable(model, objects, written):
        return [dataset]
    document = written[0] if alone else written
    if writes_itself(model) and _stable(model, objects, written):
        with suppress(SchemaError):
            schema, value = apply_schema(document, _rooted(model.parsed.schema, alone))
            if _difference(schema, [value] if alone else value, written, alone) is None:
                return [replace(dataset, schema=schema, value=value, draw=None)]
    try:
        schema, value = apply_schema(document, _rooted(model.written.schema, alone))
        if _difference(schema, [value] if alone else value, written, alone) is not None:
            raise SchemaError("what it writes has another form than its fields say")
    except SchemaError:
        schema = infer(document, model.name.partition("[")[0])
        value = normalise(document, schema)
    reads = replace(dataset, name=f"{dataset.name} (reads)", direction="reads", draw=None)
    writes = replace(dataset, name=f"{dataset.name} (writes)", schema=schema, value=value, direction="writes")
    return [reads, replace(writes, draw=None, given=(dataset.value, more))]


def _only_written(model: OwnModel, objects: Any, seed: int) -> list[dict[str, Any]]:
    """For objects that are dicts, values of the fields that the class writes and does not read."""
    if not isinstance(objects, list) or not all(type(one) is dict for one in objects):
        return []
    parsed = from_class(class_of(model), drawing=True, writing=True)
    record = parsed.own.records[0]
    read = {f.name for f in model.parsed.own.records[0].fields}
    drawing = OwnDrawing(parsed, Random(seed), DEPTH)
    drawing.full = True
    more = [f for f in record.fields if f.name not in read and f.type != FOREIGN]
    return [{f.name: drawing.field(record, f) for f in more} for _ in objects] if more else []


def _rooted(schema: Schema, alone: bool) -> Schema:
    assert isinstance(schema.root, List)
    return Schema(schema.root.item, schema.records) if alone else schema


def _difference(schema: Schema, values: list[Any], written: list[Any], alone: bool) -> str | None:
    spec = schema.as_data()
    root = spec["root"] if not alone else ["list", spec["root"]]
    return wire_difference(spec, root, values, written)


def _fills(dataset: Dataset, values: list[Any], written: list[Any], alone: bool) -> bool:
    """Return True if the class leaves keys out, and writes the rest as it is."""
    filled = _filled(values, written)
    return filled != written and _difference(dataset.schema, values, filled, alone) is None


def _filled(value: Any, written: Any) -> Any:
    if isinstance(value, dict) and isinstance(written, dict):
        return {**{k: v for k, v in value.items() if k not in written}} | {
            k: _filled(value.get(k), v) for k, v in written.items()
        }
    if isinstance(value, list) and isinstance(written, list) and len(value) == len(written):
        return [_filled(one, other) for one, other in zip(value, written, strict=True)]
    return written


def _stable(model: OwnModel, objects: Any, written: list[Any]) -> bool:
    """Return True if the class reads what it writes as the same objects."""
    try:
        return own_difference(objects, read_document(model, written)) is None
    except Exception:  # it refuses it
        return False


def _examples(class_: Any) -> list[Any]:
    first = getattr(class_, "__config__", None)  # of pydantic 1
    extra = getattr(first, "schema_extra", None) or getattr(class_, "model_config", {}).get("json_schema_extra") or {}
    if not isinstance(extra, dict):
        return []
    return [*extra.get("examples", []), *([extra["example"]] if "example" in extra else [])]


def _made(model: OwnModel, class_: Any, records: int, seed: int) -> list[Any] | None:
    """Values of polyfactory as builtins; None if it is not installed, or cannot make any."""
    if model.kind not in _FACTORIES or records < 1 or seed < 0:
        return None
    source, name = _FACTORIES[model.kind]
    try:
        factory = getattr(import_module(source), name).create_factory(class_)
        factory.seed_random(seed)
        plain = batch = factory.batch(records)
        if model.kind == "pydantic":
            plain = [one.model_dump(by_alias=True, round_trip=True) for one in batch]
        elif model.kind == "pydantic1":
            plain = [one.dict(by_alias=True) for one in batch]
        found = _in_utc(import_module("msgspec").to_builtins(plain, builtin_types=NATIVE))
    except Exception:  # not installed, or a type or validator of the user's that it cannot please
        return None
    assert isinstance(found, list)
    return found


def _in_utc(value: Any) -> Any:
    """Moments without a zone as moments in UTC, which every codec carries."""
    if isinstance(value, dict):
        return {key: _in_utc(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_in_utc(item) for item in value]
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
