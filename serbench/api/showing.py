"""The public functions that show measured code, your own data, environments, and lists of choices."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from shlex import quote
from typing import Any, Unpack

from serbench.api import choices
from serbench.api.calling import plan_of, public, saved, several
from serbench.errors import PlanError, check, if_interrupted
from serbench.machine.files import write_file
from serbench.measure.plan import Plan, datasets, maker
from serbench.model.data.dataset import get, workload_names
from serbench.model.data.payload import as_document, schema_of
from serbench.model.data.values import draw_document
from serbench.model.fidelity import json_ready
from serbench.model.inference.decided import Overrides, doubts_text, worst_first
from serbench.model.inference.infer import Inferred
from serbench.model.json_schema.files import read_schema
from serbench.model.json_schema.write import to_json_schema
from serbench.model.records import Schema, tree
from serbench.render.case import Case, combinations, lay_out, render
from serbench.render.codec import codecs, formats
from serbench.render.environments import MAIN, Environment, Recipe, built, main_environment, remove
from serbench.render.framework import endpoint_cases, frameworks, is_endpoint
from serbench.render.library import Library, libraries
from serbench.render.selection import LibraryInstall, find_case, recipes, usual_recipes
from serbench.render.source.models import Models
from serbench.render.source.module import laid_out
from serbench.render.user_class.find import is_class, load_model, locate
from serbench.render.user_class.library import directed
from serbench.render.user_class.values import user_example
from serbench.store.active_run import actual_status
from serbench.store.opening import default_path
from serbench.store.recorder import RunListener, conduct_prefix, strictness_key
from serbench.store.store import Store, if_readable

FORMS = ("tree", "json-schema", "python", "example")


@public
def show(
    library: choices.LibraryName,
    codec: choices.CodecName = "",
    workload: choices.OneWorkload = "client",
    *,
    model: choices.Model = None,
    **options: Unpack[choices.OneDocument],
) -> Case:
    """Return the case of a library and a codec, with the exact source that is measured.

    A format means the codec that the library's authors recommend for it. An endpoint of a web framework, such as
    `fastapi[response]/msgspec`, has none.

    Raises:
        PlanError: an unknown name, or a case that does not exist; the message says why.
    """
    if not codec and not is_endpoint(library):
        raise PlanError(f"{library} is shown with a codec; name one too, such as json")
    plan = plan_of({"workload": workload, "model": model, **options})
    if codec:
        install, variant, chosen = find_case(library, codec)
        named, recipe = install.library, install.recipe()
    else:
        cases = endpoint_cases([library], plan.model)
        named, variant, chosen, recipe = cases[len(cases) > 1]  # the floor is the first
        if len(cases) > 2:
            one = f"{named.name}[{variant}]/{chosen.name}"
            raise PlanError(f"{library} names {len(cases) - 1} endpoints; show one, such as {one}")
    dataset = next(datasets(plan))
    [case] = lay_out([render(directed(named, dataset), variant, chosen, dataset.schema, _environment(recipe))])
    if case.reason is not None:
        raise PlanError(f"{named.name} with {chosen.name} cannot represent {dataset.name}: {case.reason}")
    return case


def _environment(recipe: Recipe) -> Environment:
    """Return a recipe's environment if it is made, else one with the Python that it asks for."""
    environment = built().get(recipe)
    if environment is not None:
        return environment
    major, _, minor = recipe.python.partition(".")
    version = (int(major), int(minor)) if major.isdigit() and minor.isdigit() else main_environment().version
    return Environment(recipe.name, "", version)


