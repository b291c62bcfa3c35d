"""A stand-in for the engine of Docker, which has servers in place of containers.

The image is always this project's. A container is `hashrange` with the container's command, on a
free port of 127.0.0.1, which stands for the one port that the container exposes.
"""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

IMAGE = {"Id": "sha256:" + "0" * 64, "RepoTags": ["hashrange:latest"], "Config": {}}
VERSION = {
    "ApiVersion": "1.44",
    "MinAPIVersion": "1.24",
    "Version": "27.0",
    "Os": "linux",
    "Arch": "amd64",
}
INFO = {
    "ID": "stand-in",
    "ServerVersion": "27.0",
    "OperatingSystem": "Linux",
    "OSType": "linux",
    "MemTotal": 1 << 30,
}
NETWORK = {"Subnet": "172.17.0.0/16", "Gateway": "172.17.0.1"}
BRIDGE = {"Name": "bridge", "Id": "bridge", "Driver": "bridge", "IPAM": {"Config": [NETWORK]}}
LISTENS = re.compile(rb" listens on http://127\.0\.0\.1:(\d+)")


@dataclass
class Container:
    """A container; its server runs between `start` and `stop`."""

    name: str
    asked: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None
    port: str = ""
    log: bytes = b""
    starts: int = 0

    def start(self) -> None:
        """Starts the server, and waits for its port."""
        words = [sys.executable, "-m", "hashrange", *self.asked["Cmd"], "--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        while not (found := LISTENS.search(self.log)):
            line = self.process.stdout.readline()
            assert line, "the server has ended"
            self.log += line
        self.port = found[1].decode()
        self.starts += 1

    def stop(self) -> None:
        """Stops the server."""
        if self.process is not None:
            self.process.terminate()
            self.process.communicate()
            self.process = None

    def shown(self) -> dict[str, Any]:
        """What `docker inspect` shows."""
        is_running = self.process is not None
        state = {
            "Status": "running" if is_running else "exited",
            "Running": is_running,
            "ExitCode": 0,
        }
        bound = [{"HostIp": "127.0.0.1", "HostPort": self.port}] if is_running else None
        exposed = self.asked.get("ExposedPorts") or {}
        config = {**self.asked, "Labels": self.asked.get("Labels") or {}}
        return {
            "Id": self.name,
            "Name": f"/{self.name}",
            "Image": IMAGE["Id"],
            "Created": "2026-01-01T00:00:00Z",
            "State": {
                **state,
                "StartedAt": "2026-01-01T00:00:00Z",
                "FinishedAt": "0001-01-01T00:00:00Z",
            },
            "Config": config,
            "HostConfig": self.asked.get("HostConfig") or {},
            "NetworkSettings": {"Ports": dict.fromkeys(exposed, bound), "Networks": {"bridge": {}}},
        }


class Engine(ThreadingHTTPServer):
    """The engine, with the containers that it has had."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.containers: dict[str, Container] = {}

    @property
    def url(self) -> str:
        """For the variable DOCKER_HOST."""
        return f"tcp://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Engine

    def _answer(self, status: int, body: object = None, kind: str = "application/json") -> None:
        raw = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        self.send_response(status)
        self.send_header("Api-Version", VERSION["ApiVersion"])
        self.send_header("OSType", "linux")
        if status != 204:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def _asked(self) -> dict[str, Any]:
        if self.headers.get("Transfer-Encoding") == "chunked":
            raw = b""
            while size := int(self.rfile.readline(), 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return json.loads(raw) if raw else {}

    def _handle(self) -> None:
        path = re.sub(r"^/v[\d.]+", "", unquote(urlsplit(self.path).path))
        asked = self._asked()
        pages = {"/_ping": b"OK", "/version": VERSION, "/info": INFO, "/images/json": [IMAGE]}
        pages |= {"/networks": [BRIDGE], "/networks/bridge": BRIDGE}
        if path in pages:
            self._answer(200, pages[path])
        elif re.fullmatch(r"/images/[^ ]+/json", path):
            self._answer(200, IMAGE)
        elif path == "/containers/json":
            self._answer(200, [])
        elif path == "/containers/create":
            name = f"{len(self.server.containers):064x}"
            self.server.containers[name] = Container(name, asked)
            self._answer(201, {"Id": name, "Warnings": []})
        elif found := re.fullmatch(r"/containers/([0-9a-f]+)(?:/(\w+))?", path):
            self._container(self.server.containers[found[1]], found[2])
        else:
            self._answer(404, {"message": f"the stand-in has no {self.command} {path}"})

    def _container(self, container: Container, action: str | None) -> None:
        if action == "start":
            container.start()
        elif action in {"stop", "kill"} or self.command == "DELETE":
            container.stop()
        elif action == "json":
            self._answer(200, container.shown())
            return
        elif action == "logs":
            head = b"\1\0\0\0" + len(container.log).to_bytes(4, "big")
            self._answer(200, head + container.log, "application/vnd.docker.multiplexed-stream")
            return
        elif action == "wait":
            self._answer(200, {"StatusCode": 0})
            return
        self._answer(204)

    do_GET = do_POST = do_DELETE = do_HEAD = _handle  # noqa: N815 - names of http.server

    def log_message(self, *_words: object) -> None:
        """Nothing: requests that fail are seen by who asked."""


@contextmanager
def docker_engine() -> Iterator[Engine]:
    """An engine; what still runs at its end is stopped."""
    with Engine() as engine:
        thread = threading.Thread(target=engine.serve_forever)
        thread.start()
        try:
            yield engine
        finally:
            engine.shutdown()
            thread.join()
            for each in engine.containers.values():
                each.stop()
