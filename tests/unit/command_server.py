"""Runs command lines in forks of a process that has imported the server: that saves its start.

A program: it reads requests from stdin, one JSON object a line, and prints the exit code of each.
"""

import json
import os
import signal
import sys
from typing import Any, NoReturn

import hashrange.assemble  # noqa: F401 - all that commands import when they run
from hashrange.cli.commands import main


def _run(request: dict[str, Any]) -> NoReturn:
    signal.alarm(request["seconds_max"])
    for descriptor, path in enumerate((os.devnull, *request["outputs"])):
        os.dup2(os.open(path, os.O_RDWR), descriptor)
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
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    replies = os.fdopen(os.dup(1), "w")
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            _run(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=replies, flush=True)
