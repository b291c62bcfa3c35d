"""Anchors: the heads of chains, kept in the engine, where the audit log's directory is not.

An anchor says which record was the last on disk, and up to which one rotation has removed files. So
a file that is gone, and a tail that was cut, are noticed.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.api.audit.chain import Head
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys.identity_keys import audit_key, audit_range, chain_of_key
from hashrange.tables.keys.key_ranges import pairs


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """The stored state of a chain. Its JSON is stored.

    Attributes:
        place: host and directory of the files, as their process knew them; for people.
        began_ms: when the chain began.
        head: the last record that was on disk.
        removed: the last record of the files that rotation has removed.
        removed_files: the number of the newest of them.
    """

    place: str
    began_ms: int
    head: Head = Head()
    removed: Head = Head()
    removed_files: int = 0

    @property
    def is_removed(self) -> bool:
        """Whether rotation has removed all records of the chain.

        Anchors of earlier versions have no number of the file: of those, chains without records
        are taken to be there.
        """
        has_removal = self.removed_files > 0 or self.removed.sequence > 0
        return has_removal and self.removed.sequence >= self.head.sequence


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Anchor).decode


def merged(stored: Anchor | None, anchor: Anchor) -> Anchor:
    """An anchor that is nowhere behind either of two: its process and removals store theirs."""
    if stored is None:
        return anchor
    head = max(stored.head, anchor.head, key=_sequence)
    removed = max(stored.removed, anchor.removed, key=_sequence)
    count = max(stored.removed_files, anchor.removed_files)
    return msgspec.structs.replace(stored, head=head, removed=removed, removed_files=count)


def _sequence(head: Head) -> int:
    return head.sequence


async def keep(engine: Engine, chain: str, anchor: Anchor) -> None:
    """Store an anchor, merged with the stored one. Raises StorageError."""
    key = audit_key(chain)

    def decide(stored: list[bytes | None]) -> Changes[None]:
        (row,) = stored
        made = merged(None if row is None else _decode(row), anchor)
        return Changes(answer=None, puts={key: _encode(made)})

    await engine.write([key], decide)


async def forget(engine: Engine, chains: Iterable[str]) -> None:
    """Remove the anchors of chains that have no files any more. Raises StorageError."""
    keys = [audit_key(chain) for chain in chains]

    def decide(_stored: list[bytes | None]) -> Changes[None]:
        return Changes(answer=None, deletes=keys)

    await engine.write(keys, decide)


async def stored_anchors(engine: Engine) -> dict[str, Anchor]:
    """All anchors, by the ids of their chains. Raises StorageError."""
    return {chain_of_key(key): _decode(row) async for key, row in pairs(engine, audit_range())}
