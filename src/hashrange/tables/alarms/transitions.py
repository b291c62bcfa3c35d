"""Changes of alarms, with the items of their histories and the actions that follow. Pure."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from hashrange.limits.cloudwatch import SUMMARY_CHARS_MAX
from hashrange.tables.alarms.documents import (
    VERSION,
    configuration,
    notification,
    state_document,
    suppressed_text,
)
from hashrange.tables.alarms.notifications import Action, text_of
from hashrange.tables.alarms.rows import (
    INSUFFICIENT_DATA,
    Change,
    HistoryItem,
    ItemKind,
    Judgement,
    State,
    StoredAlarm,
    Suppression,
)
from hashrange.tables.alarms.suppression import begun, gone_on

INITIAL_REASON: Final = "Unchecked: Initial alarm creation"

NewId = Callable[[], str]


def initial_state(now_ms: int) -> State:
    """The state of a new alarm."""
    return State(value=INSUFFICIENT_DATA, reason=INITIAL_REASON, updated_ms=now_ms, since_ms=now_ms)


def created(alarm: StoredAlarm, now_ms: int) -> Change:
    """A new alarm."""
    data = {"version": VERSION, "type": "Create", "createdAlarm": configuration(alarm)}
    item = _configured(alarm, f'Alarm "{alarm.name}" created', data, now_ms)
    return Change(alarm=alarm, items=[item])


def updated(alarm: StoredAlarm, now_ms: int) -> Change:
    """An alarm whose configuration was changed."""
    data = {"version": VERSION, "type": "Update", "updatedAlarm": configuration(alarm)}
    item = _configured(alarm, f'Alarm "{alarm.name}" updated', data, now_ms)
    return Change(alarm=alarm, items=[item])


def deleted(alarm: StoredAlarm, now_ms: int) -> Change:
    """The end of an alarm."""
    data = {"version": VERSION, "type": "Delete", "deletedAlarm": configuration(alarm)}
    item = _configured(alarm, f'Alarm "{alarm.name}" deleted', data, now_ms)
    return Change(alarm=None, items=[item])


def moved(
    alarm: StoredAlarm,
    judgement: Judgement,
    *,
    suppressor: str | None,
    now_ms: int,
    new_id: NewId,
) -> Change:
    """An alarm in a state, with the actions of the change if it is another one than before.

    Args:
        alarm: as it is.
        judgement: the state.
        suppressor: the state of the alarm that suppresses the actions; None if there is none.
        now_ms: the time.
        new_id: draws ids of notifications.
    """
    old, value = alarm.state, judgement.value
    state = State(
        value=value,
        reason=judgement.reason,
        data=judgement.data,
        updated_ms=now_ms,
        since_ms=old.since_ms if old.value == value else now_ms,
    )
    after = msgspec.structs.replace(alarm, state=state)
    if old.value == value:
        return Change(alarm=after)
    document = {
        "version": VERSION,
        "oldState": state_document(old),
        "newState": state_document(state),
    }
    summary = f"Alarm updated from {old.value} to {value}"
    items = [item_of(after, "StateUpdate", summary, text_of(document), now_ms=now_ms)]
    if alarm.composite is None or not after.does_actions:
        return Change(alarm=after, items=items, actions=_actions(after, old, new_id))
    first = old
    if alarm.suppression is None:
        waits = begun(alarm.composite, suppressor, old, now_ms)
    else:  # the actions of several changes wait as one
        first = alarm.suppression.before
        waits = gone_on(alarm.composite, suppressor, alarm.suppression, now_ms)
    return _suppressed(after, first, waits, items, now_ms=now_ms, new_id=new_id)


def waited(
    alarm: StoredAlarm, suppressor: str | None, *, now_ms: int, new_id: NewId
) -> Change | None:
    """A composite alarm whose actions wait, if something about that changes now."""
    suppression, put = alarm.suppression, alarm.composite
    if suppression is None or put is None:
        return None
    waits = gone_on(put, suppressor, suppression, now_ms)
    if waits == suppression:
        return None
    return _suppressed(alarm, suppression.before, waits, [], now_ms=now_ms, new_id=new_id)


def _suppressed(
    alarm: StoredAlarm,
    old: State,
    waits: Suppression | None,
    items: Sequence[HistoryItem],
    *,
    now_ms: int,
    new_id: NewId,
) -> Change:
    after = msgspec.structs.replace(alarm, suppression=waits)
    if waits is None:
        actions = [] if old.value == after.state.value else _actions(after, old, new_id)
        return Change(alarm=after, items=items, actions=actions)
    if waits == alarm.suppression:
        return Change(alarm=after, items=items)
    document = {"actionState": "Suppressed", "actionsSuppressedBy": waits.by}
    item = item_of(after, "Action", suppressed_text(waits), text_of(document), now_ms=now_ms)
    return Change(alarm=after, items=[*items, item])


def _actions(alarm: StoredAlarm, old: State, new_id: NewId) -> list[Action]:
    if not alarm.does_actions:
        return []
    state = alarm.state
    message = text_of(notification(alarm, old))
    return [
        Action(
            scope=alarm.scope,
            name=alarm.name,
            alarm=alarm.kind,
            target=target,
            subject=f'{state.value}: "{alarm.name}" in {alarm.region}',
            message=message,
            state_ms=state.updated_ms,
            id=new_id(),
            due_ms=state.updated_ms,
            policy=alarm.policy,
        )
        for target in alarm.actions(state.value)
    ]


def _configured(alarm: StoredAlarm, summary: str, document: object, now_ms: int) -> HistoryItem:
    return item_of(alarm, "ConfigurationUpdate", summary, text_of(document), now_ms=now_ms)


def item_of(
    alarm: StoredAlarm, kind: ItemKind, summary: str, data: str, *, now_ms: int
) -> HistoryItem:
    """An item of the history of an alarm."""
    return HistoryItem(
        name=alarm.name,
        alarm=alarm.kind,
        time_ms=now_ms,
        kind=kind,
        summary=summary[:SUMMARY_CHARS_MAX],
        data=data,
    )