@public
def describe(
    payload: choices.Described,
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
    choices.OPTIONS["sample"].check("sample", options["sample"])
    asked = (several(options[name]) for name in ("as_map", "as_record", "as_union", "as_text", "as_any"))
    below = ""
    if is_class(payload):
        from serbench.measure.carried import located  # imports msgspec

        model = load_model(locate(located(payload) if isinstance(payload, type) else str(payload)))
        if form == "example":
            return _example(user_example(model))
        schema = model.parsed.schema
    else:
        read = schema_of(
            Path(payload if isinstance(payload, str | os.PathLike) else saved(as_document(payload))),
            literal_strings=options["literal_strings"],
            overrides=Overrides(*asked),
            sample=options["sample"],
        )
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
    overrides = Overrides(plan.as_map, plan.as_record, plan.as_union, plan.as_text, plan.as_any)
    return schema_of(payload, literal_strings=plan.literal_strings, overrides=overrides, sample=plan.sample)


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


def list_libraries(store: str | Path | None = None) -> list[dict[str, Any]]:
    """List each library: version, environment, variants, measured work class, or a reason."""
    known = if_readable(store, lambda opened: opened.facts(conduct_prefix("strictness"))) or {}
    made = built()
    rows = []
    for library in libraries().values():
        recipe = LibraryInstall(library).recipe()
        environment = made.get(recipe)
        version = None
        if environment is not None:
            version = environment.installed(next(iter(library.distributions), None))
        rows.append(
            {
                "name": library.name,
                "version": version or recipe.label.partition("==")[2] or None,
                "environment": recipe.name,
                "variants": ["default", *library.variants],
                "work_class": _work_class(library, environment, known),
                "status": "ok" if environment else "unavailable",
                "reason": None if environment else f"not built yet: serbench env build {quote(recipe.name)}",
                "summary": library.summary,
                "cannot": {**library.cannot, **library.lacks},
            }
        )
    return rows


def list_formats() -> list[dict[str, Any]]:
    """List each codec with its format, its version and its libraries."""
    rows = []
    for codec in codecs():
        version = main_environment().installed(codec.distribution)
        missing = f"{codec.distribution} is not installed: pip install {codec.distribution}"
        rows.append(
            {
                "format": codec.format,
                "codec": codec.name,
                "version": version,
                "libraries": sorted(codec.only) or "all",
                "status": "ok" if version else "unavailable",
                "reason": None if version else missing,
                "loses": "; ".join(sorted({loss.what for loss in codec.limits.loses.values()})) or None,
                "cannot": {**codec.limits.cannot, **codec.limits.lacks},
                "summary": formats()[codec.format].summary,
            }
        )
    return rows


def list_frameworks() -> list[dict[str, Any]]:
    """List each web framework with its version, its ways of returning, and what writes a body."""
    rows = []
    for framework in frameworks().values():
        version = main_environment().installed(framework.distributions[0])
        rows.append(
            {
                "name": framework.name,
                "version": version,
                "ways": [*framework.ways],
                "writers": list(dict.fromkeys(one for way in framework.ways.values() for one in way.writers)),
                "status": "ok" if version else "unavailable",
                "reason": None if version else f"not installed: pip install {framework.distributions[0]}",
                "summary": framework.summary,
            }
        )
    return rows


def list_workloads() -> list[dict[str, Any]]:
    """List each workload with its own size and depth."""
    workloads = [get(name) for name in workload_names()]
    return [{"name": w.name, "records": w.records, "depth": w.depth, "summary": w.summary} for w in workloads]


def list_environments() -> list[dict[str, Any]]:
    """List the environments that are made, and those that libraries would have."""
    made = built()
    rows = []
    for recipe in dict.fromkeys((*made, *usual_recipes())):
        environment = made.get(recipe)
        python = None if environment is None else f"{environment.implementation} {environment.full_version}"
        rows.append(
            {
                "name": recipe.name,
                "python": python or recipe.python or None,
                "status": "ok" if environment else "not built",
                "requirements": list(recipe.requirements),
                "reason": None if environment else f"to build it: serbench env build {quote(recipe.name)}",
            }
        )
    return rows


def list_runs(store: str | Path | None = None, most: int | None = None) -> tuple[list[dict[str, Any]], int]:
    """List the stored runs, or the newest of them, newest first, and count the older ones."""
    path = default_path() if store is None else store
    if not Path(path).exists():
        return [], 0
    with Store(path, read_only=True) as opened:
        lines, every = opened.lines(most), opened.count()
        known = [{**line, "status": actual_status(opened, line["run"], line["status"])} for line in lines]
        return known, every - len(lines)


def _work_class(library: Library, environment: Environment | None, known: dict[str, Any]) -> str | None:
    """Return the work class of decoding with the default variant over all codecs; None if nothing was measured."""
    if environment is None or not any(f" {library.name}[" in key for key in known):
        return None
    keys = [strictness_key(library, "default", codec, environment) for _, codec in combinations([library])]
    return "; ".join(sorted({str(known[key]) for key in keys if key in known})) or None


@public
def build_environments(names: choices.Environments = (), *, listener: choices.Listener = None) -> list[dict[str, Any]]:
    """Make environments: the named ones, those of the named libraries, or all.

    Returns:
        For each its `name`, `status` ("ok" or "unavailable") and `reason`.

    Raises:
        PlanError: an unknown name.
    """
    usual = {recipe.name: recipe for recipe in usual_recipes()}
    chosen = [recipe for name in names for recipe in ([usual[name]] if name in usual else recipes(name))]
    wanted = dict.fromkeys(chosen or usual.values())
    with if_interrupted("environments that were built are kept, and the same command builds the others"):
        made = maker(listener or RunListener())(set(wanted))
    return [_said(made[recipe]) for recipe in wanted]


@public
def remove_environment(name: choices.EnvironmentName) -> str:
    """Remove an environment; return a line that says so.

    Raises:
        PlanError: there is no environment of that name.
    """
    if name == MAIN.name:
        raise PlanError("main is serbench's own installation; `pip uninstall serbench` removes it")
    recipe = next((recipe for recipe in built() if recipe.name == name), None)
    if recipe is None:
        raise PlanError(f"unknown environment {name!r}; `serbench show environments` lists the existing ones")
    remove(recipe)
    return f"{name} is removed"


def _said(environment: Environment) -> dict[str, Any]:
    status = "ok" if environment.reason is None else "unavailable"
    return {"name": environment.name, "status": status, "reason": environment.reason}
