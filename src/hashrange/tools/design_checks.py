"""The findings of rules of table design in a table, before or after it has data. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from hashrange.capacity.units import read_units, write_units
from hashrange.limits.requests import ITEM_BYTES_MAX
from hashrange.tools.facts import TABLE, Facts, Found

LARGE_ITEM_BYTES: Final = 32 * 1024
"""From this size on one write costs more than thirty of a small item."""
FEW_VALUES: Final = 100
"""A key with fewer values cannot spread the load of a table that grows."""
COLLECTION_BYTES_MAX: Final = 10 * 1024**3
"""Of items with one partition key, in a table with local indexes."""
_WIDE_INDEXES: Final = 3
"""From this number of indexes with all attributes on, each write costs four times as much."""

_words: Final = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*|[0-9]+").findall
_FEW_VALUED: Final = _words("""
    status state type kind category flag gender sex active enabled disabled deleted archived
    priority severity level role tier plan country region language currency visible published
    is has entity
""")
_OF_TIME: Final = _words("""
    date day week month year hour minute time timestamp ts at created updated modified datetime
    epoch
""")


class _Keys(msgspec.Struct, frozen=True):
    """The keys of a table or an index; the name is `TABLE` for the table."""

    name: str
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    projection: str = "ALL"

    def shown(self, facts: Facts) -> str:
        return f"index {self.name}" if self.name else f"table {facts.definition.name}"

    def subject(self, facts: Facts) -> str:
        return self.name or facts.definition.name


def _keys(part: Mapping[str, Any], name: str = TABLE) -> _Keys:
    of_kind: dict[str, list[str]] = {"HASH": [], "RANGE": []}
    for element in part["KeySchema"]:
        of_kind[element["KeyType"]].append(element["AttributeName"])
    projection = part.get("Projection", {}).get("ProjectionType", "ALL")
    return _Keys(name, tuple(of_kind["HASH"]), tuple(of_kind["RANGE"]), projection)


def _indexes(facts: Facts, kind: str) -> list[_Keys]:
    request = facts.definition.request
    return [_keys(index, index["IndexName"]) for index in request.get(kind) or ()]


def _global(facts: Facts) -> list[_Keys]:
    return _indexes(facts, "GlobalSecondaryIndexes")


def _local(facts: Facts) -> list[_Keys]:
    return _indexes(facts, "LocalSecondaryIndexes")


def _spread(facts: Facts) -> list[_Keys]:
    """The table and its global indexes: each has partitions of its own."""
    return [_keys(facts.definition.request), *_global(facts)]


def _is_of(words: list[str], attribute: str) -> bool:
    return any(word.lower() in words for word in _words(attribute))


def _is_time(attribute: str) -> bool:
    return _is_of(_OF_TIME, attribute)


def _has_few_values(facts: Facts, attribute: str) -> bool:
    known = facts.cardinality.get(attribute)
    if known is not None:
        return known < FEW_VALUES
    return _is_of(_FEW_VALUED, attribute) and not _is_named_as_key(attribute)


def _is_named_as_key(attribute: str) -> bool:
    """Whether the name shows that values are identifiers: `typeId`, `state_key`, `GSI1PK`."""
    return bool({"id", "key", "pk", "uuid", "email"} & {word.lower() for word in _words(attribute)})


def low_cardinality(facts: Facts) -> Iterator[Found]:
    """Partition keys with few values."""
    for keys in _spread(facts):
        if not keys.partition or not all(_has_few_values(facts, each) for each in keys.partition):
            continue
        names = ", ".join(keys.partition)
        known = [facts.cardinality.get(each) for each in keys.partition]
        of = f"has {known[0]:,} values" if known[0] is not None else "has few values by its name"
        yield keys.subject(facts), f"the partition key {names} of {keys.shown(facts)} {of}"


def rising_partition_keys(facts: Facts) -> Iterator[Found]:
    """Partition keys that are times."""
    for keys in _spread(facts):
        rising = [each for each in keys.partition if _is_time(each) and not _is_named_as_key(each)]
        if rising and len(rising) == len(keys.partition):
            text = f"the partition key {', '.join(rising)} of {keys.shown(facts)} is a time that"
            yield keys.subject(facts), f"{text} rises: all present writes go to one partition"


def unbounded_collections(facts: Facts) -> Iterator[Found]:
    """Item collections that grow without an end."""
    if facts.definition.time_to_live is not None:
        return
    for keys in _spread(facts):
        if not keys.sort or any(_is_time(each) for each in keys.partition):
            continue
        few = bool(keys.partition) and all(_has_few_values(facts, each) for each in keys.partition)
        if few or _is_time(keys.sort[0]):
            cause = "few partition keys" if few else f"the sort key {keys.sort[0]} is a time"
            text = f"item collections of {keys.shown(facts)} grow without bound: {cause}"
            yield keys.subject(facts), f"{text}, and no item expires"


def local_indexes(facts: Facts) -> Iterator[Found]:
    """Local indexes, with what they limit."""
    local = _local(facts)
    if local:
        names = ", ".join(each.name for each in local)
        text = f"local indexes ({names}) limit each item collection to 10 GB, use the units of the"
        yield local[0].name, f"{text} table, and can be neither added nor removed later"


def full_collections(facts: Facts) -> Iterator[Found]:
    """Item collections beyond the limit of a table with local indexes."""
    largest = facts.collection_bytes.get(TABLE)
    if _local(facts) and largest is not None and largest > COLLECTION_BYTES_MAX:
        text = f"an item collection has {largest / 1024**3:,.1f} GB, more than the 10 GB of a table"
        yield facts.definition.name, f"{text} with local indexes: further items are refused"


def unneeded_indexes(facts: Facts) -> Iterator[Found]:
    """Indexes whose queries the table or another index serves."""
    table, indexes = _keys(facts.definition.request), _global(facts)
    for position, index in enumerate(indexes):
        if (index.partition, index.sort) == (table.partition, table.sort):
            yield index.name, f"index {index.name} has the keys of the table"
        for other in [*indexes[:position], *indexes[position + 1 :]]:
            is_same = (other.partition, other.sort) == (index.partition, index.sort)
            is_prefix = (
                other.partition == index.partition
                and len(other.sort) > len(index.sort)
                and other.sort[: len(index.sort)] == index.sort
            )
            is_later = indexes.index(other) < position
            if other.projection in {"ALL", index.projection} and (
                is_prefix or (is_same and is_later)
            ):
                yield index.name, f"index {other.name} serves every query of index {index.name}"
                break


def unread_indexes(facts: Facts) -> Iterator[Found]:
    """Indexes that nothing reads, if it is known what is read."""
    if facts.reads_per_second is not None:
        for index in [*_global(facts), *_local(facts)]:
            if not facts.reads_per_second.get(index.name):
                yield index.name, f"index {index.name} is never read, and paid with each write"


def large_items(facts: Facts) -> Iterator[Found]:
    """Items that cost many units."""
    name, size = facts.definition.name, facts.item_bytes
    if size is not None and LARGE_ITEM_BYTES <= size <= ITEM_BYTES_MAX:
        reads, writes = read_units(int(size), consistent=True), write_units(int(size))
        text = f"an item of {size / 1024:,.0f} KB costs {writes:,.0f} write units, and {reads:,.0f}"
        yield name, f"{text} read units, also if one attribute is wanted"


def too_large_items(facts: Facts) -> Iterator[Found]:
    """Items that are refused."""
    largest = max(facts.item_bytes or 0, facts.item_bytes_max or 0)
    if largest > ITEM_BYTES_MAX:
        text = f"items of {largest / 1024:,.0f} KB are refused: 400 KB is the limit"
        yield facts.definition.name, text


def wide_projections(facts: Facts) -> Iterator[Found]:
    """ALL against KEYS_ONLY: what it costs with each write, what it saves with each read.

    A read of an index without the attributes needs the item of the table too. Without figures the
    number of such indexes is all there is to judge.
    """
    wide = [each for each in _global(facts) if each.projection == "ALL"]
    if facts.projection_units is None:
        if len(wide) >= _WIDE_INDEXES:
            names = ", ".join(each.name for each in wide)
            text = f"{len(wide)} indexes project ALL attributes ({names}): each item is stored and "
            yield facts.definition.name, f"{text}written {len(wide) + 1} times"
        return
    for index in wide:
        writes, reads = facts.projection_units.get(index.name, (0.0, 0.0))
        # A write unit costs five times as much as a read unit.
        if 5 * writes > reads > 0:
            text = f"index {index.name} projects ALL: {writes:,.3g} write units a second to save"
            yield index.name, f"{text} {reads:,.3g} read units"


def slower_indexes(facts: Facts) -> Iterator[Found]:
    """Indexes with fewer write units than their table."""
    request = facts.definition.request
    member = "ProvisionedThroughput"
    own = (request.get(member) or {}).get("WriteCapacityUnits", 0)
    for index in request.get("GlobalSecondaryIndexes") or ():
        units = (index.get(member) or {}).get("WriteCapacityUnits", own)
        if units < own:
            name = index["IndexName"]
            text = f"index {name} has {units:,} write units and its table {own:,}"
            yield name, f"{text}: an index that is throttled throttles the writes of its table"
