"""PostgreSQL on three nodes under Patroni, with etcd and HAProxy, all on 127.0.0.1.

A node is the processes of one machine: an etcd, a Patroni, and its PostgreSQL.
"""

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.pace import seconds, until
from tests.ports import free_port
from tests.servers.debian_packages import Programs

PASSWORD = "secret"
USER = "postgres"
WHOLE_SECONDS_MAX = seconds(180)
DATABASE_PARAMETERS = {
    "synchronous_commit": "on",
    "shared_buffers": "16MB",
    "max_connections": 80,
    "max_wal_size": "128MB",
    "fsync": "off",  # the machine stays on
    "unix_socket_directories": "",
    "autovacuum": "off",
}
_HAPROXY = """
global
    maxconn 500
defaults
    mode tcp
    timeout connect 2s
    timeout client 10m
    timeout server 10m
    timeout check 2s
listen primary
    bind 127.0.0.1:{port}
    option httpchk
    http-check send meth OPTIONS uri /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


class Node:
    """One of the three; its processes are killed and stopped as a machine's."""

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        self.directory = directory
        self.port, self.rest, self.etcd, self.etcd_peer = (free_port() for _ in range(4))
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def postmaster(self) -> int | None:
        """The process id of its PostgreSQL; None if there is none."""
        with contextlib.suppress(OSError, IndexError):
            return int((self.directory / "data/postmaster.pid").read_text().split()[0])
        return None

    def signal_postgres(self, number: signal.Signals) -> None:
        """Send a signal to all processes of its PostgreSQL."""
        postmaster = self.postmaster
        if postmaster is None:
            return
        for pid in [postmaster, *_children(postmaster)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def signal(self, number: signal.Signals, *names: str) -> None:
        """Send a signal to its other processes."""
        for name in names:
            if name in self.processes:
                self.processes[name].send_signal(number)

    def forget(self, *names: str) -> None:
        """Wait for the ends of processes that were killed."""
        for name in names:
            if name in self.processes:
                self.processes.pop(name).wait()


class PatroniCluster:
    """Three nodes, made by `running`.

    Args:
        programs: of Debian.
        place: an empty directory, which the user of the processes may read.
        settings: of Patroni's dynamic configuration: `ttl`, `loop_wait`, `retry_timeout`.
    """

    def __init__(self, programs: Programs, place: Path, settings: Mapping[str, int]) -> None:
        self._programs = programs
        self._place = place
        self.ttl = settings["ttl"]
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam("nobody")
            self._user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
            os.chown(place, account.pw_uid, account.pw_gid)
        self.nodes = [Node(f"n{number}", place / f"n{number}") for number in (1, 2, 3)]
        self.proxy_port = free_port()
        self._proxy: subprocess.Popen[bytes] | None = None
        for node in self.nodes:
            node.directory.mkdir()
            (node.directory / "patroni.json").write_text(json.dumps(self._patroni(node, settings)))
            if self._user:
                os.chown(node.directory, self._user["user"], self._user["group"])
        for node in self.nodes:
            self.start(node, "etcd")
        for node in self.nodes:
            self.start(node, "patroni")
        servers = "\n".join(
            f"    server {node.name} {node.address} check port {node.rest}" for node in self.nodes
        )
        proxy = place / "haproxy.cfg"
        proxy.write_text(_HAPROXY.format(port=self.proxy_port, servers=servers))
        self._proxy = self._process([programs.haproxy, "-db", "-f", str(proxy)], place / "proxy")

    def start(self, node: Node, name: str) -> None:
        """Start a process of a node that does not run: its etcd, or its Patroni."""
        if name in node.processes:
            return
        if name == "etcd":
            peers = ",".join(
                f"{each.name}=http://127.0.0.1:{each.etcd_peer}" for each in self.nodes
            )
            client, peer = f"http://127.0.0.1:{node.etcd}", f"http://127.0.0.1:{node.etcd_peer}"
            command = [
                *(self._programs.etcd, "--name", node.name, "--unsafe-no-fsync"),
                *("--data-dir", str(node.directory / "etcd"), "--initial-cluster", peers),
                *("--listen-client-urls", client, "--advertise-client-urls", client),
                *("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer),
                *("--heartbeat-interval", "200", "--election-timeout", "2000", "--enable-v2"),
            ]
        else:
            command = [*self._programs.patroni, str(node.directory / "patroni.json")]
        node.processes[name] = self._process(command, node.directory / f"{name}.log")

    def _process(self, command: list[str], log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(
                command,
                cwd=self._place,
                env=self._programs.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                **self._user,
            )

    def _patroni(self, node: Node, settings: Mapping[str, int]) -> dict[str, Any]:
        everyone = {"username": USER, "password": PASSWORD}
        return {
            "scope": "tables",
            "name": node.name,
            "restapi": {
                "listen": f"127.0.0.1:{node.rest}",
                "connect_address": f"127.0.0.1:{node.rest}",
            },
            # With etcd's newer API, Patroni before 3.0.3 overwrites the key of another leader when
            # it goes on after a stop, and acknowledged writes are lost: patroni/patroni#2689.
            "etcd": {"hosts": [f"127.0.0.1:{each.etcd}" for each in self.nodes]},
            "bootstrap": {
                "dcs": {
                    **settings,
                    "synchronous_mode": True,
                    "postgresql": {"use_pg_rewind": True, "parameters": DATABASE_PARAMETERS},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "no-sync", "data-checksums"],
            },
            "postgresql": {
                "listen": node.address,
                "connect_address": node.address,
                "data_dir": str(node.directory / "data"),
                "bin_dir": str(self._programs.postgres),
                "pgpass": str(node.directory / "pgpass"),
                "authentication": {"superuser": everyone, "replication": everyone},
                "pg_hba": [
                    "host all all 127.0.0.1/32 scram-sha-256",
                    "host replication all 127.0.0.1/32 scram-sha-256",
                ],
                "basebackup": ["no-sync", {"checkpoint": "fast"}],
            },
        }

    def members(self) -> list[dict[str, Any]]:
        """The members as one of the nodes sees them; none if no node answers."""
        for node in self.nodes:
            if "patroni" in node.processes:
                with contextlib.suppress(OSError, ValueError):
                    url = f"http://127.0.0.1:{node.rest}/cluster"
                    with urllib.request.urlopen(url, timeout=1) as answer:
                        found: list[dict[str, Any]] = json.load(answer)["members"]
                        return found
        return []

    def leader(self) -> Node | None:
        """The node that leads now."""
        names = {each["name"] for each in self.members() if each["role"] == "leader"}
        return next((node for node in self.nodes if node.name in names), None)

    def primary(self) -> Node | None:
        """The node that leads, once it does and another is its synchronous standby."""
        members = self.members()
        roles = {each["name"]: each["role"] for each in members}
        running = [each for each in members if each["state"] in {"running", "streaming"}]
        timelines = {each.get("timeline") for each in members}
        if len(running) < len(self.nodes) or len(timelines) > 1:
            return None
        if "sync_standby" not in roles.values():
            return None
        return next((node for node in self.nodes if roles[node.name] == "leader"), None)

    def whole(self) -> Node:
        """The primary, once all nodes are there again."""
        for node in self.nodes:
            self.start(node, "etcd")
            self.start(node, "patroni")
        return until(self.primary, seconds_max=WHOLE_SECONDS_MAX)

    def url_of(self, first: Node) -> str:
        """The URL of all hosts, one of them first."""
        nodes = sorted(self.nodes, key=lambda node: node is not first)
        hosts = ",".join(node.address for node in nodes)
        return f"postgresql://{USER}:{PASSWORD}@{hosts}/postgres"

    @property
    def proxy_url(self) -> str:
        """The URL of HAProxy, which has a lease as that of all hosts."""
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.proxy_port}/postgres?read_lease=10"

    def close(self) -> None:
        """Kill all processes that were started here."""
        for node in self.nodes:
            node.signal(signal.SIGCONT, "patroni", "etcd")
            node.signal(signal.SIGKILL, "patroni", "etcd")
            node.forget("patroni", "etcd")
            node.signal_postgres(signal.SIGKILL)
        if self._proxy is not None:
            self._proxy.kill()
            self._proxy.wait()


@contextlib.contextmanager
def running(programs: Programs, settings: Mapping[str, int]) -> Iterator[PatroniCluster]:
    """A cluster for a block."""
    place = Path(tempfile.mkdtemp(prefix="hashrange-patroni-", dir="/tmp"))
    cluster = PatroniCluster(programs, place, settings)
    try:
        cluster.whole()
        yield cluster
    finally:
        cluster.close()
        shutil.rmtree(place, ignore_errors=True)


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, _, rest = status.read_text().partition(" (")
            if int(rest.rpartition(")")[2].split()[1]) == parent:
                found.append(int(pid))
    return found


def _kill_postmaster(_cluster: PatroniCluster, node: Node) -> None:
    assert node.postmaster is not None
    os.kill(node.postmaster, signal.SIGKILL)


def _lose_machine(_cluster: PatroniCluster, node: Node) -> None:
    node.signal(signal.SIGKILL, "patroni", "etcd")
    node.signal_postgres(signal.SIGKILL)
    node.forget("patroni", "etcd")


def _hang(_cluster: PatroniCluster, node: Node) -> None:
    node.signal(signal.SIGSTOP, "patroni")
    node.signal_postgres(signal.SIGSTOP)


def _kill_patroni(_cluster: PatroniCluster, node: Node) -> None:
    node.signal(signal.SIGKILL, "patroni")
    node.forget("patroni")


def _resume(node: Node) -> None:
    node.signal_postgres(signal.SIGCONT)
    node.signal(signal.SIGCONT, "patroni")


POSTMASTER_KILLED = "the postmaster of the primary is killed"
FAILURES: dict[
    str, tuple[Callable[[PatroniCluster, Node], None], Callable[[Node], None] | None]
] = {
    POSTMASTER_KILLED: (_kill_postmaster, None),
    "the machine of the primary is lost": (_lose_machine, None),
    "the primary hangs": (_hang, _resume),
    "Patroni is killed, and the primary lives on": (_kill_patroni, None),
}
"""What fails, and what ends the failure beside starting what was killed."""
