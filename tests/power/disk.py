"""What a power cut leaves of files: a model of one directory and of what was not synced in it."""

from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

SECTOR_BYTES = 512
"""The least that a disk writes as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Bytes on their way to the disk."""

    offset: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncate:
    """A new size on its way to the disk."""

    size: int


@dataclass(slots=True)
class File:
    """A file: what is on the disk, and what is on its way there."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Write | Truncate] = field(default_factory=list)

    def sync(self) -> None:
        """Everything arrives."""
        for change in self.pending:
            _apply(self.durable, change, filler=b"\0")
        self.pending.clear()

    def lose(self, rng: Random) -> None:
        """A random part of what is on its way arrives, in pieces of a sector; the rest is gone."""
        # Mostly all or nothing of many small writes shows little, so the odds differ by file.
        odds = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])
        # Where a file was extended and the content did not arrive, anything may be found.
        filler = rng.choice([b"\0", b"\0", b"\x5a"])
        for change in self.pending:
            for piece in _pieces(change):
                if rng.random() < odds:
                    _apply(self.durable, piece, filler=filler)
        self.pending.clear()


def _pieces(change: Write | Truncate) -> list[Write | Truncate]:
    match change:
        case Truncate():
            return [change]
        case Write(offset=offset, content=content):
            first = SECTOR_BYTES - offset % SECTOR_BYTES
            cuts = [0, *range(first, len(content), SECTOR_BYTES), len(content)]
            return [
                Write(offset=offset + start, content=content[start:end])
                for start, end in pairwise(cuts)
            ]


def _apply(durable: bytearray, change: Write | Truncate, *, filler: bytes) -> None:
    match change:
        case Truncate(size=size):
            del durable[size:]
            durable.extend(bytes(size - len(durable)))
        case Write(offset=offset, content=content):
            durable.extend(filler * (offset - len(durable)))
            durable[offset : offset + len(content)] = content


class Disk:
    """One directory. A name that was made or removed is on its way too, until `sync_names`."""

    def __init__(self, image: dict[str, bytes]) -> None:
        self._names = {name: File(bytearray(content)) for name, content in image.items()}
        self._durable_names = dict(self._names)
        self._pending_names: list[tuple[str, File | None]] = []

    def open(self, name: str) -> File:
        """The file of that name, made if it is missing."""
        if name not in self._names:
            self._set(name, File())
        return self._names[name]

    def delete(self, name: str) -> None:
        """Remove a name."""
        self._set(name, None)

    def _set(self, name: str, file: File | None) -> None:
        self._pending_names.append((name, file))
        _set_name(self._names, name, file)

    def sync_names(self) -> None:
        """The directory itself arrives."""
        for name, file in self._pending_names:
            _set_name(self._durable_names, name, file)
        self._pending_names.clear()

    def cut(self, rng: Random) -> dict[str, bytes]:
        """What is found when the power is back."""
        for name, file in self._pending_names:
            if rng.random() < 0.5:
                _set_name(self._durable_names, name, file)
        for file in self._durable_names.values():
            file.lose(rng)
        return {name: bytes(file.durable) for name, file in self._durable_names.items()}


def _set_name(names: dict[str, File], name: str, file: File | None) -> None:
    if file is None:
        names.pop(name, None)
    else:
        names[name] = file
