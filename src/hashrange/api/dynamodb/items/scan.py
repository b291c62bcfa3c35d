"""Scan: reads all items of a table or of a segment, in the order of the partition hash."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.conditions import check_scalar_keys, check_scalar_projection
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
    permission_of_page,
    read_view,
    view_of,
)
from hashrange.api.dynamodb.items.starting_keys import (
    access_path_of,
    canonical_starting_key,
    check_index_key,
    scan_starting_key,
)
from hashrange.api.steps.accesses import on_view
from hashrange.api.steps.constraints import (
    NAME_PATTERN,
    RETURN_CONSUMED_CAPACITY,
    item_table,
)
from hashrange.api.steps.operation import Operation, TableMode, items_in_other_region
from hashrange.api.steps.permissions import Asked, Permission
from hashrange.errors import invalid
from hashrange.expressions.legacy_conditions import check_conditional_operator, filter_condition
from hashrange.expressions.program import Bound, Sources, bind, check_presence
from hashrange.expressions.projections import attributes_projection
from hashrange.limits.requests import LIMIT_MIN, SCAN_FILTER_ARGUMENTS_MAX, SEGMENTS_MAX
from hashrange.limits.tables import INDEX_NAME_CHARS_MAX, INDEX_NAME_CHARS_MIN
from hashrange.messages.items import queries as messages
from hashrange.model.operations import OPERATION_FACTS
from hashrange.model.structures.dynamodb import Scan
from hashrange.model.values import Item
from hashrange.model.wording import Wording
from hashrange.tables.opened.access_paths import AccessPath
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.opened.reader import KeyRange
from hashrange.wire import enums
from hashrange.wire.constraints import between, length, matches, one_of, rows
from hashrange.wire.constraints import check as check_constraints
from hashrange.wire.rules import Form

_OWN_ROWS: Final = (
    length("index_name", INDEX_NAME_CHARS_MIN, INDEX_NAME_CHARS_MAX),
    matches("index_name", NAME_PATTERN),
    between("limit", LIMIT_MIN, None),
    one_of("select", enums.SELECT),
    RETURN_CONSUMED_CAPACITY,
    between("total_segments", 1, SEGMENTS_MAX),
    between("segment", 0, SEGMENTS_MAX - 1),
)
_ROWS: Final = rows(*_OWN_ROWS)
_LEGACY_ROWS: Final = rows(
    *_OWN_ROWS, CONDITIONAL_OPERATOR, conditions("scan_filter"), ATTRIBUTES_TO_GET
)
_STYLES: Final = Styles(
    legacy={
        "attributes_to_get": "AttributesToGet",
        "scan_filter": "ScanFilter",
        "conditional_operator": "ConditionalOperator",
    },
    expressions={
        "projection_expression": "ProjectionExpression",
        "filter_expression": "FilterExpression",
    },
)
_legacy: Final = attrgetter(*_STYLES.legacy)
_NO_LEGACY: Final = (None,) * len(_STYLES.legacy)
_NO_FILTER: Final = ": FilterExpression is null"
"""Appended by the older layer to the text about values without an expression."""


class CheckedScan(msgspec.Struct, frozen=True):
    """A request that passed all checks that need no table."""

    table_names: tuple[str]
    request: Scan
    bound: Bound
    start_key: Item | None


def check(request: Scan) -> CheckedScan:
    """Refuse invalid members, expressions, values and segments."""
    table_name = item_table(request.table_name, echo_empty=True)
    is_legacy = _legacy(request) != _NO_LEGACY
    check_constraints(request, _LEGACY_ROWS if is_legacy else _ROWS, Form.MODEL)
    if is_legacy:
        _STYLES.check(request)
    sources = Sources(projection=request.projection_expression, filter=request.filter_expression)
    names, values = request.expression_attribute_names, request.expression_attribute_values
    if sources.filter is None:
        check_presence(sources, names, values, absent=_NO_FILTER)
    legacy = _legacy_view(request) if is_legacy else None
    start_key = canonical_starting_key(request.exclusive_start_key, Wording.OLDER)
    _check_segment(request.segment, request.total_segments)
    check_select(request, Wording.OLDER)
    bound = bind(sources, names, values, wording=Wording.OLDER, absent=_NO_FILTER)
    return CheckedScan((table_name,), request, legacy or bound, start_key)


def _legacy_view(request: Scan) -> Bound:
    """The filter and projection of ScanFilter and AttributesToGet."""
    entries, attributes = request.scan_filter, request.attributes_to_get
    operator = request.conditional_operator
    projection = None if attributes is None else attributes_projection(attributes)
    condition = filter_condition(
        entries or {}, operator, Wording.OLDER, arguments_max=SCAN_FILTER_ARGUMENTS_MAX
    )
    # The older layer checks values before ConditionalOperator.
    check_conditional_operator(operator, entries)
    return Bound(None, condition, None, None, projection)


def fit(checked: CheckedScan, table: OpenTable) -> PagePlan:
    """Compute the range of keys; refuse what does not fit the table or index."""
    request, bound = checked.request, checked.bound
    access_path = access_path_of(
        table, request.index_name, consistent=request.consistent_read is True, operation="Scan"
    )
    start_key = checked.start_key
    if start_key is not None and access_path.index is not None:
        check_index_key(access_path, start_key)
    if request.select == "ALL_ATTRIBUTES":
        check_all_attributes(access_path)
    keys = _key_range(access_path, request, start_key)
    check_scalar_projection(bound.projection, table)
    check_scalar_keys(bound.filter, table)
    source = PageSource(
        checked.table_names,
        access_path,
        view_of(access_path, bound, request.select, scans=True),
        request.consistent_read is True,
        request.return_consumed_capacity,
    )
    return PagePlan(source, keys, request.limit, bound.filter)


def _check_segment(segment: int | None, total: int | None) -> None:
    if segment is None and total is None:
        return
    if total is None:
        raise invalid(messages.total_segments_missing())
    if segment is None:
        raise invalid(messages.segment_missing())
    if segment >= total:
        raise invalid(messages.segment_beyond(segment, total))


def _key_range(access_path: AccessPath, request: Scan, start_key: Item | None) -> KeyRange:
    segment, total = request.segment, request.total_segments
    if segment is None or total is None:
        start, end = access_path.whole()
    else:
        start, end = access_path.segment(segment, total)
    if start_key is None:
        return KeyRange(start, end)
    key = scan_starting_key(access_path, start_key)
    if not start <= key < end:
        assert segment is not None, "the whole table holds every key"
        assert total is not None, "the whole table holds every key"
        raise invalid(messages.wrong_segment(total, segment))
    return KeyRange(key + b"\x00", end)


def permissions(checked: CheckedScan, plan: PagePlan, asked: Asked) -> Iterable[Permission]:
    """Scan on the table or the index; it has no keys, as on AWS."""
    return (permission_of_page("Scan", checked.request, plan, asked),)


OPERATION: Final = Operation(
    facts=OPERATION_FACTS["Scan"],
    request=Scan,
    check=check,
    accesses=lambda checked: on_view(
        "Scan", checked.request.table_name, checked.request.index_name
    ),
    permissions=permissions,
    tables=TableMode.OPEN,
    elsewhere=items_in_other_region,
    fit=fit,
    charges=charges,
    is_eventual=is_eventual,
    run=read_view,
)
