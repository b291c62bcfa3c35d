"""Writes the items of a table to a file or a stream, each exactly once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from hashrange.clock import Clock
from hashrange.tools.copying.endpoint import Endpoint
from hashrange.tools.scanning.expressions import Expressions
from hashrange.tools.scanning.jobs import Checkpoint, CheckpointFile, Job, Totals, new_checkpoint
from hashrange.tools.scanning.masking import Masking
from hashrange.tools.scanning.outputs import LINES, ItemWriter, OutputFile, line_form
from hashrange.tools.scanning.pacing import Pacer
from hashrange.tools.scanning.segments import (
    Scanner,
    ScanPage,
    ScanRequest,
    ScanTarget,
    chosen_parallel,
    chosen_segments,
    scan_target,
)

_PAGE_ITEMS_FOR_LIMIT: Final = 1000


class ScanOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a scan, and of all jobs on the items of a table.

    Attributes:
        table: the name of the table.
        index: the name of the index; None for the table.
        expressions: filter and projection.
        segments: the number of segments; None to choose it by the size of the table.
        rate_limit: read units a second, and write units a second; None for no limit.
        consistent: strongly consistent reads.
        limit: the most items that are written; None for all.
        typed: DynamoDB-JSON rather than plain JSON.
        masking: what replaces personal data.
    """

    table: str
    index: str | None = None
    expressions: Expressions = Expressions()
    segments: int | None = None
    rate_limit: float | None = None
    consistent: bool = False
    limit: int | None = None
    typed: bool = False
    masking: Masking = Masking()

    def segments_of(self, target: ScanTarget) -> int:
        """The number of segments for a table of its size."""
        if self.segments is not None:
            return self.segments
        if self.limit is not None and self.limit <= _PAGE_ITEMS_FOR_LIMIT:
            return 1
        return chosen_segments(target.size_bytes)

    def request(self, target: ScanTarget, *, counts_only: bool = False) -> ScanRequest:
        """The request for the table."""
        # With a filter nobody knows how many items have to be read.
        whole = self.limit is None or "filter" in self.expressions.texts
        return ScanRequest(
            target=target,
            expressions=self.expressions,
            consistent=self.consistent,
            counts_only=counts_only,
            page_items=None if whole else self.limit,
            units_a_page=self.rate_limit,
        )


class ScanResult(msgspec.Struct, frozen=True):
    """The result of a scan.

    Attributes:
        totals: items and units.
        segments: the number of segments.
        remarks: lines for the operator.
    """

    totals: Totals
    segments: int
    remarks: Sequence[str] = ()


