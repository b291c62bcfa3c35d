"""Makes conditions of statements: the same trees, checks and compiler as those of expressions.

In PartiQL a condition is a value, true or false, and can be compared. Such a comparison is written
out: `condition = x` becomes `condition AND x = true OR NOT condition AND x = false`.
"""

from typing import Final, cast

import msgspec

from hashrange.errors import invalid
from hashrange.expressions import syntax as trees
from hashrange.expressions.condition_checks import ORDERINGS, check_operands
from hashrange.expressions.functions import TESTS
from hashrange.expressions.operands import Facts
from hashrange.expressions.partiql import syntax
from hashrange.expressions.partiql.literals import is_literal
from hashrange.expressions.partiql.operands import (
    FALSE,
    TRUE,
    Constants,
    path_of,
    too_many_operators,
)
from hashrange.expressions.partiql.syntax import Expr
from hashrange.limits.requests import STATEMENT_CONDITION_OPERATORS_MAX
from hashrange.messages import expressions as expression_messages
from hashrange.messages import partiql as messages

_EQUALITIES: Final = frozenset({"=", "<>"})
_CONDITIONS: Final = (syntax.Not, syntax.Logical, syntax.InCollection, syntax.Between)
_NEVER: Final = trees.Or(())


class _Made(msgspec.Struct, frozen=True):
    """A condition, and the number of its operators when NOT and IN are expanded."""

    tree: trees.Condition
    size: int


class Conditions:
    """Makes conditions of one statement.

    Args:
        constants: takes up what is compared with.

    Attributes:
        leaves: the comparisons and functions as they were written, to be checked.
    """

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self.leaves: list[trees.Leaf] = []

    def condition(self, node: Expr) -> trees.Condition:
        """The condition of a node. Raises ValidationException: it is not a condition."""
        return self._condition(node).tree

    def check(self, facts: Facts) -> None:
        """Refuse operands of wrong types or numbers, in the order of the text."""
        for leaf in self.leaves:
            check_operands(leaf, facts)

    def _condition(self, node: Expr) -> _Made:
        match node:
            case syntax.Logical():
                made = self._logical(node)
            case syntax.Not(operand=operand):
                made = _negated(self._condition(operand))
            case syntax.Binary():
                made = self._comparison(node)
            case syntax.InCollection():
                made = self._membership(node)
            case syntax.IsType():
                made = self._type(node)
            case _:
                made = self._simple(node)
        return made

    def _logical(self, node: syntax.Logical) -> _Made:
        made = [self._condition(operand) for operand in node.operands]
        joined = [each.tree for each in made]
        size = sum(each.size for each in made) + len(made)
        if node.operator == "AND":
            return _bounded(trees.And(tuple(_flat(joined, trees.And))), size)
        return _bounded(trees.Or(tuple(_flat(joined, trees.Or))), size)

    def _simple(self, node: Expr) -> _Made:
        """BETWEEN, or a function that is a condition."""
        match node:
            case syntax.Between():
                bounds = (node.operand, node.lower, node.upper)
                self._refuse_conditions(bounds, "BETWEEN")
                return self._leaf(trees.Between(*map(self._operand, bounds)))
            case syntax.Call(function=function) if function in TESTS:
                arguments = tuple(self._operand(each) for each in node.arguments)
                return self._leaf(trees.Call(function, arguments))
            case syntax.Call(function="size"):
                raise invalid(expression_messages.function_misplaced("size"))
            case syntax.Call():
                raise self._unrecognized(node)
            case _:
                raise invalid(messages.unsupported_token(type(node).__name__))

    def _leaf(self, leaf: trees.Leaf) -> _Made:
        self.leaves.append(leaf)
        return _Made(leaf, 1)

    def _comparison(self, node: syntax.Binary) -> _Made:
        operator, left, right = node.operator, node.left, node.right
        if operator not in ORDERINGS and operator not in _EQUALITIES:
            raise invalid(messages.unsupported_condition_operator(operator))
        if _is_condition(left) or _is_condition(right):
            self._refuse_orderings(operator)
            made = self._equal_condition(*((left, right) if _is_condition(left) else (right, left)))
            return made if operator == "=" else _negated(made)
        if isinstance(left, syntax.Missing) or isinstance(right, syntax.Missing):
            self._refuse_orderings(operator)
            tested = right if isinstance(left, syntax.Missing) else left
            made = self._leaf(trees.Call("attribute_not_exists", (self._operand(tested),)))
            return made if operator == "=" else _negated(made)
        comparator = cast("trees.Comparator", operator)
        compared = trees.Comparison(comparator, self._operand(left), self._operand(right))
        return self._leaf(compared)

    def _refuse_orderings(self, operator: str) -> None:
        """Refuse an ordering of conditions: they are values of type BOOL."""
        if operator in ORDERINGS:
            raise invalid(expression_messages.operand_type(operator, "BOOL"))

    def _refuse_conditions(self, operands: tuple[Expr, ...], operator: str) -> None:
        if any(map(_is_condition, operands)):
            raise invalid(expression_messages.operand_type(operator, "BOOL"))

    def _equal_condition(self, condition: Expr, other: Expr) -> _Made:
        """The condition that another condition equals an operand."""
        made = self._condition(condition)
        match other:
            case syntax.Lit(kind="BOOL", value=True):
                return made
            case syntax.Lit(kind="BOOL"):
                return _negated(made)
            case syntax.Missing():
                return _Made(_NEVER, 1)
            case _ if is_literal(other):
                self._constants.literal(other)
                return _Made(_NEVER, 1)
            case _ if _is_condition(other):
                second = self._condition(other)
                return _either(made, second, _negated(second))
            case _:
                operand = self._operand(other)
                is_true = trees.Comparison("=", operand, self._constants.value(TRUE))
                is_false = trees.Comparison("=", operand, self._constants.value(FALSE))
                return _either(made, _Made(is_true, 1), _Made(is_false, 1))

    def _membership(self, node: syntax.InCollection) -> _Made:
        if node.members is None:
            raise invalid(messages.unsupported_token("InCollection"))
        if not node.members:
            raise invalid(messages.no_members())
        if any(map(_is_condition, node.members)):
            raise invalid(messages.unsupported_token("InCollection"))
        if not _is_condition(node.operand):
            operand = self._operand(node.operand)
            members = tuple(self._operand(member) for member in node.members)
            return self._leaf(trees.In(operand, members))
        made = [self._equal_condition(node.operand, member) for member in node.members]
        size = sum(each.size for each in made) + len(made)
        return _bounded(trees.Or(tuple(each.tree for each in made)), size)

    def _type(self, node: syntax.IsType) -> _Made:
        if _is_condition(node.operand):
            raise invalid(messages.unsupported_token("IsType"))
        operand = self._operand(node.operand)
        if not node.kinds:
            return self._leaf(trees.Call("attribute_not_exists", (operand,)))
        tests = [
            trees.Call("attribute_type", (operand, self._constants.value({"S": kind})))
            for kind in node.kinds
        ]
        self.leaves += tests
        return _Made(tests[0] if len(tests) == 1 else trees.Or(tuple(tests)), len(tests))

    def _operand(self, node: Expr) -> trees.Operand:
        match node:
            case syntax.Id():
                return path_of(node)
            case syntax.Parameter():
                return self._constants.parameter(node)
            case syntax.Lit() | syntax.Sequence() | syntax.Struct():
                return self._constants.literal(node)
            case syntax.Call(function="size"):
                return trees.Call("size", tuple(self._operand(each) for each in node.arguments))
            case syntax.Call(function=function) if function in TESTS:
                raise invalid(expression_messages.function_misplaced(function))
            case syntax.Call():
                raise self._unrecognized(node)
            case syntax.Binary(operator=operator) | syntax.Neg(operator=operator):
                raise invalid(messages.unsupported_condition_operator(operator))
            case _:
                raise invalid(messages.unsupported_token(type(node).__name__))

    def _unrecognized(self, node: syntax.Call) -> Exception:
        at = self._constants.place(node)
        return invalid(messages.unrecognized_function(node.function, at))


