"""Common options of `backfill` and `delete-where`: they change all items of a table."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.endpoints import Address
from hashrange.cli.scan_options import json_option, options_of, run_at, scan_failures
from hashrange.cli.scan_progress import ScanProgress, scan_progress, summary
from hashrange.cli.seeding import quiet_option

if TYPE_CHECKING:
    from hashrange.tools.copying.endpoint import Endpoint
    from hashrange.tools.scanning.changes import Change
    from hashrange.tools.scanning.scan import ScanOptions, ScanResult

_NAME_BYTES: Final = 4


def change_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--dry-run, --resume, --checkpoint, --json and --quiet."""
    for option in reversed(
        [
            click.option("--dry-run", is_flag=True, help="Count the items, and change nothing."),
            click.option("--resume", is_flag=True, help="Continue after a stop or a kill."),
            click.option(
                "--checkpoint",
                metavar="FILE",
                type=click.Path(dir_okay=False, path_type=Path),
                help="Where to keep the progress  [default: hashrange-….json in this folder]",
            ),
            json_option,
            quiet_option,
        ]
    ):
        command = option(command)
    return command


class ChangeCommand:
    """A command that changes items.

    Args:
        name: of the command.
        operation: UpdateItem or DeleteItem.
        word: what was done to the items, as `updated`.
        table: the name of the table.
        address: the server.
        options: the options of the command.
    """

    def __init__(
        self,
        name: str,
        operation: str,
        word: str,
        *,
        table: str,
        address: Address,
        options: dict[str, Any],
    ) -> None:
        self._name, self._operation, self._word = name, operation, word
        self._table = table
        self._address = address
        self._options = options
        self._quiet: bool = options["quiet"]
        self._resume: bool = options["resume"]
        self._dry_run: bool = options["dry_run"]

    def run(self, confirm: Callable[[], None]) -> None:
        """Change all items, or count them, and print the totals.

        `confirm` asks the operator before anything is changed; it raises Misuse.
        """
        from hashrange.tools.scanning.changes import check_change, retries_of

        with scan_failures():
            change = self._change()
            check_change(change, resume=self._resume)
            if not self._dry_run:
                confirm()
        continues = change.is_repeatable and not self._dry_run
        stopped = "stopped; --resume continues" if continues else "stopped"
        with scan_failures(stopped), scan_progress(quiet=self._quiet) as progress:
            result = run_at(
                self._address,
                lambda place: self._changed(place, change, progress),
                retries_of(change),
            )
            self._print(result, progress)

    def _change(self) -> "Change":
        from hashrange.tools.scanning.changes import Change
        from hashrange.tools.scanning.jobs import CheckpointFile

        chosen = options_of(self._table, self._options)
        path: Path = self._options["checkpoint"] or self._checkpoint_path(chosen)
        return Change(
            operation=self._operation,
            options=chosen,
            marker=self._options.get("once"),
            checkpoint=CheckpointFile(path),
        )

    def _checkpoint_path(self, options: "ScanOptions") -> Path:
        """The default checkpoint file, which depends on what the command does only."""
        import msgspec

        job = [self._name, self._address.url, options.table, options.index, options.expressions]
        digest = blake2b(msgspec.json.encode(job), digest_size=_NAME_BYTES).hexdigest()
        return Path(f"hashrange-{self._name}-{digest}.json")

    async def _changed(
        self, place: "Endpoint", change: "Change", progress: ScanProgress
    ) -> "ScanResult":
        from hashrange.clock import SystemClock
        from hashrange.tools.scanning.changes import changed, would_change
        from hashrange.tools.scanning.segments import scan_target

        clock, options = SystemClock(), change.options
        target = await scan_target(place, options.table, options.index)
        progress.begins(options.table, target.items)
        if self._dry_run:
            return await would_change(place, change, clock, progress.moved)
        return await changed(place, change, clock, progress.moved, resume=self._resume)

    def _print(self, result: "ScanResult", progress: ScanProgress) -> None:
        from hashrange.cli.scan_progress import totals_json

        totals, table = result.totals, self._table
        if self._options["as_json"]:
            more = {
                "skipped": totals.skipped,
                "write_units": totals.write_units,
                "dry_run": self._dry_run,
            }
            click.echo(totals_json(table, result, **more))
            return
        if not self._quiet:
            word = f"would be {self._word}" if self._dry_run else f"were {self._word}"
            skipped = f", {totals.skipped:,} skipped" if totals.skipped else ""
            click.echo(f"{table}: {totals.items:,} items {word}{skipped}")
        progress.note(f"{table}: {summary(totals)}")
