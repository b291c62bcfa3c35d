"""Compiles conditions into predicates, for conditional writes and for filters."""

from typing import assert_never

import msgspec

from hashrange.expressions.comparisons import Test, between, comparison, membership
from hashrange.expressions.condition_checks import leaves, operands_of
from hashrange.expressions.functions import TESTS
from hashrange.expressions.operands import Constants, roots_of_nested, walked
from hashrange.expressions.readers import Derivations, Document
from hashrange.expressions.syntax import (
    And,
    Between,
    Call,
    Comparison,
    Element,
    In,
    Not,
    Or,
    Path,
)
from hashrange.expressions.syntax import Condition as Tree
from hashrange.model.values import Item


class Condition(msgspec.Struct, frozen=True):
    """A condition with its constants."""

    test: Test
    constants: Constants
    paths: tuple[tuple[Element, ...], ...]
    """The document paths that it reads, each once, in the order of the text."""
    nested: tuple[str, ...] = ()
    """The top-level attributes of those paths that have more than one element."""

    def holds(self, item: Item) -> bool:
        """Whether a canonical item fulfils the condition; `{}` stands for a missing item."""
        return self.test(item, self.constants)


class ConditionShape(msgspec.Struct, frozen=True):
    """A condition without its constants."""

    test: Test
    paths: tuple[tuple[Element, ...], ...]
    nested: tuple[str, ...]

    def bound(self, constants: Constants) -> Condition:
        """The condition with the constants of a request."""
        return Condition(self.test, constants, self.paths, self.nested)


def condition_shape(tree: Tree, derivations: Derivations) -> ConditionShape:
    """Compile a condition that `check_condition` has accepted."""
    operands = [operand for leaf in leaves(tree) for operand in walked(operands_of(leaf))]
    paths = dict.fromkeys(operand.elements for operand in operands if isinstance(operand, Path))
    return ConditionShape(_test(tree, derivations), tuple(paths), roots_of_nested(paths))


def _test(tree: Tree, derivations: Derivations) -> Test:
    match tree:
        case Comparison():
            test = comparison(tree, derivations)
        case Call(function, operands):
            test = TESTS[function](operands, derivations)
        case And(conditions):
            test = _all(_tests(conditions, derivations))
        case Or(conditions):
            test = _any(_tests(conditions, derivations))
        case Not(condition):
            test = _negated(_test(condition, derivations))
        case Between():
            test = between(tree, derivations)
        case In():
            test = membership(tree)
        case _:
            assert_never(tree)
    return test


def _tests(conditions: tuple[Tree, ...], derivations: Derivations) -> list[Test]:
    """The predicates of distinct conditions; a repeated one could compare large values again."""
    return [_test(condition, derivations) for condition in dict.fromkeys(conditions)]


def _negated(test: Test) -> Test:
    return lambda item, constants: not test(item, constants)


def _all(tests: list[Test]) -> Test:
    match tests:
        case [only]:
            return only
        case [first, second]:
            return lambda item, constants: first(item, constants) and second(item, constants)
        case _:

            def every(item: Document, constants: Constants) -> bool:
                for test in tests:  # noqa: SIM110 - a generator costs as much as three tests
                    if not test(item, constants):
                        return False
                return True

            return every


def _any(tests: list[Test]) -> Test:
    match tests:
        case [only]:
            return only
        case [first, second]:
            return lambda item, constants: first(item, constants) or second(item, constants)
        case _:

            def some(item: Document, constants: Constants) -> bool:
                for test in tests:  # noqa: SIM110 - a generator costs as much as three tests
                    if test(item, constants):
                        return True
                return False

            return some
