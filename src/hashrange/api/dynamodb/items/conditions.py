"""The condition of a write, tested against the item before it, and other options of writes."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec

from hashrange.api.steps.operation import ChargedError
from hashrange.capacity.units import write_units
from hashrange.errors import Fault, invalid
from hashrange.expressions.attribute_updates import expected_condition
from hashrange.expressions.program import (
    Condition,
    ExpressionShape,
    Projection,
    Sources,
    Update,
    check_presence,
    shape_and_constants,
)
from hashrange.messages.items.operations import condition_failed, return_values_old_only
from hashrange.messages.items.queries import nested_index_key, nested_key
from hashrange.model.structures.dynamodb import ExpectedAttributeValue
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.vector_entries import charged_bytes


class Conditional(Protocol):
    """A request whose only expression is a condition."""

    @property
    def expected(self) -> dict[str, ExpectedAttributeValue] | None:
        """As sent."""

    @property
    def conditional_operator(self) -> str | None:
        """As sent."""

    @property
    def condition_expression(self) -> str | None:
        """As sent."""

    @property
    def expression_attribute_names(self) -> dict[str, str] | None:
        """As sent."""

    @property
    def expression_attribute_values(self) -> dict[str, AttributeValue] | None:
        """As sent."""

    @property
    def return_values_on_condition_check_failure(self) -> str | None:
        """As sent."""


class Guard(msgspec.Struct, frozen=True):
    """A write's condition; `return_old` is ReturnValuesOnConditionCheckFailure=ALL_OLD."""

    condition: Condition | None
    return_old: bool = False

    def admit(self, before: Image | None, table: OpenTable) -> Item | None:
        """Test the condition.

        Returns:
            The parsed item before the write; None if there is no condition.

        Raises:
            ChargedError: ConditionalCheckFailedException, which costs as much as a write of the
                item.
        """
        if self.condition is None:
            return None
        item = {} if before is None else before.item()
        if self.condition.holds(item):
            return item
        members = None
        if before is not None and self.return_old:
            members = {"Item": msgspec.Raw(before.json)}
        raise ChargedError(
            Fault.CONDITION_FAILED,
            condition_failed(),
            members=members,
            write_units=write_units(0 if before is None else charged_bytes(table.table, before)),
        )


def check_condition_presence(request: Conditional) -> None:
    """Refuse names and values without a condition; before item and key are checked."""
    if request.condition_expression is None:
        names, values = request.expression_attribute_names, request.expression_attribute_values
        check_presence(_NO_SOURCES, names, values)


class GuardShape(msgspec.Struct, frozen=True):
    """The condition of all requests of a shape, without values.

    Attributes:
        plan: the compiled expression; None if there is none.
        guard: the condition of requests without an expression.
        return_old: as in `Guard`.
    """

    plan: ExpressionShape | None
    guard: Guard
    return_old: bool

    def bound(self, values: Mapping[str, AttributeValue] | None) -> Guard:
        """The condition with the values of a request. Raises ValidationException, as `bind`."""
        if self.plan is None:
            return self.guard
        condition = self.plan.program.condition
        assert condition is not None, "the only expression"
        return Guard(condition.bound(self.plan.constants(values, Wording.CURRENT)), self.return_old)


def guard_shape(request: Conditional) -> GuardShape:
    """Compile the condition of a request. Raises ValidationException."""
    text, expected = request.condition_expression, request.expected
    return_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    if text is not None:
        names, values = request.expression_attribute_names, request.expression_attribute_values
        plan, _ = shape_and_constants(
            Sources(condition=text), names, values, wording=Wording.CURRENT
        )
        return GuardShape(plan, UNGUARDED, return_old)
    guard = UNGUARDED
    if expected is not None:
        guard = Guard(expected_condition(expected, request.conditional_operator), return_old)
    return GuardShape(None, guard, return_old)


def check_scalar_keys(condition: Condition | None, table: OpenTable) -> None:
    """Refuse a document path below a key attribute of the table or an index: keys are scalars."""
    if condition is not None and condition.nested:
        _check_roots(condition.nested, table)


def check_scalar_reads(update: Update, table: OpenTable) -> None:
    """Refuse an update that reads a document path below a key attribute."""
    if update.nested:
        _check_roots(update.nested, table)


def check_scalar_projection(projection: Projection | None, table: OpenTable) -> None:
    """Refuse a projection of a document path below a key attribute."""
    if projection is not None and projection.below is not None:
        _check_roots([name for name, tree in projection.below if tree is not None], table)


def _check_roots(roots: Sequence[str], table: OpenTable) -> None:
    """Refuse roots of paths that are key attributes; first those of the table."""
    for name in roots:
        if name in table.key_names:
            raise invalid(nested_key(name))
    for name in roots:
        if name in table.index_key_names:
            raise invalid(nested_index_key(name))


UNGUARDED: Final = Guard(None)
"""The guard of a write without a condition."""
_NO_SOURCES: Final = Sources()


class SingleItemWrite(Protocol):
    """The members that PutItem, UpdateItem and DeleteItem share."""

    @property
    def return_values(self) -> str | None:
        """As sent; None is NONE."""

    @property
    def return_consumed_capacity(self) -> str | None:
        """As sent; None is NONE."""

    @property
    def return_item_collection_metrics(self) -> str | None:
        """As sent; None is NONE."""

    @property
    def return_values_on_condition_check_failure(self) -> str | None:
        """As sent; None is NONE."""


class Options(msgspec.Struct, frozen=True):
    """The options of a request.

    Attributes:
        table_names: the name of the table, as sent.
        returns: ReturnValues; NONE if it is absent.
        returns_old_on_failure: return the item if the condition fails.
        capacity: ReturnConsumedCapacity.
        metrics: return the metrics of the item's collection.
        is_brief: neither capacity nor metrics.
    """

    table_names: tuple[str]
    returns: str
    returns_old_on_failure: bool
    capacity: str | None
    metrics: bool
    is_brief: bool


def options_of(table_name: str, request: SingleItemWrite) -> Options:
    """The options of a request whose members are valid."""
    returns = request.return_values or "NONE"
    capacity = request.return_consumed_capacity
    metrics = request.return_item_collection_metrics == "SIZE"
    return Options(
        (table_name,),
        returns,
        returns_old_on_failure=request.return_values_on_condition_check_failure == "ALL_OLD",
        capacity=capacity,
        metrics=metrics,
        is_brief=capacity is None and not metrics,
    )


def check_returns_only_old(options: Options) -> None:
    """Refuse ReturnValues that needs the item after the write. Raises ValidationException."""
    if options.returns not in {"NONE", "ALL_OLD"}:
        raise invalid(return_values_old_only())
