"""`hashrange encrypt`, `decrypt` and `rekey`: the encryption of a data directory."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from hashrange.cli.encryption_keys import key_options, needed_key_of
from hashrange.cli.refusals import Misuse, Refusal

if TYPE_CHECKING:
    from hashrange.storage.encryption.sources import KeySource

_NEW_NAMES: Final = ("--new-encryption-key-file", "", "--new-encryption-key-command")

_directory: Final = click.argument(
    "directory", type=click.Path(exists=True, file_okay=False, path_type=Path)
)


@click.command()
@_directory
@key_options
def encrypt(directory: Path, **options: Any) -> None:
    """Encrypt a data directory.

    No server may use it meanwhile.

    The data are copied into a new file, which then takes the place of the old one; the disk needs
    room for both. If the command is killed, the data are as they were, or encrypted: run it again.
    What the file system keeps of a removed file is not overwritten.

    \b
    Examples:
      openssl rand -hex 32 > /etc/hashrange.key
      hashrange encrypt hashrange-data --encryption-key-file /etc/hashrange.key
    """  # noqa: D301 - click reads \b as an escape
    from hashrange.assembly.engines import embedded

    key = needed_key_of(options)
    with _failures():
        left = embedded.encrypt(directory, key, click.echo)
    click.echo(f"{directory}: encrypted; start the server with --encrypt and the key")
    _name(left, "data that are not encrypted")


@click.command()
@_directory
@key_options
def decrypt(directory: Path, **options: Any) -> None:
    """Decrypt a data directory.

    No server may use it meanwhile.

    As `hashrange encrypt`, in the other direction.

    \b
    Example:
      hashrange decrypt hashrange-data --encryption-key-file /etc/hashrange.key
    """  # noqa: D301
    from hashrange.assembly.engines import embedded

    key = needed_key_of(options)
    with _failures():
        embedded.decrypt(directory, key, click.echo)
    click.echo(f"{directory}: not encrypted any more; start the server without --encrypt")


@click.command()
@_directory
@key_options
@click.option("--new-encryption-key-file", "new_file", metavar="FILE", help="File of the new key.")
@click.option(
    "--new-encryption-key-command",
    "new_command",
    metavar="COMMAND",
    help="Command that prints the new key.",
)
@click.option(
    "--data-key",
    is_flag=True,
    help="Also encrypt the data with a new data key, which copies them; no server may use "
    "DIRECTORY meanwhile.",
)
def rekey(
    directory: Path,
    *,
    new_file: str | None,
    new_command: str | None,
    data_key: bool,
    **options: Any,
) -> None:
    """Change the keys of an encrypted directory.

    The data are encrypted with a data key, which is stored encrypted with your key. Without
    --data-key only that is done again, with your new key, at once; a server may use DIRECTORY, and
    needs the new key at its next start. Who had the old key and a copy of the directory can still
    read later data with them: --data-key ends that.

    \b
    Examples:
      hashrange rekey hashrange-data --encryption-key-file old.key --new-encryption-key-file new.key
      hashrange rekey hashrange-data --data-key --encryption-key-file my.key
    """  # noqa: D301
    from hashrange.assembly.engines import embedded

    old = needed_key_of(options)
    new = _new_key(new_file, new_command)
    if new is None and not data_key:
        raise Misuse("give the new key: --new-encryption-key-file or --new-encryption-key-command")
    with _failures():
        if data_key:
            left = embedded.rekey_data(directory, (old, new or old), click.echo)
            click.echo(f"{directory}: encrypted with a new data key")
            _name(left, "data with the old data key")
        elif new is not None:
            key_id = embedded.rekey(directory, old, new)
            click.echo(f"{directory}: the key is now {key_id}")


def _new_key(file: str | None, command: str | None) -> "KeySource | None":
    from hashrange.storage.encryption.sources import KeySource

    if file is not None and command is not None:
        raise Misuse(f"{_NEW_NAMES[0]} and {_NEW_NAMES[2]} exclude each other: give one key")
    if file is None and command is None:
        return None
    path = None if file is None else Path(file).expanduser()
    return KeySource(file=path, command=command, names=_NEW_NAMES)


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """Raise errors within the context as Misuse or Refusal, which are printed as one line."""
    from hashrange.storage.engine import StorageOpenError

    try:
        yield
    except StorageOpenError as error:
        raise Misuse(str(error)) from error
    except OSError as error:
        raise Refusal(str(error)) from error
    except KeyboardInterrupt as error:
        raise Refusal("stopped; run the same command again") from error


def _name(left: Sequence[str], what: str) -> None:
    if left:
        click.echo(f"These files may have {what}; remove them: {', '.join(left)}")
