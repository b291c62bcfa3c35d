"""Does the actions of alarms: notifications in the form of SNS, to the webhooks of their topics.

An action is a row until it is done, or has failed as often as SNS tries. A server that stops
between a notification and the end of its row sends it again, with the same id.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from hashrange.background.posts import in_thread, posted
from hashrange.clock import Clock
from hashrange.limits.cloudwatch import (
    ACTION_ATTEMPTS_MAX,
    ACTION_PAUSE_MS,
    ACTION_SECONDS_MAX,
    ACTIONS_AT_ONCE_MAX,
    ACTIONS_PAGE,
    SUMMARY_CHARS_MAX,
)
from hashrange.storage.engine import Fences
from hashrange.tables.alarms.notifications import Action, iso, text_of
from hashrange.tables.alarms.rows import HistoryItem
from hashrange.tables.alarms.store import AlarmRows

_SLACK_SECONDS: Final = 1.0
_SUBJECT_MAX: Final = 100
_TEXT_MAX: Final = 200
_NO_WEBHOOK: Final = "No --alarm-webhook has this ARN"
_NO_POLICY: Final = "Only the alarms of a scaling policy act on it"
_POLICY: Final = ":scalingPolicy:"

_log: Final = logging.getLogger(__name__)


class AlarmActions:
    """Does the actions that are due.

    Args:
        rows: of alarms.
        clock: the time.
        webhooks: the URLs by the ARNs of actions.
        fences: those of the leader.

    Attributes:
        done: how many actions were done.
        failed: how many have failed for good.
    """

    def __init__(
        self,
        rows: AlarmRows,
        clock: Clock,
        webhooks: Mapping[str, str],
        fences: Callable[[], Fences],
    ) -> None:
        self._rows = rows
        self._clock = clock
        self._webhooks = webhooks
        self._fences = fences
        self._free = asyncio.Semaphore(ACTIONS_AT_ONCE_MAX)
        self._turn = asyncio.Lock()
        self.done = self.failed = 0

    async def drain(self) -> None:
        """Try each action that is due now. Raises StorageError."""
        async with self._turn:
            while True:
                due = await self._rows.waiting(self._clock.now_ms(), ACTIONS_PAGE)
                if not due:
                    return
                await asyncio.gather(*(self._attempt(key, action) for key, action in due))

    async def _attempt(self, key: bytes, action: Action) -> None:
        async with self._free:
            error, may_succeed = await self._error_of(action)
        now_ms, attempts = self._clock.now_ms(), action.attempts + 1
        if error is not None and may_succeed and attempts < ACTION_ATTEMPTS_MAX:
            due_ms = now_ms + ACTION_PAUSE_MS
            later = msgspec.structs.replace(action, attempts=attempts, due_ms=due_ms)
            await self._rows.postpone(key, later, fences=self._fences())
            return
        if error is None:
            self.done += 1
        else:
            self.failed += 1
            kind, target = "alarm" if action.alarm else "cluster", action.target
            _log.warning("%s %s: the action %s failed: %s", kind, action.name, target, error)
        item = _result(action, error, now_ms) if action.alarm else None
        await self._rows.done(key, item, action.scope, fences=self._fences())

    async def _error_of(self, action: Action) -> tuple[str | None, bool]:
        """Do an action: why it failed, None if it did not, and whether it may succeed later."""
        if action.target == action.policy:
            return None, False  # it is evaluated by itself, from the same values
        url = self._webhooks.get(action.target)
        if url is None:
            return (_NO_POLICY if _POLICY in action.target else _NO_WEBHOOK), False
        body = message_of(action, iso(self._clock.now_ms()))
        headers = {
            "Content-Type": "text/plain; charset=UTF-8",
            "x-amz-sns-message-type": "Notification",
            "x-amz-sns-message-id": action.id,
            "x-amz-sns-topic-arn": action.target,
        }
        answer = in_thread(lambda: _error_at(url, body, headers), "alarm action")
        try:
            async with asyncio.timeout(ACTION_SECONDS_MAX):
                return await asyncio.shield(answer), True
        except TimeoutError:
            return f"it took longer than {ACTION_SECONDS_MAX:g} seconds", True


def message_of(action: Action, at: str) -> bytes:
    """The body of a notification, as SNS sends it, without a signature."""
    document = {
        "Type": "Notification",
        "MessageId": action.id,
        "TopicArn": action.target,
        "Subject": action.subject[:_SUBJECT_MAX],
        "Message": action.message,
        "Timestamp": at.removesuffix("+0000") + "Z",
    }
    return msgspec.json.encode(document)


def _error_at(url: str, body: bytes, headers: Mapping[str, str]) -> str | None:
    """Send a notification: why it failed; None if it did not."""
    try:
        answer = posted(url, body, headers, seconds=ACTION_SECONDS_MAX + _SLACK_SECONDS)
    except Exception as error:  # noqa: BLE001 - of sockets, TLS, names, and what is answered
        return f"{type(error).__name__}: {error}"[:_TEXT_MAX]
    return None if answer.is_success else f"status {answer.status}"


def _result(action: Action, error: str | None, now_ms: int) -> HistoryItem:
    document = {
        "actionState": "Succeeded" if error is None else "Failed",
        "stateUpdateTimestamp": action.state_ms,
        "notificationResource": action.target,
        "publishedMessage": action.message,
        "error": error,
    }
    verb = "Successfully executed" if error is None else "Failed to execute"
    return HistoryItem(
        name=action.name,
        alarm=action.alarm,
        time_ms=now_ms,
        kind="Action",
        summary=f"{verb} action {action.target}"[:SUMMARY_CHARS_MAX],
        data=text_of(document),
    )
