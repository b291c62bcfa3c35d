"""Moves of the clock between the processes of a server."""

from hashrange.workers.control import Move, Moved, MoveFailure
from hashrange.workers.moves import Moves


class Process:
    """What `Moves` knows of a worker."""

    def __init__(self, serves=True):
        self.serves = serves
        self.sent = []

    def send(self, message):
        self.sent.append(message)


# Two readers count for themselves: the same number is another request.
def test_answers_go_to_who_asked_with_the_number_of_who_asked():
    moves, writer, one, other = Moves(), Process(), Process(), Process()
    moves.asked(one, Move(1, 10, settles=True), writer)
    moves.asked(other, Move(1, None, settles=False), writer)
    first, second = writer.sent
    assert (first.by_ms, first.settles, second.by_ms, second.settles) == (10, True, None, False)
    moves.done(Moved(second.number, MoveFailure.STORAGE))
    moves.done(Moved(first.number))
    assert (one.sent, other.sent) == ([Moved(1)], [Moved(1, MoveFailure.STORAGE)])


def test_nobody_waits_for_a_writer_that_is_gone():
    moves, writer, reader = Moves(), Process(), Process()
    for absent in (None, Process(serves=False)):
        moves.asked(reader, Move(1, 10, settles=True), absent)
    moves.asked(reader, Move(2, 10, settles=True), writer)
    moves.writer_ended()
    gone = MoveFailure.WRITER_GONE
    assert reader.sent == [Moved(1, gone), Moved(1, gone), Moved(2, gone)]
    moves.writer_ended()
    assert len(reader.sent) == 3
