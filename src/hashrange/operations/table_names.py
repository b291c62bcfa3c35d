"""TableName as the operations on tables check it: in words of their own, before all else."""

import re
from typing import Final

from hashrange.errors import invalid
from hashrange.limits import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages import constraints
from hashrange.messages import tables as messages
from hashrange.operations.constraints import NAME_PATTERN
from hashrange.wire.arns import table_name_of

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


def existing_table_name(name_or_arn: str | None) -> str:
    """The name that an operation on an existing table was given, as a name or in an ARN."""
    name = new_table_name(name_or_arn)
    if not TABLE_NAME_CHARS_MIN <= len(name) <= TABLE_NAME_CHARS_MAX:
        raise invalid(messages.name_length())
    if not _matches(name):
        broken = constraints.pattern(NAME_PATTERN)
        raise invalid(constraints.enveloped(constraints.value_echoed(name, "tableName", broken)))
    return name


def new_table_name(name_or_arn: str | None) -> str:
    """The name that CreateTable was given; what it may be is a constraint of the model there."""
    if name_or_arn is None:
        raise invalid(messages.name_required())
    return table_name_of(name_or_arn)
