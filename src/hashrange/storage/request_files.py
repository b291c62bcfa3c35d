"""How a command asks the server that has a data directory: by files in the directory.

So whoever may change the directory may ask, and nobody else: no port, no signature. The server
looks once a second, and answers with the progress of the request.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from hashrange.storage.durable_files import FILE_MODE

LOOK_SECONDS: Final = 1.0


class ServerRequest(Protocol):
    """A request, which has an id that no other has."""

    @property
    def id(self) -> str:
        """The id."""


class ServerAnswer(ServerRequest, Protocol):
    """The progress of the request of that id."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more comes."""


Q = TypeVar("Q", bound=ServerRequest)
A = TypeVar("A", bound=ServerAnswer)
T = TypeVar("T")


class RequestFiles(Generic[Q, A]):
    """The files of one kind of requests.

    Args:
        name: of the file of the request; that of the answer ends with `-answer`.
        kinds: the structs of requests and of answers.
        bytes_max: of each file.
    """

    def __init__(self, name: str, kinds: tuple[type[Q], type[A]], bytes_max: int) -> None:
        self._names = name, f"{name}-answer"
        self._request, self._answer = kinds
        self._bytes_max = bytes_max

    def ask(self, directory: Path, request: Q) -> None:
        """Ask; a request that waits is replaced. Raises OSError."""
        self._write(directory / self._names[0], request)

    def asked(self, directory: Path) -> Q | None:
        """The request that waits; None if there is none. One that makes no sense is removed."""
        path = directory / self._names[0]
        try:
            return self._read(path, self._request)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            with suppress(OSError):
                path.unlink()
            return None

    def answer(self, directory: Path, found: A) -> None:
        """Report how far a request is; the request goes when it has ended. Raises OSError."""
        self._write(directory / self._names[1], found)
        if found.has_ended:
            (directory / self._names[0]).unlink(missing_ok=True)

    def answered(self, directory: Path, request_id: str) -> A | None:
        """The answer to a request; None if there is none yet."""
        try:
            found = self._read(directory / self._names[1], self._answer)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return found if found.id == request_id else None

    def withdraw(self, directory: Path) -> None:
        """Take a request back, and remove an answer. Raises OSError."""
        for name in self._names:
            (directory / name).unlink(missing_ok=True)

    def _read(self, path: Path, kind: type[T]) -> T:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(self._bytes_max), type=kind)

    def _write(self, path: Path, content: object) -> None:
        unfinished = path.with_name(path.name + ".new")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(content))
        unfinished.replace(path)