def _is_condition(node: Expr) -> bool:
    """Whether a node is a condition, not an operand."""
    match node:
        case syntax.Binary(operator=operator):
            return operator in ORDERINGS or operator in _EQUALITIES
        case syntax.Call(function=function):
            return function in TESTS
        case _:
            return isinstance(node, (*_CONDITIONS, syntax.IsType))


def _bounded(tree: trees.Condition, size: int) -> _Made:
    if size > STATEMENT_CONDITION_OPERATORS_MAX:
        raise too_many_operators(size)
    return _Made(tree, size)


def _negated(made: _Made) -> _Made:
    if isinstance(made.tree, trees.Not):
        return _Made(made.tree.condition, made.size)
    return _bounded(trees.Not(made.tree), made.size + 1)


def _either(made: _Made, if_true: _Made, if_false: _Made) -> _Made:
    """If a condition holds, the second one must hold; if not, the third one."""
    negated = _negated(made)
    tree = trees.Or(
        (trees.And((made.tree, if_true.tree)), trees.And((negated.tree, if_false.tree)))
    )
    return _bounded(tree, 2 * made.size + if_true.size + if_false.size + 4)


def _flat(
    conditions: list[trees.Condition], kind: type[trees.And] | type[trees.Or]
) -> list[trees.Condition]:
    """The conditions, with inner AND or OR of the same kind flattened."""
    found: list[trees.Condition] = []
    for each in conditions:
        found += each.conditions if isinstance(each, kind) and each.conditions else (each,)
    return found
