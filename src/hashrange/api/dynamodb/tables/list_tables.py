"""ListTables: the names of tables, page by page."""

from typing import Final

from hashrange.api.steps.accesses import on_anything
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.limits.tables import TABLES_PAGE_MAX
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import ListTables, ListTablesAnswer
from hashrange.tables.catalog.lifecycle import still_shown
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.model_constraints.dynamodb import LIST_TABLES_ROWS
from hashrange.wire.rules import Form


def check(request: ListTables) -> ListTables:
    """Refuse invalid members."""
    check_constraints(request, LIST_TABLES_ROWS, Form.MODEL)
    return request


async def run(request: ListTables, context: RequestContext) -> Outcome:
    """List a page of names, with tables that are still shown as DELETING."""
    catalog = context.catalog
    limit = request.limit or TABLES_PAGE_MAX
    after = request.exclusive_start_table_name
    names = await catalog.names(after, limit + 1)
    if context.transient_ms:
        going = {
            table.name
            for table in await catalog.dropped.tables()
            if still_shown(table, context.now_ms, context.transient_ms)
        }
        names = sorted({*names, *(name for name in going if after is None or name > after)})
    page = names[:limit]
    return Outcome(ListTablesAnswer(page, page[-1] if len(names) > limit else None))


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["ListTables"],
    request=ListTables,
    check=check,
    accesses=on_anything("ListTables"),
    run=run,
)
