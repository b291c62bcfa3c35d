"""The read lease by value: when it holds, and when a server at a new primary waits."""

from dataclasses import replace

import pytest

from hashrange.storage.engine import StorageOpenError
from hashrange.storage.postgres.address import DatabaseAddress
from hashrange.storage.postgres.lease import Lease, Primary, confirmed, holds
from tests.rows import rows

OLD, AGAIN, NEW = Primary(1, 5), Primary(1, 9), Primary(2, 7)
NONE = Lease(seconds=10.0)


def after(*confirmations):
    """The lease after (primary, elsewhere, began)."""
    lease = NONE
    for primary, elsewhere, began in confirmations:
        lease = confirmed(lease, primary=primary, elsewhere=elsewhere, began=began)
    return lease


# Confirmations, and the moments before and at which the lease begins or ends to hold.
ROWS = [
    ([], 0.0, False),
    ([(OLD, 0, 100.0)], 100.0, True),
    ([(OLD, 0, 100.0)], 109.9, True),
    ([(OLD, 0, 100.0)], 110.0, False),  # from when it was sent, not answered
    ([(OLD, 0, 100.0), (OLD, 0, 105.0)], 114.9, True),
    ([(OLD, 0, 100.0), (AGAIN, 0, 130.0)], 130.0, True),  # a restart promotes nobody
    ([(OLD, 0, 100.0), (NEW, 1, 103.0)], 112.9, False),  # others may read at the former primary
    ([(OLD, 0, 100.0), (NEW, 1, 103.0), (NEW, 1, 106.0)], 112.9, False),
    ([(OLD, 0, 100.0), (NEW, 1, 103.0), (NEW, 1, 106.0)], 113.0, True),
    ([(OLD, 0, 100.0), (NEW, 1, 103.0), (NEW, 0, 104.0)], 104.0, True),  # all have come
    ([(OLD, 0, 100.0), (NEW, 0, 103.0)], 103.0, True),
    ([(NEW, 1, 100.0)], 109.9, False),  # a server that starts after the promotion
    ([(NEW, 1, 100.0), (NEW, 1, 109.0)], 110.0, True),
]


@rows("confirmations, now, is_held", ROWS)
def test_when_a_lease_holds(confirmations, now, is_held):
    assert holds(after(*confirmations), now) == is_held


def test_a_lease_keeps_its_seconds():
    assert after((OLD, 0, 1.0)) == replace(NONE, primary=OLD, until=11.0, serves_from=1.0)


@rows("text, seconds", [("", None), ("read_lease=0", 0.0), ("schema=a&read_lease=7.5", 7.5)])
def test_the_lease_of_a_url(text, seconds):
    address = DatabaseAddress.of(f"postgresql://a/b?{text}")
    assert (address.read_lease, "lease" in address.url) == (seconds, False)


@pytest.mark.parametrize("text", ["1", "-1", "x", "nan", "99999"])
def test_a_lease_that_is_none_is_refused(text):
    with pytest.raises(StorageOpenError, match="a number of seconds from 2, or 0 for none"):
        DatabaseAddress.of(f"postgresql://a/b?read_lease={text}")
