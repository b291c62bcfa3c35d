"""The audit log of one process: takes the record of each request, and keeps its chain.

`Trail.record` is called with each request that was answered; it builds the record and puts it into
the backlog. A thread writes; a task of the event loop keeps the anchors and removes old files.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final

import msgspec

from hashrange.api.audit import anchors, files
from hashrange.api.audit.anchors import Anchor
from hashrange.api.audit.backlog import Backlog
from hashrange.api.audit.chain import Head, hash_of, link_of
from hashrange.api.audit.events import Event, encoded
from hashrange.api.audit.writer import ChainWriter, Rotation
from hashrange.clock import Clock
from hashrange.observe.figures import Figures
from hashrange.storage.engine import Engine, StorageError, StorageUnavailableError

RETRY_SECONDS: Final = 1.0
"""Interval of attempts to keep a head that could not be kept; a new head is kept at once."""
_FIRST_SECONDS: Final = 0.05
"""Pause between attempts to keep the first anchor: a worker's engine has no writer yet."""
_FIRST_ATTEMPTS_MAX: Final = 100
"""After as many of them, records are written although the engine knows nothing of their chain."""
END_SECONDS_MAX: Final = 2.0
"""How long the end of the server waits for the disk of the audit log."""
CHAIN_BYTES: Final = 8

_log: Final = logging.getLogger(__name__)


class Trail:
    """The chain of one process.

    Args:
        engine: keeps the anchors.
        clock: the time of records, and random ids.
        rotation: where and how to write.
        place: host and directory, as anchors have them.
        gap: makes the record of a number of dropped records.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        rotation: Rotation,
        *,
        place: str,
        gap: Callable[[int], Event],
    ) -> None:
        self.chain = clock.random_bytes(CHAIN_BYTES).hex()
        self._engine = engine
        self._clock = clock
        self._directory = rotation.directory
        self._files_max = rotation.files_max
        self._anchor = Anchor(place=place, began_ms=clock.now_ms())
        self._backlog = Backlog()
        self._writer = ChainWriter(
            self.chain,
            rotation,
            self._backlog,
            clock=clock,
            gap=lambda dropped: encoded(gap(dropped)),
        )
        self._writer.on_synced = self._wake
        self._synced = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._kept: Head | None = None
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Begin the chain: its file and its anchor are there before its first record.

        In a worker there is no anchor until its engine has its writer, which is a moment later:
        records wait in the backlog for that moment, or for five seconds.

        Raises OSError: the directory cannot be used.
        """
        self._directory.mkdir(mode=files.DIRECTORY_MODE, parents=True, exist_ok=True)
        self._writer.open()
        await self._keep_or_log()
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._keep_always())

    async def end(self) -> None:
        """Write what waits, and keep the last head; gives up if the disk does not answer."""
        assert self._task is not None, "begun"
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        loop = asyncio.get_running_loop()
        if not await loop.run_in_executor(None, self._writer.end, END_SECONDS_MAX):
            _log.error("%d audit records were not written: the disk hangs", len(self._backlog))
        await self._keep_or_log()

    def put(self, event: Event, at_ms: int) -> None:
        """Have a record written; dropped and counted if too many wait."""
        self._backlog.put(at_ms, encoded(event))

    def figures(self) -> Figures:
        """Figures for metrics."""
        return {
            "audit_records_total": self._writer.records_total,
            "audit_records_dropped_total": self._backlog.dropped_total,
            "audit_write_failures_total": self._writer.failures_total,
            "audit_backlog_records": len(self._backlog),
        }

    async def keep(self) -> None:
        """Keep the head of what is on disk, if it has moved; remove files that are too many.

        Raises StorageError, OSError.
        """
        head = self._writer.synced
        if head != self._kept:
            self._anchor = msgspec.structs.replace(self._anchor, head=head)
            await anchors.keep(self._engine, self.chain, self._anchor)
            self._kept = head
        if self._writer.wants_removal:
            await self._forget_gone(await self._remove_old())
            self._writer.wants_removal = False

    async def _keep_always(self) -> None:
        await self._keep_first()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._synced.wait(), RETRY_SECONDS)
            self._synced.clear()
            await self._keep_or_log()

    def _wake(self) -> None:
        """Have a new head kept; called by the thread, which may outlive the loop."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._synced.set)

    async def _keep_first(self) -> None:
        """Start to write records once the first anchor is kept, or after so many attempts."""
        attempts_max = _FIRST_ATTEMPTS_MAX if self._kept is None else 0
        for _ in range(attempts_max):
            await asyncio.sleep(_FIRST_SECONDS)
            if await self._keep_or_log():
                break
        self._writer.start()

    async def _keep_or_log(self) -> bool:
        """Keep the head, or log why not; False while the engine is unavailable."""
        try:
            await self.keep()
        except StorageUnavailableError:  # it was logged when that began
            return False
        except (StorageError, OSError) as error:
            _log.error("the head of the audit log cannot be kept: %s", error)
        return True

    async def _remove_old(self) -> set[str]:
        """Remove the oldest files; the engine knows of it first, or it would look like a theft.

        Returns their chains.
        """
        chains = set()
        for file in files.surplus(self._directory, self._files_max):
            path = self._directory / file.name
            line = files.last_line(path)
            link = None if line is None else link_of(line)
            removed = Head()
            if line is not None and link is not None:
                removed = Head(link.sequence, hash_of(line))
            anchor = msgspec.structs.replace(
                self._anchor, head=Head(), removed=removed, removed_files=file.number
            )
            await anchors.keep(self._engine, file.chain, anchor)
            files.remove(path)
            chains.add(file.chain)
        return chains

    async def _forget_gone(self, removed: Container[str]) -> None:
        """Forget the anchors of chains that rotation has removed, now or here before."""
        has_files = {file.chain for file in files.files_in(self._directory)}
        stored = await anchors.stored_anchors(self._engine)
        gone = [
            chain
            for chain, anchor in stored.items()
            if chain not in has_files
            and anchor.is_removed
            and (chain in removed or anchor.place == self._anchor.place)
        ]
        if gone:
            await anchors.forget(self._engine, gone)


def event_ids(random: bytes) -> Iterator[str]:
    """Ids in the form of UUIDs: a random beginning and a counter.

    Args:
        random: sixteen bytes, which distinguish this process from all others.
    """
    text = random.hex()
    # Version 4, variant 1, as its readers may check.
    head = f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-"
    first = int(text[20:], 16) >> 1
    return (f"{head}{number:012x}" for number in count(first))


def overlaps(directory: Path, others: Sequence[Path]) -> Path | None:
    """The one of several directories that a directory is, or is within; None if there is none."""
    whole = directory.resolve()
    for other in others:
        if whole.is_relative_to(other.resolve()):
            return other
    return None
