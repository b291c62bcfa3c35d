"""Messages of members: together in one call, bounded, and lost where nobody answers."""

import asyncio

import pytest

from hashrange.limits.consensus import LETTER_BYTES_MAX, MAIL_BYTES_MAX
from hashrange.regions.consensus.messages import ProposeRequest, ReadRequest
from hashrange.regions.peers.calls import PeerAwayError
from hashrange.regions.peers.packing import MessageError, packed, unpacked
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.strong.mail import Letter, Mail
from hashrange.settings.rules import cut_rules
from tests.unit.regions.strong.fast_loop import run

EAST, WEST = "east", "west"


class Calls:
    """Keeps what is sent; the first ones may fail."""

    def __init__(self, failures=0):
        self.letters, self.failures = [], failures

    async def call(self, sender, receiver, verb, body):
        await asyncio.sleep(0.01)
        if self.failures:
            self.failures -= 1
            raise PeerAwayError("away")
        self.letters.append(unpacked(body, Letter).messages)
        return b""


def mail_of(calls, rules=None):
    cuts = None if rules is None else Cuts(cut_rules(rules), lambda: 0)
    return Mail(calls, [EAST, "south"], lambda: cuts)


def read(number):
    return ReadRequest(1, number)


def sent(calls, *batches, rules=None):
    """The letters after batches of messages, with some time after each."""

    async def scenario():
        mail = mail_of(calls, rules)
        for batch in batches:
            for group, message in batch:
                mail.send(group, EAST, WEST, message)
            await asyncio.sleep(1)
        await mail.close()
        return mail.sent_total

    return run(scenario())


def test_what_waits_for_a_region_goes_together():
    calls = Calls()
    assert sent(calls, [("a", read(1)), ("b", read(2)), ("a", read(3))], [("a", read(4))]) == 4
    assert [[group for group, _ in letter] for letter in calls.letters] == [["a", "b", "a"], ["a"]]


def test_a_call_has_an_end_of_bytes():
    calls = Calls()
    large = ProposeRequest((b"x" * (LETTER_BYTES_MAX // 2),))
    sent(calls, [("a", large)] * 2)
    assert [len(letter) for letter in calls.letters] == [1, 1]


def test_the_oldest_are_dropped_beyond_a_bound():
    calls = Calls()
    large = ProposeRequest((b"x" * (MAIL_BYTES_MAX // 4),))
    sent(calls, [(str(number), large) for number in range(9)])
    assert [group for letter in calls.letters for group, _ in letter] == ["6", "7", "8"]


def test_what_is_not_answered_is_lost():
    calls = Calls(failures=1)
    sent(calls, [("a", read(1))], [("a", read(2))])
    assert len(calls.letters) == 1


def test_a_cut_lets_nothing_through():
    calls = Calls()
    assert sent(calls, [("a", read(1))], rules="east:west:0s-9s") == 0
    assert calls.letters == []


def test_members_of_one_server_need_no_calls():
    async def scenario():
        arrived = []
        mail = mail_of(None)
        mail.receiver = lambda *what: arrived.append(what)
        mail.send("a", EAST, "south", read(1))
        mail.send("a", EAST, WEST, read(2))  # which no server holds
        await asyncio.sleep(0.1)
        return arrived

    assert run(scenario()) == [("a", EAST, "south", read(1))]


@pytest.mark.parametrize("body", [b"", packed(1), packed(Letter((("a", b"\xff"),)))])
def test_other_bytes_are_refused(body):
    with pytest.raises(MessageError):
        run(mail_of(None).received(WEST, EAST, body))
