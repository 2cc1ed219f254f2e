"""Finds a class of the user's, with the packages of their own interpreter, has it read, and names it in a rendered module."""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import os
import re
import site
import sys
import sysconfig
import types
import typing
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from serbench.errors import PlanError, SchemaError, check
from serbench.machine.files import stamp
from serbench.model.classes.fields import hints_in
from serbench.model.classes.read import ParsedClass, from_class, is_alias
from serbench.model.records import List, Schema
from serbench.render.environments import BuildError, Environment, Recipe, main_environment, normalised, user_environment
from serbench.render.source.module import Module, Unsupported, literal
from serbench.render.user_class.conversion import Conversion, TookTooLong, conversion_of, said, unmeasured, user_code

_LIBRARIES = ("attr", "cattrs", "msgspec", "marshmallow", "mashumaro")
_OF_TYPER = ("pydantic", "pydantic_core", "annotated_types", "typing_inspection")  # it has imported them for itself
_folders: list[str] = []  # of the packages of that interpreter


def interpreter_of(pythons: Sequence[str]) -> str:
    """Return the path among the names of interpreters; empty if there is none."""
    return next((os.path.abspath(name) for name in pythons if os.sep in name), "")  # noqa: PTH100 (no link is followed)


def recipe_of(pythons: Sequence[str]) -> Recipe:
    """Return the recipe of the environment in which a user's class is measured."""
    return Recipe(python=interpreter_of(pythons))


def use_interpreter(pythons: Sequence[str]) -> None:
    """Have classes read with the packages of the user's interpreter, if one is named by its path.

    Raises:
        PlanError: it does not run, is of another version than this one, or has another version of a library that this
            process has imported already.
    """
    path = interpreter_of(pythons)
    if not path:
        return
    try:
        environment = user_environment(path)
    except BuildError as error:
        raise PlanError(str(error)) from None
    here = main_environment()
    if (environment.version, environment.implementation) != (here.version, here.implementation):
        raise PlanError(
            f"{path} is {environment.runs_on}, whose packages {here.runs_on} cannot import: install serbench with "
            f"Python {'.'.join(map(str, environment.version))} to read a class from there"
        )
    if set(environment.folders) <= {*_folders, *sys.path}:
        return
    _check_loaded(path, environment.packages or {})
    for name in [name for name in sys.modules if name.partition(".")[0] in _OF_TYPER]:
        del sys.modules[name]
    _folders[:] = [folder for folder in environment.folders if folder not in _folders] + _folders


def with_packages(environment: Environment) -> Environment:
    """Return an environment that was built for a library with the folders of the packages that the user's classes import.

    Its workers look there last; those of another interpreter than this one do not.
    """
    here = main_environment()
    alike = (environment.version, environment.implementation) == (here.version, here.implementation)
    if environment.packages is None or environment.folders or not alike:
        return environment
    stock = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    folders = [folder for folder in (*_folders, *sys.path) if Path(folder).is_dir() and folder not in stock]
    return replace(environment, folders=tuple(dict.fromkeys(folders)))


def _check_loaded(path: str, packages: Mapping[str, str]) -> None:
    for name in _LIBRARIES:
        distribution = {"attr": "attrs"}.get(name, name)
        there = packages.get(normalised(distribution))
        loaded = getattr(sys.modules.get(name), "__file__", None)
        if there is None or loaded is None or any(Path(loaded).is_relative_to(folder) for folder in _folders):
            continue
        if there != main_environment().installed(distribution):
            raise PlanError(
                f"{distribution} is already imported here, in another version than {path} has; restart the process"
            )


@contextmanager
def packages_first() -> Iterator[None]:
    """Import from the user's packages first; later imports find them last, behind those of serbench."""
    before = list(sys.path)
    for folder in _folders:
        site.addsitedir(folder)  # with what its .pth files name
    added = [folder for folder in (*_folders, *sys.path) if folder not in before or folder in _folders]
    added = list(dict.fromkeys(added))
    sys.path[:] = [*added, *(folder for folder in before if folder not in added)]
    try:
        yield
    finally:
        rest = [folder for folder in sys.path if folder not in added]
        sys.path[:] = [*rest, *added]


