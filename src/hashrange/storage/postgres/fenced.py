"""Reads behind fences."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hashrange.clock import Clock
from hashrange.storage.contention import TRIES_MAX, rest
from hashrange.storage.engine import ContendedError, Fences, StaleFenceError
from hashrange.storage.pending_write import PendingWrite
from hashrange.storage.postgres.fences import FenceVersions
from hashrange.storage.postgres.pool import LostError, Pool
from hashrange.storage.postgres.statements import READ_VERSIONS


class VersionedRead(msgspec.Struct, frozen=True, kw_only=True):
    """What was read for works at one moment."""

    works: Sequence[PendingWrite]
    """Those whose fences held."""
    stale: Sequence[PendingWrite]
    """The others; they have their error."""
    rows: Sequence[Any]
    """Key, value and version of what there is of their keys."""
    versions: Mapping[bytes, int]
    """Of the fences."""


class FencedReader:
    """Reads of one server, which knows the versions of the fences that it has used."""

    def __init__(self, link: Pool, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._known = FenceVersions()

    async def rows(self, text: str, arguments: list[object], fences: Fences) -> list[Any]:
        """Rows read at one moment, at which the fences held. Raises StaleFenceError."""
        for tries in range(TRIES_MAX):
            try:
                versions = self._known.of(fences) or await self._load(fences)
                rows = await self._link.read(text, [*arguments, [*versions], [*versions.values()]])
            except LostError:
                await rest(self._clock, tries)
                continue
            if not any(row["k"] is None for row in rows):
                return rows
            self._known.forget(versions)
        raise ContendedError("a fence was written too often")

    async def look(self, works: Sequence[PendingWrite]) -> VersionedRead:
        """What there is of the keys of works, at one moment at which their fences held."""
        stale: list[PendingWrite] = []
        for tries in range(TRIES_MAX):
            try:
                works, versions = await self._versions_of(works, stale)
                if not works:
                    return VersionedRead(works=[], stale=stale, rows=[], versions={})
                keys = list({key for work in works for key in work.keys})
                asked = [keys, [*versions], [*versions.values()]]
                rows = await self._link.read(READ_VERSIONS, asked)
            except LostError:
                await rest(self._clock, tries)
                continue
            if not any(row["k"] is None for row in rows):
                return VersionedRead(works=works, stale=stale, rows=rows, versions=versions)
            self._known.forget(versions)
        raise ContendedError("a fence was written too often")

    async def _versions_of(
        self, works: Sequence[PendingWrite], stale: list[PendingWrite]
    ) -> tuple[Sequence[PendingWrite], dict[bytes, int]]:
        """The works whose fences hold as far as is known, and the versions of these.

        Raises LostError: two works believe in different versions of one fence.
        """
        versions: dict[bytes, int] = {}
        holding: list[PendingWrite] = []
        for work in works:
            if work in stale:
                continue
            try:
                mine = self._known.of(work.fences) or await self._load(work.fences)
            except StaleFenceError as error:
                work.error = error
                stale.append(work)
                continue
            if any(versions.get(key, version) != version for key, version in mine.items()):
                raise LostError
            holding.append(work)
            versions |= mine
        return holding, versions

    async def _load(self, fences: Fences) -> dict[bytes, int]:
        """Learn the versions of the fences. Raises StaleFenceError, LostError."""
        if not fences:
            return {}
        rows = await self._link.read(READ_VERSIONS, [[*fences], [], []])
        stored = {row["k"]: (row["v"], row["ver"]) for row in rows}
        if any(stored.get(key, (None,))[0] != value for key, value in fences.items()):
            raise StaleFenceError
        self._known.learn(stored)
        return {key: stored[key][1] for key in fences}
