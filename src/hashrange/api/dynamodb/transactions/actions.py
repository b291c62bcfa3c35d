"""The actions of TransactWriteItems: their checks, and the write that each becomes."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, TypeAlias

import msgspec

from hashrange.api.dynamodb.items.conditions import (
    UNGUARDED,
    Guard,
    check_scalar_keys,
    check_scalar_reads,
)
from hashrange.api.dynamodb.items.written import updated
from hashrange.api.dynamodb.transactions.keys import (
    check_index_keys_of_update,
    refuse_empty_index_keys,
    refuse_empty_keys,
)
from hashrange.errors import invalid
from hashrange.expressions.program import Sources, Update, bind, check_presence
from hashrange.limits.requests import ITEM_BYTES_MAX, TRANSACTION_BYTES_MAX
from hashrange.messages.items import operations as messages
from hashrange.model.canonical import (
    Encoded,
    canonical_constants,
    canonical_item,
    encoded_item,
    plain_chars,
)
from hashrange.model.structures import dynamodb as structures
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.items.images import Image, image_of
from hashrange.tables.opened.access_paths import key_of, key_of_item
from hashrange.tables.opened.indexes import check_keys_of_put, check_kinds_of_update, is_too_large
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision, ItemReplacement, ItemWrite

Sent: TypeAlias = structures.ConditionCheck | structures.Put | structures.Delete | structures.Update

_UTF8_BYTES_MAX: Final = 4
"""Bytes of a character in UTF-8."""
_NO_SOURCES: Final = Sources()
_of_condition: Final = attrgetter(
    "condition_expression", "expression_attribute_names", "expression_attribute_values"
)
_NO_EXPRESSION: Final = (None, None, None)
_NO_CONDITION: Final = ": ConditionExpression is null"
"""Appended by the older layer to the text about values without an expression."""


actions_of: Final = attrgetter("put", "update", "delete", "condition_check")
"""All four actions of an entry, None for those that it does not have."""


class Action(msgspec.Struct, frozen=True):
    """An action that passed all checks that need no table.

    Attributes:
        table_name: as sent.
        sent: the action of the request.
        item: canonical: the item of a put, the key of other actions.
        size: bytes of `item`.
        guard: the condition.
        update: that of an Update; None for other actions.
        put: the encoded item of a put; None for other actions.
        only_checks: it is a ConditionCheck, which does not write.
    """

    table_name: str
    sent: Sent
    item: Item
    size: int
    guard: Guard
    update: Update | None
    put: Encoded | None = None
    only_checks: bool = False


def sent_action(entry: structures.TransactWriteItem) -> Sent:
    """The one action of an entry. Raises ValidationException if it has none, or several."""
    found = tuple(filter(None, actions_of(entry)))
    if len(found) == 1:
        sent: Sent = found[0]
        return sent
    if found:
        raise invalid(messages.several_actions_in_one())
    raise invalid(messages.no_action())


def checked_action(sent: Sent) -> Action:
    """Check an action: first its expressions, then its item or key.

    Source of the order: captures of the service, October 2026.
    """
    guard, update = _bound(sent)
    assert sent.table_name is not None, "checked"
    if isinstance(sent, structures.Put):
        assert sent.item is not None, "checked"
        put = encoded_item(sent.item, Wording.OLDER)
        if put.size > ITEM_BYTES_MAX:
            raise invalid(messages.item_too_large())
        return Action(sent.table_name, sent, put.item, put.size, guard, update, put)
    assert sent.key is not None, "checked"
    key = canonical_item(sent.key, Wording.OLDER)
    only_checks = isinstance(sent, structures.ConditionCheck)
    return Action(sent.table_name, sent, key.item, key.bytes, guard, update, None, only_checks)


def refuse_payload(actions: Sequence[Action]) -> None:
    """Refuse more than 4 MB of items, keys and values of expressions, counted as sizes of items.

    Stored items do not count. Whether other parts of a request count is not published.
    """
    # The exact size is only computed if a bound of it is too large.
    if sum(map(_payload_bytes_max, actions)) > TRANSACTION_BYTES_MAX:
        size = sum(map(_payload_bytes, actions))
        if size > TRANSACTION_BYTES_MAX:
            raise invalid(messages.payload_too_large(size))


def _payload_bytes_max(action: Action) -> int:
    """An upper bound of the bytes of an action, which is cheap to compute."""
    values = action.sent.expression_attribute_values
    if values is None:
        return action.size
    chars = plain_chars(values.values())
    if chars is None:
        return _payload_bytes(action)
    return action.size + _UTF8_BYTES_MAX * (chars + sum(map(len, values)))


def _payload_bytes(action: Action) -> int:
    values = action.sent.expression_attribute_values
    return action.size + (0 if values is None else canonical_constants(values, Wording.OLDER).bytes)


def _bound(sent: Sent) -> tuple[Guard, Update | None]:
    if _of_condition(sent) == _NO_EXPRESSION and not isinstance(sent, structures.Update):
        return UNGUARDED, None
    condition = sent.condition_expression
    update = sent.update_expression if isinstance(sent, structures.Update) else None
    names, values = sent.expression_attribute_names, sent.expression_attribute_values
    if condition is None and update is None:
        check_presence(_NO_SOURCES, names, values, absent=_NO_CONDITION)
        return UNGUARDED, None
    sources = Sources(update=update, condition=condition)
    bound = bind(sources, names, values, wording=Wording.OLDER)
    return_old = sent.return_values_on_condition_check_failure == "ALL_OLD"
    guard = UNGUARDED if bound.condition is None else Guard(bound.condition, return_old)
    return guard, bound.update


def refuse_paths(action: Action, table: OpenTable) -> None:
    """Refuse the request for a document path below a key attribute."""
    if action.update is not None:
        check_scalar_reads(action.update, table)
    check_scalar_keys(action.guard.condition, table)


def refuse_with_request(action: Action, table: OpenTable) -> None:
    """Refuse the request for an empty value of a key: this is not a cancellation reason."""
    item = action.item
    refuse_empty_keys(table, item)
    if table.has_indexes and isinstance(action.sent, structures.Put):
        refuse_empty_index_keys(table.table, item)


def planned(action: Action, table: OpenTable) -> ItemWrite[None] | ItemReplacement:
    """The write of an action. Raises ValidationException, which becomes a cancellation reason."""
    item, guard = action.item, action.guard
    match action.sent:
        case structures.Put():
            put = action.put
            assert put is not None, "checked"
            key = key_of_item(table, item)
            if table.has_indexes:
                check_keys_of_put(table, item)
                if is_too_large(table, item, put.size):
                    raise invalid(messages.item_too_large())
            return _replacement(guard, table, key, Image(put.size, put.json))
        case structures.Delete():
            return _replacement(guard, table, key_of(table, item), None)
        case structures.ConditionCheck():
            return ItemWrite(table, key_of(table, item), _Check(guard, table).decide)
        case structures.Update():
            update = action.update
            assert update is not None, "checked"
            key = key_of(table, item)
            for name in table.key_names:
                if name in update.targets:
                    raise invalid(messages.key_attribute_updated(name))
            if table.has_indexes:
                check_kinds_of_update(table.table, update.literal_kinds())
            return ItemWrite(table, key, _Change(guard, update, table, item).decide)


def _replacement(
    guard: Guard, table: OpenTable, key: bytes, after: Image | None
) -> ItemWrite[None] | ItemReplacement:
    if guard is UNGUARDED:
        return ItemReplacement(table, key, after)
    return ItemWrite(table, key, _GuardedReplacement(guard, table, after).decide)


class _GuardedReplacement(msgspec.Struct, frozen=True):
    """A put, or a delete if `after` is None."""

    guard: Guard
    table: OpenTable
    after: Image | None

    def decide(self, before: Image | None) -> Decision[None]:
        """Replace or delete the item if the condition holds. Pure."""
        self.guard.admit(before, self.table)
        return Decision(self.after, None)


class _Check(msgspec.Struct, frozen=True):
    """A condition check."""

    guard: Guard
    table: OpenTable

    def decide(self, before: Image | None) -> Decision[None]:
        """Keep the item if the condition holds. Pure."""
        self.guard.admit(before, self.table)
        return Decision(before, None)


class _Change(msgspec.Struct, frozen=True):
    """An update."""

    guard: Guard
    update: Update
    table: OpenTable
    key: Item

    def decide(self, before: Image | None) -> Decision[None]:
        """Apply the update if the condition holds. Pure."""
        old = self.guard.admit(before, self.table)
        change = updated(self.update, before, old, self.key)
        if change is None:
            return Decision(None, None)
        self.update.check_levels(change.new)
        if self.table.has_indexes:
            check_index_keys_of_update(self.table.table, change.new, self.update.targets)
            if is_too_large(self.table, change.new, change.size):
                raise invalid(messages.item_too_large_after_update())
        return Decision(image_of(change.new, change.size), None, change.new)
