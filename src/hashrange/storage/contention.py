"""What a write does that lost to others: tries again, after a rest that nobody else takes."""

import asyncio
from typing import Final

from hashrange.clock import Clock

TRIES_MAX: Final = 64
"""Two servers on one key lost every third comparison: so many in a row are a fault, or the load."""
REST_SECONDS_MAX: Final = 0.01
"""After a lost comparison, at most; it grows to that over the first ten."""
_GROWING_TRIES: Final = 10
_RANDOM_BYTES: Final = 4


def draw(clock: Clock) -> int:
    """A random number of 32 bits."""
    return int.from_bytes(clock.random_bytes(_RANDOM_BYTES))


async def rest(clock: Clock, tries: int) -> None:
    """So that those who lost do not meet again; `tries` were before."""
    share = draw(clock) / 2 ** (8 * _RANDOM_BYTES)
    grown = min(tries, _GROWING_TRIES) / _GROWING_TRIES
    await asyncio.sleep(share * grown * REST_SECONDS_MAX)
