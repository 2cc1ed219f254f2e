"""The imports of a user's classes in a rendered module, where each has the name of its record."""

from __future__ import annotations

import re
import sys
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serbench.model.classes.unions import is_alias
from serbench.render.source.module import Module, Unsupported, literal
from serbench.render.user_class.find import UserModel, class_of, named_in


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
            return self.as_named()
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

    def as_named(self) -> str:
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
        """The module of a class, and its name there; None if it has none."""
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
