"""DeleteItem: remove an item, if there is one."""

from collections.abc import Coroutine
from typing import Any, Final

import msgspec

from hashrange.errors import invalid
from hashrange.messages import items as messages
from hashrange.model.canonical import canonical_key
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import (
    UNGUARDED,
    Guard,
    check_condition_presence,
    check_scalar_keys,
    guard_of,
    is_plain,
)
from hashrange.operations.constraints import KEY, WRITE_ENUMS, item_table
from hashrange.operations.legacy import check_legacy_write
from hashrange.operations.operation import ItemOperation, ItemOutcome
from hashrange.operations.write_options import Options, known_options, options_of, options_sent
from hashrange.operations.written import Attributes, OneWrite
from hashrange.tables.images import Image
from hashrange.tables.keys import key_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.writer import Decision, write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import rows
from hashrange.wire.rules import Form


class DeleteItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    key: dict[str, AttributeValue] | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    conditional_operator: str | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    return_item_collection_metrics: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


_ROWS: Final = rows(*WRITE_ENUMS, KEY)
_known: Final = known_options()


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    options: Options
    key: Item
    guard: Guard


class Plan(OneWrite, frozen=True):
    """One key to clear."""

    def decide(self, before: Image | None) -> Decision[Attributes]:
        """Remove the item if the condition holds. Pure."""
        self.guard.admit(before)
        return Decision(None, self.old_attributes(before))


def check(request: DeleteItem) -> Checked:
    """See `ItemOperation.check`."""
    options = _known.get(options_sent(request))
    if options is None or request.key is None:
        options = _checked_options(request)
    plain = is_plain(request)
    if not plain:
        if request.expected is not None or request.conditional_operator is not None:
            check_legacy_write(request)
        check_condition_presence(request)
    assert request.key is not None
    key = canonical_key(request.key, Wording.CURRENT)
    if not options.returns_only_old:
        raise invalid(messages.return_values_old_only())
    guard = UNGUARDED if plain else guard_of(request)
    return Checked(options.table_name, options, key, guard)


def _checked_options(request: DeleteItem) -> Options:
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    options = options_of(table_name, request)
    _known.keep(options_sent(request), options, len(table_name))
    return options


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    key, guard = key_of(table, checked.key), checked.guard
    if guard is not UNGUARDED:
        check_scalar_keys(guard.condition, table)
    return Plan(table, key, checked.options, checked.key, guard)


def run(plan: Plan, store: Store) -> Coroutine[Any, Any, ItemOutcome]:
    """See `ItemOperation.run`."""
    return write_item(store, plan, plan.told)


OPERATION: Final = ItemOperation(
    request=DeleteItem,
    check=check,
    fit=fit,
    run=run,
    enveloped=True,
)
