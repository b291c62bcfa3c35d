"""The condition of a write, tested against the item before it."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, Protocol

import msgspec

from hashrange.errors import DynamoError, Fault, invalid
from hashrange.expressions.expected import expected_condition
from hashrange.expressions.program import (
    Condition,
    Projection,
    Sources,
    Update,
    bind,
    check_presence,
)
from hashrange.messages.items import condition_failed
from hashrange.messages.queries import nested_index_key, nested_key
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.tables.images import Image
from hashrange.tables.opened import OpenTable


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

    def admit(self, before: Image | None) -> Item | None:
        """The item before, parsed if the condition had to look at it.

        Raises ConditionalCheckFailedException, which carries the item's bytes: they are charged.
        """
        if self.condition is None:
            return None
        item = {} if before is None else before.item()
        if self.condition.holds(item):
            return item
        members = None
        if before is not None and self.return_old:
            members = {"Item": msgspec.Raw(before.json)}
        raise DynamoError(
            Fault.CONDITION_FAILED,
            condition_failed(),
            members=members,
            charged_bytes=0 if before is None else before.size,
        )


def check_condition_presence(request: Conditional) -> None:
    """Refuse names and values without a condition, before item and key are looked at."""
    if request.condition_expression is None:
        names, values = request.expression_attribute_names, request.expression_attribute_values
        check_presence(_NO_SOURCES, names, values)


def is_plain(request: Conditional) -> bool:
    """Whether a write says nothing of a condition, in no style, nor has names and values for it."""
    return _condition_sent(request) == _NOTHING_SENT


def guard_of(request: Conditional) -> Guard:
    """The condition of a request. Raises ValidationException."""
    text, expected = request.condition_expression, request.expected
    return_old = request.return_values_on_condition_check_failure == "ALL_OLD"
    if text is not None:
        names, values = request.expression_attribute_names, request.expression_attribute_values
        bound = bind(Sources(condition=text), names, values, wording=Wording.CURRENT)
        return Guard(bound.condition, return_old)
    if expected is not None:
        return Guard(expected_condition(expected, request.conditional_operator), return_old)
    return UNGUARDED


def check_scalar_keys(condition: Condition | None, table: OpenTable) -> None:
    """Refuse a document path below an attribute of a key, of indexes too: keys are scalars."""
    if condition is not None and condition.nested:
        _check_roots(condition.nested, table)


def check_scalar_reads(update: Update, table: OpenTable) -> None:
    """Refuse an update that reads below an attribute of a key."""
    if update.nested:
        _check_roots(update.nested, table)


def check_scalar_projection(projection: Projection | None, table: OpenTable) -> None:
    """Refuse a projection on something below an attribute of a key."""
    if projection is not None and projection.below is not None:
        _check_roots([name for name, tree in projection.below if tree is not None], table)


def _check_roots(roots: Sequence[str], table: OpenTable) -> None:
    """Attributes that paths lead below; the table's key goes before those of its indexes."""
    for name in roots:
        if name in table.key_names:
            raise invalid(nested_key(name))
    for name in roots:
        if name in table.index_key_names:
            raise invalid(nested_index_key(name))


UNGUARDED: Final = Guard(None)
"""Of a write without a condition."""
_condition_sent: Final = attrgetter(
    "expected",
    "conditional_operator",
    "condition_expression",
    "expression_attribute_names",
    "expression_attribute_values",
)
_NOTHING_SENT: Final = (None,) * 5
_NO_SOURCES: Final = Sources()
