"""The expressions of a request, compiled and bound to its values: the interface for operations.

Compiled expressions are cached by shape (see `shapes`). A request of a cached shape costs one
look-up, the canonical forms of its values, and the few checks that depend on values.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.expressions.conditions import Condition, ConditionShape, condition_shape
from hashrange.expressions.key_conditions import KeyClause, key_clauses
from hashrange.expressions.operands import Constants
from hashrange.expressions.placeholders import check_names, check_values
from hashrange.expressions.projections import Projection
from hashrange.expressions.readers import Derivations
from hashrange.expressions.shapes import Program, Sources, program
from hashrange.expressions.syntax import Action
from hashrange.expressions.syntax import Condition as ConditionTree
from hashrange.expressions.updates import Update, update_shape
from hashrange.limits.requests import (
    EXPRESSION_SHAPE_CHARS_MAX,
    EXPRESSION_SHAPES_CHARS_MAX,
    EXPRESSION_SHAPES_MAX,
    PLACEHOLDERS_BYTES_MAX,
)
from hashrange.messages import expressions as messages
from hashrange.model.canonical import Sized, canonical_constants, plain_chars
from hashrange.model.sizes import text_bytes
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording

__all__ = [
    "Bound",
    "Condition",
    "ConditionShape",
    "Constants",
    "ExpressionShape",
    "KeyClause",
    "Projection",
    "Sources",
    "Update",
    "bind",
    "check_presence",
    "condition_of",
    "shape_and_constants",
    "update_of",
]


class Bound(msgspec.Struct, frozen=True):
    """The expressions of a request with its values; None for a missing expression."""

    condition: Condition | None
    filter: Condition | None
    key_condition: tuple[KeyClause, ...] | None
    update: Update | None
    projection: Projection | None


class ExpressionShape(msgspec.Struct, frozen=True):
    """The compiled expressions of all requests of one shape; its first request passed the checks.

    The methods that bind it to a request are `constants`, then `bound`.
    """

    program: Program
    names_bytes: int
    """Bytes of placeholders and names in ExpressionAttributeNames."""
    is_text: bool
    """The request has values, and all are strings."""
    is_free: bool
    """No check depends on values and none are derived: canonical values are the constants."""

    def constants(self, values: Mapping[str, AttributeValue] | None, wording: Wording) -> Constants:
        """The constants of a request of this shape: its canonical and its derived values.

        Raises DynamoError: the first fault of a value, as `bind` does.
        """
        if values is None:
            return self.checked(())
        # Strings are canonical as sent, and `_SHORT_CHARS` characters are within the limit.
        constants = tuple(values.values())
        if self.is_text and sum(map(len, map(_text, constants))) <= _SHORT_CHARS:
            return constants if self.is_free else self.checked(constants)
        chars = plain_chars(constants)
        if chars is not None and chars <= _SHORT_CHARS:
            return constants if self.is_free else self.checked(constants)
        try:
            sized = canonical_constants(values, wording)
        except DynamoError as error:
            raise _value_fault(values, wording, error) from error
        _check_size(sized, self.names_bytes)
        return self.checked(tuple(sized.item.values()))

    def checked(self, constants: Constants) -> Constants:
        """Run the checks that depend on values, and append the derived values.

        `constants` are the canonical values. Raises DynamoError: the first fault.
        """
        compiled = self.program
        for check in compiled.value_checks:
            check(constants)
        return constants if compiled.extend is None else compiled.extend(constants)

    def bound(self, constants: Constants) -> Bound:
        """The expressions with the constants of a request, as `constants` returns them."""
        compiled = self.program
        condition, filtering, keys = compiled.condition, compiled.filter, compiled.key_condition
        return Bound(
            None if condition is None else condition.bound(constants),
            None if filtering is None else filtering.bound(constants),
            None if keys is None else key_clauses(keys, constants),
            None if compiled.update is None else Update(compiled.update, constants),
            compiled.projection,
        )


def bind(
    sources: Sources,
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None,
    *,
    wording: Wording,
    absent: str = "",
) -> Bound:
    """Check everything about the expressions of a request that does not depend on a table.

    Args:
        sources: their texts.
        names: ExpressionAttributeNames.
        values: ExpressionAttributeValues as sent.
        wording: the validation layer that speaks for the operation.
        absent: the text that the older layer appends to the error if there are values but no
            expression to use them, such as `: FilterExpression is null`.

    Raises:
        DynamoError: the first fault in DynamoDB's order.
    """
    shape, constants = shape_and_constants(sources, names, values, wording=wording, absent=absent)
    return shape.bound(constants)


def shape_and_constants(
    sources: Sources,
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None,
    *,
    wording: Wording,
    absent: str = "",
) -> tuple[ExpressionShape, Constants]:
    """The two parts that `bind` joins: the cached shape, and the constants of this request.

    Arguments and errors are those of `bind`.
    """
    kinds = None if values is None else tuple(map(tuple, values.values()))
    cache_key = (
        sources,
        None if names is None else tuple(names.items()),
        None if values is None else tuple(values),
        kinds,
    )
    shape = _shapes.get(cache_key)
    if shape is not None:
        return shape, shape.constants(values, wording)
    sized = _NO_VALUES
    if values is not None:
        try:
            sized = canonical_constants(values, wording)
        except DynamoError as error:
            if error.fault is Fault.VALIDATION:
                _check_placeholders(sources, names, values, absent)
            raise _value_fault(values, wording, error) from error
    _check_placeholders(sources, names, values, absent)
    names_bytes = 0
    if names is not None:
        names_bytes = text_bytes("".join(chain(names, names.values())))
    _check_size(sized, names_bytes)
    compiled = program(sources, names or {}, sized.item)
    is_free = not compiled.value_checks and compiled.extend is None
    shape = ExpressionShape(compiled, names_bytes, set(kinds or ()) == {("S",)}, is_free)
    constants = tuple(sized.item.values())  # `program` has run the checks of values
    if compiled.extend is not None:
        constants = compiled.extend(constants)
    texts = filter(None, msgspec.structs.astuple(sources))
    chars = sum(map(len, chain(texts, values or ()))) + names_bytes
    _shapes.keep(cache_key, shape, chars)
    return shape, constants


def check_presence(
    sources: Sources,
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None,
    *,
    absent: str = "",
) -> None:
    """Refuse names and values that no expression can use; `bind` does so too.

    Operations that check an item or a key call this before, and `bind` after, in DynamoDB's
    order. Arguments and errors are those of `bind`.
    """
    if names is not None and sources.absent:
        raise invalid(messages.names_without_expression())
    if values is not None and sources == Sources(projection=sources.projection):
        raise invalid(messages.values_without_expression() + absent)


def condition_of(tree: ConditionTree, constants: Sequence[AttributeValue]) -> Condition:
    """Compile a condition that does not come from an expression.

    Args:
        tree: a checked tree.
        constants: canonical values by position.
    """
    derivations = Derivations([next(iter(value)) for value in constants])
    shape = condition_shape(tree, derivations)
    extend = derivations.extend()
    return shape.bound(tuple(constants) if extend is None else extend(tuple(constants)))


def update_of(actions: Sequence[Action], constants: Sequence[AttributeValue]) -> Update:
    """Compile an update that does not come from an expression.

    Args:
        actions: checked actions; no target twice.
        constants: canonical values by position.
    """
    return Update(update_shape(tuple(actions)), tuple(constants))


_shapes: Final = BoundedCache[Hashable, ExpressionShape](
    entries_max=EXPRESSION_SHAPES_MAX,
    chars_max=EXPRESSION_SHAPES_CHARS_MAX,
    entry_chars_max=EXPRESSION_SHAPE_CHARS_MAX,
)
_NO_VALUES: Final = Sized({}, 0)
_text: Final = itemgetter("S")
_SHORT_CHARS: Final = PLACEHOLDERS_BYTES_MAX // 8
"""Values of so few characters, at most 4 bytes each, fit beside the names of a cached shape."""
assert _SHORT_CHARS * 4 + EXPRESSION_SHAPE_CHARS_MAX * 4 <= PLACEHOLDERS_BYTES_MAX


def _check_placeholders(
    sources: Sources,
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None,
    absent: str,
) -> None:
    """Refuse placeholders without expressions, and invalid definitions."""
    check_presence(sources, names, values, absent=absent)
    if names is not None:
        check_names(names)
    if values is not None:
        check_values(values)


def _value_fault(
    values: Mapping[str, AttributeValue], wording: Wording, error: DynamoError
) -> DynamoError:
    """The error for a value in the layer's wording; the older layer names the placeholder."""
    if wording is Wording.CURRENT or error.fault is not Fault.VALIDATION:
        return error
    for placeholder, value in values.items():
        try:
            canonical_constants({placeholder: value}, wording)
        except DynamoError as fault:
            text = messages.value_invalid_older(fault.message or "", placeholder)
            return invalid(text, bare=fault.bare)
    return error


def _check_size(sized: Sized, names_bytes: int) -> None:
    if sized.bytes + names_bytes > PLACEHOLDERS_BYTES_MAX:
        raise invalid(messages.placeholders_too_large())
