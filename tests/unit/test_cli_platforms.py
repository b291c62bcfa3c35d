"""The server on systems that this machine is not: what they lack is taken away."""

import signal
import socket
import sys

import pytest

from tests.pace import seconds
from tests.unit.processes import run, serving
from tests.unit.test_cli_stopping import BODY, FOREVER, REQUEST, address_of, ended

# Where there are no wheels of uvloop, and on Windows.
WITHOUT_UVLOOP = """
import sys
sys.modules["uvloop"] = None
from hashrange.cli.commands import main
from hashrange.server.loop import new_loop
loop = new_loop()
assert type(loop).__module__.startswith("asyncio"), loop
loop.close()
main()
"""
# What asks for the platform while it runs; the modules that ask when they are imported are there,
# also those that asyncio imports with the first loop, from Python 3.14 on.
AS_ON_WINDOWS = """
import sys
sys.modules["uvloop"] = None
import shutil, subprocess, tempfile
import hashrange.assembly.assemble, hashrange.observe.logs, hashrange.server.loop
from hashrange.cli.commands import main
import asyncio
asyncio.new_event_loop().close()
def refused(*_):
    raise NotImplementedError
asyncio.SelectorEventLoop.add_signal_handler = refused
sys.platform = "win32"
main()
"""
# macOS has neither.
WITHOUT_LINUX_CALLS = """
import os
del os.posix_fallocate, os.posix_fadvise
from hashrange.cli.commands import main
main()
"""
PLATFORMS = {
    "without uvloop": WITHOUT_UVLOOP,
    "as on Windows": AS_ON_WINDOWS,
    "without Linux's calls": WITHOUT_LINUX_CALLS,
}


@pytest.mark.skipif(sys.platform != "linux", reason="takes away what Linux has")
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("program", PLATFORMS.values(), ids=PLATFORMS.keys())
def test_server_answers_and_stops(tmp_path, program, number):
    arguments = [*FOREVER[1:], "--data", str(tmp_path / "data")]
    start = [sys.executable, "-c", program]
    with (
        serving(*arguments, start=start) as (process, printed),
        socket.create_connection(address_of(printed), timeout=seconds(60)) as idle,
    ):
        idle.sendall(REQUEST + BODY)
        assert idle.recv(65536).startswith(b"HTTP/1.1 200")
        process.send_signal(number)
        assert ended(process)
    assert run("verify", str(tmp_path / "data")).returncode == 0
