"""Descriptions of backups, exports, imports and bulk operations in the engine, by ARN."""

from collections.abc import AsyncIterator, Callable
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from hashrange.storage.engine import NO_FENCES, Changes, Engine, Fences
from hashrange.tables.keys.key_ranges import Range, pairs, prefix_range

_PAGE_ROWS: Final = 100
"""Descriptions may have kilobytes, and a list may end with any of them."""
_encode: Final = msgspec.json.Encoder().encode


class JobLostError(Exception):
    """A job was cancelled, another server does it, or its table is gone."""


class Described(Protocol):
    """A backup or a job, whose description is stored under its ARN."""

    @property
    def arn(self) -> str:
        """Its ARN."""


D = TypeVar("D", bound=Described)


class Descriptions(Generic[D]):
    """The rows of all descriptions of one kind.

    Attributes:
        decode: the description in a stored value. Raises msgspec.DecodeError.

    Args:
        of: the type of a description.
        key: encodes an ARN as a key, and a prefix of ARNs as the prefix of their keys.
    """

    def __init__(self, of: type[D], key: Callable[[str], bytes]) -> None:
        self.key = key
        self.decode: Callable[[bytes], D] = msgspec.json.Decoder(of).decode

    def row(self, description: D) -> dict[bytes, bytes]:
        """The key and the value of a description."""
        return {self.key(description.arn): _encode(description)}

    def range(self, prefix: str = "") -> Range:
        """The keys of all descriptions whose ARN begins with a prefix."""
        return prefix_range(self.key(prefix))

    async def find(self, engine: Engine, arn: str) -> D | None:
        """The description of an ARN."""
        (value,) = await engine.read([self.key(arn)])
        return None if value is None else self.decode(value)

    async def all(
        self, engine: Engine, prefix: str = "", after: str | None = None
    ) -> AsyncIterator[D]:
        """All descriptions whose ARN begins with a prefix, behind an ARN, in their order."""
        start, end = self.range(prefix)
        if after is not None:
            start = max(start, self.key(after) + b"\x00")
        async for _, value in pairs(engine, (start, end), rows=_PAGE_ROWS):
            yield self.decode(value)

    async def change(
        self,
        engine: Engine,
        arn: str,
        change: Callable[[D], D | None],
        fences: Fences = NO_FENCES,
    ) -> D | None:
        """Replace a description by the result of `change`, which is pure and may run again.

        Done on a full disk, too, so that a job that fills the disk can end.

        Returns the new description; None if there is none, or if `change` leaves it as it is.
        """
        key = self.key(arn)
        # On a full disk an engine does only what deletes; no ARN has this byte.
        absent = key + b"\x00"

        def decide(stored: list[bytes | None]) -> Changes[D | None]:
            (value,) = stored
            changed = None if value is None else change(self.decode(value))
            if changed is None:
                return Changes(answer=None)
            return Changes(answer=changed, puts={key: _encode(changed)}, deletes=[absent])

        return await engine.write([key], decide, fences=fences)
