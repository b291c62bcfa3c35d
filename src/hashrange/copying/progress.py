"""How far a copy is, in a file: whoever starts it again goes on from there.

What the file says is never ahead of what TO has: a page is noted once its items were acknowledged.
It may be behind; then items are put once more, which changes nothing.
"""

import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, Self

import msgspec

from hashrange.copying.digests import Tally, joined
from hashrange.copying.place import CopyError

_VERSION: Final = 1
_NAME_BYTES: Final = 4


class Segment(msgspec.Struct):
    """One part of a table, from its first item to where it was read to."""

    tally: Tally = Tally()
    after: dict[str, Any] | None = None
    """Key of the last item that was copied; None before the first."""
    is_done: bool = False


class Begun(msgspec.Struct):
    """A table whose copy was begun.

    Attributes:
        state: CREATING is noted before the table is asked for, COPYING once it is there, DONE once
            all of it was compared.
        source_created: tells the table from another one of its name, that was made later.
        target_created: likewise.
        segments: in the order of their numbers.
    """

    state: Literal["CREATING", "COPYING", "DONE"]
    source_created: float
    target_created: float | None = None
    segments: list[Segment] = []

    @property
    def tally(self) -> Tally:
        """What was copied so far."""
        return joined(segment.tally for segment in self.segments)


class _Content(msgspec.Struct):
    version: int
    source: str
    target: str
    tables: dict[str, Begun]


class Progress:
    """The tables of one copy that were begun, and the file that knows of them.

    Attributes:
        path: of the file; there is none before the first table is begun.
        tables: by their labels.
    """

    def __init__(self, path: Path, content: _Content) -> None:
        self.path = path
        self.tables = content.tables
        self._content = content

    @classmethod
    def of(cls, path: Path, source: str, target: str) -> Self:
        """What the file says, if there is one.

        Raises CopyError: it cannot be read, or is of another copy.
        """
        try:
            content = msgspec.json.decode(path.read_bytes(), type=_Content)
        except FileNotFoundError:
            return cls(path, _Content(_VERSION, source, target, {}))
        except (OSError, ValueError) as error:
            raise CopyError(f"{path} is not a progress file: {error}") from error
        if (content.version, content.source, content.target) != (_VERSION, source, target):
            raise CopyError(f"{path} belongs to another copy or another version")
        return cls(path, content)

    @property
    def is_kept(self) -> bool:
        """Whether there is anything to go on from."""
        return bool(self.tables)

    def save(self) -> None:
        """Write the file: the old one or the new one is there, whatever happens.

        Raises CopyError.
        """
        beside = self.path.with_name(f"{self.path.name}.new")
        try:
            with beside.open("wb") as file:
                file.write(msgspec.json.encode(self._content))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
        except OSError as error:
            text = f"cannot keep the progress in {self.path}: {error.strerror}; see --progress"
            raise CopyError(text) from error

    def forget(self, labels: Iterable[str]) -> None:
        """Of these nothing is to go on; without others the file goes. Raises CopyError."""
        for label in labels:
            self.tables.pop(label, None)
        if self.tables:
            self.save()
        else:
            self.path.unlink(missing_ok=True)


def file_name(source: str, target: str) -> str:
    """The same for the same copy, so that it is found again."""
    text = msgspec.json.encode([source, target])
    return f"hashrange-copy-{blake2b(text, digest_size=_NAME_BYTES).hexdigest()}.json"
