"""The changes that mutants make: those of cosmic-ray that tests should notice, and more of their kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import parso
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import OPERATOR_PROVIDERS


class Rewrite(Operator):
    """An operator that replaces a node by other text; those of cosmic-ray lack the ones below."""

    def texts(self, node: parso.tree.NodeOrLeaf) -> Iterator[str]:
        """What may stand instead of the node."""
        raise NotImplementedError

    def mutation_positions(self, node):
        for _ in self.texts(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        return parso.parse(node.get_first_leaf().prefix + list(self.texts(node))[index])

    @classmethod
    def examples(cls):
        return ()


class DropOperand(Rewrite):
    """`a and b` becomes `a`, and `b`."""

    def texts(self, node):
        if node.type in ("and_test", "or_test"):
            operands = [child.get_code(include_prefix=False) for child in node.children[::2]]
            for dropped in range(len(operands)):
                rest = [text for number, text in enumerate(operands) if number != dropped]
                yield f"({f' {node.children[1].value} '.join(rest)})"


class UnwrapCall(Rewrite):
    """`f(x, y)` becomes `x`, and `y`; `x.f()` becomes `x`. Without a call that only converts, code fails or is the same."""

    CONVERSIONS = frozenset(
        ["bool", "cast", "enumerate", "float", "int", "isinstance", "len", "list", "range", "str", "tuple", "zip"]
    )

    def texts(self, node):
        call = node.children[-1] if node.type == "atom_expr" else None
        if call is None or call.type != "trailer" or call.children[0].value != "(":
            return
        function = "".join(child.get_code() for child in node.children[:-1]).strip()
        within = call.children[1:-1]
        arguments = within[0].children[::2] if within and within[0].type == "arglist" else within
        positional = [argument for argument in arguments if argument.type != "argument"]
        makes = function in self.CONVERSIONS or function.rpartition(".")[2][:1].isupper()
        if len(positional) <= 2 and not makes:
            for argument in positional:
                yield f"({argument.get_code(include_prefix=False)})"
        if not arguments and len(node.children) > 2:
            yield function.rpartition(".")[0]


class FixCondition(Rewrite):
    """A condition becomes always true, and never; that of a `while` never, that of a comprehension always and the opposite."""

    def texts(self, node):
        parent, before = node.parent, node.get_previous_sibling() if node.parent else None
        kind = parent.type if before in ("if", "elif", "while") else None
        if kind in ("if_stmt", "test", "comp_if"):
            yield "True"
        if kind in ("if_stmt", "test", "while_stmt"):
            yield "False"
        if kind == "comp_if":
            yield f"not ({node.get_code(include_prefix=False)})"


class ReplaceMembership(Rewrite):
    """`in` becomes `not in`, and the reverse."""

    def texts(self, node):
        if node.type == "comparison" and len(node.children) == 3:
            left, word, right = (child.get_code(include_prefix=False) for child in node.children)
            other = {"in": "not in", "not in": "in"}.get(" ".join(word.split()))
            if other:
                yield f"{left} {other} {right}"


class DropStatement(Rewrite):
    """A call whose result nobody uses, a change in place and a `raise` become `pass`."""

    def texts(self, node):
        if node.parent is None or node.parent.type != "simple_stmt":
            return
        assigns = node.type == "expr_stmt" and node.children[1].type != "annassign"
        in_place = assigns and (node.children[1].value != "=" or node.children[0].type == "atom_expr")
        if node.type in ("atom_expr", "raise_stmt") or in_place:
            yield "pass"


class ScaleFloat(Rewrite):
    """A number with a point or an exponent becomes half, and twice, as large."""

    def texts(self, node):
        if node.type == "number" and isinstance(value := ast.literal_eval(node.value), float):
            yield repr(value / 2)
            yield repr(value * 2)


class ShiftInteger(Rewrite):
    """An integer becomes one more, and one less."""

    def texts(self, node):
        if node.type == "number" and isinstance(value := ast.literal_eval(node.value), int):
            yield str(value + 1)
            yield f"({value - 1})" if value else "-1"


OPERATOR_PROVIDERS["more"] = {
    operator.__name__: operator
    for operator in (
        DropOperand,
        UnwrapCall,
        FixCondition,
        ReplaceMembership,
        DropStatement,
        ScaleFloat,
        ShiftInteger,
    )
}
COMPARISONS = "Lt_LtE LtE_Lt Gt_GtE GtE_Gt Lt_GtE GtE_Lt Gt_LtE LtE_Gt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is"
ARITHMETIC = (
    "Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Mul Mod_FloorDiv Pow_Mul "
    "BitOr_BitAnd BitAnd_BitOr LShift_RShift RShift_LShift"
)
OPERATORS = (
    *(f"core/ReplaceComparisonOperator_{name}" for name in COMPARISONS.split()),
    *(f"core/ReplaceBinaryOperator_{name}" for name in ARITHMETIC.split()),
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceUnaryOperator_Delete_USub",
    "core/ReplaceUnaryOperator_Delete_Invert",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/ExceptionReplacer",
    "core/RemoveDecorator",
    "core/ZeroIterationForLoop",
    *(f"more/{name}" for name in OPERATOR_PROVIDERS["more"]),
)
