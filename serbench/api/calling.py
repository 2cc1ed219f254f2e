"""Builds the public functions from their declarations (signature, help, checks), and the plan from their arguments."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from itertools import islice
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from serbench.api.choices import FIELDS, OPTIONS, ORDER, Names, initial, option_of
from serbench.errors import PlanError, WorkloadError, brief, check_text, is_finite, is_path, visible
from serbench.machine.files import write_private
from serbench.measure.options import UNITS, Option, check_fits, joined
from serbench.measure.plan import Plan
from serbench.model.data.payload import as_document
from serbench.render.case import functions_located
from serbench.render.framework import answer_of, is_own_app, located_app
from serbench.render.user_class.find import locate
from serbench.store.opening import PAYLOADS, default_path

F = TypeVar("F", bound=Callable[..., Any])
_LONGEST_TEXT, _MOST_ITEMS = 4_096, 10_000
_UNNAMED = {"store", "resume", "command", "progress", "listener", "cancel", "executor"}  # they change no figure


class Argument(NamedTuple):
    """An argument of a public function or a command: its declaration, its plain type and its default."""

    option: Option
    type: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether the argument must be given."""
        return self.default is inspect.Parameter.empty

    @property
    def many(self) -> bool:
        """True if it takes several values, on the command line repeated or separated by commas."""
        return any((get_origin(member) or member) in (list, Iterable) for member in _members(self.type))

    def is_default(self, value: Any) -> bool:
        """Tell if a value means the default; so do no names."""
        if value is None:
            return True
        if value is False or not isinstance(value, str | int | float | tuple | list):  # another may not be comparable
            return value is self.default or (value is False and self.default is not True)
        return bool(value == self.default or (self.many and not isinstance(value, int) and not value))


def public(function: F) -> F:
    """Show a function's arguments one by one with plain types, and what is declared of each in its docstring.

    Missing arguments get their defaults; an unknown one raises TypeError and suggests the nearest name.
    """
    return _shown(function, _parameters(function))


def settable(record: Mapping[str, Any]) -> Callable[[F], F]:
    """As `public`, for options of a record whose defaults are known elsewhere: name → type.

    One that is left out is shown as None, and not given.
    """
    return lambda function: _shown(function, _parameters(function, record), record)


def _shown(function: F, declared: Sequence[inspect.Parameter], settings: Mapping[str, Any] | None = None) -> F:
    filled, plain = settings is None, []
    for parameter in declared:
        is_setting = settings is not None and parameter.name in settings
        hint = _plain(parameter.annotation)
        plain.append(parameter.replace(annotation=hint | None if is_setting else hint))
    signature = inspect.Signature(plain, return_annotation=get_type_hints(function)["return"])
    title = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    accepted = _arguments(declared)
    options = {  # an option that only Python has, and that says nothing of others, goes with all
        name: option for name, (option, _, _) in accepted.items() if option.form or option.fits
    }
    single = [name for name in accepted if signature.parameters[name].kind is not inspect.Parameter.VAR_POSITIONAL]

    @functools.wraps(function)
    def called(*positional: Any, **named: Any) -> Any:
        if unknown := sorted(named.keys() - signature.parameters.keys()):
            nearest = get_close_matches(unknown[0], signature.parameters, 1)
            meant = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise TypeError(f"{title}() has no argument {unknown[0]!r}{meant}")
        try:
            bound = signature.bind(*positional, **named)
        except TypeError as error:
            raise TypeError(f"{title}() {error}") from None
        values = bound.arguments
        for name in single:
            if name in values:
                values[name] = as_declared(name, values[name], accepted[name])
                if filled and accepted[name].many and values[name] in ("", [], ()) and not accepted[name].required:
                    del values[name]
        if filled:
            bound.apply_defaults()
            values = bound.arguments  # which are others now
        _take_along(values)
        chosen = {
            name: values[name] for name in accepted if name in values and not accepted[name].is_default(values[name])
        }
        check_fits(options, chosen)
        return function(*bound.args, **bound.kwargs)

    for name, value in (("__signature__", signature), ("__arguments__", accepted)):
        setattr(called, name, value)
    called.__doc__ = _documented(function.__doc__ or "", accepted, filled=filled)
    return cast("F", called)


def _take_along(values: dict[str, Any]) -> None:
    """Replace the classes and functions of this process by files that other processes can read; a class in a list by itself."""
    classes, libraries = models_of(values.get("model")), values.get("libraries")
    given = [libraries] if isinstance(libraries, Mapping) else [] if isinstance(libraries, str) else libraries or []
    if any(isinstance(item, Mapping) and not item for item in given):
        raise PlanError("libraries has a dict without functions; omit it")
    if not all(isinstance(value, str) for value in [*classes, *given]):
        from serbench.measure.carried import function_files, located  # imports msgspec

        classes = [model if isinstance(model, str) else located(model) for model in classes]
        files = [[item] if isinstance(item, str) else function_files(item) for item in given]
        if given:
            values["libraries"] = [text for texts in files for text in texts]
    if classes:
        values["model"] = classes if len(classes) > 1 else classes[0]


