"""A permission: an action on a resource, with the condition keys that policies may test. Pure.

Source: Developer Guide, "Using IAM policy conditions for fine-grained access control"; Service
Authorization Reference, "Condition keys for Amazon DynamoDB".
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

import msgspec

from hashrange.access.policies.variables import Context
from hashrange.api.steps.accesses import Access, on_table
from hashrange.expressions.program import Condition, Projection, Update
from hashrange.model.values import AttributeValue

_LEADING_KEYS: Final = "dynamodb:leadingkeys"
_ATTRIBUTES: Final = "dynamodb:attributes"
_FIRST_VALUES: Final = "dynamodb:firstpartitionkeyvalues"
_PARTITION_KEYS: Final = (
    _FIRST_VALUES,
    "dynamodb:secondpartitionkeyvalues",
    "dynamodb:thirdpartitionkeyvalues",
    "dynamodb:fourthpartitionkeyvalues",
)
_KEY_VALUES: Final = frozenset({_LEADING_KEYS, *_PARTITION_KEYS})
ALL_KEYS: Final = _KEY_VALUES | {_ATTRIBUTES}
"""The condition keys that are only computed if policies look at them: they depend on values."""
_NONE: Final = "NONE"


Asked: TypeAlias = AbstractSet[str]
"""The condition keys that policies look at."""


class Permission(msgspec.Struct, frozen=True):
    """An access that a policy must allow; a request needs all of its permissions.

    Attributes:
        context: the condition keys of the request, in lower case; those of its caller, of the
            connection and of the resource's tags are not in it.
    """

    access: Access
    context: Context


def permission_on_table(
    action: str,
    table_name: str,
    asked: Asked,
    *,
    partitions: Sequence[Sequence[AttributeValue]] = (),
    names: Iterable[str] = (),
    options: dict[str, tuple[str, ...]],
) -> Permission:
    """A permission on a table.

    Args:
        action: without the prefix `dynamodb:`.
        table_name: as sent.
        asked: the condition keys that policies look at; of `ALL_KEYS` the others are left out.
        partitions: the values of the partition key, of each item that is named.
        names: top-level attributes that the request names, anywhere.
        options: the other condition keys; changed.
    """
    context = context_of(asked, partitions, names, options)
    return Permission(on_table(action, table_name), context)


def context_of(
    asked: Asked,
    partitions: Sequence[Sequence[AttributeValue]],
    names: Iterable[str],
    options: dict[str, tuple[str, ...]],
) -> Context:
    """The condition keys of a request; arguments as of `permission_on_table`."""
    if _ATTRIBUTES in asked:
        attributes = tuple(dict.fromkeys(names))
        if attributes:
            options[_ATTRIBUTES] = attributes
    if partitions and not asked.isdisjoint(_KEY_VALUES):
        options.update(_key_values(partitions))
    return options


def _key_values(partitions: Sequence[Sequence[AttributeValue]]) -> Context:
    """The condition keys of the partition keys of a request."""
    first = partitions[0]
    if len(partitions) == 1 and len(first) == 1:
        column = (_text(first[0]),)
        return {_LEADING_KEYS: column, _FIRST_VALUES: column}
    columns = [tuple(dict.fromkeys(map(_text, each))) for each in zip(*partitions, strict=True)]
    return {_LEADING_KEYS: columns[0], **dict(zip(_PARTITION_KEYS, columns, strict=False))}


def _text(value: AttributeValue) -> str:
    """A value of a key: a number in its canonical form, binary in base64."""
    (text,) = value.values()
    assert isinstance(text, str), "no key has another type"
    return text


def selection(projection: Projection | None) -> str:
    """Select of an operation that has no such parameter."""
    return "ALL_ATTRIBUTES" if projection is None else "SPECIFIC_ATTRIBUTES"


def projected(projection: Projection | None) -> Sequence[str]:
    """The attributes that a projection names."""
    return () if projection is None else projection.names


def tested(condition: Condition | None) -> Iterable[str]:
    """The attributes that a condition or a filter names."""
    return () if condition is None else (str(path[0]) for path in condition.paths)


def named_by_update(update: Update | None) -> Sequence[str]:
    """The attributes that an update names, to write or to read."""
    return () if update is None else (*update.targets, *update.shape.read)


def consumed_option(detail: str | None) -> str:
    """ReturnConsumedCapacity, or its default."""
    return detail or _NONE


def returned(returns: str, *, old_on_failure: bool) -> Sequence[str]:
    """The values of ReturnValues that a policy must allow, each by itself.

    ReturnValuesOnConditionCheckFailure has no key of its own: it shows what ALL_OLD shows.
    """
    if not old_on_failure:
        return (returns,)
    return ("ALL_OLD",) if returns in {_NONE, "ALL_OLD"} else (returns, "ALL_OLD")


class Group:
    """Common parts of actions of a transaction that differ in their keys and attributes."""

    __slots__ = ("names", "partitions")

    def __init__(self) -> None:
        self.partitions: list[tuple[AttributeValue]] = []
        self.names: dict[str, None] = {}

    def add(self, partition: AttributeValue, names: Iterable[str]) -> None:
        """An action on an item with this partition key, and the attributes that it names."""
        self.partitions.append((partition,))
        self.names.update(dict.fromkeys(names))
