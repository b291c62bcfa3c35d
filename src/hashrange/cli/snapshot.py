"""`hashrange snapshot save|load|list|delete`: puts a server under test back to a state."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from hashrange.cli.endpoints import endpoint_option, url_of
from hashrange.cli.refusals import Refusal

if TYPE_CHECKING:
    from hashrange.testing_pages import ServerSnapshots


@click.group()
def snapshot() -> None:
    """Put a server back to a saved state.

    The data of a running server are kept under a name, and it is put back to them.

    The server must have been started with --testing. A snapshot has all tables, indexes, streams
    and backups of all accounts, at most 1 GiB, and is loaded in milliseconds. On a data directory
    it is a file in DIRECTORY/hashrange.snapshots; in memory it ends with the server. To protect
    data from loss, use hashrange backup.

    \b
    Examples:
      hashrange snapshot save seeded
      hashrange snapshot load seeded
    """  # noqa: D301 - click reads \b as an escape


@snapshot.command()
@click.argument("name")
@endpoint_option
def save(name: str, *, endpoint: str | None) -> None:
    """Save the data as they are now; an earlier snapshot of that name is replaced."""
    with _of(endpoint) as snapshots:
        snapshots.save(name)
    click.echo(f"{name}: saved")


@snapshot.command()
@click.argument("name")
@endpoint_option
def load(name: str, *, endpoint: str | None) -> None:
    """Put the server back to a snapshot. All that was changed since is lost."""
    with _of(endpoint) as snapshots:
        snapshots.load(name)
    click.echo(f"{name}: loaded")


@snapshot.command("list")
@endpoint_option
def list_snapshots(*, endpoint: str | None) -> None:
    """List the snapshots with their sizes in bytes."""
    with _of(endpoint) as snapshots:
        sizes = snapshots.sizes()
    for name, size in sizes.items():
        click.echo(f"{name}  {size}")


@snapshot.command()
@click.argument("name")
@endpoint_option
def delete(name: str, *, endpoint: str | None) -> None:
    """Delete a snapshot; the data of the server stay as they are."""
    with _of(endpoint) as snapshots:
        snapshots.delete(name)
    click.echo(f"{name}: deleted")


@contextlib.contextmanager
def _of(endpoint: str | None) -> "Iterator[ServerSnapshots]":
    from hashrange.testing_pages import ServerSnapshots, SnapshotError

    url = url_of(endpoint)
    try:
        yield ServerSnapshots(url)
    except SnapshotError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(f"{url} does not answer: {error.strerror or error}") from error
