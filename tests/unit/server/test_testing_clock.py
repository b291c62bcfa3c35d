"""The page of the clock, where the work that was due is not done."""

import asyncio

import msgspec
import pytest

from hashrange.clock import MovableClock
from hashrange.messages.requests import testing_clock as messages
from hashrange.server.exchange import Request
from hashrange.server.testing_clock import MoveError, with_clock
from hashrange.storage.engine import StorageError
from hashrange.tables.leases import NotLeadingError


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (StorageError("no disk"), messages.storage_failed()),
        (NotLeadingError(), messages.not_leading()),
        (MoveError(messages.writer_gone()), messages.writer_gone()),
    ],
)
def test_a_move_that_failed_says_how_far_it_came(failure, text):
    async def move(by_ms, settles):
        raise failure

    page = with_clock(lambda _: None, MovableClock(), move)
    answer = asyncio.run(page(Request(b"POST", b"/testing/clock", b"", {}, b'{"days": 1}')))
    assert (answer.status, msgspec.json.decode(answer.body)) == (503, {"message": text})
