"""What the plug-ins say of themselves."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import serbench.render.libraries
from serbench.render.library import libraries

_FILES = sorted(Path(serbench.render.libraries.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.stem.replace("_", "-"))
def test_imports_no_library(path):
    """A plug-in renders text and never imports what it renders for."""
    imported = {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    assert imported <= {"serbench", *sys.stdlib_module_names}


@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.stem.replace("_", "-"))
def test_docstring_has_bullets(path):
    """A plug-in says in a sentence what the library is, then how it represents what JSON cannot."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence, _, bullets = docstring.partition("\n\n")
    assert sentence.endswith(".")
    assert bullets.startswith("- ")


def test_names():
    """An installation has at least these libraries, and lists all by name in order."""
    names = list(libraries())
    assert names == sorted(names)
    expected = "cattrs class dacite dataclasses marshmallow mashumaro msgspec namedtuple pydantic typeddict"
    assert set(expected.split()) <= set(names)
