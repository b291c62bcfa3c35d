"""Decides after each call whether a batch is done, retried, divided or given up. Pure.

The batches of a shard are delivered one after the other, in order. A batch that fails is retried
with growing delays; with `bisect` it is first divided in two, down to the single record that fails.
When its retries are exhausted or its records are too old, they are given up and the following
records are delivered. Records are skipped in no other case.

Source: Lambda Developer Guide, "How Lambda processes records from stream and queue-based event
sources" and "Configuring partial batch response with DynamoDB and Lambda".
"""

from enum import StrEnum
from typing import Any, Final

import msgspec

from hashrange.background.triggers.events import Entry

ENDLESS: Final = -1
"""A number of retries, or an age, without limit: as long as the stream keeps the record."""
WAIT_MS_MIN: Final = 200
WAIT_MS_MAX: Final = 60_000
_DOUBLINGS_MAX: Final = 16
"""More doublings would exceed `WAIT_MS_MAX` anyway."""


class Condition(StrEnum):
    """The reason for which records were given up, in Lambda's terms."""

    RETRIES = "RetryAttemptsExhausted"
    AGE = "RecordAgeExceeded"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How a trigger handles failures.

    Attributes:
        retries: the most retries of a batch, or ENDLESS.
        age_ms_max: older records are given up; or ENDLESS.
        retention_ms: how long the stream keeps records; a failed one is given up after that.
        bisect: divide a batch that failed.
        partial: the response may say which records failed.
    """

    retries: int = ENDLESS
    age_ms_max: int = ENDLESS
    retention_ms: int
    bisect: bool = False
    partial: bool = False


class Succeeded(msgspec.Struct, frozen=True):
    """The destination accepted the batch; `answer` is its response, decoded from JSON."""

    answer: Any = None


class Failed(msgspec.Struct, frozen=True):
    """The call failed.

    Attributes:
        reason: the type of an exception, or the status of a response.
        detail: the exception's message, or the response's body, which may hold data of items.
        place: file, line and function that raised an exception of a function, else empty.
    """

    reason: str
    detail: str = ""
    place: str = ""

    @property
    def text(self) -> str:
        """Reason and detail, for the record of a failure."""
        return f"{self.reason}: {self.detail}".removesuffix(": ")

    @property
    def logged(self) -> str:
        """The text for the log; with the detail only if the operator's own function failed."""
        return f"{self.text} ({self.place})" if self.place else self.reason


Outcome = Succeeded | Failed


class Batch(msgspec.Struct, frozen=True):
    """Records to be sent in one call, in order.

    Attributes:
        calls: how often it was sent, and failed. What a division makes, and what an answer leaves,
            is a batch that was not sent.
    """

    entries: tuple[Entry, ...]
    calls: int = 0


class GivenUp(msgspec.Struct, frozen=True):
    """Records that are not sent again.

    Attributes:
        entries: the records.
        condition: why.
        calls: as of their batch; 1 if it was not sent, as Lambda reports it.
        reason: of the last failure, empty if none was sent.
        is_answered: the destination answered, and named the records.
    """

    entries: tuple[Entry, ...]
    condition: Condition
    calls: int
    reason: str = ""
    is_answered: bool = False


class Step(msgspec.Struct, frozen=True):
    """The batches still to be delivered, in order, and the delay before the first of them."""

    pending: tuple[Batch, ...]
    given_up: GivenUp | None = None
    wait_ms: int = 0


def without_old(pending: tuple[Batch, ...], rules: Rules, now_ms: int) -> Step:
    """The step before a batch is sent: its first records are given up if they are too old."""
    batch = pending[0]
    age_ms_max = rules.age_ms_max
    if age_ms_max == ENDLESS:
        if not batch.calls:
            return Step(pending)  # every record that the stream still has is sent at least once
        age_ms_max = rules.retention_ms
    old = 0
    while old < len(batch.entries) and now_ms - batch.entries[old].time_ms > age_ms_max:
        old += 1
    if not old:
        return Step(pending)
    given_up = GivenUp(batch.entries[:old], Condition.AGE, max(1, batch.calls))
    left = batch.entries[old:]
    following = (Batch(left, batch.calls),) if left else ()
    return Step((*following, *pending[1:]), given_up)


def after(pending: tuple[Batch, ...], outcome: Outcome, rules: Rules) -> Step:
    """The step after the first batch was sent."""
    batch, rest = pending[0], pending[1:]
    if isinstance(outcome, Succeeded):
        failed = _first_failed(batch, outcome.answer) if rules.partial else len(batch.entries)
        reason = "the answer names records that failed, or cannot be understood"
    else:
        failed, reason = 0, outcome.text
    if failed == len(batch.entries):
        return Step(rest)
    if failed:
        # The rest begins with another record, so it is a batch of its own: it is sent, and then
        # retried as often as any. Lambda was seen to send a last record five times with three
        # retries, and to report four calls. With `bisect` this division has no delay.
        left = Batch(batch.entries[failed:])
        return Step((left, *rest), wait_ms=0 if rules.bisect else WAIT_MS_MIN)
    if rules.bisect and len(batch.entries) > 1:
        middle = len(batch.entries) // 2
        # Lambda was seen to count the calls of a half from 0: a single record that fails is
        # reported with two calls if it is retried once, however often it was divided before.
        halves = Batch(batch.entries[:middle]), Batch(batch.entries[middle:])
        return Step((*halves, *rest))
    calls = batch.calls + 1
    if rules.retries != ENDLESS and calls > rules.retries:
        is_answered = isinstance(outcome, Succeeded)
        given_up = GivenUp(batch.entries, Condition.RETRIES, calls, reason, is_answered)
        return Step(rest, given_up)
    wait_ms = min(WAIT_MS_MIN << min(calls - 1, _DOUBLINGS_MAX), WAIT_MS_MAX)
    return Step((Batch(batch.entries, calls), *rest), wait_ms=wait_ms)


def _first_failed(batch: Batch, answer: Any) -> int:
    """The index of the first record that failed; the number of records if none did.

    An answer that is not understood fails all records, so that none is lost.
    """
    whole = len(batch.entries)
    if answer is None or answer in ("", []):
        return whole
    if not isinstance(answer, dict):
        return 0
    failures = answer.get("batchItemFailures")
    if failures is None or failures == []:
        return whole
    if not isinstance(failures, list):
        return 0
    places = {entry.sequence_number: place for place, entry in enumerate(batch.entries)}
    first = whole
    for failure in failures:
        name = failure.get("itemIdentifier") if isinstance(failure, dict) else None
        if not isinstance(name, str) or name not in places:
            return 0
        first = min(first, places[name])
    return first
