"""Checks of TableName in operations on tables, which come before all other checks."""

import re
from typing import Final

import msgspec

from hashrange.api.pipeline.constraints import NAME_PATTERN
from hashrange.errors import DynamoError, invalid
from hashrange.limits.tables import TABLE_NAME_CHARS_MAX, TABLE_NAME_CHARS_MIN
from hashrange.messages import wire
from hashrange.messages.tables import operations as messages
from hashrange.tables.catalog.catalog import not_found
from hashrange.wire.arns import table_name_of

_matches: Final = re.compile(NAME_PATTERN, re.ASCII).fullmatch


class TableReference(msgspec.Struct, frozen=True):
    """A table in a request: its name or ARN as sent, and its name."""

    sent: str
    name: str

    @property
    def table_names(self) -> tuple[str]:
        """The name or ARN, as sent."""
        return (self.sent,)


class TableReferences(msgspec.Struct, frozen=True):
    """The tables of a request, names or ARNs as sent; may be empty."""

    table_names: tuple[str, ...]


def existing_tables(name_or_arn: str | None) -> TableReferences:
    """The table of an operation whose TableName is optional. Raises as `existing_table_name`."""
    if name_or_arn is None:
        return TableReferences(())
    return TableReferences(existing_table(name_or_arn).table_names)


def existing_table(name_or_arn: str | None) -> TableReference:
    """The table of an operation on an existing table. Raises as `existing_table_name`."""
    name = existing_table_name(name_or_arn)
    return TableReference(str(name_or_arn), name)


def existing_table_name(name_or_arn: str | None) -> str:
    """The name of an existing table, from a name or an ARN. Raises ValidationException.

    The texts are the model's. Source: measured by users, October 2026; older captures have another
    text for the length, number 6 of docs/internals/messages.md.
    """
    name = new_table_name(name_or_arn)
    broken = []
    if len(name) < TABLE_NAME_CHARS_MIN:
        broken.append(wire.length_at_least(TABLE_NAME_CHARS_MIN))
    elif len(name) > TABLE_NAME_CHARS_MAX:
        broken.append(wire.length_at_most(TABLE_NAME_CHARS_MAX))
    if not _matches(name):
        broken.append(wire.pattern(NAME_PATTERN))
    if broken:
        violations = [wire.value_echoed(name, "tableName", each) for each in broken]
        raise invalid(wire.envelope(violations))
    return name


def new_table_name(name_or_arn: str | None) -> str:
    """The name of a new table, from a name or an ARN; the model's constraints are not checked."""
    if name_or_arn is None:
        raise invalid(messages.name_required())
    return table_name_of(name_or_arn)


def no_such_table(name_or_arn: str) -> DynamoError:
    """The ResourceNotFoundException of the operations on tables, which names the table."""
    return not_found(table_name_of(name_or_arn))
