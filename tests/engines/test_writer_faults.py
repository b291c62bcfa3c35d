"""What a worker tells of the process that writes when somebody asks whether it is ready."""

import asyncio
import contextlib
import socket

from hashrange.storage.workers.messages import FrameDecoder, Probe, Reply, Request, framed
from hashrange.storage.workers.writer_connection import WriterConnection
from hashrange.storage.workers.writer_faults import WriterFaults
from tests.engines.worker_group import WorkerGroup
from tests.pace import turns

AT_ONCE = 0.01
"""Seconds to wait for a writer that does not answer."""


def on_group(tmp_path, use):
    """Run a coroutine function on a group of two readers, and what these tell of their writer."""

    async def run():
        async with WorkerGroup(tmp_path / "data", workers=2) as group:
            await use(group, [WriterFaults(link) for link in group.links])

    asyncio.run(run())


async def faults_of(readers: list[WriterFaults]) -> list[str | None]:
    return [await reader.fault() for reader in readers]


async def look(group: WorkerGroup) -> None:
    """As the writer does beside requests."""
    watching = asyncio.ensure_future(group.writer.watch().run())
    await turns()
    watching.cancel()


# A reader sees by itself that files are back, and the writer half a second later.
def test_readers_tell_that_the_writer_waits_for_its_files(tmp_path):
    async def use(group, readers):
        assert await faults_of(readers) == [None, None]
        (tmp_path / "data").rename(tmp_path / "moved")
        await look(group)
        for fault in await faults_of(readers):
            assert fault.startswith("the storage is down: ")
            assert fault.endswith("data was removed or moved while the server used it")
        (tmp_path / "moved").rename(tmp_path / "data")
        assert await faults_of(readers) == [None, None]
        assert await group.writer.read([b"k"]) == [None]

    on_group(tmp_path, use)


# With the disk the loop hangs, and those who ask again and again must not fill memory.
def test_a_writer_that_does_not_answer_is_a_fault_and_is_asked_once():
    async def run():
        near, far = socket.socketpair()
        with contextlib.closing(far):
            link = WriterConnection()
            await link.attach(near)
            reader = WriterFaults(link)
            told = await asyncio.gather(*(reader.fault(AT_ONCE) for _ in range(3)))
            told.append(await reader.fault(AT_ONCE))
            silence = (
                "the process that writes has not answered for 0.01 s; writes wait, reads go on"
            )
            assert told == [silence] * 4
            probes = [*FrameDecoder(list[Request]).feed(far.recv(1000))]
            assert probes == [Probe(1)]
            asked = asyncio.ensure_future(reader.fault())
            far.send(framed([Reply(1)]))
            assert await asked is None
            asked = asyncio.ensure_future(reader.fault())
            await turns(5)
            assert [*FrameDecoder(list[Request]).feed(far.recv(1000))] == [Probe(2)]
            far.close()
            assert await asked == "the process that writes has just ended; another one is started"
            link.close()
            assert await reader.fault() == "the storage is closed"

    asyncio.run(run())


# A writer that was killed is replaced in half a second, and nobody need hear of it.
def test_a_probe_waits_for_the_next_writer(tmp_path):
    async def use(group, readers):
        group.cut_off()
        await turns(5)
        asked = [asyncio.ensure_future(reader.fault()) for reader in readers]
        await turns(5)
        assert not any(each.done() for each in asked)
        await group.connect()
        assert await asyncio.gather(*asked) == [None, None]

    on_group(tmp_path, use)
