"""Where the operator keeps a master key: in a file, in a setting, or behind a command."""

import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hashrange.storage.encryption.master_key import EncryptionKeyError, MasterKey

KEY_TEXT_BYTES_MAX: Final = 4096
"""Of a key file, or of the output of a command; more is not a key."""
COMMAND_SECONDS_MAX: Final = 60
"""A command that takes longer is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySource:
    """A file, a text or a command; exactly one of them.

    Attributes:
        file: contains the key.
        text: is the key.
        command: prints the key on its standard output. It is not run by a shell.
        names: of the three, as the operator knows them, for errors.
    """

    file: Path | None = None
    text: str | None = field(default=None, repr=False)
    command: str | None = None
    names: tuple[str, str, str] = (
        "--encryption-key-file",
        "HASHRANGE_ENCRYPTION_KEY",
        "--encryption-key-command",
    )

    def read(self, directory: Path | None = None) -> MasterKey:
        """The key. Raises EncryptionKeyError.

        A file in `directory`, the directory that is encrypted, is refused: who steals the
        directory would have the key, too.
        """
        of_file, of_text, of_command = self.names
        if self.file is not None:
            inside = directory is not None and directory.resolve() in self.file.resolve().parents
            if inside:
                raise EncryptionKeyError(
                    f"{of_file} {self.file}: the key must not be in the directory that it encrypts"
                )
            return MasterKey.of(_content(self.file, of_file), f"{of_file} {self.file}")
        if self.command is not None:
            return MasterKey.of(_output(self.command, of_command), f"{of_command}: its output")
        assert self.text is not None, "one of the three"
        return MasterKey.of(self.text, of_text)


def _content(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(KEY_TEXT_BYTES_MAX)
    except OSError as error:
        raise EncryptionKeyError(f"{name} {path}: {error.strerror}") from error
    return content.decode("utf-8", "replace")


def _output(command: str, name: str) -> str:
    # On Windows a program splits its command line itself; shlex would drop backslashes.
    arguments = command if sys.platform == "win32" else _split(command, name)
    try:
        ended = subprocess.run(  # noqa: S603 - the operator's own command, and no shell
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=COMMAND_SECONDS_MAX,
            check=False,
        )
    except OSError as error:
        raise EncryptionKeyError(f"{name}: {error.strerror}: {error.filename}") from error
    except subprocess.TimeoutExpired as error:
        text = f"{name}: the command did not end within {COMMAND_SECONDS_MAX} seconds"
        raise EncryptionKeyError(text) from error
    if ended.returncode:
        raise EncryptionKeyError(f"{name}: the command ended with code {ended.returncode}")
    return ended.stdout[:KEY_TEXT_BYTES_MAX].decode("utf-8", "replace")


def _split(command: str, name: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise EncryptionKeyError(f"{name}: {error}") from error
