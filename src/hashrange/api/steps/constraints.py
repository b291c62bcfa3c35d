"""Constraints of the API's model that several operations share."""

import re
from collections.abc import Iterable
from typing import Final

from hashrange.errors import DynamoError, invalid
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages import wire as messages
from hashrange.wire import enums
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import one_of, required
from hashrange.wire.rules import Form

NAME_PATTERN: Final = "[a-zA-Z0-9_.-]+"
"""The pattern of names of tables and indexes, as the service prints it."""

RETURN_CONSUMED_CAPACITY: Final = one_of(
    "return_consumed_capacity", enums.RETURN_CONSUMED_CAPACITY, form=Form.MODEL
)
RETURN_ITEM_COLLECTION_METRICS: Final = one_of(
    "return_item_collection_metrics", enums.RETURN_ITEM_COLLECTION_METRICS, form=Form.MODEL
)
RETURN_VALUES: Final = one_of("return_values", enums.RETURN_VALUE)
WRITE_ENUMS: Final = (
    RETURN_CONSUMED_CAPACITY,
    RETURN_VALUES,
    RETURN_ITEM_COLLECTION_METRICS,
    one_of(
        "return_values_on_condition_check_failure",
        enums.RETURN_VALUES_ON_CONDITION_CHECK_FAILURE,
        form=Form.MODEL,
    ),
)
"""The enums of PutItem, UpdateItem and DeleteItem, whose violations are listed together.

Only ReturnValues has the current form, which does not echo the value. Source: captures of the
service, September 2026; of the last, by analogy.
"""
KEY: Final = required("key")

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


def item_table(name_or_arn: str | None, *, echo_empty: bool = False) -> str:
    """Check TableName of an operation on items, before every other member.

    Args:
        name_or_arn: as sent.
        echo_empty: use the older layer's wording for an empty name.

    Returns:
        The name or ARN, as sent.

    Raises:
        DynamoError: ValidationException.
    """
    if name_or_arn is None:
        raise _refused(messages.value_null("tableName", messages.not_null()))
    if not name_or_arn:
        short = messages.length_at_least(1)
        if echo_empty:
            raise _refused(messages.value_echoed("", "tableName", short))
        raise _refused(messages.value_unechoed("TableName", short))
    if _matches(name_or_arn) is None or len(name_or_arn) > TABLE_NAME_CHARS_MAX:
        _check_odd_name(name_or_arn)
    return name_or_arn


def _check_odd_name(name_or_arn: str) -> None:
    if table_name_of(name_or_arn) != name_or_arn:
        return
    broken = messages.length_at_most(TABLE_NAME_CHARS_MAX)
    if len(name_or_arn) <= TABLE_NAME_CHARS_MAX:
        broken = messages.pattern(NAME_PATTERN)
    raise _refused(messages.value_echoed(name_or_arn, "tableName", broken))


def are_tables(names: Iterable[str]) -> bool:
    """Whether all are names or ARNs of tables."""
    return all(
        name.startswith("arn:")
        or (_matches(name) and TABLE_NAME_CHARS_MIN <= len(name) <= TABLE_NAME_CHARS_MAX)
        for name in names
    )


def _refused(violation: str) -> DynamoError:
    return invalid(messages.enveloped(violation), bare=True)
