"""The progress of a copy, in a file from which another run continues.

The file is never ahead of TO: a page is recorded after its items were acknowledged. It may be
behind; then some items are put again, which changes nothing.
"""

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, Self

import msgspec

from hashrange.storage.durable_files import replace_file
from hashrange.tools.copying.digests import Tally, joined
from hashrange.tools.copying.place import CopyError

_VERSION: Final = 1
_NAME_BYTES: Final = 4


class Segment(msgspec.Struct):
    """The progress of one segment of a table."""

    tally: Tally = Tally()
    after: dict[str, Any] | None = None
    """The key of the last item that was copied; None before the first."""
    is_done: bool = False


class TableProgress(msgspec.Struct):
    """The progress of one table. The members are those of the file.

    Attributes:
        state: CREATING before the table is created in TO, then COPYING, DONE after the comparison.
        source_created: creation time of the table in FROM, which distinguishes it from a later
            table of the same name.
        target_created: the same of the table in TO.
        segments: in the order of their numbers.
    """

    state: Literal["CREATING", "COPYING", "DONE"]
    source_created: float
    target_created: float | None = None
    segments: list[Segment] = []

    @property
    def tally(self) -> Tally:
        """The tally of the items copied so far."""
        return joined(segment.tally for segment in self.segments)


class _Content(msgspec.Struct):
    version: int
    source: str
    target: str
    tables: dict[str, TableProgress]


class Progress:
    """The progress of a copy, and its file.

    Attributes:
        path: the file, which exists after the first table was begun.
        tables: the tables that were begun, by label.
    """

    def __init__(self, path: Path, content: _Content) -> None:
        self.path = path
        self.tables = content.tables
        self._content = content

    @classmethod
    def of(cls, path: Path, source: str, target: str) -> Self:
        """Read the file; without a file, no table was begun.

        Raises CopyError: the file cannot be read, or belongs to another copy.
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
        """Whether there is progress of an earlier run."""
        return bool(self.tables)

    def save(self) -> None:
        """Replace the file atomically and sync it. Raises CopyError."""
        try:
            replace_file(self.path, msgspec.json.encode(self._content))
        except OSError as error:
            text = f"cannot keep the progress in {self.path}: {error.strerror}; see --progress"
            raise CopyError(text) from error

    def forget(self, labels: Iterable[str]) -> None:
        """Remove tables; the file is deleted if none are left. Raises CopyError."""
        for label in labels:
            self.tables.pop(label, None)
        if self.tables:
            self.save()
        else:
            self.path.unlink(missing_ok=True)


def file_name(source: str, target: str) -> str:
    """The default name of the progress file, which depends on both places only."""
    text = msgspec.json.encode([source, target])
    return f"hashrange-copy-{blake2b(text, digest_size=_NAME_BYTES).hexdigest()}.json"
