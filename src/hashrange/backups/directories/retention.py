"""The rule by which backups are kept: `last=7,daily=14,weekly=8,monthly=12`, or `all`. Pure."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from hashrange.settings.rules import LAST_BACKUPS, kept_backups

_MS: Final = 1000


def _month(moment: datetime) -> tuple[int, ...]:
    return (moment.year, moment.month)


def _week(moment: datetime) -> tuple[int, ...]:
    year, week, _ = moment.isocalendar()
    return (year, week)


def _day(moment: datetime) -> tuple[int, ...]:
    return (moment.year, moment.month, moment.day)


_PERIODS: Final[dict[str, Callable[[datetime], tuple[int, ...]]]] = {
    "daily": _day,
    "weekly": _week,
    "monthly": _month,
}


class Retention(msgspec.Struct, frozen=True):
    """How many backups to keep, by kind; all if there is no kind."""

    counts: dict[str, int] = {}

    def kept(self, made: Iterable[int]) -> list[int]:
        """Which of the backups of some moments are kept, the newest first.

        Of a period the newest backup is kept, for as many periods as there are backups in; the
        newest of all is always kept.
        """
        newest_first = sorted(made, reverse=True)
        if not self.counts:
            return newest_first
        kept = set(newest_first[: max(1, self.counts.get(LAST_BACKUPS, 0))])
        for name, period in _PERIODS.items():
            kept |= _newest_of(newest_first, period, self.counts.get(name, 0))
        return sorted(kept, reverse=True)


def _newest_of(
    newest_first: Sequence[int], period: Callable[[datetime], tuple[int, ...]], count: int
) -> set[int]:
    found: dict[tuple[int, ...], int] = {}
    for each in newest_first:
        found.setdefault(period(datetime.fromtimestamp(each / _MS, UTC)), each)
    return set(sorted(found.values(), reverse=True)[:count])


def retention_of(text: str) -> Retention:
    """The rule of a text. Raises ValueError, whose text is the expected form."""
    return Retention(kept_backups(text))
