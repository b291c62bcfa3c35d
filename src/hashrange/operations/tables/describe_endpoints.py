"""DescribeEndpoints: clients with endpoint discovery go on at the address that they came to."""

from typing import Final

import msgspec

from hashrange.limits import ENDPOINT_CACHE_MINUTES
from hashrange.operations.pipeline.accesses import on_anything
from hashrange.operations.pipeline.operation import Operation, Outcome, RequestContext


class DescribeEndpoints(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, which has no members."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Host and port, and for how long a client may remember them."""

    address: str
    cache_period_in_minutes: int = ENDPOINT_CACHE_MINUTES


class Answer(msgspec.Struct, frozen=True, rename="pascal"):
    """The answer."""

    endpoints: list[Endpoint]


async def run(_request: DescribeEndpoints, context: RequestContext) -> Outcome:
    """See `Operation.run`."""
    return Outcome(Answer([Endpoint(address=context.caller.host)]))


OPERATION: Final = Operation(
    request=DescribeEndpoints,
    check=lambda request: request,
    accesses=on_anything("DescribeEndpoints"),
    run=run,
)
