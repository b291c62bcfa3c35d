"""The records that a query selects. Pure."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from hashrange.api.audit.events import Event

_STATEMENT: Final = "statement"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The filter of records; None for anything.

    Attributes:
        principal: the end of the ARN behind a slash, the whole ARN, a user's name or an access key.
        table: the name of a table.
        key: the value of a key attribute.
        event_name: such as `PutItem`.
        since: `eventTime` at the earliest.
        until: `eventTime` at the latest.
        refused: only requests that were refused.
    """

    principal: str | None = None
    table: str | None = None
    key: str | None = None
    event_name: str | None = None
    since: str | None = None
    until: str | None = None
    refused: bool = False

    def has(self, event: Event) -> bool:
        """Whether a record is meant."""
        return (
            (self.event_name is None or event.event_name == self.event_name)
            and (self.since is None or event.event_time >= self.since)
            and (self.until is None or event.event_time <= self.until)
            and (not self.refused or event.error_code is not None)
            and (self.principal is None or self.principal in names_of(event))
            and (self.table is None or self.table in tables_of(event))
            and (self.key is None or _names_key(event, self.key))
        )


def names_of(event: Event) -> set[str]:
    """All names by which the principal of a record can be meant."""
    identity = event.user_identity
    arn = str(identity.get("arn", ""))
    members = ("principalId", "accessKeyId", "userName", "invokedBy")
    found = {arn, arn.rpartition("/")[2], *(str(identity.get(name, "")) for name in members)}
    issuer: Any = identity.get("sessionContext")
    issuer = issuer.get("sessionIssuer") if isinstance(issuer, dict) else None
    if isinstance(issuer, dict):
        found |= {str(issuer.get("arn", "")), str(issuer.get("userName", ""))}
    return found - {""}


def tables_of(event: Event) -> list[str]:
    """The names of the tables that a record is about."""
    names = (each.arn.partition(":table/")[2].partition("/")[0] for each in event.resources)
    return list(dict.fromkeys(filter(None, names)))


def keys_of(event: Event) -> Iterator[tuple[str, dict[str, str]]]:
    """The keys that a record names, each with its table."""
    parameters = event.request_parameters
    if not isinstance(parameters, dict):
        return
    tables = tables_of(event)
    table = str(parameters.get("tableName") or (tables[0] if tables else ""))
    yield from ((_name(table), key) for key in _named(parameters))
    items = parameters.get("requestItems")
    if isinstance(items, list):
        for each in items:
            yield from ((_name(str(each.get("tableName", ""))), key) for key in _named(each))
    elif isinstance(items, dict):  # records of earlier versions
        for name, part in items.items():
            yield from ((_name(name), key) for key in _keys_of_batch(part))


def _named(parameters: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The key of a request or an action; of a statement perhaps several."""
    if isinstance(key := parameters.get("key"), dict):
        yield key
    if isinstance(keys := parameters.get("keys"), list):
        yield from keys


def _keys_of_batch(part: Any) -> Iterator[dict[str, str]]:
    if isinstance(part, dict):
        yield from part.get("keys", ())
        return
    for write in part:
        for request in write.values():
            yield request.get("key", {})


def _name(table: str) -> str:
    return table.partition(":table/")[2] or table


def _statements(event: Event) -> Iterator[str]:
    parameters = event.request_parameters
    if not isinstance(parameters, dict):
        return
    items = parameters.get("requestItems")
    for each in (parameters, *(items if isinstance(items, list) else ())):
        if isinstance(text := each.get(_STATEMENT), str):
            yield text


def _names_key(event: Event, value: str) -> bool:
    if any(value in key.values() for _, key in keys_of(event)):
        return True
    literal = "'" + value.replace("'", "''") + "'"
    return any(literal in text for text in _statements(event))
