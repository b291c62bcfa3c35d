"""Engines of worker processes, and the writer that they share, in one process and one loop."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from hashrange.clock import SystemClock
from hashrange.storage.sqlite.directory import DATA_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import SHARED_VFS, Tuning
from hashrange.storage.workers.engine import WorkerEngine
from hashrange.storage.workers.snapshot import CommitCounter, Snapshot, create_shared_memory
from hashrange.storage.workers.writer import ProposalApplier, serve_reader
from hashrange.storage.workers.writer_connection import WriterConnection
from hashrange.tables.writing.write_decisions import decide_delegated


class WorkerGroup:
    """A data directory with one writer and some readers, who talk over sockets.

    Args:
        directory: of the data.
        workers: how many readers.
        counter: makes the counter of commits, of a descriptor.
        tuning: of the writer, where it is not the usual.
    """

    def __init__(
        self,
        directory: Path,
        *,
        workers: int,
        counter: Callable[[int], CommitCounter] = CommitCounter,
        **tuning: Any,
    ) -> None:
        self._directory = directory
        self._workers = workers
        descriptor = create_shared_memory()
        self.counter = counter(descriptor)
        os.close(descriptor)
        chosen = {"vfs": SHARED_VFS, "commits": self.counter, **tuning}
        self._tuning = Tuning(**chosen)
        self.engines: list[WorkerEngine] = []
        self.snapshots: list[Snapshot] = []
        self.now_ns = 0
        """The writer's clock, which stands still unless it is moved."""
        self.links: list[WriterConnection] = []
        self._ends: list[socket.socket] = []

    async def __aenter__(self) -> Self:
        self.writer = SqliteEngine.open(
            self._directory, tuning=self._tuning, monotonic_ns=lambda: self.now_ns
        )
        for _ in range(self._workers):
            link = WriterConnection()
            snapshot = Snapshot(self._directory / DATA_FILE, self.counter)
            self.links.append(link)
            self.snapshots.append(snapshot)
            self.engines.append(WorkerEngine(snapshot, link, SystemClock()))
        await self.connect()
        return self

    async def connect(self) -> None:
        """Connect all readers to the writer, for the first time or again."""
        applier = ProposalApplier(self.writer, decide_delegated)
        for link in self.links:
            near, far = socket.socketpair()
            await serve_reader(far, applier)
            self._ends.append(far)
            await link.attach(near)

    def cut_off(self) -> None:
        """As when the writer is killed."""
        for end in self._ends:
            end.shutdown(socket.SHUT_RDWR)
        self._ends.clear()

    async def __aexit__(self, *_raised: object) -> None:
        for engine in self.engines:
            engine.close()
        self.cut_off()
        self.writer.close()
        self.counter.close()
