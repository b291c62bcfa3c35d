"""The resources that LookupEvents names beside an event; its record may have others. Pure."""

from collections.abc import Iterator
from typing import Final

from hashrange.audit.events import TABLE_TYPE, Event

_NAMELESS: Final = frozenset(
    {
        "CreateBackup",
        "CreateGlobalTable",
        "DeleteBackup",
        "DescribeBackup",
        "DescribeContinuousBackups",
        "DescribeGlobalTable",
        "ListBackups",
        "ListGlobalTables",
        "RestoreTableToPointInTime",
        "UpdateGlobalTable",
    }
)
"""Operations whose events name nothing. Source: measured by users, September 2026."""
_PARAMETERS: Final = {
    "RestoreTableFromBackup": ("backupArn", "targetTableName"),
    "UpdateContinuousBackups": ("tableName",),
}
"""Operations whose events name what these members say, also what is refused or no table. Source:
measured by users, September 2026.
"""


def named_resources(event: Event) -> Iterator[tuple[str, str]]:
    """The types and names of the resources that LookupEvents shows."""
    if event.event_name in _NAMELESS:
        return
    members = _PARAMETERS.get(event.event_name)
    if members is None:
        for each in event.resources:
            yield each.type, each.arn.partition("/")[2]
        return
    parameters = event.request_parameters
    if isinstance(parameters, dict):
        names = [parameters.get(member) for member in members]
        yield from ((TABLE_TYPE, name) for name in names if isinstance(name, str))
