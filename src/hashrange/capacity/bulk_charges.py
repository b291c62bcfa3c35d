"""Charges of bulk operations: they obey the caps of partitions, and not the units of a table. Pure.

What a bulk operation puts is not counted as consumed units of the table or of an index.
"""

from typing import Final

from hashrange.capacity.bucket_keys import BucketKey, Units
from hashrange.capacity.buckets import Bucket
from hashrange.capacity.charges import Charge
from hashrange.capacity.limiter import Limiter

_MS: Final = 1000.0


def takes(limiter: Limiter, charge: Charge, now_ms: float) -> bool:
    """Take the write units of a charge from its partition; whether there were as many."""
    bucket = _bucket(limiter, charge)
    return bucket is None or bucket.take(charge.write_units, now_ms)


def needs(limiter: Limiter, charge: Charge) -> Units:
    """The units of the partition of a charge, for processes that need an allowance."""
    place = limiter.place(charge)
    if place is None or place[2] is None:
        return {}
    table, resource, partition = place[0], place[1], place[2]
    key = BucketKey(table.table.table, resource.index, is_write=True, partition=partition.number)
    return {key: charge.write_units}


def debt_ms(limiter: Limiter, charge: Charge, now_ms: float) -> float:
    """Charge the partition of an index entry that was written; how long to wait until it is paid.

    The partition is known only when the entry is, so it may be charged more than it has.
    """
    bucket = _bucket(limiter, charge)
    if bucket is None:
        return 0.0
    bucket.charge(charge.write_units, now_ms)
    return max(-bucket.level, 0.0) / bucket.rate * _MS if bucket.rate else 0.0


def _bucket(limiter: Limiter, charge: Charge) -> Bucket | None:
    place = limiter.place(charge)
    if place is None or place[2] is None:
        return None
    return place[2].write
