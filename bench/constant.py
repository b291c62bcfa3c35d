"""The reference: our HTTP server, answering each request with the same bytes.

    python -m bench.constant --port 8000

The cost of operations is reported as a ratio to it.
"""

import argparse
import asyncio
import signal

from hashrange.clock import SystemClock
from hashrange.observe.figures import Traffic
from hashrange.server.addresses import bound
from hashrange.server.http_limits import HttpLimits
from hashrange.server.listener import Listener
from hashrange.server.loop import run
from hashrange.server.responses import RANDOM_BYTES, request_ids
from hashrange.wire.exchange import Request, Response

ANSWER = Response(200, b'{"Item":{"pk":{"S":"user#1"},"data":{"S":"%b"}}}' % (b"x" * 200))


async def constant(_request: Request) -> Response:
    return ANSWER


async def serve(port: int) -> None:
    clock = SystemClock()
    listener = Listener(clock, Traffic())
    await listener.start(
        constant,
        sockets=await bound("127.0.0.1", port),
        limits=HttpLimits(),
        request_id=request_ids(clock.random_bytes(RANDOM_BYTES)),
    )
    print(f"listening on http://127.0.0.1:{listener.port}", flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await listener.stop(drain_seconds=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    run(serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
