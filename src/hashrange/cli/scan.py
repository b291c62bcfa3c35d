"""`hashrange scan TABLE`: writes the items of a table, in parallel, each exactly once."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from hashrange.cli.endpoints import Address, endpoint_options
from hashrange.cli.files import never_asks
from hashrange.cli.masking_options import mask_options, masking_of
from hashrange.cli.refusals import Misuse
from hashrange.cli.scan_options import (
    options_of,
    pace_options,
    read_options,
    run_at,
    scan_failures,
    table_argument,
)
from hashrange.cli.scan_progress import ScanProgress, scan_progress, summary
from hashrange.cli.seeding import STANDARD, quiet_option

if TYPE_CHECKING:
    from hashrange.tools.copying.endpoint import Endpoint
    from hashrange.tools.scanning.outputs import OutputFile
    from hashrange.tools.scanning.scan import Scan, ScanOptions, ScanResult


@click.command()
@table_argument
@read_options
@click.option("--projection", metavar="EXPRESSION", help="Only these attributes: id, address.city.")
@pace_options
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Write N items, at most.")
@click.option(
    "--output",
    metavar="FILE",
    help="Write the items to FILE: .json, .jsonl, .csv or .parquet.  [default: lines of JSON on "
    "standard output, unless --json is given]",
)
@click.option("--typed", is_flag=True, help='DynamoDB JSON, {"id": {"S": "1"}}, and not plain.')
@click.option("--resume", is_flag=True, help="Continue a scan to FILE that was stopped or killed.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@mask_options
@click.option("--json", "as_json", is_flag=True, help="Print the totals as JSON.")
@quiet_option
@never_asks
@endpoint_options
def scan(
    *,
    table: str,
    address: Address,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Write the items of TABLE to a file.

    Segments are read in parallel, and each item is written exactly once, as plain JSON: numbers
    keep all digits, sets are arrays, binary values are base64. A reserved word in an expression,
    such as status, gets a placeholder by itself. The number of parallel requests falls when the
    server throttles.

    A scan to a file keeps its progress in FILE.checkpoint and its items in FILE.part: after Ctrl-C
    or a kill, --resume continues it. It is not a snapshot of the table: changes made during the
    scan may or may not be in it.

    The exit code is 0 if all items are written, 1 after a failure, 2 if the arguments cannot be
    used.

    \b
    Examples:
      hashrange scan orders --output orders.csv
      hashrange scan orders --filter 'status = :s' --values '{":s": "OPEN"}' | jq .total
      hashrange scan orders --output orders.parquet --rate-limit 100 --resume
      hashrange scan users --output users.jsonl --mask email=fake --mask address.street=drop
    """  # noqa: D301 - click reads \b as an escape
    to_file = output is not None and output != STANDARD
    if output == STANDARD and as_json:
        raise Misuse("--json prints the totals to standard output: give --output FILE")
    resume, overwrite = options.pop("resume"), options.pop("overwrite")
    if resume and not to_file:
        raise Misuse("--resume needs --output FILE")
    stopped = "stopped; --resume continues" if to_file else "stopped"
    with scan_failures(stopped), scan_progress(quiet=quiet) as progress:
        chosen = options_of(table, options, masking=masking_of(options))
        file = None
        if output is not None and to_file:
            from hashrange.tools.scanning.outputs import OutputFile

            file = OutputFile(Path(output), typed=chosen.typed)
        prints_items = file is None and not as_json
        stream = sys.stdout.buffer if prints_items else None
        kept = _Kept(file, stream, resume=resume, overwrite=overwrite)
        result = run_at(address, lambda place: _scanned(place, chosen, kept, progress))
        if stream is not None:
            stream.flush()
    _print(table, result, output if to_file else None, as_json=as_json, progress=progress)


class _Kept:
    """Where the items go, and what becomes of files that are there."""

    def __init__(
        self,
        file: "OutputFile | None",
        stream: BinaryIO | None,
        *,
        resume: bool,
        overwrite: bool,
    ) -> None:
        self._file, self._stream = file, stream
        self._resume, self._overwrite = resume, overwrite

    async def written(self, scan: "Scan") -> "ScanResult":
        if self._file is None:
            return await scan.to_stream(self._stream)
        return await scan.to_file(self._file, resume=self._resume, overwrite=self._overwrite)


async def _scanned(
    place: "Endpoint", options: "ScanOptions", kept: _Kept, progress: ScanProgress
) -> "ScanResult":
    from hashrange.clock import SystemClock
    from hashrange.tools.scanning.scan import opened_scan

    opened = await opened_scan(place, options, SystemClock(), progress.moved)
    progress.begins(options.table, opened.target.items)
    return await kept.written(opened)


def _print(
    table: str, result: "ScanResult", output: str | None, *, as_json: bool, progress: ScanProgress
) -> None:
    from hashrange.cli.scan_progress import totals_json

    for remark in result.remarks:
        progress.note(f"Note: {remark}")
    if as_json:
        click.echo(totals_json(table, result, output=output))
    else:
        where = "" if output is None else f", written to {output}"
        progress.note(f"{table}: {summary(result.totals)}{where}")
