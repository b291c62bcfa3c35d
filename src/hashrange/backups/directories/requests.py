"""How a command asks the server that has a data directory for a backup: by files in the directory.

So whoever may change the directory may ask, and nobody else: no port, no signature. The server
looks once a second, and answers with the progress of the request.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec

REQUEST_FILE: Final = "hashrange.backup"
ANSWER_FILE: Final = "hashrange.backup-answer"
LOOK_SECONDS: Final = 1.0
_MODE: Final = 0o600
_BYTES_MAX: Final = 64 * 1024

T = TypeVar("T")


class BackupRequest(msgspec.Struct, frozen=True):
    """A request: a backup at a target, and then the rule by which others are kept."""

    id: str
    target: str
    keep: str


class BackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How far a request is; `text` once it has ended, and `warnings` if a backup was made."""

    id: str
    done: int = 0
    chunks: int = 0
    has_ended: bool = False
    has_failed: bool = False
    text: str = ""
    warnings: list[str] = []


def ask(directory: Path, request: BackupRequest) -> None:
    """Ask for a backup; a request that waits is replaced. Raises OSError."""
    _write(directory / REQUEST_FILE, request)


def asked(directory: Path) -> BackupRequest | None:
    """The request that waits; None if there is none. One that makes no sense is removed."""
    path = directory / REQUEST_FILE
    try:
        return _read(path, BackupRequest)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        with suppress(OSError):
            path.unlink()
        return None


def answer(directory: Path, found: BackupAnswer) -> None:
    """Report how far a request is; the request goes when it has ended. Raises OSError."""
    _write(directory / ANSWER_FILE, found)
    if found.has_ended:
        (directory / REQUEST_FILE).unlink(missing_ok=True)


def answered(directory: Path, request_id: str) -> BackupAnswer | None:
    """The answer to a request; None if there is none yet."""
    try:
        found = _read(directory / ANSWER_FILE, BackupAnswer)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.id == request_id else None


def withdraw(directory: Path) -> None:
    """Take a request back that no server has taken, and remove an answer. Raises OSError."""
    (directory / REQUEST_FILE).unlink(missing_ok=True)
    (directory / ANSWER_FILE).unlink(missing_ok=True)


def _read(path: Path, kind: type[T]) -> T:
    with path.open("rb") as file:
        return msgspec.json.decode(file.read(_BYTES_MAX), type=kind)


def _write(path: Path, content: msgspec.Struct) -> None:
    unfinished = path.with_name(path.name + ".new")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(content))
    unfinished.replace(path)
