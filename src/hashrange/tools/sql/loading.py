"""Lines of items that DuckDB loads while more of them are written: both cores have work."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, Final

_PART_BYTES: Final = 64 * 1024**2
_PARTS: Final = 8
"""A part has at least the eighth part of all bytes, so that there are never very many."""


class Lines:
    """A stream of lines, which are loaded in parts, one part in a thread.

    Args:
        folder: for the files of two parts.
        load: loads a file; returns the number of its lines. It is called in a thread.
        part_bytes: the least size of a part.

    Attributes:
        rows: the number of the lines that were loaded.
    """

    def __init__(
        self, folder: Path, load: Callable[[Path], int], *, part_bytes: int = _PART_BYTES
    ) -> None:
        self._folder, self._load, self._least_bytes = folder, load, part_bytes
        self._threads = ThreadPoolExecutor(1)
        self._loading: Future[int] | None = None
        self._file: BinaryIO | None = None
        self._path = folder
        self._number = self._written = self._part_bytes = 0
        self.rows = 0

    def write(self, lines: bytes) -> None:
        """Write whole lines. Raises OSError, and the errors of `load`."""
        if self._file is None:
            self._number += 1
            self._path = self._folder / f"lines-{self._number}.jsonl"
            self._file = self._path.open("wb")
        self._file.write(lines)
        self._written += len(lines)
        self._part_bytes += len(lines)
        if self._part_bytes >= max(self._least_bytes, self._written // _PARTS):
            self._end_part()

    def flush(self) -> None:
        """Do nothing, as of a stream: `end` is needed."""

    def end(self) -> None:
        """Load what was written. Raises OSError, and the errors of `load`."""
        if self._file is not None:
            self._end_part()
        self._wait()

    def close(self) -> None:
        """End the thread, and remove files."""
        self._threads.shutdown()
        if self._file is not None:
            self._file.close()
        if self._number:
            self._path.unlink(missing_ok=True)

    def _end_part(self) -> None:
        assert self._file is not None, "a part is written"
        self._file.close()
        self._file, self._part_bytes = None, 0
        self._wait()  # so that there are two files at most
        self._loading = self._threads.submit(self._loaded, self._path)

    def _loaded(self, path: Path) -> int:
        try:
            return self._load(path)
        finally:
            path.unlink()

    def _wait(self) -> None:
        if self._loading is not None:
            self.rows += self._loading.result()
            self._loading = None
