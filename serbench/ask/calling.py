"""Completes the help of the public functions, and hands their arguments on by name."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_type_hints

from serbench.ask import choices, further_choices
from serbench.ask.choices import Names
from serbench.ask.options import Fitted, Option, as_declared, check_fits
from serbench.ask.user_model import located, with_functions
from serbench.errors import PlanError, WorkloadError, check, visible
from serbench.keep.opening import PAYLOADS, default_path
from serbench.keep.recorder import RunListener
from serbench.measure.plan import Block, Plan, blocks, maker
from serbench.model.data.generate import workload_names
from serbench.model.data.payload import as_document
from serbench.render.case import Case
from serbench.render.environments.files import write_private
from serbench.render.user_class.find import locate
from serbench.render.user_class.functions import functions_located
from serbench.results import YOURS

F = TypeVar("F", bound=Callable[..., Any])
_FIELDS = {  # arguments that a plan stores under another name
    "workload": "workloads",
    "budget": "budget_s",
    "time_limit": "time_limit_s",
    "memory_limit": "memory_limit_bytes",
}
_UNNAMED = {"store", "resume", "command", "progress", "listener", "cancel", "executor"}  # they change no figure


class Argument(NamedTuple):
    """An argument of a public function: its declaration, its plain type and its default."""

    option: Option
    type: Any
    default: Any


def public(function: F) -> F:
    """Show a function's arguments one by one with plain types, and what is declared of each in its docstring.

    A call gives an argument that is left out its default; one that there is not is a TypeError with the nearest name.
    """
    return _shown(function, _parameters(function), filled=True)


def settable(function: F) -> F:
    """As `public`, for options whose defaults are known elsewhere: one that is left out is shown as None, and not given."""
    written = inspect.signature(function).parameters
    optional = [
        one if one.name in written else one.replace(default=None, annotation=_plain(one.annotation) | None)
        for one in _parameters(function)
    ]
    return _shown(function, optional, filled=False)


def _shown(function: F, declared: Sequence[inspect.Parameter], *, filled: bool) -> F:
    plain = [one.replace(annotation=_plain(one.annotation)) for one in declared]
    signature = inspect.Signature(plain, return_annotation=get_type_hints(function)["return"])
    title = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

    @functools.wraps(function)
    def called(*values: Any, **named: Any) -> Any:
        if unknown := sorted(named.keys() - signature.parameters.keys()):
            nearest = get_close_matches(unknown[0], signature.parameters, 1)
            meant = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise TypeError(f"{title}() has no argument {unknown[0]!r}{meant}")
        try:
            bound = signature.bind(*values, **named)
        except TypeError as error:
            raise TypeError(f"{title}() {error}") from None
        for name, one in arguments(called).items():
            if name in bound.arguments and signature.parameters[name].kind is not inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = as_declared(name, bound.arguments[name], one.type, one.option)
        if filled:
            bound.apply_defaults()
        if classes := models_of(bound.arguments.get("model")):
            paths = [one if isinstance(one, str) else located(one) for one in classes]
            bound.arguments["model"] = paths if len(paths) > 1 else paths[0]
        if "libraries" in bound.arguments:
            bound.arguments["libraries"] = with_functions(bound.arguments["libraries"])
        check_fits(fitted(called), _not_default(arguments(called), bound.arguments))
        return function(*bound.args, **bound.kwargs)

    setattr(called, "__signature__", signature)  # noqa: B010  # mypy knows no such attribute of a function
    lines = [f"    {name}: {_sentence(one, filled=filled)}." for name, one in arguments(called).items()]
    summary, _, rest = (function.__doc__ or "").partition("\n")
    text = inspect.cleandoc(rest)
    heads = [text.find(head) for head in ("Returns:", "Raises:") if head in text]
    end = min(heads, default=len(text))
    parts = (summary, text[:end].strip(), "\n".join(["Args:", *lines]), text[end:].strip())
    called.__doc__ = "\n\n".join(filter(None, parts))
    return cast("F", called)


def fitted(function: Callable[..., Any]) -> dict[str, Fitted]:
    """Return with which others each argument goes; those that only Python has, and that say nothing of it, go with all."""
    return {
        name: option.fitted(name)
        for name, (option, _, _) in arguments(function).items()
        if option.flags or option.positional or option.fits
    }


def _not_default(declared: Mapping[str, Argument], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not the defaults; no names are those of the default too."""
    return {
        name: value
        for name, value in values.items()
        if name in declared and value is not None and not _is_default(declared[name], value)
    }


