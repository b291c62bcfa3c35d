"""The back-off of writes that are retried after a conflict, shared by the engines."""

import asyncio
from typing import Final

from hashrange.clock import Clock

TRIES_MAX: Final = 64
"""Attempts of one write. With two servers on one key, every third comparison failed, so this many
failures in a row mean a fault or overload."""
BACK_OFF_SECONDS_MAX: Final = 0.01
"""The longest delay before a retry; reached after ten attempts."""
_GROWING_TRIES: Final = 10
_RANDOM_BYTES: Final = 4


def draw(clock: Clock) -> int:
    """A random number of 32 bits."""
    return int.from_bytes(clock.random_bytes(_RANDOM_BYTES))


async def back_off(clock: Clock, tries: int) -> None:
    """Sleep for a random time, so that writes in conflict are not retried at the same moment.

    Args:
        clock: for randomness.
        tries: the number of failed attempts.
    """
    share = draw(clock) / 2 ** (8 * _RANDOM_BYTES)
    growth = min(tries, _GROWING_TRIES) / _GROWING_TRIES
    await asyncio.sleep(share * growth * BACK_OFF_SECONDS_MAX)
