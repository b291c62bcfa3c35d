"""The definition of a stream: its shards, and how they are split and merged. Pure."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from hashlib import md5
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import msgspec

HASHES: Final = 1 << 128
"""Hash keys are the MD5 of partition keys: numbers from 0 to 2^128 - 1."""

Mode: TypeAlias = Literal["PROVISIONED", "ON_DEMAND"]
Status: TypeAlias = Literal["CREATING", "ACTIVE", "UPDATING"]
Ends: TypeAlias = Mapping[int, int]
"""The number of the last record of shards, by their numbers; 0 of an empty one."""

replace: Final = msgspec.structs.replace


class StoredShard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A shard.

    Attributes:
        number: in its stream; a child has a larger one than its parents.
        first: the first hash key, as decimal digits.
        last: the last hash key, inclusive.
        parent: the shard that was split, or the first of the two that were merged.
        adjacent: the second of two that were merged.
        end: the number of its last record, once it is closed.
    """

    number: int
    first: str
    last: str
    parent: int | None = None
    adjacent: int | None = None
    opened_ms: int
    closed_ms: int | None = None
    end: int | None = None

    @property
    def id(self) -> str:
        """Its id for clients."""
        return shard_id(self.number)

    @property
    def parents(self) -> tuple[int, ...]:
        """The numbers of its parents, which may have been removed."""
        return tuple(each for each in (self.parent, self.adjacent) if each is not None)


class StoredConsumer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A registered consumer."""

    name: str
    created_ms: int
    tags: dict[str, str] = {}


class StoredStream(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A stream.

    Attributes:
        number: in the keys of its records; never used again.
        account: of the caller who created it; with the region, part of its ARN.
        shards: in the order of their numbers; the open ones cover all hash keys.
        changed_ms: when its shards, its mode or its retention were last changed.
        resized_ms: when UpdateShardCount was called, within a day.
        switched_ms: when UpdateStreamMode was called, within a day.
    """

    number: int
    name: str
    account: str
    region: str
    created_ms: int
    mode: Mode = "PROVISIONED"
    shards: tuple[StoredShard, ...] = ()
    next_shard: int = 0
    retention_hours: int = 24
    changed_ms: int = 0
    resized_ms: tuple[int, ...] = ()
    switched_ms: tuple[int, ...] = ()
    tags: dict[str, str] = {}
    consumers: tuple[StoredConsumer, ...] = ()

    @property
    def arn(self) -> str:
        """Its ARN."""
        return f"arn:aws:kinesis:{self.region}:{self.account}:stream/{self.name}"

    @property
    def open_shards(self) -> list[StoredShard]:
        """The open shards, in the order of their hash keys."""
        return sorted(
            (each for each in self.shards if each.closed_ms is None),
            key=lambda shard: int(shard.first),
        )

    def shard(self, number: int) -> StoredShard | None:
        """The shard with a number, if it was not removed."""
        return next((each for each in self.shards if each.number == number), None)

    def consumer_arn(self, consumer: StoredConsumer) -> str:
        """The ARN of a consumer."""
        return f"{self.arn}/consumer/{consumer.name}:{consumer.created_ms // 1000}"

    def status(self, now_ms: int, transient_ms: int) -> Status:
        """Its status; changes are shown for `transient_ms` after they were made."""
        if now_ms < self.created_ms + transient_ms:
            return "CREATING"
        return "UPDATING" if now_ms < self.changed_ms + transient_ms else "ACTIVE"

    def horizon_ms(self, now_ms: int) -> int:
        """Records from before this time are not shown any more."""
        return now_ms - self.retention_hours * 3_600_000


def hash_of(partition_key: str) -> int:
    """The hash key of a partition key."""
    return int.from_bytes(md5(partition_key.encode(), usedforsecurity=False).digest())


def shard_id(number: int) -> str:
    """The id of a shard for clients."""
    return f"shardId-{number:012}"


def with_shards(stream: StoredStream, count: int, now_ms: int) -> StoredStream:
    """A stream without shards, with open ones of equal ranges."""
    bounds = [*_cuts(count), HASHES]
    return _opened(
        stream,
        [({}, first, end - 1) for first, end in pairwise([0, *bounds])],
        now_ms,
    )


def split(
    stream: StoredStream, shard: StoredShard, hash_key: int, ends: Ends, *, now_ms: int
) -> StoredStream:
    """The stream with a shard split in two; the second begins with `hash_key`."""
    return _divided(stream, [shard], [hash_key], ends, now_ms=now_ms)


