"""`hashrange backup` and `hashrange restore`: whole data directories and databases."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.encryption_keys import key_options, key_settings
from hashrange.cli.refusals import Misuse, Refusal
from hashrange.cli.scan_progress import duration_text

if TYPE_CHECKING:
    from hashrange.assembly.engines.backing_up import TargetBackup
    from hashrange.assembly.engines.kind import EngineKind, Made
    from hashrange.backups.directories.manifests import Manifest

_NO_KEY: Final = "keys are for data directories: databases encrypt their files themselves"
_NS_PER_S: Final = 1_000_000_000
_MS_PER_S: Final = 1000
_RATE_SECONDS_MIN: Final = 2
"""Before this time the rate says little."""


class BackupProgress:
    """The line, which is written over itself.

    Args:
        of: what is counted.
        monotonic_ns: of the clock.
    """

    def __init__(self, of: str, monotonic_ns: Callable[[], int]) -> None:
        self._of = of
        self._monotonic_ns = monotonic_ns
        self._began: tuple[int, int] | None = None
        self._width = 0

    def line(self, done: int, total: int) -> str:
        """The text, as long as that before. `total` is at most `done` while it is not known."""
        now_ns = self._monotonic_ns()
        if self._began is None:
            self._began = now_ns, done
        began_ns, done_then = self._began
        text, seconds, more = f"{done:,} {self._of}", (now_ns - began_ns) / _NS_PER_S, total - done
        if more > 0:
            text = f"{done:,} of {total:,} {self._of}"
            if seconds >= _RATE_SECONDS_MIN and done > done_then:
                text += f", {duration_text(more * seconds / (done - done_then))} left"
        self._width = max(self._width, len(text))
        return text.ljust(self._width)


@click.command()
@click.argument("source", metavar="DIRECTORY|URL")
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
def backup(source: str, target: str, *, keep: str, lists: bool, **options: Any) -> None:
    """Back a data directory or a database up to TARGET.

    TARGET is a directory, or a bucket: s3://NAME or https://HOST/NAME. A server may use DIRECTORY
    and go on: it is asked, by a file in DIRECTORY, and makes the backup of that moment itself.
    Parts of the data that TARGET has are not stored again; what was stored is verified. The backup
    of an encrypted directory is encrypted with the same key, which is not in it. A PostgreSQL at
    URL is read by the command, in one statement, while servers use it.

    \b
    Examples:
      hashrange backup hashrange-data /mnt/backups
      hashrange backup hashrange-data s3://my-backups --keep last=7,weekly=8
      hashrange backup hashrange-data /mnt/backups --list
      hashrange backup postgresql://app@db.example/app s3://my-backups
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.assembly.engines import backing_up
    from hashrange.clock import SystemClock
    from hashrange.settings.rules import kept_backups

    kind = _kind_of(source)
    try:
        kept_backups(keep)
    except ValueError as error:
        raise Misuse(f"--keep: expected {error}") from error
    settings = key_settings(options)
    if settings.encrypt and not kind.encrypts:
        raise Misuse(_NO_KEY)
    with _failures(), _progress("chunks") as report:
        if lists:
            _show(_run(backing_up.listed(target)), SystemClock().now_ms())
        else:
            _report(_run(kind.backed_up(source, settings, target, keep, report=report)))


@click.command()
@click.argument("target")
@click.argument("place", metavar="DIRECTORY|URL")
@click.option("--backup", "backup_id", metavar="ID", help="The backup  [default: the newest]")
@key_options
def restore(target: str, place: str, *, backup_id: str | None, **options: Any) -> None:
    """Restore a data directory or a database from TARGET.

    DIRECTORY must not exist. It gets its name when all data are there and verified; a restore that
    was stopped goes on when it is started again. Without the key of an encrypted backup, only the
    hashes of its parts are compared. In a database, the schema must have nothing; it is made as
    NAME_restoring meanwhile. What was a directory is restored to one, what was a database to one.

    \b
    Examples:
      hashrange restore /mnt/backups hashrange-data
      hashrange restore s3://my-backups hashrange-data --backup 20261123T010000.000Z
      hashrange restore s3://my-backups postgresql://app@db.example/app
    """  # noqa: D301
    from hashrange.assembly.engines.embedded import key_source
    from hashrange.assembly.verifying import verify
    from hashrange.backups.directories.job import size_text

    kind, key = _kind_of(place), key_source(key_settings(options))
    if key is not None and not kind.encrypts:
        raise Misuse(_NO_KEY)
    with _failures(), _progress("chunks") as report:
        work = kind.restored(target, place, backup_id, key=key, verify=verify, report=report)
        manifest, note = _run(work)
    click.echo(
        f"{kind.shown(place)}: restored from backup {manifest.id}, "
        f"{size_text(manifest.data_bytes)}; verified{note}"
    )


def _kind_of(place: str) -> "EngineKind":
    """The engine of a place. Raises Misuse."""
    from hashrange.assembly.engines.kinds import kind_of

    try:
        return kind_of(place)
    except ValueError as error:
        raise Misuse(str(error)) from error


def _report(made: "Made") -> None:
    """The backup was made, so that damage of others does not make the command fail."""
    click.echo(made.line)
    for warning in made.warnings:
        click.echo(f"hashrange: warning: {warning}", err=True)


def _show(found: "list[TargetBackup]", now_ms: int) -> None:
    """A line for each backup. Raises Refusal: some cannot be restored."""
    reasons = []
    for each in found:
        if each.manifest is None:
            reasons.append(each.reason)
            click.echo(f"{each.id}  damaged")
        else:
            click.echo(_line(each.manifest, now_ms))
    if reasons:
        raise Refusal(
            f"{len(reasons)} of {len(found)} backups cannot be restored: {'; '.join(reasons)}"
        )


def _line(manifest: "Manifest", now_ms: int) -> str:
    """One that was made before there were totals has none."""
    from hashrange.backups.directories.job import size_text
    from hashrange.backups.directories.manifests import RowsManifest, Totals

    parts = [manifest.id, f"{duration_text((now_ms - manifest.made_ms) / _MS_PER_S)} ago"]
    totals = manifest.totals
    if isinstance(totals, Totals):
        parts += [_counted(totals.tables, "table"), _counted(totals.items, "item")]
    parts.append(size_text(manifest.data_bytes))
    if isinstance(manifest, RowsManifest):
        parts.append("of a database")
    if manifest.master_key_id is not None:
        parts.append(f"encrypted with {manifest.master_key_id}")
    return "  ".join(parts)


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _run(work: Any) -> Any:
    from hashrange.server.loop import run

    return run(work)


@contextlib.contextmanager
def _progress(of: str) -> Iterator[Callable[[int, int], None]]:
    """A line on stderr that changes, at a terminal only."""
    from hashrange.clock import SystemClock

    is_live = sys.stderr.isatty()
    progress = BackupProgress(of, SystemClock().monotonic_ns)

    def report(done: int, chunks: int) -> None:
        if is_live and chunks:
            click.echo(f"\r{progress.line(done, chunks)}", nl=False, err=True)

    yield report
    if is_live:
        click.echo(err=True)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    from hashrange.backups.directories.job import FAILURES
    from hashrange.storage.engine import StorageOpenError

    try:
        yield
    except (*FAILURES, StorageOpenError) as error:
        raise Refusal(str(error) or type(error).__name__) from error
    except KeyboardInterrupt as error:
        raise Refusal("stopped; started again, it goes on") from error
