"""Names of tables in transactions: each action has one, a name or an ARN."""

import re
from typing import Final, Protocol, TypeVar

import msgspec

from hashrange.limits import TABLE_NAME_CHARS_MAX
from hashrange.operations.pipeline.constraints import NAME_PATTERN
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import length, matches

TABLE_NAME: Final = (
    matches("table_name", NAME_PATTERN),
    length("table_name", 1, TABLE_NAME_CHARS_MAX),
)
"""Rows about a name; an ARN breaks them."""

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


class Named(Protocol):
    """An action, a Struct."""

    @property
    def table_name(self) -> str | None:
        """As sent."""


N = TypeVar("N", bound=msgspec.Struct)


def is_table(name_or_arn: str | None) -> bool:
    """Whether it could be a table's name or ARN; what is absent is told by others."""
    if name_or_arn is None:
        return True
    if _matches(name_or_arn) is not None and len(name_or_arn) <= TABLE_NAME_CHARS_MAX:
        return True
    return table_name_of(name_or_arn) != name_or_arn


def with_name(action: N | None) -> N | None:
    """An action with the name of its table where it had an ARN, so that `TABLE_NAME` fits it."""
    name = getattr(action, "table_name", None)
    if action is None or name is None:
        return action
    return msgspec.structs.replace(action, table_name=table_name_of(name))