def _is_default(argument: Argument, value: Any) -> bool:
    if value is False or not isinstance(value, str | int | float | tuple | list):  # another may not be comparable
        return value is argument.default or (value is False and argument.default is not True)
    return bool(value == argument.default or (argument.option.many and not isinstance(value, int) and not value))


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a function's parameters with the declarations; those that it unpacks are among them.

    They are in the order of `choices` and `further_choices`; what these do not declare comes last.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            parameters.append(
                parameter.replace(annotation=hints.get(parameter.name, parameter.empty))
            )  # `self` has none
            continue
        (shared,) = get_args(hints[parameter.name])
        for name, declared in get_type_hints(shared, include_extras=True).items():
            default = _option(declared).initial
            parameters.append(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=declared)
            )
    first = [one for one in parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    return first + sorted(
        (one for one in parameters if one not in first),
        key=lambda one: _positions().get(_option(one.annotation), len(_positions())),
    )


def _plain(declared: Any) -> Any:
    return get_args(declared)[0] if hasattr(declared, "__metadata__") else declared


def _option(declared: Any) -> Option:
    return next(extra for extra in get_args(declared)[1:] if isinstance(extra, Option))


@cache
def _positions() -> dict[Option, int]:
    """Return the place of each declaration in `choices`, and then in `further_choices`."""
    modules = (choices, further_choices)
    declared = [value for module in modules for value in vars(module).values() if hasattr(value, "__metadata__")]
    return {_option(one): position for position, one in enumerate(declared)}


def _sentence(argument: Argument, *, filled: bool) -> str:
    """Return the help for Python, where the signature shows each default that is not empty."""
    option, empty = argument.option, filled and argument.default in (None, ())
    return "; ".join(filter(None, [option.sentence(None if empty else False), option.python_note]))


@cache
def arguments(function: Callable[..., Any]) -> dict[str, Argument]:
    """Return the declared arguments of a public function, in its order."""
    return {
        one.name: Argument(_option(one.annotation), _plain(one.annotation), one.default)
        for one in _parameters(inspect.unwrap(function))
        if hasattr(one.annotation, "__metadata__")
    }


def passed(function: Callable[..., Any], values: Mapping[str, Any], /, **changed: Any) -> dict[str, Any]:
    """Return those of the given arguments that the function takes too, some of them changed."""
    accepted = inspect.signature(function).parameters
    return {**{name: value for name, value in values.items() if name in accepted}, **changed}


def call_text(function: Callable[..., Any], values: Mapping[str, Any], plan: Plan) -> str:
    """Return the call as a user could type it: the first argument, and each other one that is not the default.

    A payload or schema in memory is told as the file in which the plan keeps it.
    """
    signature = inspect.signature(function).parameters
    typed = {name: _as_typed(values[name]) for name in signature if name not in _UNNAMED}
    for name in ("payload", "schema"):
        if typed[name] is not None and not isinstance(typed[name], str):
            typed[name] = getattr(plan, name)
    first, *others = typed
    named = [f"{name}={typed[name]!r}" for name in others if typed[name] not in (None, signature[name].default)]
    return f"serbench.{function.__name__}({', '.join([repr(typed[first]), *named])})"


def _as_typed(value: Any) -> Any:
    """Return an argument as it is typed: a path as its text, and None for an empty list."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return None if isinstance(value, list | tuple) and not value else value


def make_plan(workload: Names = "client", **asked: Any) -> Plan:
    """Return the plan for arguments of `serbench.run`.

    Raises:
        PlanError: an unknown name or a choice that cannot be measured.
    """
    payload, schema, model = (asked.pop(name, None) for name in ("payload", "schema", "model"))
    classes = [locate(str(one)) for one in models_of(model)]
    several_of = {one.name for one in fields(Plan) if isinstance(one.default, tuple)}
    stored = {_FIELDS.get(name, name): value for name, value in asked.items()}
    plain: dict[str, Any] = {name: several(value) if name in several_of else value for name, value in stored.items()}
    plain["libraries"] = tuple(map(functions_located, plain.get("libraries", ())))
    plan = Plan(
        workloads=() if payload is not None or model is not None else several(workload),
        payload=kept(payload),
        schema=kept_schema(schema),
        model=classes[0] if classes else None,
        more_models=tuple(classes[1:]),
        **plain,
    )
    if not plan.workloads and payload is None and model is None:
        raise PlanError("no workload to measure; `serbench show workloads` lists them")
    for name in plan.workloads if plan.workloads != ("all",) else ():  # each is generated only when it is measured
        check("workload", name, workload_names())
    return plan


def models_of(model: str | type | Iterable[str | type] | None) -> list[str | type]:
    """Return the user's classes as a list."""
    if isinstance(model, list | tuple):
        return [*model]
    return [] if model is None else [model]  # type: ignore[list-item]  # an alias is no type


def one_model(model: object, what: str) -> str | None:
    """Return the user's class, if one is named; classes have names by now.

    Raises:
        PlanError: several are named, of which `what` takes one.
    """
    if isinstance(model, list):
        raise PlanError(f"{what} takes one class, not {len(model)}; `serbench run` has several as rows")
    return None if model is None else locate(str(model))


def plan_of(values: Mapping[str, Any]) -> Plan:
    """Return the plan for those of the arguments that concern a plan."""
    names = {one.name for one in fields(Plan)}
    return make_plan(**{name: value for name, value in values.items() if _FIELDS.get(name, name) in names})


def case_blocks(plan: Plan, codec: str, listener: RunListener) -> Iterator[Block]:
    """Yield the blocks of a plan with the one case that it names; a class that reads another document than it writes has two."""
    is_users = plan.libraries[0].startswith(YOURS)
    for block in blocks(plan, maker(listener)):
        cases = [case for case in block.cases if bool(case.library.user_class) is is_users]
        yield replace(block, cases=[named_case(cases, codec)])


def named_case(cases: Sequence[Case], codec: str) -> Case:
    """Return the first of a library's cases; if `codec` is a format, that with the codec that its authors recommend."""
    named = [case for case in cases if case.codec.name == case.library.recommended.get(codec, codec)]
    return (named or cases)[0]


def several(values: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple; a text is split at commas, and None is an empty tuple."""
    if values is None:
        return ()
    if isinstance(values, str):
        return tuple(name.strip() for name in values.split(","))
    return (values,) if isinstance(values, int) else tuple(values)


def kept(value: object) -> str | None:
    """Return the absolute path of a payload; an object is written beside the store, so that its run can be resumed."""
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        value = _saved(as_document(value), default_path().parent / PAYLOADS)
    path = str(Path(value).absolute())
    try:
        path.encode()
    except UnicodeEncodeError:  # a run's plan is JSON
        raise PlanError(f"the name {visible(path)} is not UTF-8; rename the file or its folder") from None
    return path


def _saved(document: bytes, folder: Path) -> Path:
    """Keep a document under a name derived from its content."""
    try:
        return write_private(folder / f"document.{hashlib.sha256(document).hexdigest()[:8]}.json", document)
    except OSError as error:
        what = f"this object cannot be saved in {folder} ({error.strerror}); pass a file"
        raise WorkloadError(f"{what}, or set $SERBENCH_STORE to a file in a writable folder") from None


def kept_schema(schema: object) -> str | None:
    """Return the absolute path of a schema; a dict is kept as a payload is.

    Raises:
        PlanError: it is neither.
    """
    if schema is not None and not isinstance(schema, str | os.PathLike | Mapping):
        raise PlanError(
            f"schema is the path of a JSON Schema or a dict, not {type(schema).__name__}; pass one of these"
        )
    return kept(schema)
