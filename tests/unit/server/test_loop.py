"""The loop: what it is, and that its errors are logged without anybody's bytes."""

import asyncio
import logging
import sys

from hashrange.server.loop import new_loop, run


async def kind():
    return type(asyncio.get_running_loop()).__module__


def test_uvloop_where_it_exists():
    assert run(kind()).startswith("asyncio" if sys.platform == "win32" else "uvloop")


def test_plain_loop_without_uvloop(without):
    without("uvloop")
    assert run(kind()).startswith("asyncio")


def test_errors_in_callbacks_are_logged_without_their_arguments(caplog):
    def failing(_data):
        raise RuntimeError("reason")

    loop = new_loop()
    loop.call_soon(failing, b"secret item")
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert "secret" not in record.getMessage()
    assert str(record.exc_info[1]) == "reason"
