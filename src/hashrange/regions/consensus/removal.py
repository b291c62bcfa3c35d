"""Which entries a member removes from the beginning of its log."""

from hashrange.limits.consensus import (
    LOG_BYTES_MAX,
    LOG_ENTRIES_MAX,
    REMOVED_ENTRIES_MAX,
    REMOVED_ENTRIES_MIN,
    WITNESS_LOG_BYTES_MAX,
)
from hashrange.regions.consensus.log import Log


def removable(log: Log, applied: int, held_everywhere: int, *, is_witness: bool) -> int:
    """The index up to which entries are to be removed now; at most that of the base if none are.

    What all members with a state hold is removed in portions. What one of them lacks is kept up to
    a bound; then the older half is removed, and that member gets a copy of the items. A witness
    keeps more: it may be one of only two that hold what a lost member acknowledged.

    Args:
        log: of the member.
        applied: the index of the last entry in the durable state; of a witness, of the last
            committed one.
        held_everywhere: as of `Raft`.
        is_witness: the member is the witness.
    """
    base, bytes_max = log.base.index, WITNESS_LOG_BYTES_MAX if is_witness else LOG_BYTES_MAX
    target = min(applied, held_everywhere)
    if target - base < REMOVED_ENTRIES_MIN:
        target = base
    entries_max = log.last.index - base if is_witness else LOG_ENTRIES_MAX
    if log.size_after(base) > bytes_max or log.last.index - base > entries_max:
        target = max(target, base + (applied - base) // 2)
    return min(target, base + REMOVED_ENTRIES_MAX, applied)
