"""GetResourcePolicy: resource policies are not built, so no table or stream has one."""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.limits import RESOURCE_ARN_CHARS_MAX
from hashrange.messages import unbuilt as messages
from hashrange.model.table import Table
from hashrange.operations.pipeline.accesses import Access, ResourceKind, on_arn
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext, TableMode
from hashrange.operations.streams.constraints import no_such_arn
from hashrange.operations.tables.table_names import no_such_table
from hashrange.streams.names import label_of
from hashrange.wire.arns import Arn, resource_of_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.rules import Form


class GetResourcePolicy(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None


_ROWS: Final = rows(required("resource_arn"), length("resource_arn", 1, RESOURCE_ARN_CHARS_MAX))


class CheckedGetResourcePolicy(msgspec.Struct, frozen=True):
    """The ARN as sent, and its parts."""

    text: str
    resource: Arn

    @property
    def table_names(self) -> tuple[str]:
        """The name of the table; the ARN may be that of a stream."""
        return (self.resource.table,)


def check(request: GetResourcePolicy) -> CheckedGetResourcePolicy:
    """Refuse an invalid ARN."""
    check_constraints(request, _ROWS, Form.MODEL)
    text = str(request.resource_arn)
    return CheckedGetResourcePolicy(text, resource_of_arn(text))


def accesses(checked: CheckedGetResourcePolicy) -> Iterable[Access]:
    """GetResourcePolicy on the table or the stream."""
    kind: ResourceKind = "table" if checked.resource.label is None else "stream"
    return on_arn("GetResourcePolicy", kind, checked.text)


def not_found(name_or_arn: str) -> DynamoError:
    """ResourceNotFoundException: of a table by its name, of another account's resource by ARN."""
    if name_or_arn.startswith("arn:"):
        return no_such_arn(name_or_arn)
    return no_such_table(name_or_arn)


def fit(checked: CheckedGetResourcePolicy, table: Table) -> str:
    """The ARN. Raises ResourceNotFoundException for a stream that does not exist."""
    resource = checked.resource
    if resource.label is not None:
        labels = {label_of(stream.created_ms) for stream in table.streams}
        if resource.label not in labels:
            text = messages.stream_not_found(resource.label, resource.table)
            raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    return checked.text


async def run(arn: str, _context: RequestContext) -> Outcome:
    """Raise PolicyNotFoundException."""
    raise DynamoError(Fault.POLICY_NOT_FOUND, messages.policy_not_found(arn))


OPERATION: Final = Operation(
    request=GetResourcePolicy,
    check=check,
    accesses=accesses,
    tables=TableMode.DEFINITION,
    while_deleting=True,
    not_found=not_found,
    fit=fit,
    run=run,
)
