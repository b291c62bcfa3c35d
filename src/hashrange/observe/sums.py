"""Adds up the contributors that several processes have counted. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from hashrange.observe.snapshot import Contributor, Contributors

KEYS_MAX: Final = 100
"""Keys of one rule that a sum keeps."""


def summed_contributors(reports: Iterable[Sequence[Contributors]]) -> list[Contributors]:
    """The sums by table, index, rule and minutes."""
    found: dict[tuple[str, str, str, int], Contributors] = {}
    for report in reports:
        for each in report:
            name = (each.table, each.index, each.rule, each.minutes)
            known = found.get(name)
            found[name] = each if known is None else _sum(known, each)
    return list(found.values())


def _sum(one: Contributors, other: Contributors) -> Contributors:
    """A key that one of them lacks may count as much there as its error."""
    here = {each.key: each for each in one.keys}
    there = {each.key: each for each in other.keys}
    keys = [
        _both(
            here.get(key, Contributor(key, 0.0, one.error)),
            there.get(key, Contributor(key, 0.0, other.error)),
        )
        for key in {**here, **there}
    ]
    keys.sort(key=lambda each: (-each.count, each.key))
    dropped = [each.count_max for each in keys[KEYS_MAX:]]
    return msgspec.structs.replace(
        one,
        total=one.total + other.total,
        error=max([one.error + other.error, *dropped]),
        keys=keys[:KEYS_MAX],
    )


def _both(one: Contributor, other: Contributor) -> Contributor:
    return Contributor(one.key, one.count + other.count, one.count_max + other.count_max)
