"""TableName as the operations on tables check it: before all else."""

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
    """The name that an operation on an existing table was given, as a name or in an ARN.

    The words are the model's. Source: measured by users, October 2026; older captures have a
    text of their own for the length, catalogue 6.
    """
    name = new_table_name(name_or_arn)
    broken = []
    if len(name) < TABLE_NAME_CHARS_MIN:
        broken.append(constraints.length_at_least(TABLE_NAME_CHARS_MIN))
    elif len(name) > TABLE_NAME_CHARS_MAX:
        broken.append(constraints.length_at_most(TABLE_NAME_CHARS_MAX))
    if not _matches(name):
        broken.append(constraints.pattern(NAME_PATTERN))
    if broken:
        told = [constraints.value_echoed(name, "tableName", each) for each in broken]
        raise invalid(constraints.envelope(told))
    return name


def new_table_name(name_or_arn: str | None) -> str:
    """The name that CreateTable was given; what it may be is a constraint of the model there."""
    if name_or_arn is None:
        raise invalid(messages.name_required())
    return table_name_of(name_or_arn)
