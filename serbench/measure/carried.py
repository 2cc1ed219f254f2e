"""Carries functions, classes and values of a notebook or script to this run's processes, which cannot import them.

cloudpickle pickles them by value into a temporary folder of this process; `user_code.values_of` reads them. msgspec's structs
and TypedDicts, which it cannot make again, are reduced here to what makes them.
"""

from __future__ import annotations

import atexit
import hashlib
import inspect
import io
import pickle
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import _CacheInfo, _lru_cache_wrapper, cache, partial
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any, ForwardRef, NewType, NotRequired, Required, get_origin

import cloudpickle
import msgspec
from cloudpickle.cloudpickle import _should_pickle_by_reference

from serbench.errors import PlanError
from serbench.machine.caretaker import scratch_folder
from serbench.machine.files import write_file
from serbench.measure.worker import user_code
from serbench.render.case import ROLES, is_of_functions

MAIN = "__main__"
HELPER = "_serbench_user_code.py"
MODULE = '''"""{title} of a cell or a script: values that the processes of this run alone can read."""

import _serbench_user_code

{statements}'''
_OF_TYPES = ("typing", "typing_extensions", "types")
_FIELD = type(msgspec.field())
_MADE = (_FIELD, msgspec.json.Encoder, msgspec.json.Decoder, msgspec.msgpack.Encoder, msgspec.msgpack.Decoder)
_OPTIONS = (
    *("default", "default_factory", "name"),
    *("type", "strict", "order", "decimal_format", "uuid_format", "enc_hook", "dec_hook", "ext_hook", "float_hook"),
)
_ANNOTATED = ("__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__")
_NOT_WRITTEN = ("__slots__", "__dict__", "__weakref__", "__msgspec_cache__", *_ANNOTATED)


class CannotTravel(Exception):
    """A value that another process cannot have; the message names it."""


