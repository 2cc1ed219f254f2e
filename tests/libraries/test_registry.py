"""What the plug-ins say of themselves."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
from pathlib import Path

import pytest

import serbench.libraries
from serbench.formats import codecs
from serbench.libraries import libraries

_FILES = sorted(Path(serbench.libraries.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.stem)
def test_imports_no_library(path):
    """A plug-in renders text and never imports what it renders for."""
    imported = {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    assert imported <= {"serbench", *sys.stdlib_module_names}


@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.stem)
def test_docstring_has_bullets(path):
    """A plug-in says in a sentence what the library is, then how it represents what JSON cannot."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence, _, bullets = docstring.partition("\n\n")
    assert sentence.endswith(".")
    assert bullets.startswith("- ")


@pytest.mark.parametrize("library", libraries().values(), ids=lambda lib: lib.name)
def test_facts(library):
    """A core library is installed, another has exact pins; every link is a link, and what is recommended exists."""
    if library.core:
        assert all(importlib.metadata.version(name) for name in library.distributions)
    else:
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in library.pins)
        assert library.pins or not library.distributions
    links = [library.docs, *library.variants.values()]
    assert all(link.startswith("https://") for link in links)
    assert all("https://" in reason for reason in (*library.lacks.values(), *library.cannot.values()))
    assert "default" not in library.variants
    for format_, codec in library.recommended.items():
        assert any((c.format, c.name) == (format_, codec) for c in codecs())


def test_names():
    """An installation has at least these libraries, and lists all by name in order."""
    names = list(libraries())
    assert names == sorted(names)
    expected = "cattrs class dacite dataclasses marshmallow mashumaro msgspec namedtuple pydantic typeddict"
    assert set(expected.split()) <= set(names)
