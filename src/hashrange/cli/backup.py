"""`hashrange backup` and `hashrange restore`: whole data directories."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import dataclasses
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.encryption_keys import key_options, key_settings
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.directory_backups.manifests import Manifest

_MB: Final = 1_000_000


@click.command()
@click.argument("directory", metavar="DIRECTORY")
@click.argument("target")
@click.option(
    "--keep",
    metavar="RULE",
    default="all",
    show_default=True,
    help="Which backups of TARGET are kept, such as last=7,daily=14,weekly=8,monthly=12.",
)
@click.option("--list", "lists", is_flag=True, help="List the backups of TARGET, and make none.")
@key_options
def backup(directory: str, target: str, *, keep: str, lists: bool, **options: Any) -> None:
    """Back a data directory up to TARGET.

    TARGET is a directory, or a bucket: s3://NAME or https://HOST/NAME. A server may use DIRECTORY
    and go on: it is asked, by a file in DIRECTORY, and makes the backup of that moment itself.
    Parts of the data that TARGET has are not stored again; what was stored is verified. The backup
    of an encrypted directory is encrypted with the same key, which is not in it.

    \b
    Examples:
      hashrange backup hashrange-data /mnt/backups
      hashrange backup hashrange-data s3://my-backups --keep last=7,weekly=8
      hashrange backup hashrange-data /mnt/backups --list
    """  # noqa: D301 - click reads \b as an escape
    from hashrange import backing_up
    from hashrange.setting_rules import kept_backups

    if "://" in directory:
        raise Misuse(
            f"{directory} is no data directory; back a database up with its own tools, as pg_dump"
        )
    try:
        kept_backups(keep)
    except ValueError as error:
        raise Misuse(f"--keep: expected {error}") from error
    settings = dataclasses.replace(key_settings(options), data=Path(directory))
    with _failures(), _progress("chunks") as tell:
        if lists:
            found = _run(backing_up.listed(target))
            for each in found:
                click.echo(_line(each))
        else:
            click.echo(_run(backing_up.backed_up(settings, target, keep, tell)))


@click.command()
@click.argument("target")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--backup", "backup_id", metavar="ID", help="The backup  [default: the newest]")
@key_options
def restore(target: str, directory: Path, *, backup_id: str | None, **options: Any) -> None:
    """Restore a data directory from TARGET.

    DIRECTORY must not exist. It gets its name when all data are there and verified; a restore that
    was stopped goes on when it is started again. Without the key of an encrypted backup, only the
    hashes of its parts are compared.

    \b
    Examples:
      hashrange restore /mnt/backups hashrange-data
      hashrange restore s3://my-backups hashrange-data --backup 20261123T010000.000Z
    """  # noqa: D301
    from hashrange import backing_up
    from hashrange.assemble import verify
    from hashrange.engines import key_source

    key = key_source(key_settings(options))
    unread: list[str] = []

    def verifier(manifest: "Manifest") -> Callable[[Path], list[str]] | None:
        if manifest.master_key_id is not None and key is None:
            unread.append(f"; not decrypted, for the key {manifest.master_key_id} was not given")
            return None
        return lambda path: verify(path, key)

    with _failures(), _progress("chunks") as tell:
        manifest = _run(
            backing_up.restored(target, directory, backup_id, verify=verifier, tell=tell)
        )
    click.echo(
        f"{directory}: restored from backup {manifest.id}, {manifest.data_bytes / _MB:.1f} MB; "
        f"verified{''.join(unread)}"
    )


def _line(manifest: "Manifest") -> str:
    key = "" if manifest.master_key_id is None else f"  encrypted with {manifest.master_key_id}"
    return f"{manifest.id}  {manifest.data_bytes / _MB:.1f} MB{key}"


def _run(work: Any) -> Any:
    from hashrange.server.loop import run

    return run(work)


@contextlib.contextmanager
def _progress(of: str) -> Iterator[Callable[[int, int], None]]:
    """A line on stderr that changes, at a terminal only."""
    is_live = sys.stderr.isatty()

    def tell(done: int, chunks: int) -> None:
        if is_live and chunks:
            click.echo(f"\r{done:,} of {chunks:,} {of}", nl=False, err=True)

    yield tell
    if is_live:
        click.echo(err=True)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    from hashrange.directory_backups.job import FAILURES
    from hashrange.storage.engine import StorageOpenError

    try:
        yield
    except (*FAILURES, StorageOpenError) as error:
        raise Refusal(str(error) or type(error).__name__) from error
    except KeyboardInterrupt as error:
        raise Refusal("stopped; started again, it goes on") from error
