"""Patroni, etcd, HAProxy and PostgreSQL of Debian, unpacked and not installed.

What the system has already is not fetched.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from tests.engines import postgres_server
from tests.pace import seconds

PACKAGES = ("patroni", "etcd-server", "haproxy", "postgresql")
PYTHON = "/usr/bin/python3"
"""Debian's, for which its packages are built."""


class Programs:
    """Where the programs are, and the variables with which they find their libraries."""

    def __init__(self, root: Path) -> None:
        self._root = root
        libraries = [*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu")]
        self.environment = {
            "PATH": f"{root}/usr/bin:{root}/usr/sbin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LD_LIBRARY_PATH": ":".join(map(str, libraries)),
            "PYTHONPATH": f"{root}/usr/lib/python3/dist-packages",
            "ETCDCTL_API": "3",
            "HOME": "/tmp",
        }
        self.etcd, self.haproxy = self._program("etcd"), self._program("haproxy")
        self.patroni = [PYTHON, self._program("patroni")]
        self.postgres = self._postgres()

    def _program(self, name: str) -> str:
        for folder in (self._root / "usr/bin", self._root / "usr/sbin"):
            if (folder / name).exists():
                return str(folder / name)
        found = shutil.which(name)
        if found is None:
            cannot_run(f"no {name} in the packages")
        return found

    def _postgres(self) -> Path:
        pattern = "usr/lib/postgresql/*/bin/postgres"
        found = sorted(self._root.glob(pattern)) or sorted(Path("/").glob(pattern))
        if not found:
            cannot_run("no PostgreSQL in the packages")
        return found[-1].parent


@cache
def programs() -> Programs:
    """Fetch and unpack the packages, once for a run of tests; skips or fails where it cannot."""
    for name in ("apt-get", "dpkg-deb", PYTHON):
        if shutil.which(name) is None:
            cannot_run(f"no {name}, so this is no Debian")
    place = Path(tempfile.mkdtemp(prefix="hashrange-debian-", dir="/tmp"))
    place.chmod(0o755)
    try:
        (place / "archives/partial").mkdir(parents=True)
        _run("apt-get", "install", "--download-only", "--yes", "--no-install-recommends",
             "-o", f"Dir::Cache::archives={place}/archives", "-o", "Debug::NoLocking=1",
             "-o", "APT::Sandbox::User=", *PACKAGES)  # fmt: skip
        for archive in sorted((place / "archives").glob("*.deb")):
            _run("dpkg-deb", "-x", str(archive), str(place / "root"))
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(place, ignore_errors=True)
        output = getattr(error, "stderr", None) or str(error)
        cannot_run(f"its packages cannot be fetched: {output.strip().splitlines()[-1]}")
    shutil.rmtree(place / "archives")
    return Programs(place / "root")


def remove() -> None:
    """Remove what was unpacked."""
    if programs.cache_info().currsize:
        shutil.rmtree(programs()._root.parent, ignore_errors=True)  # noqa: SLF001 - of this module
        programs.cache_clear()


def _run(*command: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=seconds(100), env=environment
    )


def cannot_run(reason: str) -> NoReturn:
    """Skip the test that asked, or fail it with --all-engines."""
    if postgres_server.must_run:
        pytest.fail(f"no Patroni here: {reason}", pytrace=False)
    pytest.skip(f"no Patroni here: {reason}")
