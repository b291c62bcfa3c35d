"""Errors of the upstream: the fault for the client, and whether a write may be made."""

from collections.abc import Mapping
from typing import Final

import msgspec

from hashrange.api.dynamodb.transactions.cancellation import CancellationReason
from hashrange.dax.upstream.connection import HttpAnswer
from hashrange.dax.upstream.items import canonical
from hashrange.errors import DynamoError, Fault
from hashrange.messages import dax as messages
from hashrange.model.values import AttributeValue
from hashrange.wire.codec import DECODE_ERRORS

_SERVER_ERRORS: Final = 500
_CREDENTIALS: Final = frozenset(
    (
        Fault.MISSING_AUTHENTICATION_TOKEN,
        Fault.INCOMPLETE_SIGNATURE,
        Fault.INVALID_SIGNATURE,
        Fault.UNRECOGNIZED_CLIENT,
        Fault.EXPIRED_TOKEN,
    )
)
_RENEWABLE: Final = frozenset(
    (Fault.INVALID_SIGNATURE, Fault.UNRECOGNIZED_CLIENT, Fault.EXPIRED_TOKEN)
)
"""Other credentials may be accepted. A file that was read half has another secret or token."""
_FAULTS: Final[Mapping[str, Fault]] = {
    **{fault.code: fault for fault in Fault},
    "AccessDeniedException": Fault.ACCESS_DENIED,
}
_UNDECIDED: Final = frozenset((Fault.TRANSACTION_IN_PROGRESS,))
"""Refusals that say nothing of what is stored."""


class UpstreamError(DynamoError):
    """A refusal of the upstream, or that there is no answer.

    Attributes:
        is_unchanged: nothing was written.
        may_pass: the same request may succeed a moment later.
        reason: why the upstream cannot be reached; empty if it answers.
        is_of_credentials: other credentials may be accepted, and nothing was done.
    """

    reason = ""
    is_of_credentials = False

    def __init__(
        self,
        fault: Fault,
        message: str | None,
        *,
        is_unchanged: bool,
        may_pass: bool = False,
        members: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(fault, message, members=members)
        self.is_unchanged = is_unchanged
        self.may_pass = may_pass


class _Reason(msgspec.Struct, frozen=True, rename="pascal"):
    """Why an action cancelled its transaction; the code is `None` for one that did not."""

    code: str
    message: str | None = None
    item: dict[str, AttributeValue] | None = None


class _Error(msgspec.Struct, frozen=True):
    """The body of an error; the text is in `message` or `Message`."""

    kind: str = msgspec.field(name="__type", default="")
    small: str | None = msgspec.field(name="message", default=None)
    large: str | None = msgspec.field(name="Message", default=None)
    reasons: list[_Reason] | None = msgspec.field(name="CancellationReasons", default=None)


def refusal_of(url: str, answer: HttpAnswer, actions: int = 0) -> UpstreamError:
    """The error of an answer whose status is not 200.

    Args:
        url: of the upstream, for texts.
        answer: as received.
        actions: of the transaction; 0 for other operations.
    """
    is_failure = answer.status >= _SERVER_ERRORS
    try:
        error = msgspec.json.decode(answer.body, type=_Error)
    except DECODE_ERRORS:
        error = _Error()
    code = error.kind.rpartition("#")[2].partition(":")[0]
    text = error.small or error.large
    if not code:
        explained = messages.not_dynamodb(url, answer.status)
        return UpstreamError(
            Fault.INTERNAL, explained, is_unchanged=not is_failure, may_pass=is_failure
        )
    named_fault = fault = _FAULTS.get(code)
    reasons = error.reasons
    if reasons is not None and len(reasons) != actions:
        # Their order says which action they are of.
        explained = messages.not_dynamodb(url, answer.status)
        return UpstreamError(Fault.INTERNAL, explained, is_unchanged=True)
    if fault is None:
        fault = Fault.INTERNAL if is_failure else Fault.VALIDATION
        text = messages.unknown_refusal(code, text or "")
    elif fault in _CREDENTIALS:
        fault, text = Fault.ACCESS_DENIED, messages.refused_credentials(text or code)
    refusal = UpstreamError(
        fault,
        text,
        is_unchanged=not is_failure and fault not in _UNDECIDED,
        may_pass=is_failure,
        members=None if reasons is None else {"CancellationReasons": [*map(_reason_of, reasons)]},
    )
    refusal.is_of_credentials = named_fault in _RENEWABLE and not is_failure
    return refusal


def _reason_of(reason: _Reason) -> CancellationReason:
    item = None if reason.item is None else canonical(reason.item)
    return CancellationReason(reason.code, reason.message, item)


def unreachable(url: str, reason: str) -> UpstreamError:
    """The request was not sent."""
    explained = messages.unreachable(url, reason)
    error = UpstreamError(Fault.INTERNAL, explained, is_unchanged=True, may_pass=True)
    error.reason = reason
    return error


def no_answer(url: str, reason: str) -> UpstreamError:
    """The request was sent, and nobody knows what has become of it."""
    explained = messages.no_answer(url, reason)
    return UpstreamError(Fault.INTERNAL, explained, is_unchanged=False, may_pass=True)
