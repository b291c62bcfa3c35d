"""A permission: an action on a resource, with the condition keys that policies may test. Pure.

Source: Developer Guide, "Using IAM policy conditions for fine-grained access control"; Service
Authorization Reference, "Condition keys for Amazon DynamoDB".
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from hashrange.expressions.program import Condition, Projection, Update
from hashrange.model.values import AttributeValue
from hashrange.operations.pipeline.accesses import Access, Resource
from hashrange.policies.variables import Context

_PARTITION_KEYS: Final = (
    "dynamodb:firstpartitionkeyvalues",
    "dynamodb:secondpartitionkeyvalues",
    "dynamodb:thirdpartitionkeyvalues",
    "dynamodb:fourthpartitionkeyvalues",
)
_NONE: Final = "NONE"


class Permission(msgspec.Struct, frozen=True):
    """What a policy must allow; a request needs all of its permissions.

    Attributes:
        context: the condition keys of the request, in lower case; those of its caller, of the
            connection and of the resource's tags are not in it.
    """

    access: Access
    context: Context


def on_table(
    action: str,
    table_name: str,
    *,
    partitions: Sequence[Sequence[AttributeValue]] = (),
    names: Iterable[str] = (),
    options: Context,
) -> Permission:
    """A permission on a table.

    Args:
        action: without the prefix `dynamodb:`.
        table_name: as sent.
        partitions: the values of the partition key, of each item that is named.
        names: top-level attributes that the request names, anywhere.
        options: the other condition keys.
    """
    access = Access(action, Resource("table", table_name))
    return Permission(access, context_of(partitions, names, options))


def context_of(
    partitions: Sequence[Sequence[AttributeValue]], names: Iterable[str], options: Context
) -> Context:
    """The condition keys of a request; arguments as of `on_table`."""
    context = dict(options)
    attributes = tuple(dict.fromkeys(names))
    if attributes:
        context["dynamodb:attributes"] = attributes
    if not partitions:
        return context
    columns: list[tuple[str, ...]]
    if len(partitions) == 1:
        columns = [(_text(value),) for value in partitions[0]]
    else:
        columns = [tuple(dict.fromkeys(map(_text, each))) for each in zip(*partitions, strict=True)]
    context["dynamodb:leadingkeys"] = columns[0]
    return context | dict(zip(_PARTITION_KEYS, columns, strict=False))


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


def updated(update: Update | None) -> Sequence[str]:
    """The attributes that an update names, to write or to read."""
    return () if update is None else (*update.targets, *update.shape.read)


def consumed(detail: str | None) -> str:
    """ReturnConsumedCapacity, or its default."""
    return detail or _NONE


def returned(returns: str, *, old_on_failure: bool) -> Sequence[str]:
    """The values of ReturnValues that a policy must allow, each by itself.

    ReturnValuesOnConditionCheckFailure has no key of its own: it shows what ALL_OLD shows.
    """
    if not old_on_failure:
        return (returns,)
    return ("ALL_OLD",) if returns in {_NONE, "ALL_OLD"} else (returns, "ALL_OLD")
