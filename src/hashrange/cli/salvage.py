"""`hashrange salvage DIRECTORY TARGET`: takes out of damaged data what can be read."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from hashrange.cli.encryption_keys import key_options, key_settings
from hashrange.cli.refusals import REFUSED, Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.settings.settings import Settings
    from hashrange.storage.sqlite.read_only import ReadOnlyEngine
    from hashrange.tools.salvaging.salvage import Report

_NO_LOG = """\
there is no write-ahead log beside the data file: commits that only a missing one had are not \
noticed"""


@click.command()
@click.argument("directory", metavar="DIRECTORY", type=click.Path(path_type=Path))
@click.argument("target", metavar="TARGET", type=click.Path(path_type=Path))
@key_options
@click.pass_context
def salvage(context: click.Context, /, directory: Path, target: Path, **options: Any) -> None:
    """Take what can be read out of damaged data.

    The tables of DIRECTORY that can be read are copied to a new directory TARGET.

    Reads round damaged pages, and leaves out items whose checksum or key is wrong. Indexes,
    counters and streams are made anew. A line that begins with "lost:" names each item, range of
    keys or table that is missing in TARGET; one with "note:" names what else is not as it was.
    DIRECTORY is not changed; no server may use it. An encrypted one needs its key, with which
    TARGET is encrypted, too. The exit code is 0 if nothing is lost, 1 if something is, 2 if the
    data cannot be opened or TARGET is not empty.

    \b
    Example:
      hashrange salvage hashrange-data hashrange-salvaged
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.assembly import verifying
    from hashrange.assembly.engines.embedded import has_encrypted_data, key_source
    from hashrange.clock import SystemClock
    from hashrange.server.loop import run
    from hashrange.storage.engine import StorageError, StorageOpenError
    from hashrange.tools.copying.place import CopyError
    from hashrange.tools.salvaging.salvage import Report, Salvage

    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Misuse(f"{target} is not empty: name a new directory")
    key = key_settings(options)
    report = Report(click.echo)
    try:
        with ExitStack() as stack:
            engine, master_key_id = _opened(stack, directory, key, report)
            salvaging = Salvage(
                str(directory),
                engine,
                master_key_id=master_key_id,
                clock=SystemClock(),
                report=report,
            )
            encrypts = has_encrypted_data(directory)
            run(salvaging.run(msgspec.structs.replace(key, data=target, encrypt=encrypts)))
        findings = verifying.verify(target, key_source(key))
    except StorageOpenError as error:
        raise Misuse(str(error)) from error
    except (CopyError, StorageError, OSError) as error:
        raise Refusal(str(error)) from error
    for finding in findings:
        report.lose(f"{target}: {finding}")
    sound = "not sound" if findings else "sound"
    click.echo(f"{target}: {report.tables:,} tables, {report.items:,} items; {sound}")
    if report.lost:
        context.exit(REFUSED)


def _opened(
    stack: ExitStack, directory: Path, key: "Settings", report: "Report"
) -> "tuple[ReadOnlyEngine, str | None]":
    """The data, also of a file that was cut off. Raises StorageOpenError."""
    from hashrange.assembly.engines.embedded import key_source, opened_to_read
    from hashrange.storage.engine import StorageOpenError
    from hashrange.storage.sqlite.directory import DATA_FILE

    source = key_source(key)
    try:
        opened = stack.enter_context(opened_to_read(directory, source))
    except StorageOpenError as error:
        opened = stack.enter_context(opened_to_read(directory, source, is_whole=False))
        report.lose(f"{error}; the pages that are there are read")
    wal = directory / f"{DATA_FILE}-wal"
    if not wal.exists():
        report.note(_NO_LOG)
    return opened
