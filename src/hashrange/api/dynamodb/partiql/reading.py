"""Fits a SELECT to its table: a read of one item, a Query or a Scan, as DynamoDB chooses."""

from collections.abc import Callable, Iterable, Sequence

from hashrange.api.dynamodb.items import get_item
from hashrange.api.dynamodb.items.conditions import check_scalar_keys, check_scalar_projection
from hashrange.api.dynamodb.items.pages import PageSource, View
from hashrange.api.dynamodb.partiql.ordering import Direction, columns_of, direction_of
from hashrange.api.dynamodb.partiql.ranges import check_kinds, partition_of, ranges_of
from hashrange.api.dynamodb.partiql.selects import PageRead, PointRead
from hashrange.api.dynamodb.partiql.statements import Page, StatementPlan, StatementShape
from hashrange.errors import invalid
from hashrange.expressions.conditions import ConditionShape, condition_shape
from hashrange.expressions.partiql.key_conditions import Branches, branches_of, names_of, together
from hashrange.expressions.program import Constants, Projection
from hashrange.expressions.readers import Derivations
from hashrange.expressions.syntax import Condition as Tree
from hashrange.messages import partiql as messages
from hashrange.messages.items import queries as query_messages
from hashrange.messages.vectors import not_searched
from hashrange.model.values import Item, in_hash_order
from hashrange.tables.opened import index_entries
from hashrange.tables.opened.access_paths import AccessPath, key_of
from hashrange.tables.opened.open_table import OpenTable


def fitted_select(
    shape: StatementShape, table: OpenTable
) -> Callable[[Constants, Page], StatementPlan]:
    """The function that makes the plans of a SELECT. Raises DynamoError: it does not fit."""
    statement = shape.prepared
    access_path = _target(table, statement.index)
    if statement.columns_fault is not None:
        raise invalid(statement.columns_fault)
    index = access_path.index
    if shape.options.consistent and index is not None and not index.is_local:
        raise invalid(messages.consistent_global_index())
    sort = access_path.sort[0].name if access_path.sort else None
    branches = branches_of(statement.condition, access_path.partition[0].name, sort)
    if branches.too_many:
        raise invalid(messages.too_many_reads())
    check_kinds(branches, statement.kinds, access_path)
    projection = columns_of(statement.columns)
    check_scalar_projection(projection, table)
    direction = direction_of(statement, branches, access_path)
    select = _Select(shape, access_path, branches, projection=projection, direction=direction)
    if shape.options.use == "batch":
        return select.by_only_key(messages.batch_select_without_key())
    point = _point(branches, access_path)
    return select.plan if point is None else select.by_key(point)


def _target(table: OpenTable, name: str | None) -> AccessPath:
    """The table or index. Raises ValidationException: no such index, or not for PartiQL."""
    if name is None:
        return AccessPath(table)
    index = table.table.index(name)
    if index is None and name in table.vector_names:
        raise invalid(not_searched("Scan"))
    if index is None or index.state == "DELETING":
        raise invalid(messages.no_such_index())
    if len(index.partition) > 1 or len(index.sort) > 1:
        raise invalid(messages.several_key_attributes())
    if index.state == "BUILDING":
        raise invalid(query_messages.index_is_backfilling(name))
    return AccessPath(table, index)


def _point(branches: Branches, access_path: AccessPath) -> dict[str, int] | None:
    """The positions of the key's values if a condition has only its equalities, each once."""
    if access_path.index is not None or len(branches.branches) != 1:
        return None
    (branch,) = branches.branches
    names = access_path.key_names
    if branch.rest or len(branch.parts) != len(names):
        return None
    found = {part.attribute: part.positions[0] for part in branch.parts if part.operator == "="}
    return found if found.keys() == set(names) else None