def carry(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Write values for the processes of this run.

    Returns:
        Classes and aliases of `__main__` that they use, by name; in these processes `__main__` has them too.

    Raises:
        CannotTravel: a value cannot be pickled.
    """
    names: dict[str, Any] = {}
    with _by_value(values.values()):
        for name, value in values.items():
            try:
                names |= _pickled(value, {})[1]
            except Exception as error:  # whatever an object raises when it is pickled
                told = " ".join(f"{type(error).__name__}: {error}".split())
                raise CannotTravel(f"{_culprit(name, value)} cannot be taken to a fresh process ({told})") from None
        content, _ = _pickled(dict(values), names)
    head = (sys.implementation.cache_tag, cloudpickle.__file__, user_folders())
    write_file(path, pickle.dumps(head, protocol=2) + content)
    return names


def carried(path: Path) -> str:
    """The expression by which a module has these values, a dict."""
    return f"_serbench_user_code.values_of({str(path)!r})"


def user_folders() -> list[str]:
    """The folders from which modules are imported, without those of the interpreter and its packages."""
    stock = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [str(Path(path).absolute()) for path in sys.path if Path(path).is_dir()]
    return [folder for folder in folders if not any(Path(folder).is_relative_to(path) for path in stock)]


def source_of(value: Any) -> str:
    """The source of a function as comments, or its name in a module that can be imported, or that there is none."""
    if isinstance(value, FunctionType) and _should_pickle_by_reference(value):
        return f"# {value.__module__}.{value.__qualname__}\n"
    try:
        text = inspect.getsource(inspect.unwrap(value))
    except (OSError, TypeError):
        return f"# There is no source of {getattr(value, '__name__', repr(value))}.\n"
    return "".join(f"# {line}".rstrip() + "\n" for line in dedent(text).splitlines())


def located(model: type) -> str:
    """The place of a class: its own file, or a module of this process's that its workers can import.

    Raises:
        PlanError: the class uses something that cannot be taken to another process.
    """
    name = model.__name__
    if model.__module__ != MAIN:
        file = getattr(sys.modules.get(model.__module__), "__file__", None)
        if file is None:
            raise PlanError(f"{model.__qualname__} has no file; define it in a cell or a file")
        return f"{Path(file).absolute()}:{model.__qualname__}"
    if vars(sys.modules[MAIN]).get(name) is not model:
        raise PlanError(f"model {name}: the name now means something else; define the class again")

    def text(values: str, names: Iterable[str]) -> str:
        return MODULE.format(title=name, statements=f"{values}\nfrom __main__ import {', '.join(names)}\n")

    path, names = _written(f"model {name}", {name: model}, text)
    module = ModuleType(path.stem)  # here its classes are those of the cell themselves
    vars(module).update(names, __file__=str(path))
    sys.modules[path.stem] = module
    return f"{path}:{name}"


def function_files(functions: Mapping[str, Any]) -> list[str]:
    """Return texts `NAME=FILE.py` for functions by name, with files that the processes of this run can read.

    Raises:
        PlanError: a value is not a pair of functions, or these use something that cannot be taken to another process.
    """
    return [_function_file(name, pair) for name, pair in functions.items()]


def _function_file(name: str, functions: Any) -> str:
    if not isinstance(functions, tuple | list) or len(functions) not in (2, 3) or not all(map(callable, functions)):
        raise PlanError(f"{name} is a pair of functions, (encode, decode), not {functions!r}")
    roles = dict(zip(ROLES, functions, strict=False))

    def text(values: str, _: Iterable[str]) -> str:
        sources = "\n".join(f"# {role}:\n{source_of(function)}" for role, function in roles.items())
        bound = "".join(f'{role} = _values["{role}"]\n' for role in roles)
        return MODULE.format(title=name, statements=f"{sources}\n_values = {values}\n{bound}")

    path, _ = _written(name, roles, text)
    text_ = f"{name}={path}"
    if not is_of_functions(text_):
        raise PlanError(f"{name!r} cannot be a name; write one such as mine, or mine/json if the bytes are JSON")
    return text_


def _written(
    what: str, values: Mapping[str, Any], text: Callable[[str, Iterable[str]], str]
) -> tuple[Path, dict[str, Any]]:
    """A module that has values, named by their content, and the classes and aliases of `__main__` that they use."""
    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / "values.pickle"
        names = carry(values, new)
        digest = hashlib.sha256(new.read_bytes()).hexdigest()[:8]
        home = folder / digest
        home.mkdir(exist_ok=True)
        new.replace(home / new.name)
        write_file(home / HELPER, Path(user_code.__file__).read_bytes())
        write_file(home / f"cell_{digest}.py", text(carried(home / new.name), names))
    except CannotTravel as error:
        raise PlanError(f"{what}: {error}") from None
    except OSError as error:
        raise PlanError(f"{what} cannot be taken to other processes ({error.strerror}: {error.filename})") from None
    return home / f"cell_{digest}.py", names


@cache
def _folder() -> Path:
    """A temporary folder of this process, which goes when it goes."""
    open_folder = ExitStack()
    atexit.register(open_folder.close)
    return open_folder.enter_context(scratch_folder())


def _pickled(value: Any, names: dict[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a value and of all names that it needs, and these."""
    while True:
        file = io.BytesIO()
        pickler = _Pickler(file)
        pickler.dump(names)
        pickler.dump(value)
        if pickler.names.keys() <= names.keys():
            return file.getvalue(), names
        names = names | pickler.names


def _culprit(name: str, value: Any) -> str:
    """The name of what cannot be pickled: a value that a function uses, the function, or the value itself."""
    function = inspect.unwrap(value) if callable(value) else None
    if isinstance(function, FunctionType):
        used = inspect.getclosurevars(function)
        for inner, part in {**used.globals, **used.nonlocals}.items():
            try:
                _pickled(part, {})
            except Exception:
                return _culprit(inner, part)
    own = str(getattr(value, "__qualname__", name))
    return name if function is None or "<lambda>" in own else own


@contextmanager
def _by_value(values: Iterable[Any]) -> Iterator[None]:
    """Pickle by value what is of modules that no import statement finds, such as tests that pytest has imported by path."""
    modules = {sys.modules.get(getattr(value, "__module__", None) or MAIN) for value in values} - {None}
    hidden = [module for module in modules if module is not None and module.__name__ != MAIN and not _is_found(module)]
    for module in hidden:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in hidden:
            cloudpickle.unregister_pickle_by_value(module)


def _is_found(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    try:
        spec = find_spec(module.__name__)
    except (ImportError, ValueError):
        return False
    return file is None or (spec is not None and spec.origin == file)


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]  # it ships no types
    """Pickles by value, and notes in `names` which classes and aliases of `__main__` are used."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.names: dict[str, Any] = {}

    def reducer_override(self, value: Any) -> Any:
        """The parts that rebuild a value."""
        if isinstance(value, type):
            if not _should_pickle_by_reference(value):
                self._note(value)
                if isinstance(value, type(msgspec.Struct)):
                    return _struct(value)
                if hasattr(value, "__required_keys__"):
                    return _typed_dict(value)
                made: Any = super().reducer_override(value)
                if isinstance(made, tuple) and len(made) > 2:
                    made[2][0].pop("__msgspec_cache__", None)
                return made
        elif isinstance(value, io.TextIOWrapper):  # cloudpickle would take its content
            raise TypeError("cannot pickle an open file")
        elif isinstance(value, _lru_cache_wrapper) and not _should_pickle_by_reference(value.__wrapped__):
            asked = value.cache_parameters()
            return _lru_cache_wrapper, (value.__wrapped__, asked["maxsize"], asked["typed"], _CacheInfo), vars(value)
        elif isinstance(value, ForwardRef):  # without what it was evaluated to, which may have it inside
            named = partial(ForwardRef, module=value.__forward_module__, is_class=value.__forward_is_class__)
            return named, (value.__forward_arg__,)
        elif isinstance(value, NewType):
            return NewType, (value.__name__, value.__supertype__)
        elif isinstance(value, _MADE):
            options = {name: getattr(value, name) for name in _OPTIONS if hasattr(value, name)}
            make: Any = msgspec.field if isinstance(value, _FIELD) else type(value)
            return partial(make, **options), ()
        elif (home := _home(value)) is not None:
            return getattr, home
        return super().reducer_override(value)

    def _note(self, class_: type) -> None:
        """Note the class, and what its annotations may name."""
        hints, main = _hints(class_), vars(sys.modules[MAIN])
        for name in [class_.__name__, *re.findall(r"[^\W\d]\w*", repr([*hints.values()]))]:
            value = main.get(name)
            if isinstance(value, type | ModuleType) or type(value).__module__ in _OF_TYPES:
                self.names[name] = value


def _home(value: Any) -> tuple[ModuleType, str] | None:
    """The module and the name of an object that is there once, such as `dataclasses.MISSING`: others compare it by `is`."""
    module = sys.modules.get(type(value).__module__)
    hidden = {MAIN, "builtins", *cloudpickle.list_registry_pickle_by_value()}
    if module is None or module.__name__ in hidden or isinstance(value, ModuleType | FunctionType):
        return None
    return next(((module, name) for name, known in vars(module).items() if known is value), None)


def _hints(class_: type) -> dict[str, Any]:
    """The annotations of a class; from Python 3.14 on, names that mean nothing yet are forward references."""
    if sys.version_info < (3, 14):
        return inspect.get_annotations(class_)
    import annotationlib

    return annotationlib.get_annotations(class_, format=annotationlib.Format.FORWARDREF)


def _struct(class_: Any) -> tuple[Any, ...]:
    """What makes a struct: its metaclass with the options, and fields with their defaults in the place of their descriptors."""
    config, hints, keywords = class_.__struct_config__, _hints(class_), inspect.signature(class_).parameters
    make_field: Any = msgspec.field
    fields = {
        field.name: make_field(
            default=field.default,
            default_factory=field.default_factory,
            name=field.encode_name,
        )
        for field in msgspec.structs.fields(class_)
        if field.name in hints
    }
    options = {name: getattr(config, name) for name in dir(config) if not name.startswith("_")}
    options["kw_only"] = any(keywords[name].kind is inspect.Parameter.KEYWORD_ONLY for name in fields)
    body = {name: part for name, part in vars(class_).items() if name not in _NOT_WRITTEN}
    body |= {"__qualname__": class_.__qualname__, "__annotations__": hints, **fields}
    make: Any = type(class_)
    return partial(make, **options), (class_.__name__, class_.__bases__, body)


def _typed_dict(class_: Any) -> tuple[Any, ...]:
    """What makes a TypedDict: its metaclass with all keys; those are marked that are not as required as most."""
    total, required = class_.__total__, class_.__required_keys__
    mark = NotRequired if total else Required
    hints = {
        name: hint if (name in required) == total or get_origin(hint) in (Required, NotRequired) else mark[hint]
        for name, hint in _hints(class_).items()
    }
    body = {"__module__": class_.__module__, "__annotations__": hints}
    make: Any = type(class_)
    return partial(make, total=total), (class_.__name__, (), body)
