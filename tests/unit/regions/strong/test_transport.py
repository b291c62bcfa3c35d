"""Messages of members: together in one call, bounded, and lost where nobody answers."""

import pytest

from hashrange.limits.consensus import ENVELOPE_BYTES_MAX, OUTBOX_BYTES_MAX
from hashrange.regions.consensus.messages import ProposeRequest, ReadRequest
from hashrange.regions.peers.calls import MessageError, PeerAwayError, packed, unpacked
from hashrange.regions.replication.cuts import Cuts
from hashrange.regions.strong.transport import Envelope, Transport
from hashrange.settings.rules import cut_rules
from tests.unit.regions.strong.fast_loop import passes, run

EAST, WEST = "east", "west"


class Calls:
    """Keeps what is sent; the first ones may fail."""

    def __init__(self, failures=0):
        self.envelopes, self.failures = [], failures

    async def call(self, sender, receiver, verb, body):
        await passes(0.01)
        if self.failures:
            self.failures -= 1
            raise PeerAwayError("away")
        self.envelopes.append(unpacked(body, Envelope).messages)
        return b""


def transport_of(calls, rules=None):
    cuts = None if rules is None else Cuts(cut_rules(rules), lambda: 0)
    return Transport(calls, [EAST, "south"], lambda: cuts)


def read(number):
    return ReadRequest(1, number)


def sent(calls, *batches, rules=None):
    """The envelopes after batches of messages, with some time after each."""

    async def scenario():
        transport = transport_of(calls, rules)
        for batch in batches:
            for group, message in batch:
                transport.send(group, EAST, WEST, message)
            await passes(1)
        await transport.close()
        return transport.sent_total

    return run(scenario())


def test_what_waits_for_a_region_goes_together():
    calls = Calls()
    assert sent(calls, [("a", read(1)), ("b", read(2)), ("a", read(3))], [("a", read(4))]) == 4
    assert [[group for group, _ in envelope] for envelope in calls.envelopes] == [
        ["a", "b", "a"],
        ["a"],
    ]


def test_a_call_has_an_end_of_bytes():
    calls = Calls()
    large = ProposeRequest((b"x" * (ENVELOPE_BYTES_MAX // 2),))
    sent(calls, [("a", large)] * 2)
    assert [len(envelope) for envelope in calls.envelopes] == [1, 1]


def test_the_oldest_are_dropped_beyond_a_bound():
    calls = Calls()
    large = ProposeRequest((b"x" * (OUTBOX_BYTES_MAX // 4),))
    sent(calls, [(str(number), large) for number in range(9)])
    assert [group for envelope in calls.envelopes for group, _ in envelope] == ["6", "7", "8"]


def test_what_is_not_answered_is_lost():
    calls = Calls(failures=1)
    sent(calls, [("a", read(1))], [("a", read(2))])
    assert len(calls.envelopes) == 1


def test_a_cut_lets_nothing_through():
    calls = Calls()
    assert sent(calls, [("a", read(1))], rules="east:west:0s-9s") == 0
    assert calls.envelopes == []


def test_members_of_one_server_need_no_calls():
    async def scenario():
        arrived = []
        transport = transport_of(None)
        transport.receiver = lambda *what: arrived.append(what)
        transport.send("a", EAST, "south", read(1))
        transport.send("a", EAST, WEST, read(2))  # which no server holds
        await passes(0.1)
        return arrived

    assert run(scenario()) == [("a", EAST, "south", read(1))]


@pytest.mark.parametrize("body", [b"", packed(1), packed(Envelope((("a", b"\xff"),)))])
def test_other_bytes_are_refused(body):
    with pytest.raises(MessageError):
        run(transport_of(None).received(WEST, EAST, body))
