"""Source is laid out as the formatter would, whatever the lengths of its names."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import pairwise

from serbench.source.expressions import Bracketed, Comprehension, Conditional, Keyword, call, flat, taken_apart
from serbench.source.layout import Module, class_block, field_line, function, lay_out, parsed, returned


def unchanged_by_ruff(text: str, tmp_path) -> str:
    """What `ruff format` would change."""
    path = tmp_path / "laid_out.py"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode else ""


def word(draw: random.Random) -> str:
    """A name of any length that inference gives."""
    return "N" + "a" * draw.randint(0, 58)


def type_(draw: random.Random, depth: int = 2) -> str:
    """An annotation."""
    kind = draw.randint(0, 4) if depth else 0
    if kind == 0:
        return word(draw)
    if kind == 1:
        return f"list[{type_(draw, depth - 1)}]"
    if kind == 2:
        return f"dict[str, {type_(draw, depth - 1)}]"
    if kind == 3:
        return f"tuple[{type_(draw, depth - 1)}, {type_(draw, depth - 1)}]"
    return f"{type_(draw, 0)} | {type_(draw, 0)}"


def test_fields_of_any_length(tmp_path):
    """A field's line is broken where the formatter breaks it."""
    draw = random.Random(1)
    lines = []
    for index in range(400):
        default = draw.choice([None, None, "None", "10", call("field", "default_factory=list")])
        lines.append(field_line(f"f{index}_{word(draw).lower()}", word(draw), default))
        lines.append(field_line(f"g{index}_{word(draw).lower()}", type_(draw, 1)))
    assert unchanged_by_ruff(class_block(["class A:"], lines) + "\n", tmp_path) == ""


def test_expressions_of_any_length(tmp_path):
    """Calls, displays, comprehensions and conditions are broken where the formatter breaks them."""
    draw = random.Random(2)
    blocks = []
    for index in range(300):
        value = word(draw).lower()
        inner = call(word(draw), *(word(draw).lower() for _ in range(draw.randint(1, 3))))
        made = draw.choice(
            [
                call(word(draw), inner),
                call(word(draw), Keyword("key=", Conditional("None", f"{value} is None", inner))),
                Bracketed("{", (Keyword('"key": ', inner), Keyword('"other": ', value)), "}"),
                Comprehension("[", inner, f"for {value} in values", "]"),
                Comprehension("{", Keyword("key: ", inner), f"for key, {value} in values.items()", "}"),
                Conditional("None", f"{value} is None", inner),
            ]
        )
        blocks.append(function(f"function_{index}", ["values: Any"], "Any", returned(made)))
    assert unchanged_by_ruff("\n\n\n".join(blocks) + "\n", tmp_path) == ""


def test_only_item_of_a_subscription_stays_alone():
    """A broken `list[…]` gets no comma, which would make its item a tuple."""
    laid_out = lay_out(parsed(f"list[{'a' * 90}]"))
    assert f"list[\n    {'a' * 90}\n]" == laid_out


def test_definitions_stand_apart(tmp_path):
    """Two blank lines around classes and functions, none between statements."""
    module = Module()
    module.use("json")
    module.add("class A:\n    pass")
    module.state("x = json")
    module.state("y = 2")
    module.add("def f() -> None:\n    pass")
    expected = "import json\n\n\nclass A:\n    pass\n\n\nx = json\ny = 2\n\n\ndef f() -> None:\n    pass\n"
    assert expected == module.text()
    assert unchanged_by_ruff(module.text(), tmp_path) == ""


def test_imports_in_order():
    """The future first, then the standard library, then what is installed, each in order."""
    module = Module(future=True)
    for name in ("orjson", "json", "base64", "attrs"):
        module.use(name)
    module.use("typing", "Any", "Annotated")
    module.use("datetime", "time", "datetime")
    module.state("used = (orjson, json, base64, attrs, Any, Annotated, time, datetime)")
    lines = [line for line in module.text().splitlines() if line]
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


def test_imports_of_any_length(tmp_path):
    """An import is broken where the formatter breaks it, whatever its length."""
    modules = [Module(names={"a": {"x" * length, "y"}}) for length in range(60, 90)]
    for module in modules:
        module.state("used = (y,)")
        assert unchanged_by_ruff(module.text(), tmp_path) == ""


def chained(draw: random.Random, depth: int = 2) -> str:
    """An expression as text: calls of what calls give, displays and comprehensions in one another."""
    name = f"v{'a' * draw.randint(0, 20)}"
    inner = chained(draw, depth - 1) if depth else name
    return draw.choice(
        [
            f"{name}.make({inner}).to_bytes()",
            f"{name}.read({name}, {inner})",
            f'{name}.table({inner}).to_list(key="{name}")',
            f"[{name}({inner}) for {name} in {inner}]",
            f"{{key: {name} for key, {name} in {name}.items()}}",
            f"({name}, {inner})",
            f'record["{name}"].item()',
            f"{name}(items={inner})",
            f"{name}(found := {name}.encode(), {inner})",
        ]
    )


def test_text_is_taken_apart(tmp_path):
    """An expression that is text alone is broken where the formatter breaks it, and reads as before on one line."""
    draw = random.Random(3)
    texts = [chained(draw) for _ in range(400)]
    assert texts == [flat(taken_apart(text)) for text in texts]
    blocks = [function(f"f{index}", ["value: Any"], "Any", returned(text)) for index, text in enumerate(texts)]
    assert unchanged_by_ruff("\n\n\n".join(blocks) + "\n", tmp_path) == ""


def test_what_is_no_expression_stays_text():
    """Text that is none, or that would lose its brackets, is kept as it is."""
    assert ["x is", "(a if b else c).d(e)"] == [taken_apart("x is"), taken_apart("(a if b else c).d(e)")]
