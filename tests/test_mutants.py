"""The changes that mutants make, and the list of those that may survive."""

import tomllib
from pathlib import Path

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from mutation_operators import OPERATORS

ROOT = Path(__file__).parents[1]
ACCEPTED = tomllib.loads((ROOT / "tests/data/accepted_mutants.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("DropOperand", "x = a and b and c", ["x = (b and c)", "x = (a and c)", "x = (a and b)"]),
        ("UnwrapCall", "p = holm(q)", ["p = (q)"]),
        ("UnwrapCall", "p = max(a, b, key=c)", ["p = (a)", "p = (b)"]),
        ("UnwrapCall", "p = name.strip()", ["p = name"]),
        ("UnwrapCall", "p = float(q), Prior(a, b), f(a, b, c)", []),
        ("FixCondition", "if a < b:\n    c", ["if True:\n    c", "if False:\n    c"]),
        ("FixCondition", "x = a if b else c", ["x = a if True else c", "x = a if False else c"]),
        ("FixCondition", "while a: b", ["while False: b"]),
        ("FixCondition", "x = [a for a in b if c]", ["x = [a for a in b if True]", "x = [a for a in b if not (c)]"]),
        ("ReplaceMembership", "x = a in b, c not  in d", ["x = a not in b, c not  in d", "x = a in b, c in d"]),
        ("DropStatement", "f(a)\n", ["pass\n"]),
        (
            "DropStatement",
            "a += 1; b[c] = d; a = b; e: int = 1",
            ["pass; b[c] = d; a = b; e: int = 1", "a += 1; pass; a = b; e: int = 1"],
        ),
        ("DropStatement", "raise a\n", ["pass\n"]),
        ("ScaleFloat", "x = 1e-6, 2", ["x = 5e-07, 2", "x = 2e-06, 2"]),
        ("ShiftInteger", "x = 0, 1, 2.5", ["x = 1, 1, 2.5", "x = -1, 1, 2.5", "x = 0, 2, 2.5", "x = 0, (0), 2.5"]),
    ],
)
def test_an_operator_makes_these_changes_and_no_other(operator, source, expected):
    """Each operator changes what its docstring says, and leaves the rest as it is."""
    made = get_operator(f"more/{operator}")()
    count = len([at for node in ast_nodes(get_ast(source)) for at in made.mutation_positions(node)])
    assert expected == [mutate_code(source, made, occurrence) for occurrence in range(count)]


def test_every_operator_exists():
    """cosmic-ray has each operator that is listed by its name."""
    for name in OPERATORS:
        assert get_operator(name)


@pytest.mark.parametrize("file", ACCEPTED)
def test_an_accepted_mutant_has_its_line_and_a_reason(file):
    """Each mutant that may survive changes code that is still there, and says why it may."""
    source = "".join((ROOT / file).read_text(encoding="utf-8").split())
    for one in ACCEPTED[file]:
        assert "".join(one["was"].split()) in source
        assert one["reason"]
