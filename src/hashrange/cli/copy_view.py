"""The progress of a copy: a bar on a terminal, lines elsewhere, or only differences.

The classes implement `tools.copying.copy.Watcher`.
"""

from collections.abc import Callable, Sequence
from typing import Final, Self

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

LINE_SECONDS: Final = 10
"""Interval between two lines about a table."""
_NS_PER_S: Final = 1_000_000_000


class Quiet:
    """Prints differences and nothing else."""

    def note(self, text: str) -> None:
        """Print nothing."""

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """Print nothing."""

    def compares(self, label: str) -> None:
        """Print nothing."""

    def moved(self, items: int) -> None:
        """Print nothing."""

    def ends(self, label: str, items: int) -> None:
        """Print nothing."""

    def differs(self, text: str) -> None:
        """Print a line about the difference."""
        click.echo(text)


class Lines(Quiet):
    """Prints a line at the begin and the end of each table, and every ten seconds.

    Args:
        monotonic_ns: the clock.
    """

    def __init__(self, monotonic_ns: Callable[[], int]) -> None:
        self._monotonic_ns = monotonic_ns
        self._printed_ns = 0
        self._head = ""
        self._items = 0

    def note(self, text: str) -> None:
        """Print the text."""
        click.echo(text)

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """Print how many items the table has, and how many were copied before."""
        done = f", {items_before:,} of them copied before" if items_before else ""
        click.echo(f"{label}: about {items_about:,} items{done}")
        self._begin(f"{label}: copied", items_before)

    def compares(self, label: str) -> None:
        """Count compared items from now on."""
        self._begin(f"{label}: compared", 0)

    def _begin(self, head: str, items: int) -> None:
        self._printed_ns, self._head, self._items = self._monotonic_ns(), head, items

    def moved(self, items: int) -> None:
        """Count items; print the count if the last line is old enough."""
        self._items += items
        now_ns = self._monotonic_ns()
        if now_ns - self._printed_ns >= LINE_SECONDS * _NS_PER_S:
            self._printed_ns = now_ns
            click.echo(f"{self._head} {self._items:,} items")

    def ends(self, label: str, items: int) -> None:
        """Print how many items the table has."""
        click.echo(f"{label}: {items:,} items copied and compared")


class Bar(Quiet):
    """Shows a bar for the current table, and prints a line for each finished table."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task: TaskID | None = None
        self._about = 0

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    @property
    def tasks(self) -> Sequence[Task]:
        """The bars that are shown now."""
        return self._progress.tasks

    def note(self, text: str) -> None:
        """Print the text above the bar."""
        self._console.print(text, markup=False, highlight=False)

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """Show a bar, advanced by the items that were copied before."""
        self._about = items_about
        self._show(f"{label}: copying", items_before)

    def compares(self, label: str) -> None:
        """Show a new bar for the comparison."""
        if self._task is not None:
            # The count of copied items is exact, unlike the size that the place has reported.
            self._about = int(self._progress.tasks[-1].completed)
        self._show(f"{label}: comparing", 0)

    def _show(self, text: str, items: int) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(
            text, total=max(self._about, items, 1), completed=items, rate=""
        )

    def moved(self, items: int) -> None:
        """Advance the bar; its total grows if there are more items than expected."""
        assert self._task is not None, "a table has begun"
        self._progress.advance(self._task, items)
        task = self._progress.tasks[-1]
        total = max(task.total or 0, task.completed)
        self._progress.update(self._task, total=total, rate=f"{task.speed or 0:,.0f}/s")

    def ends(self, label: str, items: int) -> None:
        """Remove the bar, and print how many items the table has."""
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        self.note(f"{label}: {items:,} items copied and compared")

    def differs(self, text: str) -> None:
        """Print a line about the difference."""
        self.note(text)
