"""Reads with fences, which are compared by their cached versions in the same statement.

A version is used only once for a key, so it identifies the bytes that the key had with it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.clock import Clock
from hashrange.storage.engine import ContendedError, Fences, Pair, StaleFenceError
from hashrange.storage.pending_write import TRIES_MAX, PendingWrite, back_off
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.row_cache import Row
from hashrange.storage.postgres.statements import READ, READ_VERSIONS, scan

Value: TypeAlias = bytes | None
Range: TypeAlias = tuple[bytes, bytes, int, int]
"""Start and end of keys, most rows that are read, most bytes."""
_INT64_BYTES: Final = 8
KEPT_MAX: Final = 20_000
"""Fence keys in the cache: two for each table, with the most tables that are allowed."""


class FenceVersions:
    """The values and versions of keys that were used as fences."""

    def __init__(self) -> None:
        self._cached: dict[bytes, tuple[bytes, int]] = {}

    def of(self, fences: Fences) -> dict[bytes, int] | None:
        """The versions of all fences; None if one of these values is not cached."""
        versions: dict[bytes, int] = {}
        for key, value in fences.items():
            cached = self._cached.get(key)
            if cached is None or (cached[0] is not value and cached[0] != value):
                return None
            versions[key] = cached[1]
        return versions

    def forget(self, keys: Iterable[bytes]) -> None:
        """Remove keys that have changed from the cache."""
        for key in keys:
            self._cached.pop(key, None)

    def learn(self, stored: Mapping[bytes, tuple[bytes, int]]) -> None:
        """Add values and versions that were read; the cache is cleared when it is full."""
        if len(self._cached) + len(stored) > KEPT_MAX:
            self._cached.clear()
        self._cached.update(stored)


class VersionedRead(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that were read for several writes at one moment."""

    writes: Sequence[PendingWrite]
    """The writes whose fences held, or are to be compared by their statement."""
    stale: Sequence[PendingWrite]
    """The other writes, whose `error` is set."""
    rows: Mapping[bytes, Row | None]
    """The rows of the keys that were read; None for those that have no row."""
    versions: Mapping[bytes, int]
    """The versions of the fences, by key."""
    is_read: bool
    """Whether a statement has read the rows and compared the fences."""


class FencedReader:
    """Reads rows and compares fences, with a cache of the fences' versions."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._versions = FenceVersions()

    async def rows(self, text: str, arguments: Sequence[object], fences: Fences) -> list[Any]:
        """The rows of a statement at one moment, at which the fences held.

        Raises StaleFenceError, ContendedError, StorageError.
        """
        for tries in range(TRIES_MAX):
            try:
                versions = self._versions.of(fences) or await self._load(fences)
                rows = await self._pool.read(text, [*arguments, [*versions], [*versions.values()]])
            except ConflictError:
                await back_off(self._clock, tries)
                continue
            if not any(row["k"] is None for row in rows):
                return rows
            self._versions.forget(versions)
        raise ContendedError("a fence was written too often")

    async def values(self, asked: Sequence[Sequence[bytes]], fences: Fences) -> list[list[Value]]:
        """The values of the keys of several reads, as `rows`."""
        keys = {key for each in asked for key in each}
        found = {row["k"]: _pair(row)[1] for row in await self.rows(READ, [[*keys]], fences)}
        return [[found.get(key) for key in each] for each in asked]

    async def pages(
        self, ranges: Sequence[Range], fences: Fences, *, reverse: bool
    ) -> list[list[Pair]]:
        """The rows of several ranges, as `rows`."""
        columns = [list(column) for column in zip(*ranges, strict=True)]
        found: list[list[Pair]] = [[] for _ in ranges]
        for row in await self.rows(scan(reverse=reverse), columns, fences):
            found[row["number"] - 1].append(_pair(row))
        return found

    async def read_for_writes(
        self, writes: Sequence[PendingWrite], known: Collection[bytes]
    ) -> VersionedRead:
        """Read the keys of several writes at one moment, at which their fences held.

        Keys that are known are not read; if all are, nothing is, and no fence is compared.

        Raises ContendedError, StorageError.
        """
        stale: list[PendingWrite] = []
        for tries in range(TRIES_MAX):
            found: dict[bytes, Row | None] = {}
            try:
                writes, versions = await self._versions_of(writes, stale)
                keys = {key for write in writes for key in write.keys}.difference(known)
                is_read = bool(writes) and bool(keys or not known)
                if is_read:
                    found.update(dict.fromkeys(keys))
                    arguments = [[*keys], [*versions], [*versions.values()]]
                    for key, value, version in await self._pool.read(READ_VERSIONS, arguments):
                        found[key] = value, version
            except ConflictError:
                await back_off(self._clock, tries)
                continue
            if None not in found:
                return VersionedRead(
                    writes=writes, stale=stale, rows=found, versions=versions, is_read=is_read
                )
            self._versions.forget(versions)
        raise ContendedError("a fence was written too often")

    async def _versions_of(
        self, writes: Sequence[PendingWrite], stale: list[PendingWrite]
    ) -> tuple[Sequence[PendingWrite], dict[bytes, int]]:
        """The writes whose fences hold according to the cache, and the versions of these fences.

        Adds the others to `stale`. Raises LostError: two writes have different versions of a fence.
        """
        versions: dict[bytes, int] = {}
        current: list[PendingWrite] = []
        for write in writes:
            if write in stale:
                continue
            try:
                fence_versions = self._versions.of(write.fences) or await self._load(write.fences)
            except StaleFenceError as error:
                write.error = error
                stale.append(write)
                continue
            if any(
                versions.get(key, version) != version for key, version in fence_versions.items()
            ):
                raise ConflictError
            current.append(write)
            versions |= fence_versions
        return current, versions

    async def _load(self, fences: Fences) -> dict[bytes, int]:
        """Read the versions of the fences into the cache. Raises StaleFenceError, LostError."""
        if not fences:
            return {}
        rows = await self._pool.read(READ_VERSIONS, [[*fences], [], []])
        stored = {row["k"]: (row["v"], row["ver"]) for row in rows}
        if any(stored.get(key, (None,))[0] != value for key, value in fences.items()):
            raise StaleFenceError
        self._versions.learn(stored)
        return {key: stored[key][1] for key in fences}


def _pair(row: Any) -> Pair:
    value = row["v"]
    return row["k"], row["n"].to_bytes(_INT64_BYTES, signed=True) if value is None else value
