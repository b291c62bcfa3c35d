"""Audit logs in a directory, written as a server writes them."""

import asyncio
import os
import threading

from hashrange.api.audit.anchors import stored_anchors
from hashrange.api.audit.events import encoded
from hashrange.api.audit.recorder import gap_event
from hashrange.api.audit.trail import Trail
from hashrange.api.audit.verification import Coverage, findings
from hashrange.api.audit.writer import ChainWriter, Rotation
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from tests.pace import seconds

PLACE = "host:/audit"
NOW_MS = 1_795_381_338_000


class Clock:
    """A clock that is moved by hand, with random bytes of its own."""

    def __init__(self, seed=1):
        self.ms = NOW_MS
        self.seed = seed

    def now_ms(self):
        return self.ms

    def monotonic_ns(self):
        return self.ms * 1_000_000

    def new_uuid(self):
        return "00000000-0000-4000-a000-000000000000"

    def random_bytes(self, count):
        return bytes([self.seed]) * count


def event(number):
    """The event of a gap, which stands for any."""
    return gap_event(number, region="r", event_id=str(number), now_ms=NOW_MS)


def written(directory, count, *, engine=None, seed=1, file_bytes_max=1500, files_max=1000):
    """A log of one process that has ended; the engine with its anchor."""
    engine = DictEngine() if engine is None else engine
    clock = Clock(seed)
    clock.ms += seed

    async def run():
        rotation = Rotation(directory=directory, file_bytes_max=file_bytes_max, files_max=files_max)
        trail = Trail(engine, clock, rotation, place=PLACE, gap=event)
        await trail.begin()
        for number in range(count):
            clock.ms += 1000
            trail.put(event(number), clock.ms)
        await trail.end()

    asyncio.run(run())
    return engine


def anchors_of(engine):
    return asyncio.run(stored_anchors(engine))


def found_in(directory, engine=None):
    """The findings in a log, with the anchors of an engine or without."""
    anchors = None if engine is None else anchors_of(engine)
    return list(findings([directory], anchors, Coverage()))


class SlowDisk:
    """Holds each write until it is let go."""

    def __init__(self):
        self.began = threading.Event()
        self.goes_on = threading.Event()
        self.fails = False

    def write(self, descriptor, data):
        self.began.set()
        assert self.goes_on.wait(seconds(20))
        if self.fails:
            raise OSError(28, "No space left on device")
        return os.write(descriptor, data)


def writer_on(directory, disk, backlog):
    """A thread that writes a chain onto a disk."""
    rotation = Rotation(directory=directory, file_bytes_max=10**6, files_max=9)
    writer = ChainWriter(
        "0123456789abcdef",
        rotation,
        backlog,
        clock=Clock(),
        gap=lambda dropped: encoded(event(dropped)),
        write=disk.write,
    )
    writer.open()
    return writer
