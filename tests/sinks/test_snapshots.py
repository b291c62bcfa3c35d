"""Pages of a snapshot between changes: no item goes back to an older state."""

import asyncio

from hashrange.access.signatures.signing import Credentials
from hashrange.clock import SystemClock
from hashrange.tools.copying.endpoint import connected
from hashrange.tools.sinks.reading import TableReader
from tests.scanning.filled import items_in, make, numbered, put

ITEMS = 5
KEYS = Credentials(access_key="local", secret_key="local", region="us-east-1", session_token=None)


class Busy:
    """An endpoint at which other clients write after each page of items has been read."""

    def __init__(self, place, write):
        self._place = place
        self._write = write
        self.shown, self.named = place.shown, place.named

    async def call(self, caller, operation, body):
        answer = await self._place.call(caller, operation, body)
        if operation == "Scan":
            await asyncio.to_thread(self._write)
        return answer


def read(server, write):
    """The changes of a first page, and those after it."""

    async def main():
        async with connected(server.endpoint, KEYS, SystemClock(), connections=2) as place:
            reader = TableReader(Busy(place, write), "orders", None)
            await reader.open()
            assert await reader.changes() == ([], False)
            return await reader.rows(), reader.position

    return asyncio.run(main())


def test_page_leaves_out_what_changes_behind_it(server, client):
    make(client, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    put(client, numbered(ITEMS))

    def write():
        put(client, [{"pk": {"S": "order-0001"}, "n": {"N": str(number)}} for number in (1, 2)])
        client.delete_item(TableName="orders", Key={"pk": {"S": "order-0002"}})
        put(client, [{"pk": {"S": "order-0009"}}])

    changes, position = read(server, write)
    assert position.is_copied
    rows = {change.keys["pk"]["S"] for change in changes if change.version == 0}
    assert rows == {"order-0000", "order-0003", "order-0004"}
    order = [change.version for change in changes]
    assert order == sorted(order), "the changes follow the page"
    items = {}
    for change in changes:
        items[change.key] = change.new
    found = [item for item in items.values() if item is not None]
    assert sorted(found, key=lambda item: repr(sorted(item.items()))) == items_in(client)


def test_page_is_read_again_if_too_much_changes_behind_it(server, client):
    make(client, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    put(client, numbered(1))
    text = "x" * 300_000

    def write():
        put(client, [{"pk": {"S": "a"}, "n": {"N": str(n)}, "t": {"S": text}} for n in range(110)])

    changes, position = read(server, write)
    assert changes is None
    assert not position.is_copied


# A reader that is killed before it has stored a position begins at the start of that stream: what
# came between the stream and the reader would come after later changes.
def test_stream_that_the_sink_has_enabled_is_read_from_its_start(server, client):
    make(client)

    class Slow(Busy):
        async def call(self, caller, operation, body):
            answer = await self._place.call(caller, operation, body)
            if operation == "UpdateTable":
                await asyncio.to_thread(self._write)
            return answer

    async def main():
        async with connected(server.endpoint, KEYS, SystemClock(), connections=2) as place:
            reader = TableReader(Slow(place, lambda: put(client, numbered(1))), "orders", None)
            await reader.open()
            return await reader.changes()

    changes, _ = asyncio.run(main())
    assert [change.keys for change in changes] == [{"pk": {"S": "order-0000"}}]
