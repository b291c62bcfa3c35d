"""How long something will take, for a person."""

from typing import Final

_UNITS: Final = ((7_200, 3_600, "h"), (120, 60, "min"), (0, 1, "s"))
"""From how many seconds on a unit is shown, its seconds, and its name."""


def time_left(seconds: float) -> str:
    """A time in one unit, at least one second."""
    size, name = next((size, name) for least, size, name in _UNITS if seconds >= least)
    return f"{max(1, round(seconds / size))} {name}"
