"""The ranges of keys that a SELECT reads. Pure."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import msgspec

from hashrange.errors import invalid
from hashrange.expressions.partiql.key_conditions import Branch, Branches, names_of
from hashrange.expressions.program import Constants
from hashrange.messages import partiql as messages
from hashrange.model.data_types import KEY_TYPES, ORDER_KEYS
from hashrange.model.values import AttributeValue
from hashrange.tables.keys.key_ranges import Range, sort_range
from hashrange.tables.keys.keyspace import partition_range
from hashrange.tables.opened.access_paths import AccessPath, check_partition_key, check_sort_key


class PartitionRange(msgspec.Struct, frozen=True):
    """A range of keys in one partition.

    Attributes:
        partition: the value of the partition attribute.
        start: the first key.
        end: the first key that is beyond it.
        is_point: it is the key of one item of a table.
    """

    partition: AttributeValue
    start: bytes
    end: bytes
    is_point: bool = False


def check_kinds(branches: Branches, kinds: Sequence[str], access_path: AccessPath) -> None:
    """Refuse comparisons of the key with values of other types."""
    types = {
        attribute.name: attribute.type for attribute in (*access_path.partition, *access_path.sort)
    }
    for part in branches.parts:
        for position in part.positions:
            kind = kinds[position]
            if kind not in KEY_TYPES:
                raise invalid(messages.key_not_scalar(part.attribute, kind))
            if kind != types[part.attribute]:
                raise invalid(messages.key_kind(part.attribute))


def partition_of(branch: Branch, name: str, constants: Constants) -> AttributeValue | None:
    """The one value of the partition attribute; None if a branch has none, or several."""
    values = [constants[part.positions[0]] for part in branch.of(name)]
    if not values or any(value != values[0] for value in values):
        return None
    return cast("AttributeValue", values[0])


def ranges_of(
    branches: Branches, access_path: AccessPath, constants: Constants
) -> list[PartitionRange] | None:
    """The ranges of the alternatives of a condition, by partition, in ascending order.

    None if all is to be read: not each alternative names one partition, one has different
    conditions on the same key attribute, or one is negated. Source: measured by users, September
    2026.

    Raises:
        DynamoError: ValidationException: alternatives that overlap, empty or too long values.
    """
    if branches.negates_key or any(_has_several(each, constants) for each in branches.branches):
        return None
    name = access_path.partition[0].name
    partitions = [partition_of(branch, name, constants) for branch in branches.branches]
    values = [value for value in partitions if value is not None]
    if not values or len(values) < len(partitions):
        return None
    strict: list[PartitionRange] = []
    loose: list[PartitionRange] = []
    for branch, value in zip(branches.branches, values, strict=True):
        check_partition_key(name, value)
        start, end = _range(branch, access_path, value, constants)
        found = PartitionRange(value, start, end, _is_point(branch, access_path))
        (loose if _is_loose(branch, access_path) else strict).append(found)
    strict.sort(key=_order)
    filled = [keys for keys in strict if keys.start < keys.end]
    for one, other in pairwise(filled):
        if one.partition == other.partition and other.start < one.end:
            raise invalid(messages.overlapping_ranges())
    return _merged(strict, loose) if loose else strict


def _has_several(branch: Branch, constants: Constants) -> bool:
    """Whether an alternative has different conditions on one key attribute."""
    found: dict[str, tuple[str, list[Any]]] = {}
    for part in branch.parts:
        condition = (part.operator, [constants[position] for position in part.positions])
        if found.setdefault(part.attribute, condition) != condition:
            return True
    return False


def _range(
    branch: Branch, access_path: AccessPath, value: AttributeValue, constants: Constants
) -> Range:
    """The range in which all key conditions of a branch can hold."""
    prefix = access_path.prefix((value,))
    start, end = partition_range(prefix)
    if access_path.sort:
        name = access_path.sort[0].name
        for part in branch.of(name):
            operands = [constants[position] for position in part.positions]
            for operand in operands:
                check_sort_key(name, operand)
            first, last = sort_range(prefix, part.operator, operands)
            start, end = max(start, first), min(end, last)
    return start, max(start, end)


def _is_point(branch: Branch, access_path: AccessPath) -> bool:
    if access_path.index is not None:
        return False
    equal = {part.attribute for part in branch.parts if part.operator == "="}
    return equal.issuperset(access_path.key_names)


def _is_loose(branch: Branch, access_path: AccessPath) -> bool:
    """Whether its filter tests the sort key too: its range may overlap others."""
    names = {attribute.name for attribute in access_path.sort}
    return any(name in names for condition in branch.rest for name in names_of(condition))


def _order(keys: PartitionRange) -> tuple[Any, bytes]:
    ((kind, content),) = keys.partition.items()
    return ORDER_KEYS[kind](cast("str", content)), keys.start


def _merged(strict: list[PartitionRange], loose: list[PartitionRange]) -> list[PartitionRange]:
    """The ranges in ascending order; those that overlap are merged."""
    merged: list[PartitionRange] = []
    for keys in sorted([*strict, *loose], key=_order):
        last = merged[-1] if merged else None
        if last is not None and last.partition == keys.partition and keys.start <= last.end:
            end = max(last.end, keys.end)
            merged[-1] = PartitionRange(last.partition, last.start, end)
        else:
            merged.append(keys)
    return merged