class _Select:
    """A SELECT, fitted to its table or index."""

    def __init__(
        self,
        shape: StatementShape,
        access_path: AccessPath,
        branches: Branches,
        *,
        projection: Projection | None,
        direction: Direction,
    ) -> None:
        self._shape = shape
        self._target = access_path
        self._branches = branches
        self._projection = projection
        self._direction = direction
        statement = shape.prepared
        derivations = Derivations(statement.kinds)
        self._whole = _shape(statement.condition, derivations)
        self._rest = self._whole
        if len(branches.branches) == 1:
            self._rest = _shape(together(branches.branches[0].rest), derivations)
        elif branches.branches and not any(branch.rest for branch in branches.branches):
            self._rest = None
        self._extend = derivations.extend()

    def by_key(self, positions: dict[str, int]) -> Callable[[Constants, Page], StatementPlan]:
        """Makes the plans of a SELECT whose condition is only the key of an item."""
        shape, table = self._shape, self._target.table
        names = tuple((name, positions[name]) for name in table.key_names)
        options = shape.options
        read = get_item.GetItemShape(
            table_names=shape.table_names,
            projection=self._projection,
            has_text_key=False,
            consistent=options.consistent,
            consumed_detail=options.capacity,
        )
        table_names = shape.table_names

        def plan(constants: Constants, page: Page) -> StatementPlan:
            if page.next_token is not None:
                return self.plan(constants, page)
            key: Item = {}
            for name, position in names:
                key[name] = constants[position]
            checked = get_item.CheckedGetItem(table_names, read, key)
            plan_of_key = get_item.GetItemPlan(checked, table, key_of(table, key))
            return PointRead(plan_of_key, ends_page=page.limit == 1)

        return plan

    def by_only_key(self, refusal: str) -> Callable[[Constants, Page], StatementPlan]:
        """Makes the plans of a SELECT whose condition must be only the key of an item."""
        branches, access_path = self._branches, self._target
        is_key = access_path.index is None and is_only_key(branches, access_path.key_names)
        reads = None
        if is_key:
            parts = branches.branches[0].parts
            reads = self.by_key({part.attribute: part.positions[0] for part in parts})

        def plan(constants: Constants, page: Page) -> StatementPlan:
            ranges_of(branches, access_path, constants)
            if reads is None or not names_one_value(branches, access_path.key_names, constants):
                raise invalid(refusal)
            return reads(constants, page)

        return plan

    def plan(self, constants: Constants, page: Page) -> StatementPlan:
        """The plan of a request that reads ranges or scans."""
        access_path, direction = self._target, self._direction
        ranges = ranges_of(self._branches, access_path, constants)
        extended = constants if self._extend is None else self._extend(constants)
        reading = self._reading(scans=ranges is None, constants=constants)
        if ranges is None and self._shape.prepared.order:
            raise invalid(messages.order_without_partition())
        if ranges is None:
            keys: Sequence[tuple[bytes, bytes]] = (access_path.whole(),)
            partitions, points, shape, reverse = None, [False], self._whole, False
        else:
            ordered = direction.applied(ranges)
            keys = [(each.start, each.end) for each in ordered]
            partitions, shape = [each.partition for each in ordered], self._rest
            points = [each.is_point for each in ordered]
            reverse = direction.reverse
        condition = None if shape is None else shape.bound(extended)
        check_scalar_keys(condition, access_path.table)
        return PageRead(
            reading, keys, partitions, points, reverse, page.limit, condition, constants, page
        )

    def _reading(self, *, scans: bool, constants: Constants) -> PageSource:
        shape = self._shape
        view = self._view(scans=scans, constants=constants)
        options = shape.options
        return PageSource(
            shape.table_names, self._target, view, options.consistent, options.capacity
        )

    def _view(self, *, scans: bool, constants: Constants) -> View:
        """The treatment of the items.

        Raises ValidationException: an index lacks attributes of the columns or of the filter.
        """
        access_path, projection = self._target, self._projection
        index = access_path.index
        view = View(projection, count_only=False)
        names = None if index is None else index_entries.names_of(access_path.table.table, index)
        if index is None or names is None:
            return view
        lacking = _lacking(names, () if projection is None else projection.names)
        if lacking and not index.is_local:
            raise invalid(query_messages.global_index_lacks(index.name, lacking))
        unfilterable = self._unfilterable(names, constants, scans=scans or bool(lacking))
        if unfilterable and (not scans or lacking):
            ordered = in_hash_order(unfilterable)
            raise invalid(query_messages.index_lacks_filter(index.name, ordered))
        return View(projection, count_only=False, fetch=bool(lacking))

    def _unfilterable(
        self, names: frozenset[str], constants: Constants, *, scans: bool
    ) -> list[str]:
        """The attributes of a filter that are not projected into an index.

        Of several alternatives the last, in the order of their partitions, if each lacks one.
        Source: measured by users, September 2026.
        """
        if scans:
            condition = self._shape.prepared.condition
            return _lacking(names, () if condition is None else names_of(condition))
        partition = self._target.partition[0].name
        last: tuple[object, list[str]] | None = None
        for branch in self._branches.branches:
            filtered = (name for condition in branch.rest for name in names_of(condition))
            lacking = _lacking(names, filtered)
            if not lacking:
                return []
            order = list((partition_of(branch, partition, constants) or {}).values())
            if last is None or order > last[0]:  # type: ignore[operator]
                last = (order, lacking)
        return [] if last is None else last[1]


def is_only_key(branches: Branches, names: Sequence[str]) -> bool:
    """Whether a condition has one alternative, with equalities of all these attributes."""
    if len(branches.branches) != 1:
        return False
    (branch,) = branches.branches
    if branch.rest or any(part.operator != "=" for part in branch.parts):
        return False
    return {part.attribute for part in branch.parts} == set(names)


def names_one_value(branches: Branches, names: Sequence[str], constants: Constants) -> bool:
    """Whether the one alternative of a condition compares no attribute with several values."""
    (branch,) = branches.branches
    return all(partition_of(branch, name, constants) is not None for name in names)


def _shape(tree: Tree | None, derivations: Derivations) -> ConditionShape | None:
    return None if tree is None else condition_shape(tree, derivations)


def _lacking(names: frozenset[str], wanted: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(wanted) if name not in names]
