"""The task that names the rows that were found damaged, and looks whether they were repaired."""

import asyncio
import logging
from typing import Final

from hashrange.background.tasks import IDLE_SECONDS, Pacer
from hashrange.storage.engine import Engine, StorageError
from hashrange.tables.verifying.damage import is_readable, located
from hashrange.tables.verifying.noticed import Damage, DamageRegister
from hashrange.tables.writing.checked_values import CheckedEngine

_log: Final = logging.getLogger(__name__)


class DamageWatch:
    """Logs each damaged place once, with its table and items; and once that it was repaired.

    Args:
        engine: holds the rows.
        register: the places.
        pacer: gives turns, one for each place.
    """

    def __init__(self, engine: Engine, register: DamageRegister, *, pacer: Pacer) -> None:
        self._engine = CheckedEngine(engine)
        self._register = register
        self._turn = pacer.turn

    async def run(self) -> None:
        """Look at all places once a minute, and at new ones at once, until it is cancelled."""
        for each in self._register.lines():
            _log.error("stored data are damaged, as was found before: %s", each)
        while True:
            self._register.woken.clear()
            await self.look()
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._register.woken.wait()
            except TimeoutError:
                pass

    async def look(self) -> None:
        """Look at each place once."""
        for damage in self._register.places().values():
            async with self._turn():
                await self._look_at(damage)

    async def _look_at(self, damage: Damage) -> None:
        try:
            if not damage.end:
                reason = damage.text.removeprefix(f"the row at {damage.key.hex()} ")
                text, (start, end) = await located(self._engine, damage.key, reason)
                self._register.put(Damage(damage.key, text, start, end))
                _log.error("stored data are damaged: %s; see 'Damaged files' in the manual", text)
            elif await is_readable(self._engine, (damage.start, damage.end)):
                self._register.forget(damage)
                _log.warning("can be read again: %s", damage.text)
        except StorageError:
            pass  # of the catalog: the place stays as it is
