"""A document of the user's as the class takes it: what the class accepts is accepted, with what the class makes of it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

from serbench.errors import SchemaError
from serbench.model.data.dataset import Dataset
from serbench.model.fidelity import user_difference, without_further
from serbench.model.inference.infer import infer
from serbench.model.normalise import apply_schema, normalise, with_ignored
from serbench.model.records import List, Schema
from serbench.render.left_out import with_absent, without_computed
from serbench.render.user_class.conversion import user_code
from serbench.render.user_class.find import UserModel, listed
from serbench.render.user_class.script import (
    make_objects,
    read_document,
    read_records,
    refusal,
    write_document,
    writes_itself,
)


class Reading:
    """Has a class read the documents of a data set; `inferred` has what `Dataset` tells of those that were inferred."""

    def __init__(self, model: UserModel) -> None:
        self.model = model
        self._inferred: list[tuple[Schema, Schema]] = []

    def __call__(self, document: Any) -> tuple[Schema, Any]:
        """As `described`."""
        schema, value, inferred = described(self.model, document)
        if inferred is not None:
            self._inferred.append((schema, inferred))
        return schema, value

    def of(self, dataset: Dataset) -> Dataset:
        """The data set of the documents that were read."""
        fitting = (inferred for schema, inferred in self._inferred if schema.records == dataset.schema.records)
        return replace(dataset, inferred=next(fitting, None))


def described(model: UserModel, document: Any) -> tuple[Schema, Any, Schema | None]:
    """Return the schema of a document and its neutral value, as the class takes it; and what was inferred, or None.

    If the fields of the class do not describe the document, the class reads it: the value is what it makes of that, and
    the model notes where the two differ first. If the fields do not describe that either, the types are inferred.

    Raises:
        SchemaError: the class refuses the document, or writes one that its own fields do not describe.
    """
    schema, alone = model.parsed.schema, not isinstance(document, list)
    if alone and isinstance(schema.root, List):
        schema = Schema(schema.root.item, schema.records)
    try:
        return *apply_schema(document, schema), None
    except SchemaError as error:
        unlike = error
    if model.kind == "namedtuple":  # whose documents are objects only here: no library reads them so
        raise unlike
    records = [document] if alone else document
    try:
        with user_code("reading the document"):
            objects = read_records(model, records)
    except Exception as error:  # whatever the class raises
        if isinstance(error, TypeError) and not writes_itself(model):  # no library reads it, and its fields say all
            raise unlike from None
        raise SchemaError(f"the class refuses it: {refusal(model, error)}") from None
    if (of_a_part := _of_a_part(model, schema, document, objects)) is not None:
        return *of_a_part, None
    with suppress(Exception):  # it may not be able to write
        written = without_computed(listed(model.written.schema), write_document(model, objects))
        whole = listed(schema).as_data()
        for made in (without_further(whole, one) for one in (_completed(records, written), written)):
            with suppress(SchemaError):
                applied = apply_schema(made[0] if alone else made, schema)
                read_records(model, made)
                model.differences.append(
                    f"the class makes something else of the document: {_difference(records, made)}"
                )
                return *applied, None
    as_it_is = _as_it_is(model, document, objects)
    if as_it_is is None:
        raise unlike
    model.differences.append(
        f"the types of the document are inferred, since the class's fields do not say all: {unlike}"
    )
    return as_it_is


def _of_a_part(model: UserModel, schema: Schema, document: Any, objects: Any) -> tuple[Schema, Any] | None:
    """The schema and the value of a document that has more fields than the class reads; None if these matter to it."""
    with suppress(Exception):  # whatever the class raises of what is left
        opened = replace(schema, records=tuple(replace(record, is_open=True) for record in schema.records))
        whole, value = apply_schema(document, with_ignored(document, opened))
        part = without_further(schema.as_data(), value)
        made = make_objects(model, part if isinstance(part, list) else [part])
        further = {record.name: {f.wire for f in record.fields if f.ignored} for record in whole.records}
        if user_difference(objects, made) is None and any(
            further[record.name] - set(record.computed) for record in schema.records
        ):
            read = ((record.name, len(record.fields), len(further[record.name])) for record in schema.records)
            some = ", ".join(f"{count} of {count + more} fields of {name}" for name, count, more in read if more)
            model.differences.append(f"{model.name} reads {some}; the rest of the document is ignored")
            return whole, value
    return None


def check_exchanged(model: UserModel, document: list[Any], neutral: Any) -> None:
    """Check that the class reads a document as another does, whose neutral value it is if that is known, and writes it again.

    Raises:
        SchemaError: its fields do not describe the document, or it reads or writes another.
        Exception: whatever the class raises if it refuses it.
    """
    _, value = apply_schema(document, listed(model.parsed.schema))
    if neutral is not None and _without_nulls(value) != _without_nulls(neutral):
        raise SchemaError(f"it reads another document: {_difference(neutral, value)}")
    objects = make_objects(model, value)
    try:
        written = without_computed(listed(model.written.schema), write_document(model, objects))
    except Exception:  # it may not be able to write, which its row says
        return
    if _without_nulls(written) != _without_nulls(document):
        raise SchemaError(f"it writes another document: {_difference(document, written)}")


def unlike(model: UserModel, objects: Any, written: list[Any]) -> str | None:
    """The first difference between what the class wrote and what it reads of that, as a sentence, or None."""
    try:
        text = user_difference(objects, read_document(model, written))
    except Exception as error:  # it refuses it
        return f"{model.name} refuses what it writes: {refusal(model, error)}"
    if text is None:
        return None
    return f"{model.name} reads what it writes as something else: value{text}"


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _as_it_is(model: UserModel, document: Any, objects: Any) -> tuple[Schema, Any, Schema] | None:
    """What is inferred of a document that the class takes, as `described`; None if the class takes this as another."""
    if not writes_itself(model) or model.kind == "msgspec":
        return None
    with suppress(Exception):  # whatever the class raises, of nulls for what is absent
        schema = infer(document, model.name.partition("[")[0])
        value, inferred = normalise(document, schema), listed(with_absent(schema, document))
        made = make_objects(model, value if isinstance(value, list) else [value], inferred)
        if user_difference(objects, made) is None:
            return schema, value, inferred
    return None


def _completed(document: Any, written: Any) -> Any:
    """The document with the keys that only the written one has."""
    if isinstance(document, dict) and isinstance(written, dict):
        completed = {key: _completed(item, written[key]) if key in written else item for key, item in document.items()}
        return completed | {key: item for key, item in written.items() if key not in document}
    if isinstance(document, list) and isinstance(written, list) and len(document) == len(written):
        return [_completed(one, other) for one, other in zip(document, written, strict=True)]
    return document


def _difference(document: Any, made: Any, path: str = "") -> str:
    """The first place at which two documents differ, as "[0].at is '5', and becomes 5.0"."""
    if isinstance(document, dict) and isinstance(made, dict):
        for key in [*document, *made]:
            here = f"{path}.{key}"
            if key not in made:
                return f"{here} is left out"
            if key not in document:
                return f"{here} is added, as {_short(made[key])}"
            if document[key] != made[key]:
                return _difference(document[key], made[key], here)
    if isinstance(document, list) and isinstance(made, list) and len(document) == len(made):
        for index, (one, other) in enumerate(zip(document, made, strict=True)):
            if one != other:
                return _difference(one, other, f"{path}[{index}]")
    return f"{path or 'it'} is {_short(document)}, and becomes {_short(made)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:60]}…"
