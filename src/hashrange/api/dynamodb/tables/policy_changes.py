"""Changes of the policies of a table and its streams. Pure.

Each has a policy of its own, at a place that its label names: that of a stream, or None for the
table. Source: Developer Guide, "Resource-based policy considerations"; measured by users, October
2026 (DDB-TABLE-205 to 209, 347).
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.limits.access import RESOURCE_POLICY_PAUSE_MS
from hashrange.messages import policies as messages
from hashrange.model.table import Table
from hashrange.model.table_features import ResourcePolicy, label_of
from hashrange.tables.streams.finding import stream_of

NO_POLICY: Final = "NO_POLICY"
"""An ExpectedRevisionId: there must be no policy."""


class PolicyChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was requested.

    Attributes:
        label: of the stream; None for the table.
        text: the new policy in canonical form; None to delete the policy.
        principal_ids: unique ids of the principals that it names.
        expected: the revision that the policy must have; None for any.
        now_ms: when it was requested.
        transient_ms: how long a change is shown to be pending; 0 if another may follow at once.
    """

    label: str | None
    text: str | None
    principal_ids: dict[str, str]
    expected: str | None
    now_ms: int
    transient_ms: int


def policy_at(table: Table, label: str | None) -> ResourcePolicy | None:
    """The policy of the table or of a stream. Raises ResourceNotFoundException: no such stream."""
    if label is None:
        return table.policy
    stream = stream_of(table, label)
    if stream is None:
        text = messages.stream_not_found(label, table.name)
        raise DynamoError(Fault.RESOURCE_NOT_FOUND, text)
    return stream.policy


def changed(change: PolicyChange) -> Callable[[Table], Table]:
    """A function that makes the change; it raises DynamoError to refuse it."""

    def of_table(table: Table) -> Table:
        policy = policy_at(table, change.label)
        _check_expected(change, policy, table)
        before = ResourcePolicy(revision_ms=0) if policy is None else policy
        if (change.text, change.principal_ids) == (before.text, before.principal_ids):
            return table
        _check_pause(change, policy, table)
        following = 0 if policy is None else policy.revision_ms + 1
        new = ResourcePolicy(
            text=change.text,
            revision_ms=max(change.now_ms, following),
            principal_ids=change.principal_ids,
        )
        return _with_policy(table, change.label, new)

    return of_table


def _with_policy(table: Table, label: str | None, policy: ResourcePolicy) -> Table:
    if label is None:
        return msgspec.structs.replace(table, policy=policy)
    streams = tuple(
        msgspec.structs.replace(stream, policy=policy)
        if label_of(stream.created_ms) == label
        else stream
        for stream in table.streams
    )
    return msgspec.structs.replace(table, streams=streams)


def _slot(table: Table, label: str | None) -> str:
    return f"table {table.name}" if label is None else f"stream {label}"


def _check_expected(change: PolicyChange, policy: ResourcePolicy | None, table: Table) -> None:
    """Raise PolicyNotFoundException unless the policy is the one that the request expects."""
    expected, slot = change.expected, _slot(table, change.label)
    if expected is None:
        return
    exists = policy is not None and policy.text is not None
    if expected == NO_POLICY and change.text is not None:
        if exists:
            assert policy is not None
            text = messages.policy_exists(slot, str(policy.revision_ms))
            raise DynamoError(Fault.POLICY_NOT_FOUND, text)
        return
    if policy is None or policy.text is None:
        text = messages.no_policy_of_revision(expected, slot)
        raise DynamoError(Fault.POLICY_NOT_FOUND, text)
    if expected != str(policy.revision_ms):
        text = messages.other_revision(expected, slot, str(policy.revision_ms))
        raise DynamoError(Fault.POLICY_NOT_FOUND, text)


def _check_pause(change: PolicyChange, policy: ResourcePolicy | None, table: Table) -> None:
    """Raise unless the last change is some time ago, where statuses take time at all."""
    if policy is None or not change.transient_ms:
        return
    if change.now_ms < policy.revision_ms + change.transient_ms:
        kind, name = ("Table", table.name) if change.label is None else ("Stream", change.label)
        raise DynamoError(Fault.RESOURCE_IN_USE, messages.update_pending(kind, name))
    until_ms = policy.revision_ms + RESOURCE_POLICY_PAUSE_MS
    if change.now_ms < until_ms:
        until = datetime.fromtimestamp(until_ms / 1000, UTC).isoformat(timespec="milliseconds")
        slot = _slot(table, change.label)
        text = messages.changed_just_now(
            slot, RESOURCE_POLICY_PAUSE_MS, until.replace("+00:00", "Z")
        )
        raise DynamoError(Fault.THROTTLED, text)
