"""A module is put together from plain text, and laid out by ruff."""

from __future__ import annotations

from itertools import pairwise

import pytest

from serbench.render.source.module import Module, NotPythonError, block, filled, laid_out, tuple_of


def formatted(module: Module) -> str:
    """The module as it is measured."""
    return laid_out([module.text()], module.python)[0]


def test_definitions_stand_apart():
    """Two blank lines around classes and functions, none between statements."""
    module = Module()
    module.use("json")
    module.define("class A:", [])
    module.add("x = json")
    module.add("y = 2")
    module.define("def f() -> None:", ["g()", "h()"])
    expected = "import json\n\n\nclass A:\n    pass\n\n\nx = json\ny = 2\n\n\ndef f() -> None:\n    g()\n    h()\n"
    assert formatted(module) == expected


def test_imports_in_order():
    """The future first, then the standard library, then what is installed, each in order; what is not used is left out."""
    module = Module(future=True)
    for name in ("orjson", "json", "base64", "attrs", "unused"):
        module.use(name)
    module.use("typing", "Any", "Annotated", "Unused")
    module.use("datetime", "time", "datetime")
    module.add("used = (orjson, json, base64, attrs, Any, Annotated, time, datetime)")
    lines = [line for line in formatted(module).splitlines() if line]
    assert lines == [
        "from __future__ import annotations",
        "import base64",
        "import json",
        "from datetime import datetime, time",
        "from typing import Annotated, Any",
        "import attrs",
        "import orjson",
        "used = (orjson, json, base64, attrs, Any, Annotated, time, datetime)",
    ]
    assert all(first != second for first, second in pairwise(lines))


def test_modules_are_laid_out_together():
    """One call lays out each module by itself: none takes a line or a blank line from its neighbour."""
    texts = ["import a\n\nx = [1,\n2]\n", "class B: pass\n", "from __future__ import annotations\ny = 'é'\n"]
    expected = ["import a\n\nx = [1, 2]\n", "class B:\n    pass\n", 'from __future__ import annotations\n\ny = "é"\n']
    assert laid_out(texts, (3, 11)) == expected
    assert laid_out(texts, (3, 6)) == expected
    assert [laid_out([text], (3, 99))[0] for text in texts] == expected
    assert laid_out([], (3, 11)) == []


def test_text_that_is_no_python_is_loud():
    """A module that ruff cannot parse is refused with what ruff says of which line, though others are laid out with it."""
    with pytest.raises(NotPythonError, match="is not Python: Expected an expression, in 'x = = 2'") as caught:
        laid_out(["x = 1\n", "y = 1\nx = = 2\n"], (3, 11))
    assert caught.value.module == "y = 1\nx = = 2\n"


def test_layout_is_isolated(tmp_path, monkeypatch):
    """A configuration of the user's changes nothing."""
    (tmp_path / "ruff.toml").write_text('line-length = 20\n[format]\nquote-style = "single"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert laid_out(['x = ["long enough", "for a line"]\n'], (3, 11)) == ['x = ["long enough", "for a line"]\n']


def test_template_is_filled():
    """Each placeholder takes the value; one inside a string is text."""
    assert filled("load({}, key=\"{}\")['{}'] or {}", "data") == "load(data, key=\"{}\")['{}'] or data"


def test_tuple_of_one():
    """A tuple of one item keeps its comma."""
    assert [tuple_of(["a"]), tuple_of(["a", "b"])] == ["(a,)", "(a, b)"]


def test_block_indents_every_line():
    """Lines of a body that have several lines themselves are indented as a whole."""
    assert block("if x:", ["if y:\n    z()", "", "w()"]) == "if x:\n    if y:\n        z()\n\n    w()"
