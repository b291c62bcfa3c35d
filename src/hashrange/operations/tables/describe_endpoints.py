"""DescribeEndpoints: clients with endpoint discovery stay at the address that they have used."""

from typing import Final

import msgspec

from hashrange.limits.requests import ENDPOINT_CACHE_MINUTES
from hashrange.model.operations import OPERATION_FACTS
from hashrange.operations.pipeline.accesses import on_anything
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext


class DescribeEndpoints(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, which has no members."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Host and port, and how long a client may cache them."""

    address: str
    cache_period_in_minutes: int = ENDPOINT_CACHE_MINUTES


class DescribeEndpointsAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer to DescribeEndpoints."""

    endpoints: list[Endpoint]


async def run(_request: DescribeEndpoints, context: RequestContext) -> Outcome:
    """The address that the client has used."""
    return Outcome(DescribeEndpointsAnswer([Endpoint(address=context.caller.host)]))


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["DescribeEndpoints"],
    request=DescribeEndpoints,
    check=lambda request: request,
    accesses=on_anything("DescribeEndpoints"),
    run=run,
)
