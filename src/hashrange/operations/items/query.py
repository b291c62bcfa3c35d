"""Query: items of one partition, in the order of the sort key."""

from collections.abc import Sequence
from operator import attrgetter
from typing import ClassVar, Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.attributes_to_get import attributes_projection
from hashrange.expressions.filters import filter_condition
from hashrange.expressions.legacy_conditions import check_conditional_operator
from hashrange.expressions.legacy_key_conditions import KeyCondition, key_conditions
from hashrange.expressions.program import (
    Bound,
    ConditionShape,
    Constants,
    Plan,
    Sources,
    check_presence,
    planned,
)
from hashrange.limits import (
    INDEX_KEY_ATTRIBUTES_MAX,
    INDEX_NAME_CHARS_MAX,
    INDEX_NAME_CHARS_MIN,
    KEY_CONDITIONS_MAX,
    LIMIT_MIN,
)
from hashrange.messages.expressions import legacy as legacy_messages
from hashrange.messages.items import queries as messages
from hashrange.model.legacy import Condition
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.items.conditions import check_scalar_keys, check_scalar_projection
from hashrange.operations.items.key_ranges import (
    KeyPlan,
    is_of_one_item,
    key_plan_of,
    key_range,
    partition_of,
)
from hashrange.operations.items.legacy import (
    ATTRIBUTES_TO_GET,
    CONDITIONAL_OPERATOR,
    Styles,
    conditions,
)
from hashrange.operations.items.pages import (
    PagePlan,
    Reading,
    charges,
    check_select,
    read_view,
    view_of,
)
from hashrange.operations.items.starting_keys import canonical_starting_key
from hashrange.operations.items.targets import target_of
from hashrange.operations.pipeline.accesses import on_view
from hashrange.operations.pipeline.constraints import NAME_PATTERN, item_table
from hashrange.operations.pipeline.operation import Operation, TableMode
from hashrange.operations.pipeline.request_shapes import ShapeCache
from hashrange.tables.opened import OpenTable
from hashrange.tables.targets import Target
from hashrange.wire import enums
from hashrange.wire.constraints import between, length, matches, one_of, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.member_types import Integer
from hashrange.wire.rules import Form


