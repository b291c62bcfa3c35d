"""Differences between the tables of a model and those of a server."""

from typing import Any, Final

from hashrange.tools.checking.findings import Finding
from hashrange.tools.copying.definitions import Definition, definition_of, differences
from hashrange.tools.copying.place import Place, RefusedError, TableRef, ask
from hashrange.tools.copying.tables import definition_of_table, describe_table
from hashrange.tools.definition import TableDefinition

_ABSENT: Final = ("UnknownOperationException", "AccessDeniedException")


async def drift_of(table: TableDefinition, place: Place, ref: TableRef) -> list[Finding]:
    """The differences of a table. Raises CopyError.

    Args:
        table: the table of the model.
        place: the server.
        ref: the table there.
    """
    subject = f"table {table.name}"
    shown = await describe_table(place, ref)
    if shown is None:
        return [Finding(kind="drift", place=subject, text="the server has no such table")]
    actual = await definition_of_table(place, ref, shown)
    wanted = wanted_definition(table)
    for member in ("SSESpecification", *(() if table.request.get("Tags") else ("Tags",))):
        wanted.pop(member, None)
        actual.pop(member, None)
    texts = differences(wanted, actual)
    if table.recovery_days is not None and not await _has_recovery(place, ref):
        texts.append("point-in-time recovery is off")
    return [Finding(kind="drift", place=subject, text=text) for text in texts]


def wanted_definition(table: TableDefinition) -> Definition:
    """The definition of a table of a model, in the normal form of copies."""
    request = table.request
    shown: dict[str, Any] = {
        **request,
        "BillingModeSummary": {"BillingMode": request.get("BillingMode")},
        "TableClassSummary": {"TableClass": request.get("TableClass")},
    }
    expiry = (
        {"TimeToLiveStatus": "ENABLED", "AttributeName": table.time_to_live}
        if table.time_to_live
        else {}
    )
    return definition_of(shown, request.get("Tags") or (), expiry)


async def _has_recovery(place: Place, ref: TableRef) -> bool:
    request = {"TableName": ref.name}
    try:
        answer = await ask(place, ref.caller, "DescribeContinuousBackups", request)
    except RefusedError as error:
        if error.code in _ABSENT:
            return False
        raise
    described = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription") or {}
    return described.get("PointInTimeRecoveryStatus") == "ENABLED"
