"""GetResourcePolicy: resource policies are not built, so no table or stream has one."""

from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.limits import RESOURCE_ARN_CHARS_MAX
from hashrange.messages import absent as messages
from hashrange.operations.descriptions import made_table
from hashrange.operations.operation import Moment, Outcome, TableOperation
from hashrange.streams.names import label_of
from hashrange.tables.catalog import Catalog
from hashrange.wire.arns import Arn, resource_of_arn
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import length, required, rows
from hashrange.wire.rules import Form


class GetResourcePolicy(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    resource_arn: str | None = None


_ROWS: Final = rows(required("resource_arn"), length("resource_arn", 1, RESOURCE_ARN_CHARS_MAX))


class Checked(msgspec.Struct, frozen=True):
    """The ARN, as sent and in its parts."""

    text: str
    resource: Arn


def check(request: GetResourcePolicy) -> Checked:
    """See `TableOperation.check`."""
    check_constraints(request, _ROWS, Form.MODEL)
    text = str(request.resource_arn)
    return Checked(text, resource_of_arn(text))


async def run(checked: Checked, catalog: Catalog, moment: Moment) -> Outcome:
    """See `TableOperation.run`. Raises ResourceNotFoundException or PolicyNotFoundException."""
    resource = checked.resource
    table = await made_table(catalog, resource.table, moment)
    if resource.label is not None:
        labels = {label_of(stream.created_ms) for stream in table.streams}
        if resource.label not in labels:
            text = messages.stream_not_found(resource.label, resource.table)
            raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    raise DynamoError(Fault.POLICY_NOT_FOUND, messages.policy_not_found(checked.text))


OPERATION: Final = TableOperation(request=GetResourcePolicy, check=check, run=run)
