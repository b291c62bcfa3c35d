"""What tests of `hashrange dax` need: the endpoint, and an upstream that they disturb."""

import asyncio
import contextlib
import json
import re
import socket
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from hashrange.access.signatures.signing import Credentials
from hashrange.assembly.dax_upstream import Upstream, running
from hashrange.clock import MovableClock
from hashrange.dax.upstream.credentials import FixedCredentials
from hashrange.settings.settings import Settings
from tests.copied_pages import fresh
from tests.pace import seconds


class Endpoint:
    """An endpoint that runs in a thread, with a clock that tests move."""

    def __init__(self, url, began_later_ms=0, ca_file=None, credentials=None, **settings):
        self.clock = MovableClock()
        self.clock.advance(began_later_ms)
        self.port = self._pages = None
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        keys = Credentials(
            access_key="local", secret_key="local", session_token=None, region="us-east-1"
        )
        source = credentials or FixedCredentials(keys)
        upstream = Upstream(parts=urlsplit(url), credentials=source, ca_file=ca_file)
        self._thread = threading.Thread(target=self._run, args=(settings, upstream))

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(seconds(30))
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(seconds(30))
        assert not self._thread.is_alive()

    def figure(self, name):
        text = fresh(f"{self._pages}/metrics")
        return float(re.search(rf"^hashrange_{name} (\S+)$", text, re.MULTILINE)[1])

    def ready(self):
        """The text of /readyz."""
        address = urlsplit(self._pages)
        with contextlib.closing(HTTPConnection(address.hostname, address.port)) as connection:
            connection.request("GET", "/readyz")
            return connection.getresponse().read().decode()

    def _run(self, settings, upstream):
        async def serve():
            made = Settings(dax_port=0, **{"memory": True, "drain_seconds": 0, **settings})
            async with running(made, upstream, pages_port=0, clock=self.clock) as endpoint:
                self.port = urlsplit(endpoint.url).port
                self._pages = endpoint.pages
                self._ready.set()
                await self._stop.wait()

        with contextlib.closing(self._loop):
            self._loop.run_until_complete(serve())


class Proxy:
    """Between an endpoint and its upstream: counts, and disturbs what tests tell it to.

    Attributes:
        requests: pairs of operation and request, as they came.
        disturb: by operation, what is called in the place of `forward`; it may call it, and
            returns status and body, or None to close the connection without an answer.
    """

    def __init__(self, upstream, port=0):
        self.requests = []
        self.disturb = {}
        self.upstream = upstream
        self._upstream = urlsplit(upstream)
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = _Server(("127.0.0.1", port), handler)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()
        self._server.close_all()
        self._thread.join()

    def count(self, operation):
        return sum(name == operation for name, _ in list(self.requests))

    def last(self, operation):
        """The last request of an operation."""
        return [request for name, request in self.requests if name == operation][-1]

    def answer(self, operation, headers, body):
        self.requests.append((operation, json.loads(body)))

        def forward():
            place = (self._upstream.hostname, self._upstream.port)
            with contextlib.closing(HTTPConnection(*place, timeout=seconds(30))) as connection:
                connection.request("POST", "/", body, dict(headers))
                response = connection.getresponse()
                return response.status, response.read()

        return self.disturb.get(operation, lambda forward: forward())(forward)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._sockets = []

    def get_request(self):
        accepted = super().get_request()
        self._sockets.append(accepted[0])
        return accepted

    def close_all(self):
        """End the connections, also those that are idle."""
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy = None

    def do_POST(self):
        operation = self.headers["X-Amz-Target"].rpartition(".")[2]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.proxy.answer(operation, self.headers, body)
        if answer is None:
            self.close_connection = True
            return
        status, sent = answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_):
        """Nothing."""


class Gate:
    """Holds requests until it is opened."""

    def __init__(self):
        self.arrived, self._open = threading.Event(), threading.Event()

    def wait(self):
        self.arrived.set()
        assert self._open.wait(seconds(30))

    def open(self):
        self._open.set()

    def before(self, forward):
        """Holds the request."""
        self.wait()
        return forward()

    def after(self, forward):
        """Holds the answer."""
        answer = forward()
        self.wait()
        return answer


def refusal(code, text="as it is", status=400, **members):
    """The answer of an upstream that refuses."""
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": text, **members}
    return status, json.dumps(body).encode()