@dataclass(frozen=True)
class UserModel:
    """A class of the user's: its place, and what was read from it for each direction.

    `file` is the file of a module that no import statement can name, such as "my models.py"; otherwise empty.
    `converter` is the converter of cattrs that the user names for it. `differences` says of documents that were read what the class makes of them.
    `imported` is its module, which another of the same name may have replaced since.
    """

    folder: str
    module: str
    name: str
    parsed: ParsedClass
    written: ParsedClass
    file: str = ""
    converter: str = ""
    differences: list[str] = field(default_factory=list, compare=False)
    imported: Any = field(default=None, compare=False, repr=False)

    @property
    def kind(self) -> str:
        """The library of the class, as a key of `BASES`."""
        return self.parsed.kind

    @property
    def located(self) -> str:
        """Its place, as `load_model` takes it."""
        return f"{self.folder}:{self.file or self.module}:{self.name}" + f"@{self.converter}" * bool(self.converter)

    @property
    def summary(self) -> str:
        """Its place, as the user named it: "shop.models:Order"."""
        return f"{self.file or self.module}:{self.name}"

    @property
    def has_raw(self) -> bool:
        """Whether a Struct keeps the text of a part of its document, which only msgspec's own codecs give it."""
        constraints = (one for some in self.parsed.limits.values() for one in some)
        return self.kind == "msgspec" and any(one is importlib.import_module("msgspec").Raw for one in constraints)

    @property
    def conversion(self) -> Conversion | None:
        """The conversion of the class's package, if it has one."""
        return conversion_of(self.parsed.type, self.kind, self.converter)[0]


def summaries(models: Sequence[UserModel]) -> list[str]:
    """The classes by name, with their module if another of them has the same, and their folder if it has the same module too."""
    forms = [(model.name, model.summary, f"{Path(model.folder).name}/{model.summary}") for model in models]
    taken = Counter(form for own in forms for form in own)
    return [next((form for form in own if taken[form] == 1), own[-1]) for own in forms]


def listed(schema: Schema) -> Schema:
    """The schema of a list of documents, if it is that of one record."""
    return schema if isinstance(schema.root, List) else Schema(List(schema.root), schema.records)


def locate(text: str) -> str:
    """`module:Class` or `path/models.py:Class` as "folder:module:Class", which means the same anywhere and stays as it is.

    A generic class may have parameters: `shop:Page[Item]`. A converter of cattrs may be named behind the class:
    `shop.models:Order@shop.converters.default_converter`.

    Raises:
        PlanError: the text has another form.
    """
    module, _, name = text.rpartition(":")
    if Path(module.rpartition(":")[0]).is_absolute() and not Path(module).is_file():
        return text
    if not module or not _CLASS.fullmatch(name):
        raise PlanError(f"model must be module:Class or models.py:Class, not {text!r}")
    name = "".join(name.split())
    if module.endswith(".py"):
        return f"{_resolved(Path(module).absolute())}:{name}"
    return f"{Path.cwd()}:{module}:{name}"


def is_class(text: object) -> bool:
    """Tell if it is a class, or a text that names one and no file."""
    return isinstance(text, type) or (isinstance(text, str) and ":" in text and not Path(text).exists())


def function_located(text: str) -> tuple[str, str, str] | None:
    """The folder, the module and the name of `file.py:function` or `module:function`; None if the text has another form.

    Raises:
        PlanError: there is no such file, it cannot be read, or nothing in it has the name.
    """
    match = _FUNCTION.fullmatch(text)
    if match is None:
        return None
    module, name = match.groups()
    folder, resolved = _folder_and_module(module)
    if module.endswith(".py"):
        try:
            text = Path(module).read_text("utf-8", "replace")
        except OSError as error:
            raise PlanError(f"{module} cannot be read ({error.strerror})") from None
        _check_named(module, name.partition(".")[0], text)
    return folder, resolved, name


def _folder_and_module(module: str) -> tuple[str, str]:
    if not module.endswith(".py"):
        return str(Path.cwd()), module
    path = Path(module).absolute()
    if not path.is_file():
        raise PlanError(f"there is no file {module}; name a function as file.py:function")
    folder, _, module = _resolved(path).rpartition(":")
    return folder, module


def _check_named(file: str, name: str, text: str) -> None:
    """Raise a PlanError if nothing in a file of this text can have the name."""
    if not re.search(rf"\b({name}|globals|__getattr__)\b|import \*", text):
        defined = re.findall(r"^(?:(?:async )?def|class) (\w+)|^(\w+)(?::[^=\n]+)? *=[^=]", text, re.MULTILINE)
        check(f"name in {file}", name, map("".join, defined))


def _resolved(path: Path) -> str:
    """The folder and the module of a file: below its package, if it has one; the file's name, if it cannot be imported."""
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem) or path.stem in sys.stdlib_module_names:
        return f"{path.parent}:{path.name}"
    folder, module = path.parent, path.stem
    while (folder / "__init__.py").exists() and folder.name.isidentifier():
        folder, module = folder.parent, f"{folder.name}.{module}"
    return f"{folder}:{module}"


_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FUNCTION = re.compile(rf"([^:\n]+\.py|{_NAME}):({_NAME})")
_CLASS = re.compile(rf"{_NAME}(?:\s*\[[\w\s.,\[\]]*\])?(?:@{_NAME}\.{_NAME})?")


