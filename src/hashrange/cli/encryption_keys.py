"""Options of commands that read the key of an encrypted data directory."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.settings.settings import Settings
    from hashrange.storage.encryption.sources import KeySource


def key_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options for the key of an encrypted directory; the variables of the settings count, too."""
    command = click.option(
        "--encryption-key-command",
        metavar="COMMAND",
        help="Command that prints the key of an encrypted directory.",
    )(command)
    return click.option(
        "--encryption-key-file",
        metavar="FILE",
        help="File of the key of an encrypted directory  [or HASHRANGE_ENCRYPTION_KEY]",
    )(command)


def key_settings(options: dict[str, Any]) -> "Settings":
    """The settings of the key, which are taken out of the options; `encrypt` if there is a key.

    Raises Misuse.
    """
    from hashrange.settings.sources import load_key
    from hashrange.settings.texts import SettingError

    names = ("encryption_key_file", "encryption_key_command")
    given = {name: value for name in names if (value := options.pop(name)) is not None}
    try:
        return load_key(given)
    except SettingError as error:
        raise Misuse(str(error)) from error


def key_of(options: dict[str, Any]) -> "KeySource | None":
    """The source of the key, from options and variables; None if there is none. Raises Misuse."""
    from hashrange.assembly.engines.embedded import key_source

    return key_source(key_settings(options))


def needed_key_of(options: dict[str, Any]) -> "KeySource":
    """The source of the key. Raises Misuse: there is none."""
    key = key_of(options)
    if key is None:
        raise Misuse(
            "the key is missing: give --encryption-key-file, --encryption-key-command or "
            "HASHRANGE_ENCRYPTION_KEY"
        )
    return key
