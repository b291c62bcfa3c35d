"""The range of keys that a Query reads, from its key condition and its ExclusiveStartKey."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from hashrange.api.dynamodb.items.starting_keys import check_key_count, check_table_key, key_value
from hashrange.errors import DynamoError, invalid
from hashrange.expressions.key_conditions import KeyShape
from hashrange.expressions.legacy_conditions import KeyCondition, Unindexable
from hashrange.expressions.program import Constants, KeyClause
from hashrange.limits.requests import PARTITION_KEY_BYTES_MAX
from hashrange.messages.expressions import operator_not_indexable
from hashrange.messages.items import queries as messages
from hashrange.model.values import AttributeValue, Item
from hashrange.tables.keys.key_ranges import sort_range
from hashrange.tables.keys.keyspace import partition_range
from hashrange.tables.opened.access_paths import AccessPath, check_partition_key, check_sort_key
from hashrange.tables.opened.reader import KeyRange

_SHAPES_MAX: Final = 2
_CHAR_BYTES_MAX: Final = 4
_SHORT_PARTITION_CHARS: Final = PARTITION_KEY_BYTES_MAX // _CHAR_BYTES_MAX
"""A key of so few characters is within the limit of bytes, whatever the characters are."""


def key_range(
    access_path: AccessPath,
    clauses: Sequence[KeyCondition],
    start_key: Item | None,
    *,
    reverse: bool,
) -> KeyRange:
    """The range of keys to read. Raises ValidationException.

    The service checks the attributes of the key in order: for each the value in the starting key,
    then the condition. Of an index it then checks the table's key in the starting key, and last
    whether the starting key is in the range.
    """
    attributes = len(access_path.partition) + len(access_path.sort)
    if start_key is not None:
        _check_starting_partition(access_path, start_key)
    if len(clauses) > attributes:
        raise invalid(messages.too_many_key_conditions(len(clauses), attributes))
    if len(access_path.partition) > 1:
        _check_equalities(access_path, clauses)
    partition = partition_of(access_path, clauses)
    if start_key is not None:
        _check_starting_sort(access_path, start_key)
    if len(clauses) == len(partition):
        start, end = partition_range(access_path.prefix(partition))
    else:
        sort = _sort_clauses(access_path, clauses)
        prefix = access_path.prefix(partition, [clause.operands[0] for clause in sort[:-1]])
        start, end = sort_range(prefix, sort[-1].operator, sort[-1].operands)
    keys = KeyRange(start, end, reverse)
    if start_key is None:
        return keys
    key = _starting_key(access_path, start_key, keys, clauses)
    return KeyRange(start, key, reverse) if reverse else KeyRange(key + b"\x00", end, reverse)


class KeyPlan(msgspec.Struct, frozen=True):
    """Computes the range of keys of a Query whose conditions fit the access path."""

    prefix: Callable[[AttributeValue], bytes]
    """The prefix of all keys of a partition."""
    name: str
    """The name of the partition attribute."""
    partition: int
    """The position of its value among the constants."""
    sort: KeyShape | None
    reverse: bool

    def keys(self, constants: Constants) -> KeyRange:
        """The range of keys of a request whose shape has passed `key_range`.

        Raises ValidationException for empty or too long values.
        """
        partition = constants[self.partition]
        text = partition.get("S")
        if not text or len(text) > _SHORT_PARTITION_CHARS:
            check_partition_key(self.name, partition)
        sort = self.sort
        if sort is None:
            start, end = partition_range(self.prefix(partition))
            return KeyRange(start, end, self.reverse)
        operands = [constants[position] for position in sort.positions]
        for operand in operands:
            check_sort_key(sort.attribute, operand)
        start, end = sort_range(self.prefix(partition), sort.operator, operands)
        return KeyRange(start, end, self.reverse)


def key_plan_of(
    access_path: AccessPath, shapes: Sequence[KeyShape], *, reverse: bool
) -> KeyPlan | None:
    """The key plan of a Query whose conditions fit the access path.

    None if the key has more than one partition attribute, or conditions are on more than one sort
    attribute.
    """
    if len(access_path.partition) > 1 or len(shapes) > _SHAPES_MAX:
        return None
    name = access_path.partition[0].name
    position, sort = 0, None
    for shape in shapes:
        if shape.attribute == name:
            (position,) = shape.positions
        else:
            sort = shape
    return KeyPlan(access_path.prefix_of_one(), name, position, sort, reverse)


def partition_of(
    access_path: AccessPath, clauses: Sequence[KeyCondition]
) -> tuple[AttributeValue, ...]:
    """The values of the partition attributes. Raises ValidationException."""
    values = []
    for attribute in access_path.partition:
        clause = _clause_of(attribute.name, clauses)
        if clause is None:
            raise invalid(messages.key_element_missed(attribute.name))
        for operand in clause.operands:
            if attribute.type not in operand:
                raise invalid(messages.key_condition_type())
        if clause.operator != "=":
            raise invalid(messages.key_condition_unsupported())
        check_partition_key(attribute.name, clause.operands[0])
        values.append(clause.operands[0])
    return tuple(values)


def is_of_one_item(access_path: AccessPath, clauses: Sequence[KeyCondition]) -> bool:
    """Whether one item at most can meet valid conditions; such a query has no second page.

    In an index several items may have the same key.
    """
    attributes = len(access_path.partition) + len(access_path.sort)
    if access_path.index is not None or len(clauses) < attributes:
        return False
    return all(isinstance(each, KeyClause) and each.operator == "=" for each in clauses)


def _check_equalities(access_path: AccessPath, clauses: Sequence[KeyCondition]) -> None:
    """Refuse a query of an index of several partition attributes without equality on each.

    Source: measured by users, August 2026, as is that others are refused as queries of tables.
    """
    found = [(each.name, _clause_of(each.name, clauses)) for each in access_path.partition]
    lacking = [name for name, clause in found if clause is None or clause.operator != "="]
    if lacking:
        raise invalid(messages.hash_keys_without_equality(lacking))


def _sort_clauses(access_path: AccessPath, clauses: Sequence[KeyCondition]) -> list[KeyClause]:
    """The conditions on the sort attributes, in the order of the key: a prefix of it.

    All but the last are equalities.
    """
    found: list[KeyClause] = []
    open_name: str | None = None
    for attribute in access_path.sort:
        clause = _clause_of(attribute.name, clauses)
        if clause is None or open_name is not None:
            if clause is not None:
                raise invalid(messages.key_condition_gap(str(open_name), attribute.name))
            open_name = open_name or attribute.name
            continue
        for operand in clause.operands:
            if attribute.type not in operand:
                raise invalid(messages.key_condition_type())
            check_sort_key(attribute.name, operand)
        found.append(clause)
        if clause.operator != "=":
            open_name = attribute.name
    if len(found) < len(clauses) - len(access_path.partition):
        missed = open_name or access_path.partition[0].name
        raise invalid(messages.key_element_missed(missed))
    return found


def _clause_of(name: str, clauses: Sequence[KeyCondition]) -> KeyClause | None:
    for clause in clauses:
        if clause.attribute == name:
            if isinstance(clause, Unindexable):
                raise invalid(operator_not_indexable())
            return clause
    return None


def _check_starting_partition(access_path: AccessPath, key: Item) -> None:
    """Refuse a wrong number of attributes, and invalid values of the partition key."""
    check_key_count(access_path, key)
    for attribute in access_path.partition:
        check_partition_key(attribute.name, key_value(key, attribute))


def _check_starting_sort(access_path: AccessPath, key: Item) -> None:
    """Refuse invalid values of the sort key."""
    for attribute in access_path.sort:
        check_sort_key(attribute.name, key_value(key, attribute))


def _starting_key(
    access_path: AccessPath, key: Item, keys: KeyRange, clauses: Sequence[KeyCondition]
) -> bytes:
    """The engine key to start after, which must be in the range of the query."""
    if access_path.index is not None:
        check_table_key(access_path, key)
    found = access_path.position(key)
    assert found is not None, "its attributes were checked"
    if not keys.start <= found < keys.end:
        raise _outside(access_path, key, found, _sort_clauses(access_path, clauses))
    if access_path.index is None and not access_path.sort:
        ((name, value),) = key.items()
        ((kind, content),) = value.items()
        raise invalid(messages.start_key_of_single_row(name, f"{{{kind}:{content}}}"))
    if is_of_one_item(access_path, clauses):
        raise invalid(messages.query_cannot_restart())
    return found


def _outside(
    access_path: AccessPath, key: Item, found: bytes, sort: Sequence[KeyClause]
) -> DynamoError:
    """The error for a key outside of the range; a condition on the sort key is checked first."""
    if not sort:
        return invalid(messages.starting_key_outside())
    partition = [key[attribute.name] for attribute in access_path.partition]
    prefix = access_path.prefix(partition, [clause.operands[0] for clause in sort[:-1]])
    start, end = sort_range(prefix, sort[-1].operator, sort[-1].operands)
    if start <= found < end:
        return invalid(messages.query_cannot_restart())
    return invalid(messages.starting_key_off_range())
