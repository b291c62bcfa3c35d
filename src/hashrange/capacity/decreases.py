"""The limit on decreases of provisioned throughput.

Source: Developer Guide, "Quotas", decreasing provisioned throughput.
"""

from typing import Final

from hashrange.limits.tables import DECREASE_PAUSE_SECONDS, DECREASES_AT_WILL

_PAUSE_MS: Final = DECREASE_PAUSE_SECONDS * 1000
_DAY_MS: Final = 24 * 60 * 60 * 1000


def next_decrease_ms(today: int, last_ms: int | None, now_ms: int) -> int:
    """The time of the next possible decrease; `now_ms` if it is possible now.

    Args:
        today: decreases in the UTC day of `now_ms`.
        last_ms: the time of the last decrease.
        now_ms: the time.
    """
    if today < DECREASES_AT_WILL:
        return now_ms
    assert last_ms is not None, "there were some today"
    midnight_ms = (now_ms // _DAY_MS + 1) * _DAY_MS
    return max(now_ms, min(last_ms + _PAUSE_MS, midnight_ms))
