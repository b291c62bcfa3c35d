"""When the actions of a composite alarm wait for its suppressor. Pure.

Source: CloudWatch User Guide, "Composite alarm action suppression".
"""

from hashrange.model.structures.cloudwatch import PutCompositeAlarm
from hashrange.tables.alarms.rows import ALARM, State, SuppressedBy, Suppression


def begun(
    put: PutCompositeAlarm, suppressor: str | None, before: State, now_ms: int
) -> Suppression | None:
    """The suppression of the actions of a change of state; None if they are to be done.

    Args:
        put: the composite alarm.
        suppressor: the state of the alarm that suppresses; None if there is none.
        before: the state before the change.
        now_ms: the time.
    """
    if put.actions_suppressor is None or suppressor is None:
        return None
    if suppressor == ALARM:
        return Suppression(by="Alarm", before=before)
    return _until("WaitPeriod", put.actions_suppressor_wait_period, before, now_ms)


def gone_on(
    put: PutCompositeAlarm, suppressor: str | None, found: Suppression, now_ms: int
) -> Suppression | None:
    """A suppression later on; None if the actions are to be done now."""
    if put.actions_suppressor is None or suppressor is None:
        return None
    if suppressor == ALARM:
        return found if found.by == "Alarm" else Suppression(by="Alarm", before=found.before)
    if found.by == "Alarm":
        period = put.actions_suppressor_extension_period
        return _until("ExtensionPeriod", period, found.before, now_ms)
    assert found.until_ms is not None, "of a period"
    return found if now_ms < found.until_ms else None


def _until(by: SuppressedBy, seconds: int | None, before: State, now_ms: int) -> Suppression | None:
    if not seconds:
        return None
    return Suppression(by=by, until_ms=now_ms + seconds * 1000, before=before)
