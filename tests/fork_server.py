"""Runs command lines in forks of a process that has imported the server, which saves their starts.

A program: `python -m tests.fork_server DESCRIPTOR`, of a Unix socket. A message is one byte and
four descriptors: of a file with a JSON object that has `arguments`, `environment` and `folder`, of
stdout, of stderr, and of a pipe for two lines: the process id of the fork and, once it has ended,
its exit code.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
from typing import Any, NoReturn

import hashrange.access
import hashrange.assembly.assemble  # all that servers import when they run
import hashrange.cli
import hashrange.tools
from hashrange.cli.commands import main

DESCRIPTORS = 4


def _import_commands() -> None:
    """What commands import when they run, and a fork has then at once."""
    for package in (hashrange.cli, hashrange.tools, hashrange.access):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def _run(request: dict[str, Any]) -> NoReturn:
    """As `python -m hashrange`, with the streams that are in place."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[1:] = request["arguments"]
    code: object = 1
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - printed as by a process of its own
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # its reader is gone
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


class _ForkServer:
    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._replies: dict[int, int] = {}
        self._wakeups, self._wakeup = os.pipe()
        for end in (self._wakeups, self._wakeup):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakeup)

    def run(self) -> None:
        """Until the other end of the socket is closed."""
        selector = selectors.DefaultSelector()
        selector.register(self._requests, selectors.EVENT_READ)
        selector.register(self._wakeups, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if self._wakeups in ready:
                os.read(self._wakeups, 4096)
                self._reap()
            if self._requests in ready and not self._serve():
                return

    def _serve(self) -> bool:
        message, received, *_ = socket.recv_fds(self._requests, 1, DESCRIPTORS)
        if not message:
            return False
        request, output, errors, reply = received
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            with os.fdopen(request, "rb") as file:
                called = json.load(file)
            for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), output, errors)):
                os.dup2(stream, number)
                os.close(stream)
            inherited = (self._wakeups, self._wakeup, self._requests.fileno(), reply)
            for descriptor in (*inherited, *self._replies.values()):
                os.close(descriptor)
            _run(called)
        for descriptor in (request, output, errors):
            os.close(descriptor)
        self._replies[pid] = reply
        self._reply(pid, pid)
        return True

    def _reap(self) -> None:
        while self._replies:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._reply(pid, os.waitstatus_to_exitcode(status))
            os.close(self._replies.pop(pid))

    def _reply(self, pid: int, number: int) -> None:
        with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
            os.write(self._replies[pid], b"%d\n" % number)


if __name__ == "__main__":
    _import_commands()
    # Forks share the pages of what is there now until a collection writes to them.
    gc.freeze()
    # A signal to the group of the tests is for those that it runs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _ForkServer(socket.socket(fileno=int(sys.argv[1]))).run()
