"""The user's own class, unchanged, in other libraries that take such classes: the rows `yours via cattrs` and the like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from serbench.errors import PlanError, check
from serbench.model.classes.names import is_name
from serbench.model.data.dataset import Dataset
from serbench.model.records import Field, Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, libraries
from serbench.render.rendering import combinations
from serbench.render.source.module import Unsupported
from serbench.render.user_class.find import UserModel, load_model
from serbench.render.user_class.library import BASES, facts_of, import_instead, with_root
from serbench.results import VIA

KINDS = {"dataclass": "dataclasses", "attrs": "attrs classes", "typeddict": "TypedDicts", "namedtuple": "NamedTuples"}
"""Kinds of classes that are no library's own → their name in sentences."""
TAKING = {
    "adaptix": (*KINDS,),
    "apischema": ("dataclass", "typeddict", "namedtuple"),
    "cattrs": (*KINDS,),
    "chili": ("dataclass", "attrs"),
    "dacite": ("dataclass",),
    "databind": ("dataclass",),
    "dataclass-wizard": ("dataclass",),
    "jsons": ("dataclass", "attrs", "namedtuple"),
    "mashumaro": ("dataclass", "typeddict", "namedtuple"),
    "msgspec": (*KINDS,),
    "pydantic": ("dataclass", "typeddict", "namedtuple"),
    "serpyco-rs": ("dataclass", "attrs", "typeddict"),
    "typedload": (*KINDS,),
}
"""Libraries that convert classes which know nothing of them → the kinds that they take; verification shows if they do."""
ARRAYS = ("cattrs", "mashumaro", "msgspec", "pydantic")
"""Libraries that write a NamedTuple as an array."""
NEEDING = {
    "dataclasses-json": "its decorator or mixin",
    "marshmallow-dataclass": "its decorator or a schema that it makes",
    "pyserde": "its decorator",
}
"""Libraries of classes of this kind that do not take one as it is → what they need."""


def via_cases(
    classes: Mapping[str, str], name: str, served: Sequence[Codec]
) -> list[tuple[Library, Library, str, Codec]]:
    """Classes through a library, or through all of them if `name` is "*", with each of these codecs; first the library.

    `classes` has what tells each from the others, empty for the first. A line says which of them are a library's own.

    Raises:
        PlanError: no such library, or every class is a library's own.
    """
    known = [*TAKING, *NEEDING]
    if name != "*":
        check(f"library of {VIA.strip()}", name, known)
    cases: list[tuple[Library, Library, str, Codec]] = []
    reasons: list[str] = []
    for located, called in classes.items():
        model = load_model(located)
        base = BASES[model.kind]
        if model.kind not in KINDS:
            reason = f"{model.name} is a class of {base}, which other libraries do not take; {VIA}… is for dataclasses, attrs classes, TypedDicts and NamedTuples"
            reasons.append(reason)
            model.differences.extend({reason} - {*model.differences})
            continue
        chosen = [libraries()[one] for one in (known if name == "*" else [name]) if one != base or name != "*"]
        cases += [
            (one, via_library(model, one, called), "default", codec) for one, codec in combinations(chosen, served)
        ]
    if reasons and not cases:
        raise PlanError(reasons[0])
    return cases


def via_library(model: UserModel, base: Library, called: str = "") -> Library:
    """A library that is given the user's class where its own file renders one; `called` tells it from other classes."""

    def render(described: Schema, codec: Codec, _variant: str, dataset: Dataset | None = None) -> Rendered:
        if base.name in NEEDING:
            raise Unsupported(f"it needs {NEEDING[base.name]}, so it does not take the class unchanged ({base.docs})")
        if model.kind not in TAKING[base.name]:
            taking = ", ".join(KINDS[kind] for kind in TAKING[base.name])
            raise Unsupported(f"it takes {taking}, and no {KINDS[model.kind]} ({base.docs})")
        if model.kind == "namedtuple" and base.name in ARRAYS:
            raise Unsupported(f"it writes a NamedTuple as an array, which is another document ({base.docs})")
        if codec.format == "pickle":
            raise Unsupported("pickle encodes the objects themselves; the library is not involved")
        writing = dataset is not None and dataset.direction == "writes"
        side = model.written if writing else model.parsed
        schema = with_root(side.user_schema, described)
        named = _without_aliases(schema) if model.kind == "typeddict" else schema
        rendered = replace(base.render(named, codec, "default"), schema=schema)
        import_instead(rendered.module, model, schema, side.classes)
        facts = facts_of(model, described, side.user_schema, ready=False, writes=writing)
        return replace(rendered, user_facts=facts)

    return replace(
        base,
        name=f"{VIA}{base.name}" + (f" ({called})" if called else ""),
        summary=f"{model.summary}, unchanged, by {base.name}",
        render=render,
        variants={},
        omits={},
        user_class=model.located,
    )


def _without_aliases(schema: Schema) -> Schema:
    """The schema as a library sees TypedDicts: their keys are those of the document, so nothing is renamed."""

    def plain(field: Field) -> Field:
        return replace(field, name=field.wire if is_name(field.wire) else field.name, alias=None)

    records = tuple(replace(record, fields=tuple(map(plain, record.fields))) for record in schema.records)
    return replace(schema, records=records)
