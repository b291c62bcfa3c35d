"""The rules of table design: one table of what is accepted by DynamoDB and hurts later. Pure.

`design` and `check` warn by them before there is a table, `doctor` with the figures of a live one.
A rule says nothing about facts that it does not have.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from hashrange.capacity.units import read_units, write_units
from hashrange.limits.items import ITEM_BYTES_MAX
from hashrange.tools.definition import TableDefinition

Severity: TypeAlias = Literal["error", "warning"]
TABLE: Final = ""
"""The key of the table itself, in facts by index."""
LARGE_ITEM_BYTES: Final = 32 * 1024
"""From this size on one write costs more than thirty of a small item."""
FEW_VALUES: Final = 100
"""A key with fewer values cannot spread the load of a table that grows."""
COLLECTION_BYTES_MAX: Final = 10 * 1024**3
"""Of items with one partition key, in a table with local indexes."""
_WIDE_INDEXES: Final = 3
"""From this number of indexes with all attributes on, each write costs four times as much."""
_SMALL_ENTRY_BYTES: Final = 1024

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


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """A table and what is known of its data and load; None and missing keys are unknown.

    Attributes:
        definition: the table.
        item_bytes: the average size of an item.
        item_bytes_max: the size of the largest item.
        cardinality: the number of values of an attribute, by name.
        collection_bytes: the size of the largest item collection, by index, `TABLE` for the table.
        writes_per_second: items written.
        reads_per_second: items read, by index; an index that is missing here is not read, unless
            the whole mapping is None.
    """

    definition: TableDefinition
    item_bytes: float | None = None
    item_bytes_max: float | None = None
    cardinality: Mapping[str, int] = {}
    collection_bytes: Mapping[str, float] = {}
    writes_per_second: float | None = None
    reads_per_second: Mapping[str, float] | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that a table breaks.

    Attributes:
        rule: the id of the rule.
        severity: an error is refused or lost sooner or later; a warning costs money or speed.
        subject: the table or the index.
        text: what was found, a sentence without its full stop.
        remedy: what to do, likewise.
        page: the page of the documentation, with its section.
    """

    rule: str
    severity: Severity
    subject: str
    text: str
    remedy: str
    page: str

    @property
    def line(self) -> str:
        """The finding in one line."""
        return f"{self.severity}: {self.text}. {self.remedy}. [{self.rule}, docs/{self.page}]"


Found: TypeAlias = tuple[str, str]
"""The subject of a finding and its text."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table; `check` finds where the rule is broken."""

    id: str
    severity: Severity
    remedy: str
    page: str
    check: Callable[[Facts], Iterator[Found]]


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


def findings(facts: Facts) -> list[Finding]:
    """All findings of all rules, errors first, in the order of the rules."""
    found = [
        Finding(
            rule=rule.id,
            severity=rule.severity,
            subject=subject,
            text=text,
            remedy=rule.remedy,
            page=rule.page,
        )
        for rule in RULES
        for subject, text in rule.check(facts)
    ]
    return sorted(found, key=lambda each: each.severity)


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
    """Whether the name tells that values are identifiers: `typeId`, `state_key`, `GSI1PK`."""
    return bool({"id", "key", "pk", "uuid", "email"} & {word.lower() for word in _words(attribute)})


def _low_cardinality(facts: Facts) -> Iterator[Found]:
    for keys in _spread(facts):
        if not keys.partition or not all(_has_few_values(facts, each) for each in keys.partition):
            continue
        names = ", ".join(keys.partition)
        known = [facts.cardinality.get(each) for each in keys.partition]
        of = f"has {known[0]:,} values" if known[0] is not None else "has few values by its name"
        yield keys.subject(facts), f"the partition key {names} of {keys.shown(facts)} {of}"


def _rising_partition_keys(facts: Facts) -> Iterator[Found]:
    for keys in _spread(facts):
        rising = [each for each in keys.partition if _is_time(each) and not _is_named_as_key(each)]
        if rising and len(rising) == len(keys.partition):
            text = f"the partition key {', '.join(rising)} of {keys.shown(facts)} is a time that"
            yield keys.subject(facts), f"{text} rises: all present writes go to one partition"


def _unbounded_collections(facts: Facts) -> Iterator[Found]:
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


def _local_indexes(facts: Facts) -> Iterator[Found]:
    local = _local(facts)
    if local:
        names = ", ".join(each.name for each in local)
        text = f"local indexes ({names}) limit each item collection to 10 GB, use the units of the"
        yield local[0].name, f"{text} table, and can be neither added nor removed later"


def _full_collections(facts: Facts) -> Iterator[Found]:
    largest = facts.collection_bytes.get(TABLE)
    if _local(facts) and largest is not None and largest > COLLECTION_BYTES_MAX:
        text = f"an item collection has {largest / 1024**3:,.1f} GB, more than the 10 GB of a table"
        yield facts.definition.name, f"{text} with local indexes: further items are refused"


def _unneeded_indexes(facts: Facts) -> Iterator[Found]:
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


