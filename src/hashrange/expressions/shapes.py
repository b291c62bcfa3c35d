"""Parses, checks and compiles the expressions that all requests of one shape share.

Requests of one shape have the same texts, the same names, and values of the same types under the
same placeholders.
"""

from collections.abc import Callable, Mapping
from itertools import chain

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.clause_costs import clause_cost
from hashrange.expressions.condition_checks import check_condition
from hashrange.expressions.condition_grammar import condition
from hashrange.expressions.conditions import ConditionShape, condition_shape
from hashrange.expressions.key_conditions import KeyShape, key_shapes
from hashrange.expressions.operand_grammar import Reader
from hashrange.expressions.operands import Constants, Facts, ValueCheck
from hashrange.expressions.placeholders import Scope, undefined
from hashrange.expressions.projections import Projection, projection
from hashrange.expressions.readers import Derivations
from hashrange.expressions.search_conditions import SearchClause, search_clauses
from hashrange.expressions.syntax import Action, Condition, Path
from hashrange.expressions.tokens import Cursor
from hashrange.expressions.update_checks import check_overlaps, check_update
from hashrange.expressions.update_grammar import projection as projection_paths
from hashrange.expressions.update_grammar import update
from hashrange.expressions.updates import UpdateShape, update_shape
from hashrange.limits.requests import EXPRESSION_BYTES_MAX
from hashrange.messages import expressions as messages
from hashrange.model.values import Item

_CONDITION = "ConditionExpression"
_FILTER = "FilterExpression"
_KEY_CONDITION = "KeyConditionExpression"
_UPDATE = "UpdateExpression"
_PROJECTION = "ProjectionExpression"
_SEARCH = "SearchConditionExpression"


class Sources(msgspec.Struct, frozen=True):
    """The texts of the expressions that a request carries."""

    condition: str | None = None
    filter: str | None = None
    key_condition: str | None = None
    update: str | None = None
    projection: str | None = None
    search: str | None = None

    @property
    def absent(self) -> bool:
        """The request has no expressions."""
        return self == _NO_SOURCES


_NO_SOURCES = Sources()


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """The compiled expressions of a shape, without the values of a request."""

    condition: ConditionShape | None
    filter: ConditionShape | None
    key_condition: tuple[KeyShape, ...] | None
    update: UpdateShape | None
    projection: Projection | None
    search: tuple[SearchClause, ...] | None
    value_checks: tuple[ValueCheck, ...]
    """The checks that depend on the values of each request, in DynamoDB's order."""
    extend: Callable[[Constants], Constants] | None
    """Appends the derived values to the constants; None if there are none."""


def program(sources: Sources, names: Mapping[str, str], values: Item) -> Program:
    """Parse, check and compile the expressions of a request.

    Args:
        sources: their texts.
        names: names by placeholder.
        values: canonical values by placeholder; their order is that of the constants.

    Raises:
        DynamoError: the first fault in DynamoDB's order, faults of values included.
    """
    kinds = tuple(chain.from_iterable(values.values()))
    checker = _ExpressionChecker(Scope(names, values), kinds, tuple(values.values()))
    actions = tree = keyed = keys = filtering = paths = clauses = None
    if sources.update is not None:
        actions = checker.update(sources.update)
    if sources.condition is not None:
        tree = checker.condition(sources.condition, checker.facts(_CONDITION))
    if sources.key_condition is not None:
        facts = checker.facts(_KEY_CONDITION)
        keyed = checker.condition(sources.key_condition, facts), facts
    if sources.filter is not None:
        filtering = checker.condition(sources.filter, checker.facts(_FILTER))
    if sources.search is not None:
        facts = checker.facts(_SEARCH)
        clauses = search_clauses(checker.condition(sources.search, facts), facts)
    if sources.projection is not None:
        paths = checker.paths(sources.projection)
    if keyed is not None:
        keys = key_shapes(*keyed)
    checker.scope.check_all_used()
    derivations = Derivations(kinds)
    return Program(
        condition=None if tree is None else condition_shape(tree, derivations),
        filter=None if filtering is None else condition_shape(filtering, derivations),
        key_condition=keys,
        update=None if actions is None else update_shape(actions, clause_cost(actions)),
        projection=None if paths is None else projection(paths),
        search=clauses,
        value_checks=tuple(checker.value_checks),
        extend=derivations.extend(),
    )


class _ExpressionChecker(msgspec.Struct):
    """Parses and checks the expressions of one request, one after the other."""

    scope: Scope
    kinds: tuple[str, ...]
    """The types of the constants."""
    constants: Constants
    value_checks: list[ValueCheck] = msgspec.field(default_factory=list)

    def facts(self, label: str) -> Facts:
        """The context for the checks of the expression in the parameter `label`."""
        return Facts(label, self.kinds, self.constants, self.value_checks)

    def condition(self, text: str, facts: Facts) -> Condition:
        """A condition."""
        reader = self._reader(text, facts.label)
        read = condition(reader)
        check_condition(read, reader, facts)
        return read.tree

    def paths(self, text: str) -> list[Path]:
        """The paths of a projection."""
        reader = self._reader(text, _PROJECTION)
        paths = []
        read = projection_paths(reader)
        facts = self.facts(_PROJECTION)
        if reader.path_fault is not None:
            raise facts.refusal(reader.path_fault)
        for path in read:
            if not isinstance(path, Path):
                raise facts.refusal(undefined(path))
            paths.append(path)
        check_overlaps(paths, facts)
        return paths

    def update(self, text: str) -> tuple[Action, ...]:
        """The actions of an update."""
        reader = self._reader(text, _UPDATE)
        sections = update(reader)
        check_update(sections, reader, self.facts(_UPDATE))
        return sections.actions

    def _reader(self, text: str, label: str) -> Reader:
        if not text:
            raise invalid(messages.invalid_expression(label, messages.expression_empty()))
        size = len(text.encode())
        if size > EXPRESSION_BYTES_MAX:
            reason = messages.expression_too_large(size)
            if label == _UPDATE:
                reason = messages.update_too_large()
            raise invalid(messages.invalid_expression(label, reason))
        return Reader(Cursor(text, label), self.scope)
