"""Query: reads items of one partition in the order of the sort key."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.conditions import check_scalar_keys, check_scalar_projection
from hashrange.api.dynamodb.items.key_ranges import (
    KeyPlan,
    is_of_one_item,
    key_plan_of,
    key_range,
    partition_of,
)
from hashrange.api.dynamodb.items.legacy import (
    ATTRIBUTES_TO_GET,
    CONDITIONAL_OPERATOR,
    Styles,
    conditions,
)
from hashrange.api.dynamodb.items.pages import (
    PagePlan,
    PageSource,
    charges,
    check_all_attributes,
    check_select,
    is_eventual,
    keys,
    permission_of_page,
    read_view,
    spot,
    view_of,
)
from hashrange.api.dynamodb.items.starting_keys import access_path_of, canonical_starting_key
from hashrange.api.steps.accesses import on_view
from hashrange.api.steps.constraints import NAME_PATTERN, item_table
from hashrange.api.steps.operation import Operation, TableMode, items_in_other_region
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.api.steps.request_shapes import ShapeCache
from hashrange.errors import invalid
from hashrange.expressions.legacy_conditions import (
    KeyCondition,
    check_conditional_operator,
    filter_condition,
    key_conditions,
)
from hashrange.expressions.program import (
    Bound,
    ConditionShape,
    Constants,
    ExpressionShape,
    Sources,
    check_presence,
    shape_and_constants,
)
from hashrange.expressions.program import Condition as Filter
from hashrange.expressions.projections import attributes_projection
from hashrange.limits.requests import KEY_CONDITIONS_MAX, LIMIT_MIN
from hashrange.limits.tables import (
    INDEX_KEY_ATTRIBUTES_MAX,
    INDEX_NAME_CHARS_MAX,
    INDEX_NAME_CHARS_MIN,
)
from hashrange.messages import expressions as expression_messages
from hashrange.messages.items import queries as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import Query
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable
from hashrange.wire import enums
from hashrange.wire.constraints import between, length, matches, one_of, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.rules import Form

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


class FittedShape(msgspec.Struct, frozen=True):
    """Facts that hold for all requests of a shape on one table.

    Attributes:
        table: the open table.
        source: the table or index, and the options of the reads.
        keys: computes the range of keys; None if `key_range` computes it for each request.
        filter: the filter, without values.
        is_of_one_item: one item at most meets the key conditions.
    """

    table: OpenTable
    source: PageSource
    keys: KeyPlan | None
    filter: ConditionShape | None
    is_of_one_item: bool


class QueryShape(msgspec.Struct, eq=False):
    """Facts that hold for all requests of a shape: they are valid but for their values.

    Attributes:
        table_names: the name of the table, as sent.
        plan: the compiled expressions.
        legacy: expressions and key conditions of legacy parameters, with their values; such a shape
            is not cached.
        fitted: facts about the last table that the shape was used on. Servers in one process share
            it, so it is replaced as a whole.
    """

    table_names: tuple[str]
    plan: ExpressionShape
    legacy: tuple[Bound, Sequence[KeyCondition]] | None
    fitted: FittedShape | None = None


class CheckedQuery(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    request: Query
    shape: QueryShape
    start_key: Item | None
    constants: Constants

    def expressions(self) -> tuple[Bound, Sequence[KeyCondition]]:
        """The expressions with their values, and the key conditions."""
        if self.shape.legacy is not None:
            return self.shape.legacy
        bound = self.shape.plan.bound(self.constants)
        return bound, bound.key_condition or ()


_shapes: Final = ShapeCache[QueryShape](
    Query, typed=("expression_attribute_values",), free=("limit", "exclusive_start_key")
)


def check(request: Query) -> CheckedQuery:
    """Refuse invalid members, expressions and values; facts of the shape are cached."""
    shape, limit = _shapes.get(request), request.limit
    if shape is None or (limit is not None and limit < LIMIT_MIN):
        shape = _check_new_shape(request)
    # Values are checked for each request, also if its shape is cached.
    start_key = request.exclusive_start_key
    if start_key is not None:
        start_key = canonical_starting_key(start_key, Wording.CURRENT)
    constants = shape.plan.constants(request.expression_attribute_values, Wording.CURRENT)
    return CheckedQuery(shape.table_names, request, shape, start_key, constants)


def _check_new_shape(request: Query) -> QueryShape:
    """Check a request in DynamoDB's order, and cache the facts that hold for its shape."""
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
    if request.exclusive_start_key is not None:
        canonical_starting_key(request.exclusive_start_key, Wording.CURRENT)
    if sources.key_condition is None and request.key_conditions is None:
        raise invalid(messages.no_key_condition())
    check_select(request, Wording.CURRENT)
    plan, constants = shape_and_constants(sources, names, values, wording=Wording.CURRENT)
    legacy = None
    if is_legacy:
        bound = plan.bound(constants)
        keys: Sequence[KeyCondition] = bound.key_condition or ()
        if request.key_conditions is not None:
            keys = key_conditions(request.key_conditions, _key_conditions_max(request))
        legacy = (view or bound, keys)
    shape = QueryShape((table_name,), plan, legacy)
    _shapes.keep(request, shape)
    return shape


