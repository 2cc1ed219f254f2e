"""Text from data becomes a string in source, and nothing else."""

from __future__ import annotations

import ast
import sys

from hypothesis import given
from hypothesis import strategies as st
from waits import run

from serbench.render.source.module import literal

# Everything, lone surrogates included, and more of what is dangerous than chance would give.
_TEXT = st.text(
    st.one_of(st.characters(codec=None), st.sampled_from("'\"\\\n\r\t\0\x1f\x7f\u2028\ud800{}#é")), max_size=30
)


@given(_TEXT)
def test_means_the_text(text):
    """The literal is the text again, whatever it holds."""
    assert ast.literal_eval(literal(text)) == text


@given(_TEXT)
def test_is_one_expression_on_one_line(text):
    """Nothing in the text ends the string or the line."""
    source = literal(text)
    tree = ast.parse(source, mode="eval")
    assert isinstance(tree.body, ast.Constant)
    assert len(source.splitlines()) == 1
    assert source.isprintable()


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()))
def test_means_the_value(value):
    """A number, a bool or None is itself."""
    assert ast.literal_eval(literal(value)) == value


def test_formatter_agrees(tmp_path):
    """`ruff format` changes no literal, however it is quoted."""
    texts = [
        "",
        "plain",
        "it's",
        'a "b"',
        "'\"",
        '\'""',
        "''\"",
        "\\",
        "\\'",
        "é",
        "\u2028",
        "\x00\x1f",
        "\ud800",
        "\n",
    ]
    lines = [f"x{index} = {literal(text)}\n" for index, text in enumerate(texts)]
    path = tmp_path / "literals.py"
    path.write_text("".join(lines), encoding="utf-8")
    run([sys.executable, "-m", "ruff", "format", "--isolated", "--diff", path])
