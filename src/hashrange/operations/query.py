"""Query: items of one partition, in the order of the sort key."""

from collections.abc import Hashable, Sequence
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.attributes_to_get import attributes_projection
from hashrange.expressions.filters import filter_condition
from hashrange.expressions.legacy_conditions import check_conditional_operator
from hashrange.expressions.legacy_key_conditions import KeyCondition, key_conditions
from hashrange.expressions.plans import Plans
from hashrange.expressions.program import (
    Bound,
    Constants,
    Plan,
    Sources,
    check_presence,
    planned,
)
from hashrange.limits import (
    EXPRESSION_PLAN_CHARS_MAX,
    EXPRESSION_PLANS_CHARS_MAX,
    EXPRESSION_PLANS_MAX,
    INDEX_KEY_ATTRIBUTES_MAX,
    INDEX_NAME_CHARS_MAX,
    INDEX_NAME_CHARS_MIN,
    KEY_CONDITIONS_MAX,
)
from hashrange.messages import legacy as legacy_messages
from hashrange.messages import queries as messages
from hashrange.model.legacy import Condition
from hashrange.model.values import AttributeValue, Item
from hashrange.model.wording import Wording
from hashrange.operations.conditions import check_scalar_keys, check_scalar_projection
from hashrange.operations.constraints import NAME_PATTERN, item_table
from hashrange.operations.key_ranges import KeyPlan, is_of_one_item, key_plan_of, key_range
from hashrange.operations.legacy import (
    ATTRIBUTES_TO_GET,
    CONDITIONAL_OPERATOR,
    Styles,
    conditions,
)
from hashrange.operations.operation import ItemOperation
from hashrange.operations.pages import PagePlan, Reading, check_select, read_view, view_of
from hashrange.operations.starting_keys import canonical_starting_key
from hashrange.operations.targets import target_of
from hashrange.tables.opened import OpenTable
from hashrange.tables.targets import Target
from hashrange.wire import enums
from hashrange.wire.constraints import between, length, matches, one_of, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.rules import Form
from hashrange.wire.shapes import Integer


