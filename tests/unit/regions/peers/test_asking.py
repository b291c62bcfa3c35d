"""Questions to other servers, while a request waits."""

import asyncio

import pytest

from hashrange.regions.peers.asking import Asking
from hashrange.regions.peers.calls import PeerAwayError, PeerRefusedError, packed, unpacked
from hashrange.regions.peers.messages import ASK, Found, TableQuery
from tests.pace import turns

QUESTION = TableQuery(account="000000000000", name="a-table")
EAST, WEST = "us-east-1", "eu-west-1"


class Answering:
    """Calls that are all answered alike: by bytes, by an error, or by None never."""

    def __init__(self, answer):
        self.answer = answer
        self.calls = []
        self.was_cancelled = False

    async def call(self, sender, receiver, verb, body):
        self.calls.append((sender, receiver, verb, unpacked(body, TableQuery)))
        if self.answer is None:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self.was_cancelled = True
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def asked(calls):
    async def run():
        asking = Asking(calls, seconds_max=0.001 if calls.answer is None else 60)
        found = await asking.table(QUESTION, sender=EAST, receiver=WEST)
        await turns()
        return found

    return asyncio.run(run())


def test_an_answer():
    found = Found(exists=True, is_protected=True)
    calls = Answering(packed(found))
    assert asked(calls) == found
    assert calls.calls == [(EAST, WEST, ASK, QUESTION)]


@pytest.mark.parametrize(
    "answer", [PeerAwayError("away"), PeerRefusedError("a verb it does not know"), b"?", b""]
)
def test_no_answer(answer):
    assert asked(Answering(answer)) is None


def test_a_server_that_does_not_answer_is_not_waited_for():
    calls = Answering(None)
    assert asked(calls) is None
    assert calls.was_cancelled
