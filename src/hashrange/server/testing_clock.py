"""`/testing/clock`: reads and moves the clock of a server under test; only with `--testing`.

GET answers the time. POST moves the clock, and answers when it has moved and, unless the body says
otherwise, when the background work that has become due is done.

GET answers the names. POST saves, loads or deletes one, and answers when that is done on all
processes of the server. Only with `--testing`: whoever reaches the server may do it.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.clock import MovableClock, OffsetError
from hashrange.messages import server as messages
from hashrange.server.routes import Audience, Route
from hashrange.storage.engine import StorageError
from hashrange.storage.saved_states import SavedState, StateAction, StateError
from hashrange.wire.answers import JSON, encode
from hashrange.wire.codec import DECODE_ERRORS
from hashrange.wire.exchange import Handler, Request, Response

Perform: TypeAlias = Callable[[StateAction, str], Awaitable[list[SavedState]]]
"""`StateKeeper.perform`, perhaps in another process. Raises StateError, StorageError."""

_SNAPSHOT_METHODS: Final = (b"GET", b"POST")
_ACTIONS: Final = {each.value: each for each in StateAction if each is not StateAction.LIST}


def snapshot_pages(perform: Perform) -> Sequence[Route[Handler]]:
    """The page of snapshots."""

    async def page(request: Request) -> Response:
        try:
            if request.method == b"GET":
                action, name = StateAction.LIST, ""
            else:
                action, name = _action_of(request.body)
            states = await perform(action, name)
        except StateError as error:
            return _snapshot_failure(400, str(error))
        except StorageError as error:
            return _snapshot_failure(503, messages.snapshot_storage_failed(str(error)))
        return Response(200, encode({"snapshots": states}), JSON)

    return (Route(_SNAPSHOT_METHODS, b"/testing/snapshots", page, Audience.TESTS),)


def _action_of(body: bytes) -> tuple[StateAction, str]:
    """The action, and the name of the state. Raises StateError."""
    try:
        members = msgspec.json.decode(body, type=dict[str, str])
    except DECODE_ERRORS as error:
        raise StateError(messages.snapshot_body_unreadable(str(error))) from error
    if len(members) != 1 or not members.keys() <= _ACTIONS.keys():
        raise StateError(messages.snapshot_body_unreadable("The body names one action"))
    ((action, name),) = members.items()
    return _ACTIONS[action], name


def _snapshot_failure(status: int, text: str) -> Response:
    return Response(status, encode({"message": text}), JSON)


Move: TypeAlias = Callable[[int | None, bool], Awaitable[None]]
"""Moves the clock of all processes of the server: `background.time_shift.TimeShift.move`."""

_METHODS: Final = (b"GET", b"POST")
_MS: Final = timedelta(milliseconds=1)


class MoveError(Exception):
    """Another process could not move the clock. The text is for clients."""


class _MoveRequest(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a POST; the units are those of `datetime.timedelta`."""

    weeks: float | None = None
    days: float | None = None
    hours: float | None = None
    minutes: float | None = None
    seconds: float | None = None
    milliseconds: float | None = None
    microseconds: float | None = None
    reset: bool = False
    settle: bool = True

    @property
    def units(self) -> dict[str, float]:
        """The units that were sent, as keyword arguments of `timedelta`."""
        members: dict[str, Any] = msgspec.structs.asdict(self)
        del members["reset"], members["settle"]
        return {name: value for name, value in members.items() if value is not None}


class _RefusedError(Exception):
    """The body is refused. The text is for clients."""


def clock_pages(clock: MovableClock, move: Move) -> Sequence[Route[Handler]]:
    """The page of the clock.

    Args:
        clock: that of the server.
        move: moves the clock of all its processes.
    """

    async def page(request: Request) -> Response:
        if request.method == b"POST":
            try:
                by_ms, settles = _move_of(request.body)
                await move(by_ms, settles)
            except (_RefusedError, OffsetError, StorageError, MoveError) as error:
                return _failure(error)
        return _time(clock)

    return (Route(_METHODS, b"/testing/clock", page, Audience.TESTS),)


def _time(clock: MovableClock) -> Response:
    now_ms = clock.now_ms()
    answer = {
        "now": datetime.fromtimestamp(now_ms / 1000, UTC),
        "now_ms": now_ms,
        "offset_ms": clock.offset_ms,
    }
    return Response(200, encode(answer), JSON)


def _move_of(body: bytes) -> tuple[int | None, bool]:
    """Milliseconds to move by, None for a reset; and whether to settle. Raises _RefusedError."""
    try:
        request_body = msgspec.json.decode(body, type=_MoveRequest)
    except DECODE_ERRORS as error:
        raise _RefusedError(messages.body_unreadable(str(error))) from error
    units = request_body.units
    if request_body.reset:
        if units:
            raise _RefusedError(messages.reset_with_units())
        return None, request_body.settle
    if not units:
        raise _RefusedError(messages.nothing_to_do())
    try:
        by_ms = timedelta(**units) // _MS
    except (OverflowError, ValueError) as error:
        raise _RefusedError(messages.too_far()) from error
    if by_ms < 0:
        raise _RefusedError(messages.backward())
    return by_ms, request_body.settle


def _failure(error: Exception) -> Response:
    match error:
        case OffsetError():
            status, text = 400, messages.too_far()
        case StorageError():
            status, text = 503, messages.storage_failed()
        case MoveError():
            status, text = 503, str(error)
        case _:
            status, text = 400, str(error)
    return Response(status, encode({"message": text}), JSON)


class Controls(msgspec.Struct, frozen=True):
    """Moves the clock of all processes of the server; saves and loads its snapshots."""

    move: Move
    states: Perform
