"""Notifications to be sent: of alarms, and of clusters of DAX. Members are never renamed."""

from datetime import UTC, datetime
from typing import Final

import msgspec

_MS: Final = 1000


class Action(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action that is to be done, and is tried again until then.

    Attributes:
        name: of the alarm, or of a cluster of DAX.
        alarm: its type; empty for a cluster, whose actions are in no history.
        target: the ARN of the action.
        subject: of the notification.
        message: JSON.
        state_ms: when the state changed.
        id: of the notification, the same in all attempts.
        attempts: how many have failed.
        due_ms: when it is tried next.
        policy: the ARN of the scaling policy that has made the alarm.
    """

    scope: str
    name: str
    alarm: str
    target: str
    subject: str
    message: str
    state_ms: int
    id: str
    attempts: int = 0
    due_ms: int = 0
    policy: str | None = None


def iso(ms: int) -> str:
    """A time as in the JSON of alarms: `2022-11-02T15:55:30.959+0000`."""
    at = datetime.fromtimestamp(ms // _MS, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ms % _MS:03}+0000"


def text_of(document: object) -> str:
    """A document as JSON."""
    return msgspec.json.encode(document).decode()
