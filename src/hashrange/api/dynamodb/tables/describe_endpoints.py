"""DescribeEndpoints: clients with endpoint discovery stay at the address that they have used."""

from typing import Final

from hashrange.api.steps.accesses import on_anything
from hashrange.api.steps.operation import Operation, Outcome, RequestContext
from hashrange.limits.requests import ENDPOINT_CACHE_MINUTES
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import DescribeEndpoints, DescribeEndpointsAnswer, Endpoint


async def run(_request: DescribeEndpoints, context: RequestContext) -> Outcome:
    """The address that the client has used."""
    return Outcome(DescribeEndpointsAnswer([Endpoint(context.caller.host, ENDPOINT_CACHE_MINUTES)]))


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeEndpoints"],
    request=DescribeEndpoints,
    check=lambda request: request,
    accesses=on_anything("DescribeEndpoints"),
    run=run,
)
