"""The progress of commands on all items of a table, on stderr: a bar, lines, or nothing.

The totals at the end are JSON, on stdout.
"""

# ruff: noqa: PLC0415 - rich is imported for a terminal only
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from hashrange.tools.scanning.scan import ScanResult

_UNITS: Final = ((172_800, 86_400, "days"), (7_200, 3_600, "h"), (120, 60, "min"), (0, 1, "s"))
"""From how many seconds on a unit is shown, its seconds, and its name."""


def duration_text(seconds: float) -> str:
    """A time in one unit, at least one second."""
    size, name = next((size, name) for least, size, name in _UNITS if seconds >= least)
    return f"{max(1, round(seconds / size))} {name}"


if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from hashrange.tools.scanning.jobs import Totals

LINE_SECONDS: Final = 10
_NS_PER_S: Final = 1_000_000_000


class ScanProgress:
    """Shows totals now and then.

    Args:
        monotonic_ns: the clock.
        is_quiet: print nothing.
        is_live: stderr is a terminal: show a bar, rather than print a line every ten seconds.
    """

    def __init__(self, monotonic_ns: Callable[[], int], *, is_quiet: bool, is_live: bool) -> None:
        self._monotonic_ns = monotonic_ns
        self._is_quiet = is_quiet
        self._printed_ns = monotonic_ns()
        self._about = 0
        self._bar: tuple[Progress, TaskID] | None = None
        if is_live and not is_quiet:
            self._bar = _bar()
        self._begun: tuple[int, int] | None = None

    def begins(self, label: str, items_about: int) -> None:
        """The table has about so many items; 0 if that is not known."""
        self._about = items_about
        if self._bar is not None:
            progress, task = self._bar
            progress.update(task, description=label, total=items_about or None)
            progress.start()

    def note(self, text: str) -> None:
        """Print a line, unless quiet."""
        if self._is_quiet:
            return
        if self._bar is not None:
            self._bar[0].console.print(text, markup=False, highlight=False)
        else:
            click.echo(text, err=True)

    def moved(self, totals: "Totals") -> None:
        """Show the totals, if the last line is old enough."""
        now_ns = self._monotonic_ns()
        if self._begun is None:
            self._begun = now_ns, totals.scanned
        if self._bar is not None:
            progress, task = self._bar
            total = max(self._about, totals.scanned) or None
            progress.update(
                task, completed=totals.scanned, total=total, figures=self._figures(totals)
            )
        elif not self._is_quiet and now_ns - self._printed_ns >= LINE_SECONDS * _NS_PER_S:
            self._printed_ns = now_ns
            click.echo(self._figures(totals) + self._left(totals, now_ns), err=True)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar[0].stop()

    @staticmethod
    def _figures(totals: "Totals") -> str:
        units = totals.units + totals.write_units
        texts = [f"{totals.items:,} items", f"{totals.scanned:,} scanned", f"{units:,.1f} units"]
        if totals.throttled:
            texts.append(f"{totals.throttled:,} throttled")
        return ", ".join([*texts, f"${totals.dollars:.4f}"])

    def _left(self, totals: "Totals", now_ns: int) -> str:
        assert self._begun is not None, "see `moved`"
        began_ns, scanned = self._begun
        done, left = totals.scanned - scanned, self._about - totals.scanned
        if done <= 0 or left <= 0:
            return ""
        return f", {duration_text((now_ns - began_ns) / _NS_PER_S * left / done)} left"


def _bar() -> "tuple[Progress, TaskID]":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[figures]}", markup=False),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    return progress, progress.add_task("", total=None, figures="")


@contextlib.contextmanager
def scan_progress(*, quiet: bool) -> Iterator[ScanProgress]:
    """The progress of a command."""
    from hashrange.clock import SystemClock

    clock = SystemClock().monotonic_ns
    progress = ScanProgress(clock, is_quiet=quiet, is_live=sys.stderr.isatty())
    try:
        yield progress
    finally:
        progress.close()


def summary(totals: "Totals") -> str:
    """The totals of a command that has ended, in one line."""
    units = totals.units + totals.write_units
    shown = f"{totals.items:,} items of {totals.scanned:,} scanned, {units:,.1f} units"
    throttled = f", {totals.throttled:,} requests throttled" if totals.throttled else ""
    return f"{shown} (${totals.dollars:.4f} on demand){throttled}, {totals.seconds:,.1f} s"


def totals_json(table: str, result: ScanResult, **more: Any) -> str:
    """A JSON object of the totals; members of `more` that are None are left out."""
    totals = result.totals
    members = {
        "table": table,
        "items": totals.items,
        "scanned": totals.scanned,
        "units": totals.units,
        "seconds": round(totals.seconds, 3),
        "segments": result.segments,
        "throttled": totals.throttled,
        "dollars": totals.dollars,
        **{name: value for name, value in more.items() if value is not None},
    }
    return msgspec.json.encode(members).decode()
