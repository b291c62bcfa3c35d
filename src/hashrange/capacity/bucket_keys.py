"""Names of buckets, for messages between processes."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

import msgspec

from hashrange.capacity.buckets import Bucket
from hashrange.capacity.partitions import Partition
from hashrange.capacity.resources import Resource, TableCapacity

QUOTA: Final = -1
"""As `BucketKey.partition`."""


class BucketKey(msgspec.Struct, frozen=True):
    """The name of a bucket.

    Attributes:
        index: None for the table.
        partition: the number of a partition; None for the bucket of the table or index; `QUOTA` for
            the account's limit of a table together with its indexes.
    """

    table: str
    index: str | None
    is_write: bool
    partition: int | None = None


Units: TypeAlias = dict[BucketKey, float]
"""Units of several buckets."""


def named_buckets(
    tables: Mapping[str, TableCapacity],
) -> Iterator[tuple[BucketKey, Bucket]]:
    """All buckets of a set of tables, with their names."""
    for name, table in tables.items():
        yield BucketKey(name, None, is_write=False, partition=QUOTA), table.quota_read
        yield BucketKey(name, None, is_write=True, partition=QUOTA), table.quota_write
        for resource in table.resources():
            places: list[tuple[int | None, Resource | Partition]] = [(None, resource)]
            places += [(partition.number, partition) for partition in resource.partitions]
            for number, place in places:
                index = resource.index
                yield BucketKey(name, index, is_write=False, partition=number), place.read
                yield BucketKey(name, index, is_write=True, partition=number), place.write


def find_bucket(tables: Mapping[str, TableCapacity], key: BucketKey) -> Bucket | None:
    """The bucket of a name; None if it does not exist."""
    table = tables.get(key.table)
    if table is None:
        return None
    if key.partition == QUOTA:
        return table.quota_write if key.is_write else table.quota_read
    place: Resource | Partition | None = find_partition(tables, key)
    if key.partition is None:
        place = table.table if key.index is None else table.indexes.get(key.index)
    if place is None:
        return None
    return place.write if key.is_write else place.read


def find_partition(tables: Mapping[str, TableCapacity], key: BucketKey) -> Partition | None:
    """The partition that a bucket belongs to; None for other buckets and unknown partitions."""
    table = tables.get(key.table)
    if table is None or key.partition is None:
        return None
    resource = table.table if key.index is None else table.indexes.get(key.index)
    if resource is None:
        return None
    numbered = (each for each in resource.partitions if each.number == key.partition)
    return next(numbered, None)
