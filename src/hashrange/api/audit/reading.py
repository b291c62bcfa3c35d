"""Reads the files of an audit log: forward over all chains, or backward from a place.

Files are read in blocks, and closed between them. Records of several chains are merged by time.
"""

import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from hashrange.api.audit.chain import link_of
from hashrange.api.audit.files import AuditFile, chains_of, files_in, last_line, lines_of
from hashrange.limits.access import AUDIT_LINE_BYTES_MAX

Place: TypeAlias = tuple[int, str, int]
"""Where a record is in the order of all: its time in milliseconds, chain and sequence."""

END: Final[Place] = (2**63 - 1, "", 0)
"""After all records."""
BLOCK_BYTES: Final = 32 * 1024
_LINE_BREAK: Final = b"\n"


class Found(msgspec.Struct, frozen=True):
    """A record as it was read: its place and its line."""

    place: Place
    line: bytes


class Budget:
    """Bytes that may still be read, and how many are read at a time."""

    def __init__(self, left: int, block_bytes: int = BLOCK_BYTES) -> None:
        self.left = left
        self.block_bytes = block_bytes

    def spend(self, count: int) -> None:
        """Count bytes that were read."""
        self.left -= count


def place_of(line: bytes) -> Place | None:
    """The place of a record; None for bytes that are not a record."""
    link = link_of(line)
    return None if link is None else (link.at, link.chain, link.sequence)


def forward(directory: Path) -> Iterator[bytes]:
    """The records of a directory by time, oldest first; what is not a record is left out.

    Raises OSError.
    """
    chains = [_chain_forward(directory, files) for files in chains_of(files_in(directory)).values()]
    for found in heapq.merge(*chains, key=_place):
        yield found.line


def _chain_forward(directory: Path, files: list[AuditFile]) -> Iterator[Found]:
    for file in files:
        for raw in lines_of(directory / file.name):
            line = raw.rstrip(_LINE_BREAK)
            place = place_of(line)
            if place is not None:
                yield Found(place, line)


def _place(found: Found) -> Place:
    return found.place


def backward(
    directory: Path, before: Place, since_ms: int, *, budget: Budget, files_max: int
) -> Iterator[Found]:
    """The records before a place, newest first, down to a time. Raises OSError.

    Args:
        directory: of the files.
        before: exclusive.
        since_ms: milliseconds since the epoch.
        budget: counts what is read; its caller stops.
        files_max: the newest files that are looked at.
    """
    chains = chains_of(files_in(directory)[-files_max:])
    readers = [
        _chain_backward(directory, files, before, budget)
        for files in chains.values()
        if files[0].began_ms <= before[0] and _ended_ms(directory, files[-1]) >= since_ms
    ]
    for found in heapq.merge(*readers, key=_place, reverse=True):
        if found.place[0] < since_ms:
            return
        yield found


def _ended_ms(directory: Path, file: AuditFile) -> int:
    """The time of the last record of a file."""
    try:
        line = last_line(directory / file.name)
    except FileNotFoundError:
        return -1
    place = None if line is None else place_of(line)
    return file.began_ms if place is None else place[0]


def _chain_backward(
    directory: Path, files: list[AuditFile], before: Place, budget: Budget
) -> Iterator[Found]:
    for file in reversed(files):
        if file.began_ms > before[0]:
            continue
        try:
            yield from _file_backward(directory / file.name, before, budget)
        except FileNotFoundError:  # removed by rotation meanwhile
            return


def _file_backward(path: Path, before: Place, budget: Budget) -> Iterator[Found]:
    size = path.stat().st_size
    for line in _lines_backward(path, _end_before(path, before, size, budget), budget):
        place = place_of(line)
        if place is not None and place < before:
            yield Found(place, line)


def _end_before(path: Path, before: Place, size: int, budget: Budget) -> int:
    """An offset beyond which no line comes before a place, within some blocks of the last such."""
    low, high = 0, size
    with path.open("rb") as file:
        while before < END and high - low > 2 * budget.block_bytes:
            middle = (low + high) // 2
            file.seek(middle)
            skipped = file.readline(AUDIT_LINE_BYTES_MAX)
            line = file.readline(AUDIT_LINE_BYTES_MAX)
            budget.spend(len(skipped) + len(line))
            place = place_of(line.rstrip(_LINE_BREAK))
            if place is not None and place < before:
                low = middle + len(skipped)
            else:
                high = middle
        if high == size:
            return size
        file.seek(high)
        return high + len(file.readline(AUDIT_LINE_BYTES_MAX))


def _lines_backward(path: Path, end: int, budget: Budget) -> Iterator[bytes]:
    """The whole lines before an offset at which a line begins, last first."""
    rest = b""
    while end > 0:
        start = max(end - budget.block_bytes, 0)
        with path.open("rb") as file:
            file.seek(start)
            block = file.read(end - start) + rest
        budget.spend(end - start)
        end = start
        first, *lines = block.split(_LINE_BREAK)
        yield from filter(None, reversed(lines))
        rest = first
        if len(rest) > AUDIT_LINE_BYTES_MAX:
            rest = b""
    if rest:
        yield rest
