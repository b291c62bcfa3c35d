"""What the tests of the HTTP edge share."""

import asyncio

import pytest

try:
    from uvloop import new_event_loop as uvloop_loop
except ImportError:
    uvloop_loop = None

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop_loop}


# Transports of the two loops differ in what they do at once and what later.
@pytest.fixture(params=[name for name, factory in LOOPS.items() if factory])
def run(request):
    """Runs a coroutine function on a loop of each kind."""
    with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
        yield lambda main: runner.run(main())