def _unread_indexes(facts: Facts) -> Iterator[Found]:
    if facts.reads_per_second is not None:
        for index in [*_global(facts), *_local(facts)]:
            if not facts.reads_per_second.get(index.name):
                yield index.name, f"index {index.name} is never read, and paid with each write"


def _large_items(facts: Facts) -> Iterator[Found]:
    name, size = facts.definition.name, facts.item_bytes
    if size is not None and LARGE_ITEM_BYTES <= size <= ITEM_BYTES_MAX:
        reads, writes = read_units(int(size), consistent=True), write_units(int(size))
        text = f"an item of {size / 1024:,.0f} KB costs {writes:,.0f} write units, and {reads:,.0f}"
        yield name, f"{text} read units, also if one attribute is wanted"


def _too_large_items(facts: Facts) -> Iterator[Found]:
    largest = max(facts.item_bytes or 0, facts.item_bytes_max or 0)
    if largest > ITEM_BYTES_MAX:
        text = f"items of {largest / 1024:,.0f} KB are refused: 400 KB is the limit"
        yield facts.definition.name, text


def _wide_projections(facts: Facts) -> Iterator[Found]:
    """ALL against KEYS_ONLY: what it costs with each write, what it saves with each read.

    A read of an index without the attributes needs the item of the table too. Without figures the
    number of such indexes is all there is to judge.
    """
    wide = [each for each in _global(facts) if each.projection == "ALL"]
    size, writes, reads = facts.item_bytes, facts.writes_per_second, facts.reads_per_second
    if size is None or writes is None or reads is None:
        if len(wide) >= _WIDE_INDEXES:
            names = ", ".join(each.name for each in wide)
            text = f"{len(wide)} indexes project ALL attributes ({names}): each item is stored and "
            yield facts.definition.name, f"{text}written {len(wide) + 1} times"
        return
    entry = min(size, _SMALL_ENTRY_BYTES)
    for index in wide:
        of_writes = writes * (write_units(int(size)) - write_units(int(entry)))
        of_reads = reads.get(index.name, 0) * read_units(int(size), consistent=False)
        # A write unit costs five times as much as a read unit.
        if 5 * of_writes > of_reads > 0:
            text = f"index {index.name} projects ALL: {of_writes:,.0f} write units a second to save"
            yield index.name, f"{text} {of_reads:,.0f} read units"


def _slower_indexes(facts: Facts) -> Iterator[Found]:
    request = facts.definition.request
    member = "ProvisionedThroughput"
    own = (request.get(member) or {}).get("WriteCapacityUnits", 0)
    for index in request.get("GlobalSecondaryIndexes") or ():
        units = (index.get(member) or {}).get("WriteCapacityUnits", own)
        if units < own:
            name = index["IndexName"]
            text = f"index {name} has {units:,} write units and its table {own:,}"
            yield name, f"{text}: an index that is throttled throttles the writes of its table"


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        id="item-too-large",
        severity="error",
        remedy="Keep large values in S3 and their address in the item, or split the item",
        page="design.md#rules",
        check=_too_large_items,
    ),
    Rule(
        id="collection-full",
        severity="error",
        remedy="Make the index a global one, or add a bucket to the partition key",
        page="patterns.md#time-series-in-buckets",
        check=_full_collections,
    ),
    Rule(
        id="low-cardinality-key",
        severity="warning",
        remedy="Use a key with many values, or add a shard number to it",
        page="patterns.md#write-sharding",
        check=_low_cardinality,
    ),
    Rule(
        id="rising-key",
        severity="warning",
        remedy="Put an identifier before the time, or add a shard number to it",
        page="patterns.md#write-sharding",
        check=_rising_partition_keys,
    ),
    Rule(
        id="unbounded-collection",
        severity="warning",
        remedy="Add a period to the partition key (DEVICE#7#2026-11), or let items expire (--ttl)",
        page="patterns.md#time-series-in-buckets",
        check=_unbounded_collections,
    ),
    Rule(
        id="local-index",
        severity="warning",
        remedy="Prefer a global index, unless its reads must be strongly consistent",
        page="design.md#rules",
        check=_local_indexes,
    ),
    Rule(
        id="redundant-index",
        severity="warning",
        remedy="Remove the index",
        page="design.md#rules",
        check=_unneeded_indexes,
    ),
    Rule(
        id="unread-index",
        severity="warning",
        remedy="Remove the index, or name the access pattern that reads it",
        page="design.md#rules",
        check=_unread_indexes,
    ),
    Rule(
        id="large-item",
        severity="warning",
        remedy="Split the item by what is read together, or keep large values in S3",
        page="design.md#rules",
        check=_large_items,
    ),
    Rule(
        id="wide-projection",
        severity="warning",
        remedy="Project what the queries read: INCLUDE with its attributes, or KEYS_ONLY",
        page="design.md#rules",
        check=_wide_projections,
    ),
    Rule(
        id="slower-index",
        severity="warning",
        remedy="Give the index as many write units as the table",
        page="capacity.md#what-a-client-sees",
        check=_slower_indexes,
    ),
)
"""The table of rules; `findings` asks all of them."""
