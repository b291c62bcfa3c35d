"""The witnesses of strong tables on this server, which are no tables, and ends of groups."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

import msgspec

from hashrange.model.replication import GroupState, Witness
from hashrange.storage.engine import Changes, Engine, Fences
from hashrange.tables.keys.consensus_keys import consensus_range, witness_key, witnesses_range
from hashrange.tables.keys.key_ranges import pairs
from hashrange.tables.keys.system_keys import changes_key, sequence_key

decode_witness: Final = msgspec.json.Decoder(Witness).decode
encode_witness: Final = msgspec.json.Encoder().encode
GONE_MS: Final = 60 * 60 * 1000
"""For so long a witness that is gone is remembered: longer than calls may be late."""
_NUMBER_BYTES: Final = 4
_COUNTED: Final = {changes_key(): 1}
_replace: Final = msgspec.structs.replace
_ORDER: Final[tuple[GroupState, ...]] = ("CREATING", "ACTIVE", "DELETING", "ENDED")


async def all_witnesses(engine: Engine) -> AsyncIterator[Witness]:
    """All witnesses on this server."""
    async for _, row in pairs(engine, witnesses_range()):
        yield decode_witness(row)


class Witnesses:
    """Changes witnesses.

    Args:
        engine: has them.
        now_ms: the clock.

    Attributes:
        on_change: called when one was created, changed or removed.
    """

    def __init__(self, engine: Engine, now_ms: Callable[[], int]) -> None:
        self._engine = engine
        self._now_ms = now_ms
        self.on_change: Callable[[], None] = _ignore

    async def follow(self, ordered: Witness) -> bool:
        """Bring a witness to a state of its group, if that is later than its own.

        It is created while its group is CREATING only.

        Args:
            ordered: the witness; its number does not count.

        Returns:
            Whether there is such a witness now.
        """
        key, changed, now_ms = witness_key(ordered.group.id), list[Witness](), self._now_ms()

        def decide(stored: list[bytes | None]) -> Changes[bool]:
            row, sequence = stored
            changed.clear()
            if row is not None:
                before = decode_witness(row)
                exists = before.gone_ms is None
                if _ORDER.index(ordered.group.state) <= _ORDER.index(before.group.state):
                    return Changes(answer=exists)
                witness, puts = _replace(before, group=ordered.group), dict[bytes, bytes]()
            elif ordered.group.state == "CREATING":
                number = 1 if sequence is None else int.from_bytes(sequence, "big")
                witness, exists = _replace(ordered, number=number), True
                puts = {sequence_key(): (number + 1).to_bytes(_NUMBER_BYTES, "big")}
            elif ordered.group.state == "ENDED":
                witness, exists, puts = _replace(ordered, gone_ms=now_ms), False, {}
            else:
                return Changes(answer=False)
            changed.append(witness)
            puts[key] = encode_witness(witness)
            return Changes(answer=exists, puts=puts, adds=_COUNTED)

        exists = await self._engine.write([key, sequence_key()], decide)
        if changed:
            self.on_change()
        return exists

    async def remove(self, witness: Witness, fences: Fences) -> None:
        """Remove a witness whose log was removed: it is gone, and forgotten after a while."""
        key, now_ms = witness_key(witness.group.id), self._now_ms()

        def decide(_stored: list[bytes | None]) -> Changes[None]:
            if witness.gone_ms is not None:
                return Changes(answer=None, deletes=[key], adds=_COUNTED)
            row = encode_witness(_replace(witness, gone_ms=now_ms))
            return Changes(answer=None, puts={key: row}, adds=_COUNTED)

        if witness.gone_ms is None or now_ms - witness.gone_ms > GONE_MS:
            await self._engine.write([key], decide, fences=fences)
            self.on_change()


def _ignore() -> None:
    pass


_PAGE_ROWS: Final = 200
_PAGE_BYTES: Final = 1024 * 1024


async def clear_log(engine: Engine, number: int, fences: Fences) -> None:
    """Remove all rows of a member that has stopped, page by page.

    Args:
        engine: has them.
        number: of the table or of the witness.
        fences: of the writes.
    """
    start, end = consensus_range(number)
    while page := await engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES):
        gone = [key for key, _ in page]
        await engine.write(gone, partial(_without, gone), fences=fences)


def _without(gone: list[bytes], _stored: list[bytes | None]) -> Changes[None]:
    return Changes(answer=None, deletes=gone)