class Query(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """The request, as the client sent it."""

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
    between("limit", 1, None),
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
_shaping: Final = attrgetter(
    "table_name",
    "index_name",
    "select",
    "consistent_read",
    "scan_index_forward",
    "return_consumed_capacity",
    "projection_expression",
    "filter_expression",
    "key_condition_expression",
    *_STYLES.legacy,
)
"""All members but Limit, ExclusiveStartKey, names and values."""


class Fitted(msgspec.Struct, frozen=True):
    """What was found of a shape of request and a table."""

    table: OpenTable
    reading: Reading
    keys: KeyPlan
    is_of_one_item: bool


class Known:
    """A shape of request that was good.

    Attributes:
        plan: its expressions.
        fitted: to the table that it was used on last. Servers in one process share it: it is one
            value, which is replaced as a whole.
    """

    __slots__ = ("fitted", "plan")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.fitted: Fitted | None = None


class Checked(msgspec.Struct, frozen=True):
    """A request that is right as far as can be seen without the table.

    `legacy` is what was found of one in the older style, whose shape is not kept.
    """

    table_name: str
    request: Query
    start_key: Item | None
    known: Known
    constants: Constants = ()
    legacy: tuple[Bound, Sequence[KeyCondition]] | None = None

    def expressions(self) -> tuple[Bound, Sequence[KeyCondition]]:
        """All of them with their values, and the conditions on the key."""
        if self.legacy is not None:
            return self.legacy
        bound = self.known.plan.bound(self.constants)
        return bound, bound.key_condition or ()


def check(request: Query) -> Checked:
    """See `ItemOperation.check`."""
    names, values = request.expression_attribute_names, request.expression_attribute_values
    shape = (
        _shaping(request),
        names and tuple(names.items()),
        values and (tuple(values), tuple(map(tuple, values.values()))),
    )
    try:
        known = _shapes.get(shape)
    except TypeError:  # members in the older style, or what is empty: such shapes are not kept
        known = None
    if known is None or (request.limit is not None and request.limit < 1):
        return _checked(request, shape)
    assert request.table_name is not None, "of no known shape"
    start_key = request.exclusive_start_key
    if start_key is not None:
        start_key = canonical_starting_key(start_key, Wording.CURRENT)
    constants = known.plan.constants(values, Wording.CURRENT)
    return Checked(request.table_name, request, start_key, known, constants)


def _checked(request: Query, shape: Hashable) -> Checked:
    """Check a request of a shape that is not known, and keep the shape if it is good."""
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
    legacy = _legacy_view(request) if is_legacy else None
    start_key = canonical_starting_key(request.exclusive_start_key, Wording.CURRENT)
    if sources.key_condition is None and request.key_conditions is None:
        raise invalid(messages.no_key_condition())
    check_select(request, Wording.CURRENT)
    plan, constants = planned(sources, names, values, wording=Wording.CURRENT)
    known = Known(plan)
    if is_legacy:
        bound = plan.bound(constants)
        keys: Sequence[KeyCondition] = bound.key_condition or ()
        if request.key_conditions is not None:
            keys = key_conditions(request.key_conditions, _key_conditions_max(request))
        return Checked(table_name, request, start_key, known, legacy=(legacy or bound, keys))
    # Names and values that are there and empty were refused: a shape without them has none.
    texts = [table_name, request.index_name or "", *(names or ()), *(names or {}).values()]
    _shapes.keep(shape, known, sources.chars + sum(map(len, [*texts, *(values or ())])))
    return Checked(table_name, request, start_key, known, constants)


_shapes: Final = Plans[Hashable, Known](
    plans_max=EXPRESSION_PLANS_MAX,
    chars_max=EXPRESSION_PLANS_CHARS_MAX,
    plan_chars_max=EXPRESSION_PLAN_CHARS_MAX,
)


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
    """See `ItemOperation.fit`."""
    known = checked.known
    fitted = known.fitted
    if fitted is None or fitted.table is not table or checked.start_key is not None:
        return _fitted(checked, table)
    keys = fitted.keys.keys(checked.constants)
    limit = None if fitted.is_of_one_item else checked.request.limit
    test = known.plan.program.filter
    if test is None:
        return PagePlan(fitted.reading, keys, limit, None)
    return PagePlan(fitted.reading, keys, limit, test.bound(checked.constants))


def _fitted(checked: Checked, table: OpenTable) -> PagePlan:
    """Fit a request of whose shape and table together nothing is known."""
    request = checked.request
    bound, clauses = checked.expressions()
    target = target_of(table, request.index_name, consistent=request.consistent_read is True)
    reverse = request.scan_index_forward is False
    if request.key_conditions is not None:
        _check_key_condition_count(target, len(clauses))
    keys = key_range(target, clauses, checked.start_key, reverse=reverse)
    check_scalar_projection(bound.projection, table)
    _check_filter(request, bound, target)
    check_scalar_keys(bound.filter, table)
    is_of_one = is_of_one_item(target, clauses)
    # A page that ended at the limit would name a key that nobody may go on after.
    limit = None if is_of_one else request.limit
    reading = Reading(
        checked.table_name,
        target,
        view_of(target, bound, request.select),
        request.consistent_read is True,
        request.return_consumed_capacity,
    )
    if checked.legacy is None:
        shapes = checked.known.plan.program.key_condition or ()
        key_plan = key_plan_of(target, shapes, reverse=reverse)
        if key_plan is not None:
            checked.known.fitted = Fitted(table, reading, key_plan, is_of_one)
    return PagePlan(reading, keys, limit, bound.filter)


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


OPERATION: Final = ItemOperation(
    request=Query,
    check=check,
    fit=fit,
    run=read_view,
)
