"""The command line in a process of its own, as people and supervisors start it."""

import contextlib
import os
import signal
import subprocess
import sys

from tests.pace import seconds

HASHRANGE = [sys.executable, "-m", "hashrange"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("HASHRANGE_")}


def run(*arguments, python=(), **variables):
    command = [sys.executable, *python, "-m", "hashrange", *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=seconds(30),
        check=False,
        env=ENVIRONMENT | variables,
    )


@contextlib.contextmanager
def serving(*arguments, command=("serve", "--port", "0"), stderr=None, start=HASHRANGE):
    """A server on a free port, and what it printed up to its last line.

    `start` is the program, if it is not `hashrange` as it is. With `stderr` a pipe, what it logged
    is its attribute `log`, once it has ended.
    """
    command = [*start, *command, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": stderr, "text": True}
    with subprocess.Popen(command, env=ENVIRONMENT, **pipes) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        try:
            yield process, "".join(lines)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=seconds(30))
            process.log = "" if process.stderr is None else process.stderr.read()