def load_model(located: str) -> UserModel:
    """Import the class and read it; again if its file has changed since.

    Raises:
        PlanError: the module or class does not exist, or the class is not a known kind of model.
    """
    folder, module, _ = located.rsplit(":", 2)
    home = Path(folder, *module.split(".")[:-1])  # that of the file itself, if it is a package's
    home = Path(folder) if module.endswith(".py") else home
    stamp = _stamp(home)
    if module_name(module) in sys.modules and _stamps.setdefault((folder, module), stamp) != stamp:
        files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        for name in [name for name, file in files.items() if file is not None and Path(file).parent == home]:
            del sys.modules[name]
        importlib.invalidate_caches()
    _stamps[folder, module] = stamp
    return _load(located, stamp)


_stamps: dict[tuple[str, str], int] = {}


def _stamp(folder: Path) -> int:
    """A number for the times at which the modules of the folder were written: a folder may have thousands."""
    return hash(frozenset((path.name, *stamp(path)) for path in folder.glob("*.py")))


def module_name(module: str) -> str:
    """The name under which a module is loaded: its own, or one made of a file that no import statement can name."""
    return re.sub(r"\W", "_", f"file_{module}") if module.endswith(".py") else module


def _imported(folder: str, module: str) -> Any:
    if not module.endswith(".py"):
        return importlib.import_module(module)
    name, path = module_name(module), Path(folder, module)
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(path):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(sys.modules[name])
    except BaseException:
        del sys.modules[name]
        raise
    return sys.modules[name]


@lru_cache(100)
def _load(located: str, _stamp: object) -> UserModel:
    folder, module, name = located.rsplit(":", 2)
    name, _, converter = name.partition("@")
    file = module if module.endswith(".py") else ""
    if not file:
        _forget_others(folder, module)
    if folder not in sys.path:
        sys.path.insert(len(sys.path) if file else 0, folder)  # a file called json.py must not hide the module json
    try:
        with user_code(f"the import of {module}"), packages_first():
            imported = _imported(folder, module)
    except (Exception, TookTooLong) as error:
        if not Path(folder).exists():
            raise PlanError(
                f"{name} was defined in a cell or script that has ended, or its folder is gone; put it into a file"
            ) from None
        raise PlanError(f"{module} cannot be imported from {folder}: {said(error)}") from None
    try:
        with user_code("reading the class"):
            class_ = _class_named(imported, name)
            parsed = from_class(class_, short := name.partition("[")[0].rpartition(".")[2])
            conversion, lines = conversion_of(parsed.type, parsed.kind, converter)
            others = unmeasured(parsed.type, parsed.kind, conversion)
            parsed.notes += (f"{short}.{method} (not measured)" for method in others)
            written = from_class(class_, short, writing=True, like=parsed)
            model = UserModel(folder, module_name(module), name, parsed, written, file, converter, [*lines])
            return replace(model, imported=imported)
    except (SchemaError, TookTooLong) as error:
        raise PlanError(f"{module}:{name}: {error}") from None
    except Exception as error:  # whatever the class does while it is looked at
        raise PlanError(f"{module}:{name}: reading the class raised {said(error)}") from None


def _forget_others(folder: str, module: str) -> None:
    """Forget modules of the same name that another class has of another folder, so that those of this one are imported."""
    first = module.partition(".")[0]
    known = sys.modules.get(first)
    home = getattr(known, "__file__", None) or next(iter(getattr(known, "__path__", ())), "")
    others = {other for other, name in _stamps if other != folder and name.partition(".")[0] == first}
    if home and any(Path(home).is_relative_to(other) for other in others) and not Path(home).is_relative_to(folder):
        for name in [name for name in sys.modules if name.partition(".")[0] == first]:
            del sys.modules[name]
        if folder in sys.path:
            sys.path.remove(folder)
        importlib.invalidate_caches()


def _class_named(imported: Any, name: str) -> Any:
    """The class of a name such as `Page[Item]`; its parameters are names of the module, or of builtins."""
    first, _, rest = name.partition("[")
    value = imported
    for part in first.split("."):
        if not hasattr(value, part):
            known = getattr(builtins, part, None) if value is imported else None
            if known is None:
                raise SchemaError(f"{imported.__name__} has no {first}; name one of its classes")
            value = known
        else:
            value = getattr(value, part)
    if not rest:
        holder = types.SimpleNamespace(__annotations__={"it": value})
        with suppress(NameError):  # a text in an alias names what its module lacks
            value = hints_in(holder, vars(imported))["it"]
        return value
    arguments = tuple(_class_named(imported, one) for one in _split(rest.removesuffix("]")))
    try:
        return value[arguments if len(arguments) > 1 else arguments[0]]
    except (TypeError, IndexError) as error:
        raise SchemaError(f"{first} does not accept these parameters: {said(error)}") from None