def _key_conditions_max(request: Query) -> int:
    """Bound of the conditions before the index is known: attributes of any index's key."""
    return KEY_CONDITIONS_MAX if request.index_name is None else INDEX_KEY_ATTRIBUTES_MAX


def _check_legacy_members(request: Query) -> None:
    check_constraints(request, _LEGACY_ROWS, Form.CURRENT)
    if request.key_condition_expression is not None:
        _STYLES.check(request)
    else:
        # KeyConditions may be combined with the other expressions.
        _STYLES.check(msgspec.structs.replace(request, key_conditions=None))


def _legacy_view(request: Query) -> Bound | None:
    """The filter and projection of QueryFilter and AttributesToGet; None if there is neither."""
    entries, attributes = request.query_filter, request.attributes_to_get
    operator = request.conditional_operator
    check_conditional_operator(operator, entries)
    if entries is None and attributes is None:
        return None
    condition = filter_condition(entries or {}, operator, Wording.CURRENT)
    projection = None if attributes is None else attributes_projection(attributes)
    return Bound(None, condition, None, None, projection)


def fit(checked: CheckedQuery, table: OpenTable) -> PagePlan:
    """Compute the range of keys; refuse conditions that do not fit the table or index."""
    fitted, constants = checked.shape.fitted, checked.constants
    if fitted is None or fitted.table is not table:
        return _fit_shape(checked, table)
    # Values are checked for each request, also if its shape was fitted to this table.
    if fitted.keys is None or checked.start_key is not None:
        bound, clauses = checked.expressions()
        access_path = fitted.source.access_path
        reverse = checked.request.scan_index_forward is False
        keys = key_range(access_path, clauses, checked.start_key, reverse=reverse)
        condition = bound.filter
        if fitted.keys is None:
            constants = partition_of(access_path, clauses)
    else:
        keys = fitted.keys.keys(constants)
        condition = None if fitted.filter is None else fitted.filter.bound(constants)
    limit = None if fitted.is_of_one_item else checked.request.limit
    return PagePlan(fitted.source, keys, limit, condition, constants)


def _fit_shape(checked: CheckedQuery, table: OpenTable) -> PagePlan:
    """Check a request against its table in DynamoDB's order; remember the facts of its shape."""
    request, shape = checked.request, checked.shape
    bound, clauses = checked.expressions()
    access_path = access_path_of(
        table, request.index_name, consistent=request.consistent_read is True
    )
    reverse = request.scan_index_forward is False
    if request.key_conditions is not None:
        _check_key_condition_count(access_path, len(clauses))
    keys = key_range(access_path, clauses, checked.start_key, reverse=reverse)
    if bound.projection is not None:
        check_scalar_projection(bound.projection, table)
    if bound.filter is not None:
        _check_filter(request, bound.filter, access_path)
    if request.select == "ALL_ATTRIBUTES":
        check_all_attributes(access_path)
    if bound.filter is not None:
        check_scalar_keys(bound.filter, table)
    key_plan, constants = None, checked.constants
    if shape.legacy is None:
        shapes = shape.plan.program.key_condition or ()
        key_plan = key_plan_of(access_path, shapes, reverse=reverse)
    if key_plan is None:
        constants = partition_of(access_path, clauses)
        partition = tuple(range(len(constants)))
    else:
        partition = (key_plan.partition,)
    source = PageSource(
        checked.table_names,
        access_path,
        view_of(access_path, bound, request.select),
        request.consistent_read is True,
        request.return_consumed_capacity,
        partition,
    )
    # A query of one item has no limit: its page would end with a key that no query may start after.
    is_pinned = is_of_one_item(access_path, clauses)
    shape.fitted = FittedShape(table, source, key_plan, shape.plan.program.filter, is_pinned)
    return PagePlan(source, keys, None if is_pinned else request.limit, bound.filter, constants)


def _check_key_condition_count(access_path: AccessPath, count: int) -> None:
    """Refuse three KeyConditions on a table, or on an index with as few key attributes."""
    attributes = len(access_path.partition) + len(access_path.sort)
    if count > max(attributes, KEY_CONDITIONS_MAX):
        raise invalid(expression_messages.key_condition_count())


def _check_filter(request: Query, condition: Filter, access_path: AccessPath) -> None:
    used = {path[0] for path in condition.paths}
    for attribute in (*access_path.partition, *access_path.sort):
        if attribute.name in used:
            is_legacy = request.query_filter is not None
            text = expression_messages.filter_on_key if is_legacy else messages.filter_on_key
            raise invalid(text(attribute.name))


def permissions(checked: CheckedQuery, plan: PagePlan, asked: Asked) -> Iterable[Permission]:
    """Query on the table or the index; of an index the keys are those of the index."""
    partition = [plan.constants[position] for position in plan.source.partition]
    page = permission_of_page("Query", checked.request, plan, asked, partitions=[partition])
    return (page,)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["Query"],
    request=Query,
    check=check,
    accesses=lambda checked: on_view(
        "Query", checked.request.table_name, checked.request.index_name
    ),
    permissions=permissions,
    tables=TableMode.OPEN,
    elsewhere=items_in_other_region,
    fit=fit,
    charges=charges,
    spot=spot,
    keys=keys,
    is_eventual=is_eventual,
    run=read_view,
)