def _documented(text: str, accepted: Mapping[str, Argument], *, filled: bool) -> str:
    """Return a docstring with the arguments; the signature shows each default that is not empty."""
    lines = []
    for name, (option, _, default) in accepted.items():
        empty = filled and default in (None, ())
        notes = filter(None, [option.sentence(None if empty else False), option.python_note])
        lines.append(f"    {name}: {'; '.join(notes)}.")
    summary, _, rest = text.partition("\n")
    text = inspect.cleandoc(rest)
    end = min((text.find(head) for head in ("Returns:", "Raises:") if head in text), default=len(text))
    return "\n\n".join(filter(None, (summary, text[:end].strip(), "\n".join(["Args:", *lines]), text[end:].strip())))


def _parameters(function: Callable[..., Any], record: Mapping[str, Any] | None = None) -> list[inspect.Parameter]:
    """Return a function's parameters with their types; those of a record in place of `**`.

    After those that can be given without a name come those that functions share, in one order.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            hint = hints.get(parameter.name, parameter.empty)  # `self` has none
            parameters.append(parameter.replace(annotation=hint))
            continue
        types_of = record or get_type_hints(get_args(hints[parameter.name])[0], include_extras=True)
        for name, hint in types_of.items():
            default = initial(name) if record is None else None
            parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    positions = {name: position for position, name in enumerate(ORDER)}
    return sorted(
        parameters,
        key=lambda parameter: (
            positions.get(parameter.name, len(positions)) if parameter.kind is parameter.KEYWORD_ONLY else -1
        ),
    )


def _plain(hint: Any) -> Any:
    return get_args(hint)[0] if hasattr(hint, "__metadata__") else hint


def _arguments(parameters: Iterable[inspect.Parameter]) -> dict[str, Argument]:
    accepted = {}
    for parameter in parameters:
        if option := option_of(parameter.name, parameter.annotation):
            plain = _plain(parameter.annotation)
            kind = types.GenericAlias(list, (plain,)) if parameter.kind is parameter.VAR_POSITIONAL else plain
            accepted[parameter.name] = Argument(option, kind, parameter.default)
    return accepted


def arguments(function: Callable[..., Any]) -> dict[str, Argument]:
    """Return the declared arguments of a public function, in its order."""
    accepted: dict[str, Argument] = getattr(function, "__arguments__", {})
    return accepted


_NUMBERS: dict[type, tuple[type, Callable[[Any], Any]]] = {int: (Integral, int), float: (Real, float)}
_WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
    Iterable: "several of it",
    Mapping: "a dict",
    Path: "a path",
    os.PathLike: "a path",
    type: "a class",
    Callable: "a function",
    types.NoneType: "",
}


def _members(declared: Any) -> tuple[Any, ...]:
    return get_args(declared) if get_origin(declared) in (Union, types.UnionType) else (declared,)


def as_declared(name: str, value: Any, argument: Argument) -> Any:
    """Return the value of an argument in Python as its type says: texts are read as on the command line.

    None is the default. Numbers of other libraries, such as NumPy's, and texts of other classes become Python's, and
    several values a list or a tuple.

    Raises:
        PlanError: the value is of another type, or cannot be read.
    """
    members, read = _members(argument.type), argument.option.reader
    literals = [text for member in members if get_origin(member) is Literal for text in get_args(member)]
    kinds = [get_origin(member) or member for member in members if get_origin(member) is not Literal]
    takes_any = Any in members or object in members

    def refused() -> PlanError:
        words = [*(_WORDS.get(kind, f"a {kind.__name__}") for kind in kinds), *map(repr, literals)]
        return PlanError(f"{name} takes {joined(filter(None, words), 'or')}, not {brief(value)}")

    def is_possible(number: Any) -> bool:
        return is_finite(number) and (read not in UNITS or 0 <= number < 1 << 63)

    if value is None and not argument.required:
        return argument.default
    if isinstance(value, str):
        value = str.__str__(value)  # whatever a class that inherits from it does
    if isinstance(value, os.PathLike) and not is_path(value):
        raise PlanError(f"{name} is a path that is no text: {brief(value)}")
    if takes_any or (isinstance(value, str) and value in literals):
        return value
    if isinstance(value, str) and len(value) > _LONGEST_TEXT and name != "command":
        raise PlanError(f"{name} is a text of {len(value):,} characters, more than {_LONGEST_TEXT:,}; shorten it")
    if isinstance(value, str | Path):
        check_text(name, value, is_path=bool(value and {Path, os.PathLike} & {*kinds}))
    if isinstance(value, str) and argument.many and value and not all(map(str.strip, value.split(","))):
        raise PlanError(f"{name} has an empty name; omit it")
    if isinstance(value, str) and str not in kinds:
        if read is None:
            raise refused()
        try:
            numbers = [read(part) for part in (value.split(",") if argument.many else [value])]
        except PlanError as error:
            raise PlanError(f"{name} {error}") from None
        if not all(map(is_possible, numbers)):
            raise refused()
        return numbers if argument.many else numbers[0]
    for kind, (accepted, plain) in _NUMBERS.items():
        if kind in kinds and isinstance(value, accepted) and not isinstance(value, bool):
            if not is_finite(value) or not is_possible(number := plain(value)):
                raise refused()
            return number
    if isinstance(
        value, str | bytes | bytearray | memoryview | Mapping | bool
    ):  # a text is not several, nor is a truth a number
        kinds_of = [kind for kind in kinds if kind is not Iterable and (kind is bool or type(value) is not bool)]
        if not isinstance(value, tuple(kinds_of)):
            raise refused()
    elif Iterable in kinds and isinstance(value, Iterable):
        (item,) = next(get_args(member) for member in members if get_origin(member) is Iterable)
        each = argument._replace(type=item, default=inspect.Parameter.empty)
        try:
            parts = list(islice(value, _MOST_ITEMS + 1))
        except Exception:  # an array of NumPy without dimensions, or a class of the user's
            raise refused() from None
        items = [as_declared(name, part, each) for part in parts]
        if len(items) > _MOST_ITEMS:
            raise PlanError(f"{name} takes at most {_MOST_ITEMS:,} values")
        if any(isinstance(item, str) and not item.strip() for item in items):
            raise PlanError(f"{name} has an empty name; omit it")
        return tuple(items) if isinstance(value, tuple) else items
    elif not isinstance(value, tuple(kinds)):
        raise refused()
    return value


def passed(function: Callable[..., Any], values: Mapping[str, Any], /, **changed: Any) -> dict[str, Any]:
    """Return those of the given arguments that the function takes too, some of them changed."""
    accepted = inspect.signature(function).parameters
    return {**{name: value for name, value in values.items() if name in accepted}, **changed}


_IN_CELL = r"'(?:(?P<name>[^'=]+)=)?[^'=]*/cell_[0-9a-f]{8}\.py(?::(?P<cls>\w+))?'"
"""Matches the text of a class or of functions that `carried.py` has written to a file."""


def call_text(function: Callable[..., Any], values: Mapping[str, Any], plan: Plan) -> str:
    """Return the call as a user could type it: the workload, and each other argument that is not the default.

    Of data of the user's no workload is told; a payload or schema in memory as the file in which the plan keeps it, and
    a class or functions of a cell by name.
    """
    signature = inspect.signature(function).parameters
    typed = {name: _as_typed(values[name]) for name in signature if name not in _UNNAMED}
    for name in ("payload", "schema"):
        if typed[name] is not None and not isinstance(typed[name], str):
            typed[name] = getattr(plan, name)
    workload = typed.pop("workload")
    named = [f"{name}={value!r}" for name, value in typed.items() if value not in (None, signature[name].default)]
    text = f"serbench.{function.__name__}({', '.join([repr(workload)] * bool(plan.workloads) + named)})"
    return re.sub(_IN_CELL, lambda found: found["cls"] or f"{{'{found['name']}': (encode, decode)}}", text)


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
    several_of = {field.name for field in fields(Plan) if isinstance(field.default, tuple)}
    stored = {FIELDS.get(name, name): value for name, value in asked.items()}
    plain: dict[str, Any] = {name: several(value) if name in several_of else value for name, value in stored.items()}
    plain["libraries"] = tuple(map(functions_located, plain.get("libraries", ())))
    plain["endpoints"] = tuple(map(located_app, plain.get("endpoints", ())))
    if plain.get("request"):
        payload, plain["conditions"] = _answer(plain["endpoints"], plain["request"]), ("hot",)
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
    if plan.workloads != ("all",):  # each is generated only when it is measured
        OPTIONS["workload"].check("workload", plan.workloads)
    return plan


def _answer(endpoints: Iterable[str], request: str) -> Path | None:
    """The file with what the first app of the user's answers, which is the data of the run; None if there is no such app."""
    app = next(filter(is_own_app, endpoints), None)
    return None if app is None else saved(as_document(answer_of(app, request)), request)


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
    names = {field.name for field in fields(Plan)}
    return make_plan(**{name: value for name, value in values.items() if FIELDS.get(name, name) in names})


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
        value = saved(as_document(value))
    path = str(Path(value).absolute())
    try:
        path.encode()
    except UnicodeEncodeError:  # a run's plan is JSON
        raise PlanError(f"the name {visible(path)} is not UTF-8; rename the file or its folder") from None
    if "\0" in path:
        raise PlanError(f"{visible(path)} cannot be a file name: it contains a NUL character")
    return path


def saved(document: bytes, request: str = "GET /document") -> Path:
    """Keep a document beside the store, under a name derived from its content and the request that it answers."""
    name = "-".join(re.findall(r"\w+", request.partition("?")[0], re.ASCII)[1:])[:60] or "answer"
    folder = default_path().parent / PAYLOADS
    try:
        return write_private(folder / f"{name}.{hashlib.sha256(document).hexdigest()[:8]}.json", document)
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
