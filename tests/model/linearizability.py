"""Whether there is an order of calls to one item that explains every answer, and their times.

Wing and Gong's search ("Testing and verifying concurrent objects", 1993), with Lowe's memo of what
was tried: take back what led nowhere, and go nowhere twice. A call takes effect at one moment
between its beginning and its answer; one without an answer at any moment from its beginning on, or
never. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Read:
    """Answers the value."""


@dataclass(frozen=True, slots=True)
class Write:
    """Answers the value that was there before; so do those below."""

    value: int


@dataclass(frozen=True, slots=True)
class Remove:
    """Leaves None."""


@dataclass(frozen=True, slots=True)
class Add:
    """Adds to the value, or to 0; answers the sum."""

    amount: int


@dataclass(frozen=True, slots=True)
class Swap:
    """Writes if the value is the expected one."""

    expected: int | None
    value: int


Action = Read | Write | Remove | Add | Swap


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call to one item; `returned` is None if no answer came. Times are of one clock."""

    action: Action
    called: int
    returned: int | None
    answer: int | None = None


def outcome(action: Action, value: int | None) -> tuple[int | None, int | None]:
    """The answer, and the value from then on."""
    match action:
        case Read():
            return value, value
        case Write(value=new):
            return value, new
        case Remove():
            return value, None
        case Add(amount=amount):
            total = (value or 0) + amount
            return total, total
        case Swap(expected=expected, value=new):
            return value, new if value == expected else value
        case _:
            assert_never(action)


class _Event:
    """The beginning of a call, or its answer, in a list in which calls can be left out."""

    __slots__ = ("answers", "call", "following", "number", "previous")

    def __init__(self, number: int, call: Call | None, answers: "_Event | None" = None) -> None:
        self.number = number
        self.call = call
        self.answers = answers
        """Of a beginning: its answer, if there is one."""
        self.previous = self.following = self


def _listed(calls: Sequence[Call]) -> _Event:
    """All events in the order of time, behind a head."""
    timed: list[tuple[int, int, _Event]] = []
    for number, call in enumerate(calls):
        answer = None
        if call.returned is not None:
            answer = _Event(number, None)
            # At one moment the beginning of another call may still be before this answer.
            timed.append((call.returned, 1, answer))
        timed.append((call.called, 0, _Event(number, call, answer)))
    timed.sort(key=lambda each: each[:2])
    head = last = _Event(-1, None)
    for _, _, event in timed:
        last.following, event.previous = event, last
        last = event
    last.following, head.previous = head, last
    return head


def _leave_out(event: _Event) -> None:
    for each in (event, event.answers):
        if each is not None:
            each.previous.following, each.following.previous = each.following, each.previous


def _put_back(event: _Event) -> None:
    for each in (event.answers, event):
        if each is not None:
            each.previous.following = each.following.previous = each


def order_of(calls: Sequence[Call], value: int | None = None) -> list[Call] | None:
    """An order that explains all answers, beginning with `value`; None if there is none.

    Cost: next to linear where few calls overlap and most answers show a value; exponential in the
    number of those that overlap at worst.
    """
    head = _listed(calls)
    unanswered = sum(call.returned is not None for call in calls)
    placed, tried = 0, set[tuple[int, int | None]]()
    path: list[tuple[_Event, int | None]] = []
    event = head.following
    while unanswered:
        if event.call is None:  # an answer whose call was not placed, or the end: one step back
            if not path:
                return None
            event, value = path.pop()
            placed ^= 1 << event.number
            unanswered += event.answers is not None
            _put_back(event)
            event = event.following
            continue
        after = _explained(event, value, path)
        state = (placed | 1 << event.number, after[0] if after else None)
        if after and state not in tried:
            tried.add(state)
            path.append((event, value))
            placed, value = state
            unanswered -= event.answers is not None
            _leave_out(event)
            event = head.following
        else:
            event = event.following
    return [call for event, _ in path if (call := event.call) is not None]


def _explained(
    event: _Event, value: int | None, path: Sequence[tuple[_Event, int | None]]
) -> tuple[int | None] | None:
    """The value after a call, if the call can come here with the answer that it had."""
    call = event.call
    assert call is not None, "an answer is not placed"
    answer, after = outcome(call.action, value)
    if call.returned is not None:
        return (after,) if answer == call.answer else None
    # Nobody knows what it answered. It need not come here if that changes nothing, or if it only
    # hides what another one wrote that nobody has an answer of.
    is_blind = isinstance(call.action, Write | Remove)
    hides = is_blind and bool(path) and path[-1][0].answers is None
    return None if after == value or hides else (after,)
