"""How a copy is seen: a bar at a terminal, lines elsewhere, or nothing."""

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
"""Between two lines about one table."""
_NS_PER_S: Final = 1_000_000_000


class Quiet:
    """Says what is different, and nothing else."""

    def note(self, text: str) -> None:
        """See `Watcher.note`."""

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """See `Watcher.begins`."""

    def compares(self, label: str) -> None:
        """See `Watcher.compares`."""

    def moved(self, items: int) -> None:
        """See `Watcher.moved`."""

    def ends(self, label: str, items: int) -> None:
        """See `Watcher.ends`."""

    def differs(self, text: str) -> None:
        """See `Watcher.differs`: nobody wants to miss that."""
        click.echo(text)


class Lines(Quiet):
    """Says a line now and then.

    Args:
        monotonic_ns: the time.
    """

    def __init__(self, monotonic_ns: Callable[[], int]) -> None:
        self._monotonic_ns = monotonic_ns
        self._told_ns = 0
        self._head = ""
        self._items = 0

    def note(self, text: str) -> None:
        """See `Watcher.note`."""
        click.echo(text)

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """See `Watcher.begins`."""
        done = f", {items_before:,} of them copied before" if items_before else ""
        click.echo(f"{label}: about {items_about:,} items{done}")
        self._begin(f"{label}: copied", items_before)

    def compares(self, label: str) -> None:
        """See `Watcher.compares`."""
        self._begin(f"{label}: compared", 0)

    def _begin(self, head: str, items: int) -> None:
        self._told_ns, self._head, self._items = self._monotonic_ns(), head, items

    def moved(self, items: int) -> None:
        """See `Watcher.moved`."""
        self._items += items
        now_ns = self._monotonic_ns()
        if now_ns - self._told_ns >= LINE_SECONDS * _NS_PER_S:
            self._told_ns = now_ns
            click.echo(f"{self._head} {self._items:,} items")

    def ends(self, label: str, items: int) -> None:
        """See `Watcher.ends`."""
        click.echo(f"{label}: {items:,} items copied and compared")


class Bar(Quiet):
    """Shows a bar for the table that is copied, and leaves a line for each that was."""

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
        """What is shown now."""
        return self._progress.tasks

    def note(self, text: str) -> None:
        """See `Watcher.note`."""
        self._console.print(text, markup=False, highlight=False)

    def begins(self, label: str, *, items_about: int, items_before: int) -> None:
        """See `Watcher.begins`."""
        self._about = items_about
        self._show(f"{label}: copies", items_before)

    def compares(self, label: str) -> None:
        """See `Watcher.compares`."""
        if self._task is not None:
            # What was counted is better than what the place told.
            self._about = int(self._progress.tasks[-1].completed)
        self._show(f"{label}: compares", 0)

    def _show(self, text: str, items: int) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(
            text, total=max(self._about, items, 1), completed=items, rate=""
        )

    def moved(self, items: int) -> None:
        """See `Watcher.moved`."""
        assert self._task is not None, "a table began"
        self._progress.advance(self._task, items)
        task = self._progress.tasks[-1]
        total = max(task.total or 0, task.completed)
        self._progress.update(self._task, total=total, rate=f"{task.speed or 0:,.0f}/s")

    def ends(self, label: str, items: int) -> None:
        """See `Watcher.ends`."""
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        self.note(f"{label}: {items:,} items copied and compared")

    def differs(self, text: str) -> None:
        """See `Watcher.differs`."""
        self.note(text)