def merged(
    stream: StoredStream, shard: StoredShard, adjacent: StoredShard, ends: Ends, *, now_ms: int
) -> StoredStream:
    """The stream with two adjacent shards merged into one."""
    child = _union(shard, adjacent, stream.next_shard, now_ms)
    after = replace(stream, shards=(*stream.shards, child), next_shard=stream.next_shard + 1)
    return _closed(after, {shard.number, adjacent.number}, ends, now_ms)


def resized(stream: StoredStream, count: int, ends: Ends, *, now_ms: int) -> StoredStream:
    """The stream with `count` open shards of equal ranges.

    Shards are split at the new bounds, and then merged in pairs, as the service does it; those in
    between are closed at once.
    """
    bounds = _cuts(count)
    stream = _divided(stream, stream.open_shards, bounds, ends, now_ms=now_ms)
    parts_of = dict[int, list[StoredShard]]()
    for shard in stream.open_shards:
        parts_of.setdefault(bisect_right(bounds, int(shard.first)), []).append(shard)
    closed: set[int] = set()
    opened: list[StoredShard] = []
    for parts in parts_of.values():
        whole = parts[0]
        for part in parts[1:]:
            closed |= {whole.number, part.number}
            whole = _union(whole, part, stream.next_shard + len(opened), now_ms)
            opened.append(whole)
    following = stream.next_shard + len(opened)
    after = replace(stream, shards=(*stream.shards, *opened), next_shard=following)
    return _closed(after, closed, ends, now_ms)


def are_adjacent(shard: StoredShard, other: StoredShard) -> bool:
    """Whether the hash keys of two shards are one range."""
    return int(shard.last) + 1 == int(other.first) or int(other.last) + 1 == int(shard.first)


def without_shards(stream: StoredStream, numbers: Iterable[int]) -> StoredStream:
    """The stream without closed shards."""
    gone = frozenset(numbers)
    return replace(stream, shards=tuple(each for each in stream.shards if each.number not in gone))


def shard_finder(stream: StoredStream) -> Callable[[int], StoredShard]:
    """A function that gives the open shard of a hash key."""
    shards = stream.open_shards
    starts = [int(each.first) for each in shards]
    return lambda hash_key: shards[bisect_right(starts, hash_key) - 1]


def _cuts(count: int) -> list[int]:
    """The hash keys between ranges of equal size; the last range has the remainder."""
    size = HASHES // count
    return [size * number for number in range(1, count)]


def _divided(
    stream: StoredStream,
    shards: Sequence[StoredShard],
    bounds: Sequence[int],
    ends: Ends,
    *,
    now_ms: int,
) -> StoredStream:
    """The stream with shards split at those bounds that they contain."""
    closed: set[int] = set()
    children: list[tuple[Mapping[str, int], int, int]] = []
    for shard in shards:
        first, last = int(shard.first), int(shard.last)
        inside = bounds[bisect_right(bounds, first) : bisect_right(bounds, last)]
        if inside:
            closed.add(shard.number)
            parts = pairwise([first, *inside, last + 1])
            children += [({"parent": shard.number}, start, end - 1) for start, end in parts]
    return _opened(_closed(stream, closed, ends, now_ms), children, now_ms)


def _union(shard: StoredShard, adjacent: StoredShard, number: int, now_ms: int) -> StoredShard:
    """The child of two adjacent shards."""
    return StoredShard(
        number=number,
        first=str(min(int(shard.first), int(adjacent.first))),
        last=str(max(int(shard.last), int(adjacent.last))),
        parent=shard.number,
        adjacent=adjacent.number,
        opened_ms=now_ms,
    )


def _closed(
    stream: StoredStream, numbers: AbstractSet[int], ends: Ends, now_ms: int
) -> StoredStream:
    return replace(
        stream,
        shards=tuple(
            replace(each, closed_ms=now_ms, end=ends.get(each.number, 0))
            if each.number in numbers
            else each
            for each in stream.shards
        ),
    )


def _opened(
    stream: StoredStream,
    ranges: Sequence[tuple[Mapping[str, int], int, int]],
    now_ms: int,
) -> StoredStream:
    """The stream with further shards: their parents, and their first and last hash keys."""
    shards = [
        StoredShard(number=number, first=str(first), last=str(last), opened_ms=now_ms, **parents)
        for number, (parents, first, last) in enumerate(ranges, stream.next_shard)
    ]
    following = stream.next_shard + len(shards)
    return replace(stream, shards=(*stream.shards, *shards), next_shard=following)