class Query(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

    TYPED_VALUES: ClassVar[tuple[str, ...]] = ("expression_attribute_values",)
    FREE_VALUES: ClassVar[tuple[str, ...]] = ("limit", "exclusive_start_key")

    table_name: str | None = None
    index_name: str | None = None
    select: str | None = None
    attributes_to_get: list[str] | None = None
    limit: Integer | None = None
    consistent_read: bool | None = None
    key_conditions: dict[str, Condition] | None = None
    query_filter: dict[str, Condition] | None = None
    conditional_operator: str | None = None
    scan_index_forward: bool | None = None
    exclusive_start_key: dict[str, AttributeValue] | None = None
    return_consumed_capacity: str | None = None
    projection_expression: str | None = None
    filter_expression: str | None = None
    key_condition_expression: str | None = None
    expression_attribute_names: dict[str, str] | None = None
    expression_attribute_values: dict[str, AttributeValue] | None = None


_ROWS: Final = rows(
    length("index_name", INDEX_NAME_CHARS_MIN, INDEX_NAME_CHARS_MAX),
    matches("index_name", NAME_PATTERN),
    between("limit", LIMIT_MIN, None),
    one_of("select", enums.SELECT, form=Form.MODEL),
    one_of("return_consumed_capacity", enums.RETURN_CONSUMED_CAPACITY, form=Form.MODEL),
)
_OPERATOR_ROWS: Final = rows(CONDITIONAL_OPERATOR)
_LEGACY_ROWS: Final = rows(
    ATTRIBUTES_TO_GET,
    conditions("query_filter", form=Form.MODEL),
    conditions("key_conditions", form=Form.MODEL),
)
_STYLES: Final = Styles(
    legacy={
        "attributes_to_get": "AttributesToGet",
        "query_filter": "QueryFilter",
        "conditional_operator": "ConditionalOperator",
        "key_conditions": "KeyConditions",
    },
    expressions={
        "projection_expression": "ProjectionExpression",
        "filter_expression": "FilterExpression",
        "key_condition_expression": "KeyConditionExpression",
    },
)
_legacy: Final = attrgetter(*_STYLES.legacy)
_NO_LEGACY: Final = (None,) * len(_STYLES.legacy)


class Fitted(msgspec.Struct, frozen=True):
    """What is known of all requests of one shape on one table.

    Attributes:
        table: as it was.
        reading: what is read, and what becomes of it.
        keys: makes the range of keys from values; None where `key_range` does it each time.
        filter: to be bound to values.
        is_of_one_item: one item at most meets the conditions.
    """

    table: OpenTable
    reading: Reading
    keys: KeyPlan | None
    filter: ConditionShape | None
    is_of_one_item: bool


class Known:
    """What is known of all requests of one shape: they are right but for their values.

    Attributes:
        table_names: that of the table, as sent.
        plan: of their expressions.
        legacy: expressions and key conditions in the style from before expressions, with their
            values; such a shape is not cached.
        fitted: to the table that the shape was used on last. Servers in one process share it: it
            is replaced as a whole.
    """

    __slots__ = ("fitted", "legacy", "plan", "table_names")

    def __init__(
        self,
        table_names: tuple[str],
        plan: Plan,
        legacy: tuple[Bound, Sequence[KeyCondition]] | None,
    ) -> None:
        self.table_names = table_names
        self.plan = plan
        self.legacy = legacy
        self.fitted: Fitted | None = None


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table."""

    table_names: tuple[str]
    request: Query
    known: Known
    start_key: Item | None
    constants: Constants

    def expressions(self) -> tuple[Bound, Sequence[KeyCondition]]:
        """All of them with their values, and the conditions on the key."""
        if self.known.legacy is not None:
            return self.known.legacy
        bound = self.known.plan.bound(self.constants)
        return bound, bound.key_condition or ()


_known: Final = ShapeCache[Known](Query)


def check(request: Query) -> Checked:
    """See `Operation.check`."""
    known, limit = _known.get(request), request.limit
    if known is None or (limit is not None and limit < LIMIT_MIN):
        known = _learn(request)
    # What is checked of values is checked here, whether or not the shape was known.
    start_key = request.exclusive_start_key
    if start_key is not None:
        start_key = canonical_starting_key(start_key, Wording.CURRENT)
    constants = known.plan.constants(request.expression_attribute_values, Wording.CURRENT)
    return Checked(known.table_names, request, known, start_key, constants)


def _learn(request: Query) -> Known:
    """Check all of a request in DynamoDB's order, and cache what holds for its shape."""
    table_name = item_table(request.table_name)
    is_legacy = _legacy(request) != _NO_LEGACY
    if is_legacy:
        check_constraints(request, _OPERATOR_ROWS, Form.CURRENT, enveloped=False)
    check_constraints(request, _ROWS, Form.CURRENT)
    if is_legacy:
        _check_legacy_members(request)
    sources = Sources(
        projection=request.projection_expression,
        filter=request.filter_expression,
        key_condition=request.key_condition_expression,
    )
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if sources.key_condition is None:
        check_presence(sources, names, values)
    view = _legacy_view(request) if is_legacy else None
    canonical_starting_key(request.exclusive_start_key, Wording.CURRENT)
    if sources.key_condition is None and request.key_conditions is None:
        raise invalid(messages.no_key_condition())
    check_select(request, Wording.CURRENT)
    plan, constants = planned(sources, names, values, wording=Wording.CURRENT)
    legacy = None
    if is_legacy:
        bound = plan.bound(constants)
        keys: Sequence[KeyCondition] = bound.key_condition or ()
        if request.key_conditions is not None:
            keys = key_conditions(request.key_conditions, _key_conditions_max(request))
        legacy = (view or bound, keys)
    known = Known((table_name,), plan, legacy)
    _known.keep(request, known)
    return known


def _key_conditions_max(request: Query) -> int:
    """Before the index is known, as many as the key of any index can have."""
    return KEY_CONDITIONS_MAX if request.index_name is None else INDEX_KEY_ATTRIBUTES_MAX


def _check_legacy_members(request: Query) -> None:
    check_constraints(request, _LEGACY_ROWS, Form.CURRENT)
    if request.key_condition_expression is not None:
        _STYLES.check(request)
    else:
        # KeyConditions goes with the other expressions.
        _STYLES.check(msgspec.structs.replace(request, key_conditions=None))


def _legacy_view(request: Query) -> Bound | None:
    """What QueryFilter and AttributesToGet ask for; None if there is neither."""
    entries, attributes = request.query_filter, request.attributes_to_get
    operator = request.conditional_operator
    check_conditional_operator(operator, entries)
    if entries is None and attributes is None:
        return None
    condition = filter_condition(entries or {}, operator, Wording.CURRENT)
    projection = None if attributes is None else attributes_projection(attributes)
    return Bound(None, condition, None, None, projection)


def fit(checked: Checked, table: OpenTable) -> PagePlan:
    """See `Operation.fit`."""
    fitted, constants = checked.known.fitted, checked.constants
    if fitted is None or fitted.table is not table:
        fitted = checked.known.fitted = _fitted(checked, table)
    # What is checked of values is checked here, whether or not the table was known.
    key_plan = fitted.keys
    if key_plan is None or checked.start_key is not None:
        return _searched(checked, fitted)
    keys = key_plan.keys(constants)
    limit = None if fitted.is_of_one_item else checked.request.limit
    condition = None if fitted.filter is None else fitted.filter.bound(constants)
    return PagePlan(fitted.reading, keys, limit, condition, constants)


def _searched(checked: Checked, fitted: Fitted) -> PagePlan:
    """The plan of a request whose range of keys no `KeyPlan` makes."""
    bound, clauses = checked.expressions()
    target = fitted.reading.target
    keys = key_range(target, clauses, checked.start_key, reverse=_is_reverse(checked.request))
    limit = None if fitted.is_of_one_item else checked.request.limit
    constants = checked.constants
    if fitted.keys is None:
        constants = partition_of(target, clauses)
    return PagePlan(fitted.reading, keys, limit, bound.filter, constants)


def _fitted(checked: Checked, table: OpenTable) -> Fitted:
    """Check all of a request against its table in DynamoDB's order."""
    request, known = checked.request, checked.known
    bound, clauses = checked.expressions()
    target = target_of(table, request.index_name, consistent=request.consistent_read is True)
    reverse = _is_reverse(request)
    if request.key_conditions is not None:
        _check_key_condition_count(target, len(clauses))
    key_range(target, clauses, checked.start_key, reverse=reverse)
    check_scalar_projection(bound.projection, table)
    _check_filter(request, bound, target)
    check_scalar_keys(bound.filter, table)
    keys, partition = None, tuple(range(len(target.partition)))
    if known.legacy is None:
        shapes = known.plan.program.key_condition or ()
        keys = key_plan_of(target, shapes, reverse=reverse)
    if keys is not None:
        partition = (keys.partition,)
    reading = Reading(
        checked.table_names,
        target,
        view_of(target, bound, request.select),
        request.consistent_read is True,
        request.return_consumed_capacity,
        partition,
    )
    # A page that ended at the limit would name a key that nobody may go on after.
    return Fitted(table, reading, keys, known.plan.program.filter, is_of_one_item(target, clauses))


def _is_reverse(request: Query) -> bool:
    return request.scan_index_forward is False


def _check_key_condition_count(target: Target, count: int) -> None:
    """Refuse three KeyConditions where the key has not more attributes than those of tables."""
    attributes = len(target.partition) + len(target.sort)
    if count > max(attributes, KEY_CONDITIONS_MAX):
        raise invalid(legacy_messages.key_condition_count())


def _check_filter(request: Query, bound: Bound, target: Target) -> None:
    if bound.filter is None:
        return
    used = {path[0] for path in bound.filter.paths}
    for attribute in (*target.partition, *target.sort):
        if attribute.name in used:
            is_legacy = request.query_filter is not None
            text = legacy_messages.filter_on_key if is_legacy else messages.filter_on_key
            raise invalid(text(attribute.name))


OPERATION: Final = Operation(
    request=Query,
    check=check,
    accesses=lambda checked: on_view(
        "Query", checked.request.table_name, checked.request.index_name
    ),
    tables=TableMode.OPEN,
    fit=fit,
    charges=charges,
    run=read_view,
)
