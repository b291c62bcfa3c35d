"""TableName as the operations on tables check it: before all else."""

import re
from typing import Final

import msgspec

from hashrange.errors import DynamoError, invalid
from hashrange.limits import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages.requests import constraints
from hashrange.messages.tables import operations as messages
from hashrange.operations.pipeline.constraints import NAME_PATTERN
from hashrange.tables.catalog import not_found
from hashrange.wire.arns import table_name_of

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


class TableReference(msgspec.Struct, frozen=True):
    """A table that a request names: as sent, perhaps by its ARN, and its plain name."""

    sent: str
    name: str

    @property
    def table_names(self) -> tuple[str]:
        """See `accesses.OnTables`."""
        return (self.sent,)


class TableReferences(msgspec.Struct, frozen=True):
    """The tables that a request names, as sent; it need not name any."""

    table_names: tuple[str, ...]


def existing_tables(name_or_arn: str | None) -> TableReferences:
    """The table of an operation that may do without; see `existing_table_name`."""
    if name_or_arn is None:
        return TableReferences(())
    return TableReferences(existing_table(name_or_arn).table_names)


def existing_table(name_or_arn: str | None) -> TableReference:
    """The table of an operation on an existing one; see `existing_table_name`."""
    name = existing_table_name(name_or_arn)
    return TableReference(str(name_or_arn), name)


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


def no_such_table(name_or_arn: str) -> DynamoError:
    """The ResourceNotFoundException of the operations on tables, which names the table."""
    return not_found(table_name_of(name_or_arn))
