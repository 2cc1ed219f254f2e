"""The public functions for single cases and for your own data: show and describe."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any, Unpack

from serbench.ask import choices
from serbench.ask.calling import plan_of, public, several
from serbench.errors import PlanError, check
from serbench.measure.plan import Plan, datasets
from serbench.model.data.payload import schema_of
from serbench.model.data.values import draw_document
from serbench.model.fidelity import json_ready
from serbench.model.inference.decided import Overrides, doubts_text, worst_first
from serbench.model.inference.infer import Inferred
from serbench.model.json_schema.files import read_schema
from serbench.model.json_schema.write import to_json_schema
from serbench.model.records import Schema
from serbench.model.tree import tree
from serbench.render.case import Case
from serbench.render.environments.build import built
from serbench.render.environments.environment import Environment, main_environment
from serbench.render.environments.files import write_file
from serbench.render.rendering import lay_out, render
from serbench.render.selection import LibraryInstall, find_case
from serbench.render.source.laying_out import laid_out
from serbench.render.source.models import Models
from serbench.render.user_class.accepted import user_example
from serbench.render.user_class.find import is_class, load_model, locate

FORMS = ("tree", "json-schema", "python", "example")


@public
def show(
    library: choices.LibraryName,
    codec: choices.CodecName,
    workload: choices.OneWorkload = "client",
    *,
    model: choices.Model = None,
    **options: Unpack[choices.OneDocument],
) -> Case:
    """Return the case of a library and a codec, with the exact source that is measured.

    A format means the codec that the library's authors recommend for it.

    Raises:
        PlanError: an unknown name, or a case that does not exist; the message says why.
    """
    install, variant, chosen = find_case(library, codec)
    named = install.library
    dataset = next(datasets(plan_of({"workload": workload, "model": model, **options})))
    [case] = lay_out([render(named, variant, chosen, dataset.schema, _environment(install))])
    if case.reason is not None:
        raise PlanError(f"{named.name} with {chosen.name} cannot represent {dataset.name}: {case.reason}")
    return case


def _environment(install: LibraryInstall) -> Environment:
    """Return an installation's environment if it is made, else one with the Python that it asks for."""
    recipe = install.recipe()
    environment = built().get(recipe)
    if environment is not None:
        return environment
    major, _, minor = recipe.python.partition(".")
    version = (int(major), int(minor)) if major.isdigit() and minor.isdigit() else main_environment().version
    return Environment(recipe.name, "", version)


@public
def describe(
    payload: choices.DescribedFile,
    *,
    form: choices.Form = "tree",
    **options: Unpack[choices.Reading],
) -> str:
    """Return the schema of a payload or class as text.

    A tree says below how a JSON Schema is not read as it is written, and what was decided on little evidence.

    Raises:
        PlanError, WorkloadError: one line that says what to do instead.
    """
    check("form", form, FORMS)
    asked = tuple(map(several, (options["as_map"], options["as_record"], options["as_union"], options["as_text"])))
    below = ""
    if is_class(payload):
        model = load_model(locate(str(payload)))
        if form == "example":
            return _example(user_example(model))
        schema = model.parsed.schema
    else:
        read = schema_of(Path(payload), literal_strings=options["literal_strings"], overrides=Overrides(*asked))
        schema = read.schema
        if form == "tree":
            below = "".join(f"JSON Schema {note}\n" for note in schema.notes) + doubts_text(read.doubts)
    return schema_text(schema, form) + below


def worth_checking(plan: Plan) -> tuple[str, ...]:
    """Return lines that say what of the schema of a plan's payload is worth checking, the most doubtful first."""
    if plan.payload is None or plan.model is not None:
        return ()
    read = _described(plan, plan.payload)
    return tuple(worst_first(read.doubts, read.schema.notes))


def has_records(plan: Plan) -> bool:
    """Return whether a plan's data has records, as all workloads have; a list of numbers or a map has none."""
    if plan.model is not None:
        return bool(load_model(plan.model).parsed.schema.records)
    return plan.payload is None or bool(_described(plan, plan.payload).schema.records)


def _described(plan: Plan, payload: str) -> Inferred:
    if plan.schema is not None:
        return Inferred(read_schema(plan.schema))
    overrides = Overrides(plan.as_map, plan.as_record, plan.as_union, plan.as_text)
    return schema_of(payload, literal_strings=plan.literal_strings, overrides=overrides)


def schema_text(schema: Schema, form: str) -> str:
    """Return a schema in one of the forms of `describe`."""
    if form == "tree":
        return tree(schema) + "\n"
    if form == "json-schema":
        return json.dumps(to_json_schema(schema), indent=2, ensure_ascii=False) + "\n"
    if form == "example":
        return _example(draw_document(schema, 1, 1, Random(0))[1])
    module = Models(schema=schema)
    module.future = True
    module.dataclasses(tag=True)
    root = module.annotation(schema.root)
    module.use("typing", "TypeAlias")
    module.add(f"Document: TypeAlias = {root}")
    return laid_out([module.text()], module.python)[0]


def _example(document: Any) -> str:
    return json.dumps(json_ready(document), indent=2, ensure_ascii=False) + "\n"


def refuse_existing(path: choices.AnyPath | None) -> None:
    """Raise PlanError if the file to write exists already."""
    if path is not None and os.path.lexists(path):
        raise PlanError(f"{path} exists already; move it away, or name another file")


def write_new(path: choices.AnyPath, text: str) -> None:
    """Write a file that must not exist yet.

    Raises:
        PlanError: the file exists, or cannot be written.
    """
    refuse_existing(path)
    try:
        write_file(Path(path), text)
    except OSError as error:
        raise PlanError(f"{path} cannot be written ({error.strerror}); name another file") from None
