"""Which readers are killed because they do not respond."""

from types import SimpleNamespace

from hashrange.assembly.workers.control import Heartbeat
from hashrange.assembly.workers.heartbeats import MISSED_MAX, HeartbeatMonitor


class Reader:
    """A reader that replies as long as it responds."""

    def __init__(self):
        self.process = SimpleNamespace(pid=1)
        self.responds = True
        self.kills = 0
        self.monitor = None

    def send(self, message):
        assert message == Heartbeat()
        if self.responds:
            self.monitor.reply(self)

    def kill(self):
        self.kills += 1


def monitored(count):
    readers = [Reader() for _ in range(count)]
    monitor = HeartbeatMonitor(lambda: readers)
    for each in readers:
        each.monitor = monitor
    return monitor, readers


def beat(monitor, times):
    for _ in range(times):
        monitor.beat()


def test_only_a_reader_that_misses_all_heartbeats_is_killed():
    monitor, (first, second) = monitored(2)
    beat(monitor, 100)
    second.responds = False
    beat(monitor, MISSED_MAX)
    assert (first.kills, second.kills) == (0, 0)
    monitor.beat()
    assert (first.kills, second.kills) == (0, 1)


def test_a_reply_begins_the_count_anew():
    monitor, (reader,) = monitored(1)
    for _ in range(3):
        reader.responds = False
        beat(monitor, MISSED_MAX - 1)
        reader.responds = True
        monitor.beat()
    assert reader.kills == 0


# A reader that was replaced has the place of the one before, and not its count.
def test_another_reader_has_a_count_of_its_own():
    monitor, readers = monitored(1)
    readers[0].responds = False
    beat(monitor, MISSED_MAX)
    following = Reader()
    following.monitor, following.responds = monitor, False
    readers[:] = [following]
    beat(monitor, MISSED_MAX)
    assert following.kills == 0
