"""What becomes of a batch that was sent: done, sent again, divided, or given up. Pure.

Batches of a shard are delivered one after the other. A batch that fails is sent again, each time
later; with `bisect` it is divided in two first, down to the one record that fails; when retries or
time are up its records are given up, and what is behind them goes on. Records are never passed over
otherwise, and never out of order.

Source: Lambda Developer Guide, "How Lambda processes records from stream and queue-based event
sources" and "Configuring partial batch response with DynamoDB and Lambda".
"""

from enum import StrEnum
from typing import Any, Final

import msgspec

from hashrange.triggers.events import Entry

ENDLESS: Final = -1
"""Among retries and ages: as long as the stream keeps the record."""
WAIT_MS_MIN: Final = 200
WAIT_MS_MAX: Final = 60_000
_DOUBLINGS_MAX: Final = 16
"""So many are more than the longest wait."""


class Condition(StrEnum):
    """Why records were given up, in Lambda's words."""

    RETRIES = "RetryAttemptsExhausted"
    AGE = "RecordAgeExceeded"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How a trigger deals with failures.

    Attributes:
        retries: how often a batch is sent again; ENDLESS.
        age_ms_max: records that are older are not sent any more; ENDLESS.
        retention_ms: how long the stream keeps records; after that a failed one is given up.
        bisect: divide a batch that failed.
        partial: the answer may say which records failed.
    """

    retries: int = ENDLESS
    age_ms_max: int = ENDLESS
    retention_ms: int
    bisect: bool = False
    partial: bool = False


class Succeeded(msgspec.Struct, frozen=True):
    """The destination took the batch; `answer` is the JSON of its answer, decoded."""

    answer: Any = None


class Failed(msgspec.Struct, frozen=True):
    """It did not; why, for people.

    Attributes:
        reason: of an exception, its type; of an answer, its status.
        detail: the exception's message, or the body of the answer, which may hold data of items.
        place: file, line and function that raised the exception of a function; empty for others.
    """

    reason: str
    detail: str = ""
    place: str = ""

    @property
    def text(self) -> str:
        """Reason and detail."""
        return f"{self.reason}: {self.detail}".removesuffix(": ")

    @property
    def logged(self) -> str:
        """What is logged: of a function, which is the operator's, all; else not the detail."""
        return f"{self.text} ({self.place})" if self.place else self.reason


Outcome = Succeeded | Failed


class Batch(msgspec.Struct, frozen=True):
    """Records to be sent at once, in order.

    Attributes:
        failures: how often they failed since they are together, divisions not counted.
        calls: how often the first of them was sent.
    """

    entries: tuple[Entry, ...]
    failures: int = 0
    calls: int = 0


class GivenUp(msgspec.Struct, frozen=True):
    """Records that are not sent again; `reason` is that of the last failure, empty for none."""

    entries: tuple[Entry, ...]
    condition: Condition
    calls: int
    reason: str = ""


class Step(msgspec.Struct, frozen=True):
    """What is still to be delivered, in order, and how long to wait before."""

    pending: tuple[Batch, ...]
    given_up: GivenUp | None = None
    wait_ms: int = 0


def without_old(pending: tuple[Batch, ...], rules: Rules, now_ms: int) -> Step:
    """Before a batch is sent: without its first records, if they are too old."""
    batch = pending[0]
    age_ms_max = rules.age_ms_max
    if age_ms_max == ENDLESS:
        if not batch.calls:
            return Step(pending)  # what the stream still has is sent once, however old it is
        age_ms_max = rules.retention_ms
    old = 0
    while old < len(batch.entries) and now_ms - batch.entries[old].time_ms > age_ms_max:
        old += 1
    if not old:
        return Step(pending)
    given_up = GivenUp(batch.entries[:old], Condition.AGE, batch.calls)
    left = batch.entries[old:]
    following = (Batch(left, batch.failures, batch.calls),) if left else ()
    return Step((*following, *pending[1:]), given_up)


def after(pending: tuple[Batch, ...], outcome: Outcome, rules: Rules) -> Step:
    """After the first batch was sent."""
    batch, rest = pending[0], pending[1:]
    if isinstance(outcome, Succeeded):
        failed = _first_failed(batch, outcome.answer) if rules.partial else len(batch.entries)
        reason = "the answer names records that failed, or cannot be understood"
    else:
        failed, reason = 0, outcome.text
    if failed == len(batch.entries):
        return Step(rest)
    if failed:
        # It begins with another record than before: its retries are counted anew. To divide it
        # here is no retry.
        left = batch.entries[failed:]
        if rules.bisect:
            return Step((Batch(left, 0, batch.calls + 1), *rest))
        return _again(Batch(left, 0, batch.calls), rest, rules, reason)
    if rules.bisect and len(batch.entries) > 1:
        middle = len(batch.entries) // 2
        halves = (batch.entries[:middle], batch.entries[middle:])
        divided = [Batch(half, batch.failures, batch.calls + 1) for half in halves]
        return Step((*divided, *rest))
    return _again(batch, rest, rules, reason)


def _again(batch: Batch, rest: tuple[Batch, ...], rules: Rules, reason: str) -> Step:
    failures, calls = batch.failures + 1, batch.calls + 1
    if rules.retries != ENDLESS and failures > rules.retries:
        return Step(rest, GivenUp(batch.entries, Condition.RETRIES, calls, reason))
    wait_ms = min(WAIT_MS_MIN << min(failures - 1, _DOUBLINGS_MAX), WAIT_MS_MAX)
    return Step((Batch(batch.entries, failures, calls), *rest), wait_ms=wait_ms)


def _first_failed(batch: Batch, answer: Any) -> int:
    """The place of the first record that failed; behind the last if none did.

    What is not understood is a failure of all: nothing may be lost.
    """
    whole = len(batch.entries)
    if answer is None or answer == "":
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
