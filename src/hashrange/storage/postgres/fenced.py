"""Reads with fences, which are compared by their cached versions in the same statement."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hashrange.clock import Clock
from hashrange.storage.contention import TRIES_MAX, back_off
from hashrange.storage.engine import ContendedError, Fences, StaleFenceError
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.fences import FenceVersions
from hashrange.storage.postgres.pool import ConflictError, Pool
from hashrange.storage.postgres.statements import READ_VERSIONS


class VersionedRead(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that were read for several writes at one moment."""

    writes: Sequence[PendingWrite]
    """The writes whose fences held."""
    stale: Sequence[PendingWrite]
    """The other writes, whose `error` is set."""
    rows: Sequence[Any]
    """Key, value and version of the rows of their keys."""
    versions: Mapping[bytes, int]
    """The versions of the fences, by key."""


class FencedReader:
    """Reads rows and compares fences, with a cache of the fences' versions."""

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._versions = FenceVersions()

    async def rows(self, text: str, arguments: list[object], fences: Fences) -> list[Any]:
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

    async def read_for_writes(self, writes: Sequence[PendingWrite]) -> VersionedRead:
        """Read the keys of several writes at one moment, at which their fences held.

        Raises ContendedError, StorageError.
        """
        stale: list[PendingWrite] = []
        for tries in range(TRIES_MAX):
            try:
                writes, versions = await self._versions_of(writes, stale)
                if not writes:
                    return VersionedRead(writes=[], stale=stale, rows=[], versions={})
                keys = list({key for write in writes for key in write.keys})
                arguments = [keys, [*versions], [*versions.values()]]
                rows = await self._pool.read(READ_VERSIONS, arguments)
            except ConflictError:
                await back_off(self._clock, tries)
                continue
            if not any(row["k"] is None for row in rows):
                return VersionedRead(writes=writes, stale=stale, rows=rows, versions=versions)
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
