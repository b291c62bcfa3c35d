"""Checks of the TableName of each action of a transaction, a name or an ARN."""

import re
from typing import Final, Protocol, TypeVar

import msgspec

from hashrange.api.pipeline.constraints import NAME_PATTERN
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX
from hashrange.wire.arns import table_name_of
from hashrange.wire.constraints import length, matches

TABLE_NAME: Final = (
    matches("table_name", NAME_PATTERN),
    length("table_name", 1, TABLE_NAME_CHARS_MAX),
)
"""Constraints of a name; an ARN breaks them."""

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


class Named(Protocol):
    """An action, a Struct."""

    @property
    def table_name(self) -> str | None:
        """As sent."""


N = TypeVar("N", bound=msgspec.Struct)


def is_table(name_or_arn: str | None) -> bool:
    """Whether it may be a name or an ARN of a table; another check refuses a missing name."""
    if name_or_arn is None:
        return True
    if _matches(name_or_arn) is not None and len(name_or_arn) <= TABLE_NAME_CHARS_MAX:
        return True
    return table_name_of(name_or_arn) != name_or_arn


def with_name(action: N | None) -> N | None:
    """An action with a name in the place of an ARN, so that it meets `TABLE_NAME`."""
    name = getattr(action, "table_name", None)
    if action is None or name is None:
        return action
    return msgspec.structs.replace(action, table_name=table_name_of(name))
