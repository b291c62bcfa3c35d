"""The exception, the text and the ThrottlingReasons of a throttled request.

The capacity mode of the table or index determines the exception, according to the Developer Guide,
whose pages contradict each other for partitions. Source: API model, ThrottlingReason; Developer
Guide, "Diagnosing throttling", August 2025.
"""

from typing import Literal, TypeAlias

import msgspec

from hashrange.capacity.resources import Resource
from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import throttling as texts

Limit: TypeAlias = Literal[
    "ProvisionedThroughputExceeded",
    "KeyRangeThroughputExceeded",
    "MaxOnDemandThroughputExceeded",
    "AccountLimitExceeded",
]


class Reason(msgspec.Struct, frozen=True):
    """An element of ThrottlingReasons; `resource` is the ARN of the table or index."""

    reason: str
    resource: str


class IndexBackPressureError(DynamoError):
    """Of a write for which an index on demand has no units; not the fault of one action alone."""


class Throttling(msgspec.Struct, frozen=True):
    """The reason why a request is not admitted.

    Attributes:
        reasons: all limits that the request exceeds; `fault` and `message` are of the first one.
        is_back_pressure: a write is throttled because an index lacks write units.
    """

    fault: Fault
    message: str
    reasons: tuple[Reason, ...]
    is_back_pressure: bool = False

    def error(self) -> DynamoError:
        """The error for the client."""
        name = "throttlingReasons" if self.fault is Fault.THROTTLED else "ThrottlingReasons"
        reasons = [msgspec.structs.asdict(reason) for reason in self.reasons]
        is_of_request = self.is_back_pressure and self.fault is Fault.THROTTLED
        kind = IndexBackPressureError if is_of_request else DynamoError
        return kind(self.fault, self.message, members={name: reasons})


def limit_of_units(resource: Resource, *, is_write: bool) -> Limit:
    """The limit that the bucket of a table or index enforces."""
    terms = resource.terms
    if terms.mode == "PROVISIONED":
        return "ProvisionedThroughputExceeded"
    most = terms.max_write_units if is_write else terms.max_read_units
    allowance = resource.allowances()[is_write]
    # DynamoDB reports the limit of the partitions, since a table grows by partitions.
    return (
        "KeyRangeThroughputExceeded"
        if most is None or most > allowance
        else "MaxOnDemandThroughputExceeded"
    )


def reason_of(resource: Resource, limit: Limit, *, is_write: bool) -> Reason:
    """The reason in the form `IndexWriteKeyRangeThroughputExceeded`."""
    place = "Table" if resource.index is None else "Index"
    return Reason(f"{place}{'Write' if is_write else 'Read'}{limit}", resource.arn)


def throttling(resource: Resource, limits: list[Limit], *, is_write: bool) -> Throttling:
    """The reason for a table or index and the limits that were exceeded."""
    reasons = tuple(reason_of(resource, limit, is_write=is_write) for limit in limits)
    is_index, is_provisioned = resource.index is not None, resource.terms.mode == "PROVISIONED"
    if limits[0] == "AccountLimitExceeded":
        fault, message = Fault.REQUEST_LIMIT_EXCEEDED, texts.account()
    elif is_provisioned:
        fault = Fault.THROUGHPUT_EXCEEDED
        message = texts.provisioned_index() if is_index else texts.provisioned_table()
    elif is_index and is_write:
        fault, message = Fault.THROTTLED, texts.on_demand_index()
    elif limits[0] == "MaxOnDemandThroughputExceeded":
        fault, message = Fault.THROTTLED, texts.on_demand_maximum()
    else:
        fault, message = Fault.THROTTLED, texts.hot_key()
    return Throttling(fault, message, reasons, is_back_pressure=is_index and is_write)
