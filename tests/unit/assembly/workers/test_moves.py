"""Moves of the clock between the processes of a server."""

from hashrange.assembly.workers.control import MoveFailure, MoveReply, MoveRequest
from hashrange.assembly.workers.heartbeats import MoveForwarder


class Process:
    """The part of a worker that `MoveForwarder` uses."""

    def __init__(self, serves=True):
        self.serves = serves
        self.sent = []

    def send(self, message):
        self.sent.append(message)


# Two readers count for themselves: the same number is another request.
def test_answers_go_to_who_asked_with_the_number_of_who_asked():
    moves, writer, one, other = MoveForwarder(), Process(), Process(), Process()
    moves.forward(one, MoveRequest(1, 10, settles=True), writer)
    moves.forward(other, MoveRequest(1, None, settles=False), writer)
    first, second = writer.sent
    assert (first.by_ms, first.settles, second.by_ms, second.settles) == (10, True, None, False)
    moves.reply(MoveReply(second.number, MoveFailure.STORAGE))
    moves.reply(MoveReply(first.number))
    assert (one.sent, other.sent) == ([MoveReply(1)], [MoveReply(1, MoveFailure.STORAGE)])


def test_nobody_waits_for_a_writer_that_is_gone():
    moves, writer, reader = MoveForwarder(), Process(), Process()
    for absent in (None, Process(serves=False)):
        moves.forward(reader, MoveRequest(1, 10, settles=True), absent)
    moves.forward(reader, MoveRequest(2, 10, settles=True), writer)
    moves.writer_ended()
    gone = MoveFailure.WRITER_GONE
    assert reader.sent == [MoveReply(1, gone), MoveReply(1, gone), MoveReply(2, gone)]
    moves.writer_ended()
    assert len(reader.sent) == 3
