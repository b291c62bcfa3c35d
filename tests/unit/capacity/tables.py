"""Tables for tests of capacity, and charges on them."""

from hashlib import blake2b

import msgspec

from hashrange.capacity.bundles import BundleLimiter
from hashrange.capacity.resources import Terms, new_table
from hashrange.capacity.table_limiter import TableLimiter
from hashrange.capacity.units import Charge

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/T"
ON_DEMAND = Terms()


def provisioned(reads=10.0, writes=10.0):
    return Terms(mode="PROVISIONED", read_units=reads, write_units=writes)


def hash_of(key):
    return blake2b(repr(key).encode(), digest_size=16).digest()


def key(text):
    return ({"S": text},)


def table(terms=ON_DEMAND, **options):
    return new_table(ARN, terms, 0.0, **options)


def limiter(made):
    return BundleLimiter({"T": made}, hash_of)


def taken(made, charge, now_ms):
    """The units that are taken at once, as for nearly all requests."""
    return TableLimiter(made, hash_of).take(charge, lambda: now_ms)


def write(text="k", units=1.0, index=None, sort=b""):
    position = hash_of(key(text)) + sort if sort else b""
    return Charge("T", key(text), index, write_units=units, position=position)


def placed(charge):
    """The same charge with its position, as those of single items have."""
    position = hash_of(charge.partition)
    return msgspec.structs.replace(charge, partition=None, position=position)


def read(text="k", units=0.5, index=None):
    return Charge("T", key(text), index, read_units=units)


def admitted(limit, charge, now_ms, count):
    """How many of so many requests are admitted at one time, and charged."""
    done = 0
    for _ in range(count):
        if limit.admit([charge], now_ms) is None:
            limit.charge([charge], now_ms, [charge])
            done += 1
    return done
