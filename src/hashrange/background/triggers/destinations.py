"""Calls the destinations of batches: an HTTP endpoint, or a function in this process.

Each call runs in a thread. A function has the signature of a Lambda handler, `(event, context)`. It
has all permissions of the server, so only the operator's file can name one.
"""

import asyncio
import json
import traceback
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.background.posts import in_thread, posted
from hashrange.background.triggers.batches import Failed, Outcome, Succeeded
from hashrange.clock import Clock

_FUNCTION_ERROR: Final = "x-amz-function-error"
_VERSION: Final = "$LATEST"
_MS_NS: Final = 1_000_000
_TEXT_MAX: Final = 500
_SLACK_SECONDS: Final = 1.0


class HttpEndpoint(msgspec.Struct, frozen=True):
    """An endpoint that receives a batch as the body of a POST, as Lambda's endpoints do."""

    url: str


class Function(msgspec.Struct, frozen=True):
    """A function that receives a batch as its first argument; `name` is `module:function`."""

    name: str
    call: Callable[[Any, Any], object]


Destination: TypeAlias = HttpEndpoint | Function


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call with a batch; `event` is JSON, `ends_ns` the deadline of the monotonic clock."""

    event: bytes
    request_id: str
    trigger: str
    seconds: float
    ends_ns: int
    wants_answer: bool


class Context:
    """The second argument of a function: the members of Lambda's context that apply here."""

    function_version = _VERSION

    def __init__(self, call: Call, clock: Clock, name: str) -> None:
        self.function_name = call.trigger
        self.invoked_function_arn = name
        self.aws_request_id = call.request_id
        self._ends_ns = call.ends_ns
        self._clock = clock

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the deadline, after which the batch counts as failed; at least 0."""
        return max(0, (self._ends_ns - self._clock.monotonic_ns()) // _MS_NS)


def name_of(destination: Destination) -> str:
    """The destination as written in the operator's file."""
    return destination.url if isinstance(destination, HttpEndpoint) else destination.name


class Caller:
    """Calls a destination, one batch at a time.

    Args:
        trigger: the name of the trigger.
        seconds: the time limit of a call.
        wants_answer: the response is read, and must be JSON.
    """

    def __init__(
        self,
        destination: Destination,
        clock: Clock,
        *,
        trigger: str,
        seconds: float,
        wants_answer: bool,
    ) -> None:
        self._destination = destination
        self._clock = clock
        self._trigger = trigger
        self._seconds = seconds
        self._wants_answer = wants_answer
        self._running: asyncio.Future[Outcome] | None = None

    async def call(self, event: bytes, request_id: str) -> Outcome:
        """Send one batch. If the previous call exceeded its time limit, wait until it ends."""
        if self._running is not None:
            await asyncio.shield(self._running)
        call = Call(
            event=event,
            request_id=request_id,
            trigger=self._trigger,
            seconds=self._seconds,
            ends_ns=self._clock.monotonic_ns() + int(self._seconds * 1000) * _MS_NS,
            wants_answer=self._wants_answer,
        )

        answer = self._running = in_thread(
            lambda: _called(self._destination, call, self._clock), f"trigger {self._trigger}"
        )
        try:
            async with asyncio.timeout(self._seconds):
                return await asyncio.shield(answer)
        except TimeoutError:
            return Failed(f"it took longer than {self._seconds:g} seconds")


def _called(destination: Destination, call: Call, clock: Clock) -> Outcome:
    try:
        if isinstance(destination, HttpEndpoint):
            return _posted(destination.url, call)
        context = Context(call, clock, destination.name)
        return Succeeded(destination.call(msgspec.json.decode(call.event), context))
    except BaseException as error:  # noqa: BLE001 - a function may raise any exception
        place = "" if isinstance(destination, HttpEndpoint) else _place_of(error, destination)
        return Failed(type(error).__name__, _message_of(error), place)


def _message_of(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:_TEXT_MAX]
    except Exception:  # noqa: BLE001 - exceptions of functions may be of any kind
        return ""


def _place_of(error: BaseException, function: Function) -> str:
    """The last line of the function's file in the traceback, else the line that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(function.call, "__code__", None)
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    frame = [*frames, *own][-1]
    return f"{frame.filename}:{frame.lineno} in {frame.name}"


def _posted(url: str, call: Call) -> Outcome:
    headers = {
        "Content-Type": "application/json",
        "X-Amzn-RequestId": call.request_id,
        "X-Hashrange-Trigger": call.trigger,
    }
    # The time limit of the whole call is in `Caller.call`.
    response = posted(url, call.event, headers, seconds=call.seconds + _SLACK_SECONDS)
    body = response.body
    error = response.headers.get(_FUNCTION_ERROR)
    if error is not None or not response.is_success:
        shown = body[:_TEXT_MAX].decode("utf-8", "replace")
        return Failed(f"status {response.status}{f', {error}' if error else ''}", shown)
    if not call.wants_answer or not body.strip():
        return Succeeded()
    try:
        return Succeeded(json.loads(body))
    except ValueError as fault:
        return Failed("the answer is not JSON", str(fault))
