"""The register of damage that a server has noticed, which outlives it.

A place is a space of a table, or one of its indexes: so many rows of a damaged page are one line in
the log. The file has a line for each place; all processes of a server add to it.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from hashrange.observe.figures import Figures
from hashrange.storage.durable_files import FILE_MODE

_PLACE_BYTES: Final = 9
"""Of a key: the numbers of table, space and index; of items, a part of the hash."""
_SPACE_BYTES: Final = 5
_INDEX_SPACE: Final = b"\x02"
_PLACES_MAX: Final = 1000


class Damage(msgspec.Struct, frozen=True):
    """Damage at a place.

    Attributes:
        key: at which it was noticed.
        text: for the operator.
        start: the first key of the range that cannot be read; empty if the range is not known.
        end: the key behind the last one.
    """

    key: bytes
    text: str
    start: bytes = b""
    end: bytes = b""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Damage).decode


class DamageRegister:
    """The places at which stored data are damaged, until they can be read again.

    Args:
        path: of the file; None to keep them in memory.

    Attributes:
        woken: set when a place was added whose range is not known.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._places: dict[bytes, Damage] = {}
        self._seen: tuple[int, int] | None = None
        self._found_total = 0
        self.woken = asyncio.Event()
        self._load()

    def notice(self, key: bytes, reason: str) -> None:
        """Add the place of a key, if it is not known yet."""
        self._load()
        place = place_of(key)
        if place in self._places or len(self._places) >= _PLACES_MAX:
            return
        self._found_total += 1
        self.put(Damage(key, f"the row at {key.hex()} {reason}"))
        self.woken.set()

    def put(self, damage: Damage) -> None:
        """Add damage, or say more of it."""
        self._places[place_of(damage.key)] = damage
        self._store()

    def forget(self, damage: Damage) -> None:
        """Remove damage that was repaired."""
        self._load()
        if self._places.pop(place_of(damage.key), None) is not None:
            self._store()

    def places(self) -> Mapping[bytes, Damage]:
        """All of it, by place."""
        self._load()
        return dict(self._places)

    def lines(self) -> list[str]:
        """A line for each place."""
        return [each.text for each in self.places().values()]

    def figures(self) -> Figures:
        """The places that this process has found."""
        return {"damage_found_total": self._found_total}

    def kept(self) -> Figures:
        """The places that are known, for the process that does background work."""
        return {"damaged_places": len(self.places())}

    def _load(self) -> None:
        """Read the file if it has changed; one that cannot be read says nothing."""
        if self._path is None:
            return
        try:
            status = self._path.stat()
            seen = status.st_mtime_ns, status.st_size
            if seen == self._seen:
                return
            found = [_decode(line) for line in self._path.read_bytes().splitlines()]
        except FileNotFoundError:
            if self._seen is not None:
                self._places, self._seen = {}, None
            return
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return
        self._places = {place_of(each.key): each for each in found}
        self._seen = seen

    def _store(self) -> None:
        """Replace the file; without the disk the places are kept in memory."""
        if self._path is None:
            return
        new = self._path.with_name(f"{self._path.name}.new")
        try:
            if self._places:
                new.touch(FILE_MODE)
                new.write_bytes(b"".join(_encode(each) + b"\n" for each in self._places.values()))
                new.replace(self._path)
                status = self._path.stat()
                self._seen = status.st_mtime_ns, status.st_size
            else:
                self._path.unlink(missing_ok=True)
                self._seen = None
        except OSError:
            pass


def place_of(key: bytes) -> bytes:
    """The place of a key: how the keys of its space of a table, or of its index, begin."""
    is_index = key[_SPACE_BYTES - 1 : _SPACE_BYTES] == _INDEX_SPACE and any(key[:4])
    return key[: _PLACE_BYTES if is_index else _SPACE_BYTES]
