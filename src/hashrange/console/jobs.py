"""The jobs that a caller may see: those of the kinds and tables that its policies let it list.

The routes of jobs are rows as those of operations, so the same policies decide; only their `run` is
another one.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from hashrange.api.dynamodb.backups.existing_backups import LIST_BACKUPS
from hashrange.api.dynamodb.exports.existing_exports import LIST_EXPORTS
from hashrange.api.dynamodb.imports.existing_bulk_operations import LIST_BULK_OPERATIONS
from hashrange.api.dynamodb.imports.existing_imports import LIST_IMPORTS
from hashrange.api.dynamodb.tables import describe_table
from hashrange.api.requests.pipeline import Pipeline
from hashrange.api.steps.operation import (
    AnyOperation,
    Caller,
    CallerContext,
    Outcome,
)
from hashrange.errors import DynamoError, Fault
from hashrange.tables.jobs.jobs import BACKUP, BULK, EXPORT, IMPORT, JobView

_DESCRIBE: Final = "DescribeTable"
_LISTS: Final = {
    BACKUP: "ListBackups",
    BULK: "ListBulkOperations",
    EXPORT: "ListExports",
    IMPORT: "ListImports",
}
"""The operation that lists jobs of a kind; the other kinds are parts of the table's description."""

_HIDDEN: Final = frozenset({Fault.ACCESS_DENIED, Fault.RESOURCE_NOT_FOUND})
"""A job may end with its table while the list is made."""


class Jobs(msgspec.Struct, frozen=True):
    """The answer of the route.

    Attributes:
        jobs: those that the caller may see.
        denied: the kinds of jobs that it may not list.
    """

    jobs: Sequence[JobView]
    denied: Sequence[str]


async def visible_jobs(found: Sequence[JobView], pipeline: Pipeline, caller: Caller) -> Jobs:
    """The jobs of `found` that a caller may see."""

    async def allows(name: str, **members: str) -> bool:
        request = _ROWS[name].request(**members)
        try:
            await pipeline.performer(name, caller, _ROWS)(request)
        except DynamoError as error:
            if error.fault not in _HIDDEN:
                raise
            return False
        return True

    denied = [kind for kind, name in sorted(_LISTS.items()) if not await allows(name)]
    shown = []
    for job in found:
        if job.kind in _LISTS:
            is_shown = job.kind not in denied
        else:
            is_shown = await allows(_DESCRIBE, table_name=job.table)
        if is_shown:
            shown.append(job)
    return Jobs(shown, denied)


async def _run(_plan: object, _context: CallerContext) -> Outcome:
    return Outcome(None)


_ROWS: Final[dict[str, AnyOperation]] = {
    name: msgspec.structs.replace(row, run=_run)
    for name, row in (
        ("ListBackups", LIST_BACKUPS),
        ("ListBulkOperations", LIST_BULK_OPERATIONS),
        ("ListExports", LIST_EXPORTS),
        ("ListImports", LIST_IMPORTS),
        (_DESCRIBE, describe_table.OPERATION),
    )
}
