"""PutItem: create an item, or replace it as a whole."""

from collections.abc import Coroutine
from typing import Any, Final

import msgspec

from hashrange.errors import invalid
from hashrange.limits import ITEM_BYTES_MAX
from hashrange.messages import items as messages
from hashrange.model.canonical import Encoded, encoded_item
from hashrange.model.legacy import ExpectedAttributeValue
from hashrange.model.values import AttributeValue
from hashrange.model.wording import Wording
from hashrange.operations.conditions import (
    UNGUARDED,
    Guard,
    check_condition_presence,
    check_scalar_keys,
    guard_of,
    is_plain,
)
from hashrange.operations.constraints import WRITE_ENUMS, item_table
from hashrange.operations.legacy import check_legacy_write
from hashrange.operations.operation import ItemOperation, ItemOutcome
from hashrange.operations.write_options import Options, known_options, options_of, options_sent
from hashrange.operations.written import Attributes, OneWrite
from hashrange.tables.images import Image, image_of_json
from hashrange.tables.indexes import check_keys_of_put, is_too_large
from hashrange.tables.keys import key_of_item
from hashrange.tables.opened import OpenTable
from hashrange.tables.store import Store
from hashrange.tables.writer import Decision, write_item
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.constraints import required, rows
from hashrange.wire.rules import Form


class PutItem(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    table_name: str | None = None
    item: dict[str, AttributeValue] | None = None
    expected: dict[str, ExpectedAttributeValue] | None = None
    return_values: str | None = None
    return_consumed_capacity: str | None = None
    return_item_collection_metrics: str | None = None
    conditional_operator: str | None = None
    condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None
    return_values_on_condition_check_failure: str | None = None


_ROWS: Final = rows(*WRITE_ENUMS, required("item"))
_known: Final = known_options()


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_name: str
    options: Options
    sized: Encoded
    guard: Guard


class Plan(OneWrite, frozen=True):
    """One image to put under one key."""

    after: Image

    def decide(self, before: Image | None) -> Decision[Attributes]:
        """Put the image if the condition holds. Pure."""
        if self.guard is not UNGUARDED:
            self.guard.admit(before)
        if self.options.returns == "NONE":
            return Decision(self.after, None)
        return Decision(self.after, self.old_attributes(before))


def check(request: PutItem) -> Checked:
    """See `ItemOperation.check`."""
    options = _known.get(options_sent(request))
    if options is None or request.item is None:
        options = _checked_options(request)
    plain = is_plain(request)
    if not plain:
        if request.expected is not None or request.conditional_operator is not None:
            check_legacy_write(request)
        check_condition_presence(request)
    assert request.item is not None
    sized = encoded_item(request.item, Wording.CURRENT)
    if not options.returns_only_old:
        raise invalid(messages.return_values_old_only())
    if sized.size > ITEM_BYTES_MAX:
        raise invalid(messages.item_too_large(), bare=True)
    guard = UNGUARDED if plain else guard_of(request)
    return Checked(options.table_name, options, sized, guard)


def _checked_options(request: PutItem) -> Options:
    table_name = item_table(request.table_name)
    check_constraints(request, _ROWS, Form.CURRENT)
    options = options_of(table_name, request)
    _known.keep(options_sent(request), options, len(table_name))
    return options


def fit(checked: Checked, table: OpenTable) -> Plan:
    """See `ItemOperation.fit`."""
    sized, guard = checked.sized, checked.guard
    item = sized.item
    key = key_of_item(table, item)
    if guard is not UNGUARDED:
        check_scalar_keys(guard.condition, table)
    if table.table.indexes:
        check_keys_of_put(table.table, item)
        if is_too_large(table.table, item, sized.size):
            raise invalid(messages.item_too_large(), bare=True)
    return Plan(table, key, checked.options, item, guard, image_of_json(sized.json, sized.size))


def run(plan: Plan, store: Store) -> Coroutine[Any, Any, ItemOutcome]:
    """See `ItemOperation.run`."""
    return write_item(store, plan, plan.told)


OPERATION: Final = ItemOperation(
    request=PutItem,
    check=check,
    fit=fit,
    run=run,
    enveloped=True,
)
