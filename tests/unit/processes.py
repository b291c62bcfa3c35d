"""The command line in a process of its own, as people and supervisors start it."""

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from math import ceil
from pathlib import Path

from tests.pace import seconds

ROOT = Path(__file__).resolve().parents[2]
HASHRANGE = [sys.executable, "-m", "hashrange"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if not name.startswith("HASHRANGE_")}


def run(*arguments, python=(), **variables):
    """Run a command to its end, as a process; most of them are forks of one that stands ready."""
    environment = ENVIRONMENT | variables
    if python or not hasattr(os, "fork") or any(name.startswith("PYTHON") for name in variables):
        return subprocess.run(
            [sys.executable, *python, "-m", "hashrange", *arguments],
            capture_output=True,
            text=True,
            timeout=seconds(30),
            check=False,
            env=environment,
        )
    with tempfile.NamedTemporaryFile("r") as output, tempfile.NamedTemporaryFile("r") as errors:
        request = {
            "arguments": arguments,
            "environment": environment,
            "folder": str(Path.cwd()),
            "outputs": [output.name, errors.name],
            "seconds_max": ceil(seconds(30)),
        }
        server = _command_server()
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, output.read(), errors.read())


@cache
def _command_server():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.unit.command_server"], cwd=ROOT, **pipes
    )
    atexit.register(server.communicate)
    return server


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
