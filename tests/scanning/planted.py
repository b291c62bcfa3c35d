"""Stands before a server: makes pages small, and plants faults at chosen requests."""

import json
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

THROTTLE, FAIL, LOSE_REQUEST, LOSE_ANSWER = "throttle", "fail", "lose request", "lose answer"
FAULTS = (THROTTLE, FAIL, LOSE_REQUEST, LOSE_ANSWER)
_ERRORS = {
    THROTTLE: (400, "ProvisionedThroughputExceededException"),
    FAIL: (500, "InternalServerError"),
}


class Planted:
    """A port that leads to that of a server.

    Args:
        url: of the server.
        limit: items of each page of a Scan, at most; None for what the client wants.
        faults: of Scans and writes, by their numbers from 1.
        before: called with the operation, before each Scan or write is forwarded.

    Attributes:
        url: to be used instead of the server's.
        requests: the bodies of Scans and writes that came, in their order.
    """

    def __init__(
        self,
        url: str,
        *,
        limit: int | None = None,
        faults: dict[int, str] | None = None,
        before: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._to = urlsplit(url).netloc
        self._limit = limit
        self._faults = faults or {}
        self._before = before
        self._lock = threading.Lock()
        self.requests: list[tuple[str, dict]] = []
        planted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                planted._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Take no requests any more."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        operation = handler.headers["X-Amz-Target"].rpartition(".")[2]
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        fault = None
        if operation in {"Scan", "UpdateItem", "DeleteItem"}:
            request = json.loads(body)
            with self._lock:
                self.requests.append((operation, request))
                fault = self._faults.get(len(self.requests))
            self._before(operation)
            if operation == "Scan" and self._limit is not None:
                request["Limit"] = min(self._limit, request.get("Limit", self._limit))
                body = json.dumps(request).encode()
        if fault in _ERRORS:
            status, code = _ERRORS[fault]
            answer = json.dumps({"__type": code, "message": "planted"}).encode()
            _send(handler, status, answer)
            return
        if fault == LOSE_REQUEST:
            handler.close_connection = True
            return
        status, answer = self._forwarded(handler, body)
        if fault == LOSE_ANSWER:
            handler.close_connection = True
            return
        _send(handler, status, answer)

    def _forwarded(self, handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        connection = HTTPConnection(self._to)
        names = ("X-Amz-Target", "Authorization", "Content-Type", "X-Amz-Date")
        headers = {name: handler.headers[name] for name in names if handler.headers[name]}
        try:
            connection.request("POST", "/", body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def _send(handler: BaseHTTPRequestHandler, status: int, answer: bytes) -> None:
    try:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer)
    except OSError:
        handler.close_connection = True  # the client was killed
