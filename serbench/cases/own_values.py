"""Values for a class of the user's that comes without a payload: its examples, or made so that they fit its limits."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from serbench.cases.own_model import OwnModel, class_of
from serbench.errors import PlanError, SchemaError
from serbench.schema.from_class import from_class
from serbench.workloads import Dataset, from_document, from_schema

_NATIVE = (datetime, date, time, timedelta, Decimal, UUID, bytes)
_FACTORIES = {
    "dataclass": ("polyfactory.factories", "DataclassFactory"),
    "attrs": ("polyfactory.factories.attrs_factory", "AttrsFactory"),
    "msgspec": ("polyfactory.factories.msgspec_factory", "MsgspecFactory"),
    "pydantic": ("polyfactory.factories.pydantic_factory", "ModelFactory"),
    "pydantic1": ("polyfactory.factories.pydantic_factory", "ModelFactory"),
    "typeddict": ("polyfactory.factories", "TypedDictFactory"),
}
RECORDS = 100


def own_values(model: OwnModel, records: int | None, depth: int | None, seed: int) -> Dataset:
    """A data set for the class.

    If it has examples (`json_schema_extra`, or `schema_extra` in pydantic 1), these and further records drawn from
    them; otherwise values by polyfactory, if it is installed and knows such classes; otherwise values that respect the
    constants and choices of its fields, but not their limits.

    Raises:
        WorkloadError: a number out of range.
        PlanError: an example that the class does not describe.
    """
    class_ = class_of(model)
    examples = _examples(class_)
    if examples and depth is None:
        try:
            return from_document(model.name, examples, model.parsed.schema, records, seed)
        except SchemaError as error:
            raise PlanError(f"{model.module}:{model.name}: an example does not fit the class: {error}") from None
    made = _made(model, class_, RECORDS if records is None else records, seed) if depth is None else None
    if made is not None:
        with suppress(SchemaError):  # a class that is written in a form of its own, such as an array
            return from_document(model.name, made, model.parsed.schema, records, seed)
    narrowed = from_class(class_, drawing=True).schema
    made_of = from_schema(model.name, narrowed, records, depth, seed)
    return replace(made_of, schema=replace(model.parsed.schema, root=made_of.schema.root))


def _examples(class_: Any) -> list[Any]:
    first = getattr(class_, "__config__", None)  # of pydantic 1
    extra = getattr(first, "schema_extra", None) or getattr(class_, "model_config", {}).get("json_schema_extra") or {}
    if not isinstance(extra, dict):
        return []
    return [*extra.get("examples", []), *([extra["example"]] if "example" in extra else [])]


def _made(model: OwnModel, class_: Any, records: int, seed: int) -> list[Any] | None:
    """Values of polyfactory as builtins; None if it is not installed, or cannot make any."""
    import importlib

    import msgspec

    if model.kind not in _FACTORIES or records < 1 or seed < 0:
        return None
    source, name = _FACTORIES[model.kind]
    try:
        factory = getattr(importlib.import_module(source), name).create_factory(class_)
        factory.seed_random(seed)
        batch = factory.batch(records)
    except Exception:  # not installed, or a type or validator of the user's that it cannot please
        return None
    plain = batch
    if model.kind == "pydantic":
        plain = [one.model_dump(by_alias=True, round_trip=True) for one in batch]
    elif model.kind == "pydantic1":
        plain = [one.dict(by_alias=True) for one in batch]
    found = _in_utc(msgspec.to_builtins(plain, builtin_types=_NATIVE))
    assert isinstance(found, list)
    return found


def _in_utc(value: Any) -> Any:
    """Moments without a zone as moments in UTC, which every codec carries."""
    if isinstance(value, dict):
        return {key: _in_utc(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_in_utc(item) for item in value]
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