class Scan:
    """The scan of one table.

    Args:
        place: holds the table.
        options: the options of the scan.
        clock: time and randomness.
        on_totals: receives the totals after each page.

    Attributes:
        target: the table or index.
    """

    def __init__(
        self,
        place: Endpoint,
        target: ScanTarget,
        options: ScanOptions,
        *,
        clock: Clock,
        on_totals: Callable[[Totals], None],
    ) -> None:
        self.target = target
        self._place = place
        self._options = options
        self._clock = clock
        self._on_totals = on_totals
        self._mask = options.masking.masker(target.key_names)

    async def to_stream(self, stream: BinaryIO | None) -> ScanResult:
        """Write the items as lines to a stream, or only count them. Raises CopyError, OSError."""
        writer = None
        if stream is not None:
            writer = ItemWriter(stream, LINES, line_form(typed=self._options.typed))
        checkpoint = new_checkpoint({}, self._options.segments_of(self.target))
        job = Job(checkpoint, self._clock, on_totals=self._on_totals)
        await self._run(job, writer)
        if writer is not None:
            writer.end()
        return self._result(checkpoint)

    async def to_file(
        self, output: OutputFile, *, resume: bool = False, overwrite: bool = False
    ) -> ScanResult:
        """Write the items to a file. Raises InputError, CopyError, OSError.

        Args:
            output: the file.
            resume: continue from the checkpoint of an earlier run, if there is one.
            overwrite: replace the file, and forget the checkpoint.
        """
        file = CheckpointFile(checkpoint_path(output.path))
        checkpoint = file.read(self._job(output)) if resume and not overwrite else None
        if checkpoint is None:
            output.check_new(file.path, overwrite=overwrite)
            file.remove()
            checkpoint = new_checkpoint(self._job(output), self._options.segments_of(self.target))
            offset = None
        elif checkpoint.is_done and not output.part.exists() and output.path.exists():
            file.remove()  # the earlier run was killed between its last two steps
            return self._result(checkpoint)
        else:
            offset = checkpoint.offset
        with output.opened(offset) as stream:
            writer = output.writer(stream, checkpoint.offset)
            job = Job(
                checkpoint,
                self._clock,
                file=file,
                synced=writer.synced,
                on_totals=self._on_totals,
            )
            job.save()
            try:
                await self._run(job, writer)
            except Exception:
                if offset is None and not checkpoint.totals.scanned:
                    # Nothing was read, as after a wrong expression: there is nothing to continue.
                    output.remove_part()
                    file.remove()
                raise
            remarks = output.finish(writer, self.target.key_names)
        output.remove_part()
        file.remove()
        return self._result(checkpoint, remarks)

    async def _run(self, job: Job, writer: ItemWriter | None) -> None:
        options, totals, mask = self._options, job.checkpoint.totals, self._mask
        parallel = chosen_parallel(len(job.checkpoint.segments))
        if options.segments is not None:
            parallel = min(options.segments, len(job.checkpoint.segments))
        pacer = Pacer(self._clock, parallel=parallel, units_a_second=options.rate_limit)

        async def on_page(_: int, page: ScanPage) -> bool:
            items: Sequence[bytes | msgspec.Raw] = page.items
            if options.limit is not None:
                items = items[: options.limit - totals.items]
            if mask is not None:
                items = [mask.masked(item) for item in items]
            if writer is not None:
                writer.write(items)
            totals.items += len(items)
            totals.throttled = pacer.throttled
            return not self._is_full(job.checkpoint)

        if not self._is_full(job.checkpoint):
            scanner = Scanner(self._place, options.request(self.target), pacer)
            await job.run(scanner, on_page, parallel=parallel)
            if self._is_full(job.checkpoint):
                for segment in job.checkpoint.segments:
                    segment.is_done = True
                job.save()

    def _is_full(self, checkpoint: Checkpoint) -> bool:
        limit = self._options.limit
        return checkpoint.is_done or (limit is not None and checkpoint.totals.items >= limit)

    def _job(self, output: OutputFile) -> dict[str, object]:
        options = self._options
        texts = options.expressions
        return {
            "command": "scan",
            "endpoint": self._place.shown,
            "table": options.table,
            "table created then": self.target.created,
            "index": options.index,
            "filter": texts.texts.get("filter"),
            "projection": texts.texts.get("projection"),
            "names": texts.names,
            "values": texts.values,
            "consistency": options.consistent,
            "limit": options.limit,
            "form": "typed" if options.typed else "plain",
            "mask": options.masking.fingerprint,
            "format": output.path.suffix.lower(),
        }

    def _result(self, checkpoint: Checkpoint, remarks: Sequence[str] = ()) -> ScanResult:
        unmatched = () if self._mask is None else self._mask.unmatched
        remarks = [*remarks, *(f"no item has {path}, which --mask names" for path in unmatched)]
        return ScanResult(checkpoint.totals, len(checkpoint.segments), remarks)


def checkpoint_path(output: Path) -> Path:
    """The checkpoint file of an output."""
    return output.with_name(f"{output.name}.checkpoint")


async def opened_scan(
    place: Endpoint, options: ScanOptions, clock: Clock, on_totals: Callable[[Totals], None]
) -> Scan:
    """The scan of a table or index. Raises InputError if there is none, CopyError."""
    target = await scan_target(place, options.table, options.index)
    return Scan(place, target, options, clock=clock, on_totals=on_totals)


async def counted(
    place: Endpoint, options: ScanOptions, clock: Clock, on_totals: Callable[[Totals], None]
) -> ScanResult:
    """The number of items that fulfil the filter, by a scan. Raises InputError, CopyError."""
    target = await scan_target(place, options.table, options.index)
    checkpoint = new_checkpoint({}, options.segments_of(target))
    parallel = options.segments or chosen_parallel(len(checkpoint.segments))
    pacer = Pacer(clock, parallel=parallel, units_a_second=options.rate_limit)

    async def on_page(_: int, page: ScanPage) -> bool:
        checkpoint.totals.items += page.count
        checkpoint.totals.throttled = pacer.throttled
        return True

    scanner = Scanner(place, options.request(target, counts_only=True), pacer)
    await Job(checkpoint, clock, on_totals=on_totals).run(scanner, on_page, parallel=parallel)
    return ScanResult(checkpoint.totals, len(checkpoint.segments))
