"""The command line in a process of its own, as people and supervisors start it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile

from tests.forks import process_of
from tests.pace import seconds

HASHRANGE = [sys.executable, "-m", "hashrange"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("HASHRANGE_")}


def run(*arguments, python=(), **variables):
    """Run a command to its end, as a process."""
    environment = ENVIRONMENT | variables
    if python:
        return subprocess.run(
            [sys.executable, *python, "-m", "hashrange", *arguments],
            capture_output=True,
            text=True,
            timeout=seconds(30),
            check=False,
            env=environment,
        )
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        streams = {"stdout": output.fileno(), "stderr": errors.fileno()}
        with process_of(arguments, environment=environment, **streams) as process:
            try:
                code = process.wait(seconds(30))
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, code, output.read(), errors.read())


@contextlib.contextmanager
def serving(*arguments, command=("serve", "--port", "0"), stderr=None, start=None):
    """A server on a free port, and what it printed up to its last line.

    `start` is the program, if it is not `hashrange` as it is. With `stderr` a pipe, what it logged
    is its attribute `log`, once it has ended.
    """
    command = [*command, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": stderr}
    if start is None:
        started = process_of(command, environment=ENVIRONMENT, **pipes)
    else:
        started = subprocess.Popen([*start, *command], env=ENVIRONMENT, text=True, **pipes)
    with started as process:
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
