"""Which backups are kept, `last=7,daily=14,weekly=8,monthly=12` or `all`; removes the others.

First it is stored which backups are kept. From then on the others are no backups any more, and no
later backup relies on the chunks that they alone have. So what is removed late, by a process that
was suspended or a request that was delayed, is missed by nobody. Killed at any moment, the next
clean-up does what is left.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from hashrange.backups.directories.claims import Claim
from hashrange.backups.directories.manifests import made_ms_of
from hashrange.backups.directories.storing import used_chunks
from hashrange.backups.directories.target import Target
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


async def clean_up(target: Target, claim: Claim, retention: Retention) -> dict[str, str]:
    """Apply the rule to a target, after a backup with the same claim.

    A manifest that cannot be read keeps everything: nobody knows which chunks it has, and whoever
    mends it must find them, and the backups that are to take its place.

    Returns:
        Why manifests cannot be read, by their keys.

    Raises:
        BackupError: a later backup has begun.
        BucketError: the target cannot be read or written.
        StorageError: it is not known whether a later backup has begun.
    """
    contents = await target.contents()
    made = {made_ms_of(each): key for each, key in contents.keys.items()}
    kept = [made[each] for each in retention.kept([each for each in made if each is not None])]
    unread: dict[str, str] = {}
    if len(kept) == len(made) and not contents.void and contents.is_clean:
        return unread
    used = await used_chunks(target, kept, unread)
    for key in set(contents.keys.values()) - set(kept):
        await target.readable(key, unread)
    if unread:
        return unread
    await target.put_kept(claim.generation, kept)
    # A backup that begins after this finds what is kept.
    await claim.check()
    for key in {*contents.void, *contents.keys.values()} - set(kept):
        await target.remove_manifest(key)
    for name, generation in (await target.chunks()).items():
        if generation <= claim.generation and name not in used:
            await target.remove_chunk(name)
    await target.end_clean_up(claim.generation)
    return unread
