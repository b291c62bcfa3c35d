"""Work on all items of a table that can be killed at any moment and continued from a checkpoint."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from hashrange.capacity.prices import list_price_on_demand
from hashrange.clock import Clock
from hashrange.storage.durable_files import replace_file
from hashrange.tools.copying.place import CopyError
from hashrange.tools.scanning.expressions import InputError
from hashrange.tools.scanning.segments import (
    Scanner,
    ScanPage,
    Segment,
    read_segments,
)

_VERSION: Final = 1
SAVE_SECONDS: Final = 1.0
"""The interval between two checkpoints: so much work is done again after a kill."""
_NS_PER_S: Final = 1_000_000_000


class Totals(msgspec.Struct):
    """The totals of a job so far.

    Attributes:
        items: items that were written to the output, or changed.
        scanned: items that were read, before the filter.
        skipped: items that were not changed since they no longer fulfil the conditions.
        units: consumed read units.
        write_units: consumed write units.
        seconds: time, without that between a kill and the continuation.
        throttled: throttled requests.
    """

    items: int = 0
    scanned: int = 0
    skipped: int = 0
    units: float = 0.0
    write_units: float = 0.0
    seconds: float = 0.0
    throttled: int = 0

    @property
    def dollars(self) -> float:
        """The price of the units on demand, in us-east-1."""
        return list_price_on_demand(self.units, self.write_units)


class Checkpoint(msgspec.Struct):
    """The content of a checkpoint file.

    Attributes:
        version: of this format.
        job: what the job does; another command must not continue it.
        segments: the progress of each segment.
        totals: as the segments.
        offset: the bytes of the output that belong to this progress.
        run_id: distinguishes the job from others, also when it continues.
    """

    version: int
    job: dict[str, Any]
    segments: list[Segment]
    totals: Totals = msgspec.field(default_factory=Totals)
    offset: int = 0
    run_id: str = ""

    @property
    def is_done(self) -> bool:
        """All segments were read."""
        return all(segment.is_done for segment in self.segments)


class CheckpointFile:
    """The file of a checkpoint.

    Args:
        path: the file, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, job: Mapping[str, Any]) -> Checkpoint | None:
        """The checkpoint of this job; None if there is none.

        Raises InputError: the file cannot be read, or belongs to another job.
        """
        try:
            found = msgspec.json.decode(self.path.read_bytes(), type=Checkpoint)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path} is not a checkpoint: {error}") from error
        wanted = msgspec.json.decode(msgspec.json.encode(job))
        differing = [name for name, value in wanted.items() if found.job.get(name) != value]
        if found.version != _VERSION or differing or found.job.keys() != wanted.keys():
            what = f"another {differing[0]}" if differing else "another version"
            raise InputError(f"{self.path} belongs to a command with {what}: it cannot continue")
        return found

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the file. Raises CopyError; InputError: nobody can write there."""
        try:
            replace_file(self.path, msgspec.json.encode(checkpoint))
        except OSError as error:
            text = f"cannot keep the checkpoint in {self.path}: {error.strerror}"
            is_misnamed = isinstance(error, FileNotFoundError | PermissionError)
            raise (InputError if is_misnamed else CopyError)(text) from error

    def remove(self) -> None:
        """Delete the file. Raises OSError."""
        self.path.unlink(missing_ok=True)


def new_checkpoint(job: Mapping[str, Any], segments: int) -> Checkpoint:
    """The checkpoint of a job that begins."""
    return Checkpoint(_VERSION, {**job}, [Segment() for _ in range(segments)])


class Job:
    """Reads all items that a checkpoint leaves, and saves it now and then.

    Args:
        checkpoint: the progress, which is updated.
        clock: measures the time.
        file: keeps the checkpoint; None if the job cannot be continued.
        synced: makes the output durable and returns its length in bytes.
        on_totals: receives the totals after each page.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        clock: Clock,
        *,
        file: CheckpointFile | None = None,
        synced: Callable[[], int] = lambda: 0,
        on_totals: Callable[[Totals], None] = lambda _: None,
    ) -> None:
        self.checkpoint = checkpoint
        self._clock = clock
        self._file = file
        self._synced = synced
        self._on_totals = on_totals
        self._began_ns = clock.monotonic_ns() - int(checkpoint.totals.seconds * _NS_PER_S)
        self._saved_ns = clock.monotonic_ns()

    async def run(
        self,
        scanner: Scanner,
        on_page: Callable[[int, ScanPage], Awaitable[bool]],
        *,
        parallel: int,
    ) -> None:
        """Read all segments; `on_page` is as in `read_segments`. Raises CopyError.

        The checkpoint is saved at the end, and also if the job is stopped.
        """
        totals = self.checkpoint.totals

        async def counted(number: int, page: ScanPage) -> bool:
            goes_on = await on_page(number, page)
            totals.scanned += page.scanned_count
            totals.units += page.units
            return goes_on

        try:
            await read_segments(
                scanner,
                self.checkpoint.segments,
                parallel=parallel,
                on_page=counted,
                on_progress=self._progressed,
            )
        finally:
            self.save()

    def _progressed(self) -> None:
        now_ns = self._clock.monotonic_ns()
        self.checkpoint.totals.seconds = (now_ns - self._began_ns) / _NS_PER_S
        if now_ns - self._saved_ns >= SAVE_SECONDS * _NS_PER_S:
            self.save()
            self._saved_ns = self._clock.monotonic_ns()
        self._on_totals(self.checkpoint.totals)

    def save(self) -> None:
        """Save the checkpoint, if the job can be continued. Raises CopyError."""
        if self._file is not None:
            self.checkpoint.offset = self._synced()
            self._file.save(self.checkpoint)