def _split(text: str) -> list[str]:
    """The parts of a text between commas that stand in no brackets."""
    parts, level = [""], 0
    for letter in text:
        level += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and not level:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def named_in(model: UserModel) -> Any:
    """The class or alias that the user named, or a list of these."""
    return _class_named(model.imported, model.name)


def class_of(model: UserModel) -> Any:
    """The class or alias itself."""
    return model.parsed.type


def named_class(module: Module, model: UserModel) -> tuple[str, list[str]]:
    """The class as a module names it, and the statements at its top that import it, and what its package converts it by."""
    imports = ClassImports(model, {})
    name = imports.spelled(class_of(model))
    prepared = model.conversion.prepared(imports.imported) if model.conversion else ""
    return name, [*imports.lines(module), *filter(None, [prepared])]


class ClassImports:
    """Imports of classes that are records, by the names of these, and of what it takes to name them."""

    def __init__(self, model: UserModel, classes: Mapping[str, Any]) -> None:
        self.model = model
        self._homes: dict[str, tuple[str, str]] = {}  # name here → module and name there
        self._wanted = {name: home for name, one in classes.items() if (home := self._home(one)) and "." not in home[1]}
        self._uses_arguments = False

    def lines(self, module: Module) -> list[str]:
        """The statements that import, at the top of a module."""
        module.use("sys")
        if self._uses_arguments:
            module.use("typing", "get_args")
        imports = [self._statement(name, *home) for name, home in self._homes.items()]
        if not self.model.file:
            return [f"sys.path.insert(0, {literal(self.model.folder)})", *imports]
        module.use("importlib.util")
        name, path = literal(self.model.module), literal(str(Path(self.model.folder, self.model.file)))
        loaded = [
            f"spec = importlib.util.spec_from_file_location({name}, {path})",
            f"sys.modules[{name}] = importlib.util.module_from_spec(spec)",
            f"spec.loader.exec_module(sys.modules[{name}])",
        ]
        inside = "\n    ".join(loaded)
        return [
            f"sys.path.append({literal(self.model.folder)})",
            f"if {name} not in sys.modules:\n    {inside}",
            *imports,
        ]

    def _statement(self, name: str, home: str, there: str) -> str:
        renamed = "" if name == there else f" as {name}"
        return f"from {home} import {there}{renamed}  # noqa: E402"

    def spelled(self, class_: Any) -> str:
        """The expression that gives a class; its imports are added.

        Raises:
            Unsupported: it cannot be found in its module.
        """
        if class_ is class_of(self.model) and (not isinstance(class_, type) or "[" in self.model.name):
            return self._as_named()
        metadata = getattr(class_, "__pydantic_generic_metadata__", None) or {}
        origin = metadata.get("origin") or typing.get_origin(class_)
        if origin is not None:
            arguments = metadata.get("args") or typing.get_args(class_)
            return f"{self.spelled(origin)}[{', '.join(map(self.spelled, arguments))}]"
        if not isinstance(class_, type) and not hasattr(class_, "__qualname__"):
            raise Unsupported(f"a generic class has the parameter {class_}, which is not a class")
        if class_.__module__ == "builtins":
            return str(class_.__name__)
        home = self._home(class_)
        if home is None:
            raise Unsupported(
                f"{class_.__qualname__} cannot be found in its module; define it at the top level of {class_.__module__}"
            )
        first, dot, rest = home[1].partition(".")
        return self.imported(home[0], first) + dot + rest

    def _as_named(self) -> str:
        """The class or alias as the user names it, or the item of the list that is named."""
        text, bracket, rest = self.model.name.partition("[")
        known = vars(self.model.imported)
        names = [one for one in re.findall(r"[\w.]+", f"{text}{bracket}{rest}") if one in known]
        for name in names:
            self._homes[name] = (self.model.module, name)
        named = named_in(self.model)
        if named == class_of(self.model):
            return self.model.name
        self._uses_arguments = True
        return f"get_args({self.model.name}{'.__value__' if is_alias(named) else ''})[0]"

    def _home(self, class_: Any) -> tuple[str, str] | None:
        if not isinstance(class_, type):
            return None
        module = self.model.imported
        named = next((name for name, value in vars(module).items() if value is class_ and name.isidentifier()), None)
        if named is not None:
            return self.model.module, named
        first = class_.__qualname__.partition(".")[0]
        there = hasattr(sys.modules.get(class_.__module__), first) and "<locals>" not in class_.__qualname__
        return (class_.__module__, class_.__qualname__) if there else None

    def imported(self, module: str, name: str) -> str:
        """The name of what a module has under this name; a name of a record is only its own class's."""
        home = (module, name)
        here = next((one for one, wanted in self._wanted.items() if wanted == home), name)
        number = 1
        while self._wanted.get(here, home) != home or self._homes.setdefault(here, home) != home:
            number += 1
            here = f"{name}{number}"
        return here
