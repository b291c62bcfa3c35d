"""An outage is one line at its beginning and one at its end, however many rounds it takes."""

import logging

import pytest

from hashrange.storage.engine import StorageError, StorageUnavailableError
from hashrange.storage.failures import Failures

LOG = logging.getLogger("hashrange.test")


def after(caplog, errors):
    """The lines and tracebacks of rounds; None is a round that succeeds."""
    caplog.set_level(logging.INFO)
    failures = Failures(LOG, "the sweep")
    for error in errors:
        with failures.suppressed(StorageError):
            if error is not None:
                raise error
    assert not any(record.exc_info for record in caplog.records)
    return [record.getMessage() for record in caplog.records]


def test_an_outage_has_two_lines(caplog):
    rounds = [None, *[StorageError("disk")] * 3, None, None, StorageError(), None]
    assert after(caplog, rounds) == [
        "the sweep failed: disk",
        "the sweep succeeds again, after 3 failures",
        "the sweep failed: StorageError",
        "the sweep succeeds again, after 1 failures",
    ]


def test_what_the_engine_logs_is_not_repeated(caplog):
    caused = StorageError("later")
    caused.__cause__ = StorageUnavailableError("down")
    assert after(caplog, [StorageUnavailableError("down"), caused, None]) == []


def test_other_errors_are_not_suppressed():
    with pytest.raises(ZeroDivisionError), Failures(LOG, "the sweep").suppressed(StorageError):
        _ = 1 // 0
