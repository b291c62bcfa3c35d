"""TransactionCanceledException: its reasons, one for each action, and its cost."""

from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec

from hashrange.api.steps.operation import ChargedError
from hashrange.capacity.throttling import IndexBackPressureError
from hashrange.capacity.units import Charge
from hashrange.errors import DynamoError, Fault
from hashrange.messages.items import operations as messages
from hashrange.tables.writing.transactions import ActionOutcome

A = TypeVar("A")
P = TypeVar("P")

_NONE: Final = "None"
_CODES: Final = {
    Fault.CONDITION_FAILED: "ConditionalCheckFailed",
    Fault.DUPLICATE_ITEM: "DuplicateItem",
    Fault.RESOURCE_NOT_FOUND: "ResourceNotFound",
    Fault.COLLECTION_TOO_LARGE: "ItemCollectionSizeLimitExceeded",
    Fault.TRANSACTION_CONFLICT: "TransactionConflict",
    Fault.VALIDATION: "ValidationError",
    Fault.THROUGHPUT_EXCEEDED: "ProvisionedThroughputExceeded",
    Fault.THROTTLED: "ThrottlingError",
    Fault.REQUEST_LIMIT_EXCEEDED: "ThrottlingError",
}


class CancellationReason(msgspec.Struct, frozen=True, rename="pascal", omit_defaults=True):
    """The reason of an action; the code is None for an action that did not cancel."""

    code: str
    message: str | None = None
    item: object | None = None


def cancelled(
    outcomes: Sequence[ActionOutcome[A] | None],
    charges: Sequence[Charge] = (),
    *,
    every_invalid: bool = False,
) -> ChargedError:
    """The exception of a cancellation; also of actions that are throttled.

    It has a reason for each condition that failed, but only for the first of the invalid actions;
    with `every_invalid`, for all of them: statements that name no item.
    Source: captures of the service by authors of emulators.
    """
    reasons: list[CancellationReason] = []
    is_first = True
    for outcome in outcomes:
        if not isinstance(outcome, DynamoError):
            reasons.append(CancellationReason(_NONE))
        elif outcome.fault is not Fault.VALIDATION:
            reasons.append(_reason(outcome))
        else:
            reasons.append(_reason(outcome) if is_first else CancellationReason(_NONE))
            is_first = every_invalid
    return ChargedError(
        Fault.TRANSACTION_CANCELLED,
        messages.cancelled([reason.code for reason in reasons]),
        members={"CancellationReasons": reasons},
        charges=charges,
    )


def _reason(error: DynamoError) -> CancellationReason:
    item = None if error.members is None else error.members.get("Item")
    return CancellationReason(_CODES[error.fault], error.message, item)


def throttled(_plan: P, refusals: Sequence[DynamoError | None]) -> P:
    """Cancels a transaction, some of whose actions are throttled. Always raises.

    A write for which an index on demand has no units is refused as it is alone: with the fault of
    the request, which SDKs retry. Measured, September 2026.
    """
    for refusal in refusals:
        if isinstance(refusal, IndexBackPressureError):
            raise refusal
    raise cancelled(refusals)
