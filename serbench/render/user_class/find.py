"""Finds and reads a class of the user's."""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from serbench.errors import PlanError, SchemaError, check
from serbench.model.classes.read import ParsedClass, from_class
from serbench.model.records import Schema
from serbench.model.types import List
from serbench.render.environments.files import stamp
from serbench.render.left_out import with_absent
from serbench.render.user_class.conversion import Conversion, conversion_of
from serbench.render.user_class.guard import TookTooLong, said, user_code
from serbench.render.user_class.interpreter import packages_first
from serbench.render.user_class.overrides import unmeasured


@dataclass(frozen=True)
class UserModel:
    """A class of the user's: its place, and what was read from it for each direction.

    `file` is the file of a module that no import statement can name, such as "my models.py"; otherwise empty.
    `differences` says of documents that were read what the class makes of them. `inferred` has the schemas of those that
    the class takes and its fields do not describe, each beside a schema that tells which of its keys may be absent.
    `imported` is its module, which another of the same name may have replaced since.
    """

    folder: str
    module: str
    name: str
    parsed: ParsedClass
    written: ParsedClass
    file: str = ""
    differences: list[str] = field(default_factory=list, compare=False)
    inferred: list[tuple[Schema, Schema]] = field(default_factory=list, compare=False)
    imported: Any = field(default=None, compare=False, repr=False)

    @property
    def kind(self) -> str:
        """The library of the class, as a key of `BASES`."""
        return self.parsed.kind

    @property
    def located(self) -> str:
        """Where it is, as `load_model` takes it."""
        return f"{self.folder}:{self.file or self.module}:{self.name}"

    @property
    def summary(self) -> str:
        """Where it is, as the user named it: "shop.models:Order"."""
        return f"{self.file or self.module}:{self.name}"

    @property
    def conversion(self) -> Conversion | None:
        """How the class's package converts it, if it does."""
        return conversion_of(self.parsed.type, self.kind)[0]

    def infers(self, schema: Schema) -> bool:
        """Return True if a schema was inferred from documents that the class takes and its fields do not describe."""
        return any(one.records == schema.records for one, _ in self.inferred)

    def infer(self, schema: Schema, document: Any) -> None:
        """Note that a schema was inferred from a document."""
        self.inferred.append((schema, listed(with_absent(schema, document))))

    def lacking(self, schema: Schema) -> Schema:
        """The schema of a list of documents that tells which of their keys may be absent: inferred, or that of the class."""
        return next(
            (user_schema for one, user_schema in self.inferred if one.records == schema.records),
            self.parsed.user_schema,
        )


def summaries(models: Sequence[UserModel]) -> list[str]:
    """The classes as the user named them, behind their folder if another of them has the same module and name."""
    names = [model.summary for model in models]
    return [
        one.summary if names.count(one.summary) == 1 else f"{Path(one.folder).name}/{one.summary}" for one in models
    ]


def listed(schema: Schema) -> Schema:
    """The schema of a list of documents, if it is that of one record."""
    return schema if isinstance(schema.root, List) else Schema(List(schema.root), schema.records)


def locate(text: str) -> str:
    """`module:Class` or `path/models.py:Class` as "folder:module:Class", which means the same anywhere and stays as it is.

    A generic class may have parameters: `shop:Page[Item]`.

    Raises:
        PlanError: the text has another form.
    """
    module, _, name = text.rpartition(":")
    if Path(module.rpartition(":")[0]).is_absolute():
        return text
    if not module or not _CLASS.fullmatch(name):
        raise PlanError(f"--model must be module:Class or models.py:Class, not {text!r}")
    name = "".join(name.split())
    if module.endswith(".py"):
        return f"{_resolved(Path(module).absolute())}:{name}"
    return f"{Path.cwd()}:{module}:{name}"


def is_class(text: object) -> bool:
    """Tell if a text names a class and no file."""
    return isinstance(text, str) and ":" in text and not Path(text).exists()


def function_located(text: str) -> tuple[str, str, str] | None:
    """The folder, the module and the name of `file.py:function` or `module:function`; None if the text has another form.

    Raises:
        PlanError: there is no such file, or nothing in it has the name.
    """
    match = _FUNCTION.fullmatch(text)
    if match is None:
        return None
    module, name = match.groups()
    folder, resolved = _folder_and_module(module)
    if module.endswith(".py"):
        _check_named(module, name.partition(".")[0], Path(module).read_text("utf-8", "replace"))
    return folder, resolved, name


def module_located(text: str) -> tuple[str, str, str] | None:
    """As `function_located`, also of `file.py` or `module` alone, whose function is the empty name."""
    if ":" in text:
        return function_located(text)
    return (*_folder_and_module(text), "") if _MODULE.fullmatch(text) else None


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
        check(f"function of {file}", name, re.findall(r"^def (\w+)", text, re.MULTILINE))


def _resolved(path: Path) -> str:
    """The folder and the module of a file: below its package, if it has one; the file's name, if it cannot be imported."""
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem) or path.stem in sys.stdlib_module_names:
        return f"{path.parent}:{path.name}"
    folder, module = path.parent, path.stem
    while (folder / "__init__.py").exists() and folder.name.isidentifier():
        folder, module = folder.parent, f"{folder.name}.{module}"
    return f"{folder}:{module}"


_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_MODULE = re.compile(rf"[^:\n]+\.py|{_NAME}")
_FUNCTION = re.compile(rf"([^:\n]+\.py|{_NAME}):({_NAME})")
_CLASS = re.compile(rf"{_NAME}(?:\s*\[[\w\s.,\[\]]*\])?")


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
        for name in [name for name, module in sys.modules.items() if _lies_in(module, home)]:
            del sys.modules[name]
        importlib.invalidate_caches()
    _stamps[folder, module] = stamp
    return _load(located, stamp)


_stamps: dict[tuple[str, str], int] = {}


def _stamp(folder: Path) -> int:
    """A number for the times at which the modules of the folder were written: a folder may have thousands."""
    return hash(frozenset((path.name, *stamp(path)) for path in folder.glob("*.py")))


def _lies_in(module: Any, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).parent == folder


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
    file = module if module.endswith(".py") else ""
    if not file:
        _forget_others(folder, module)
    if folder not in sys.path:
        sys.path.insert(len(sys.path) if file else 0, folder)  # a file called json.py must not hide the module json
    working = Path.cwd()
    try:
        with user_code("the import"), packages_first():
            imported = _imported(folder, module)
    except (Exception, TookTooLong) as error:
        if not Path(folder).exists():
            raise PlanError(
                f"{name} was of a cell or a script that has ended, or its folder has gone; put it into a file"
            ) from None
        raise PlanError(f"{module} cannot be imported from {folder}: {said(error)}") from None
    finally:
        os.chdir(working)  # a module may have changed it, and paths mean something else there
    try:
        with user_code("reading the class"):
            class_ = _class_named(imported, name)
            parsed = from_class(class_, short := name.partition("[")[0].rpartition(".")[2])
            parsed.notes += (f"{short}.{method} (not measured)" for method in unmeasured(parsed.type, parsed.kind))
            written = from_class(class_, short, writing=True, like=parsed)
            _, lines = conversion_of(parsed.type, parsed.kind)
            model = UserModel(folder, module_name(module), name, parsed, written, file, [*lines])
            return replace(model, imported=imported)
    except SchemaError as error:
        raise PlanError(f"{module}:{name}: {error}") from None
    except TookTooLong as error:
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
    """What the user has named: the class or alias, or a list of these."""
    return _class_named(model.imported, model.name)


def class_of(model: UserModel) -> Any:
    """The class or alias itself."""
    return model.parsed.type
