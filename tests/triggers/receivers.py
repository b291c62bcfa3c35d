"""Who triggers call in the tests: an HTTP server in a thread, and what it was sent."""

import json
import queue
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.pace import seconds

SECONDS_MAX = seconds(30)
"""For something that must come; a failure waits so long."""

Answer = tuple[int, Any, dict[str, str]]
"""Status, what is answered as JSON, headers."""
OK: Answer = (200, None, {})


class Receiver:
    """Takes batches, and answers as `answer` says.

    Attributes:
        url: where it listens.
        batches: what it answered with OK, in the order in which that was.
    """

    def __init__(self, answer: Callable[[list[dict[str, Any]]], Answer] = lambda _: OK) -> None:
        self.calls: queue.Queue[list[dict[str, Any]]] = queue.Queue(100_000)
        self.batches: list[list[dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                records = json.loads(body)["Records"]
                receiver.headers.append(dict(self.headers))
                status, answered, headers = answer(records)
                if status == 200:
                    receiver.batches.append(records)
                # Before it is answered: then the next one may come, in another thread.
                receiver.calls.put(records)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                data = b"" if answered is None else json.dumps(answered).encode()
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/changes"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def next(self) -> list[dict[str, Any]]:
        """The next call."""
        return self.calls.get(timeout=SECONDS_MAX)

    def until(self, done: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """All records so far, once they are enough."""
        records: list[dict[str, Any]] = []
        while not done(records):
            records += self.next()
        return records

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def write_file(path: Path, *triggers: dict[str, Any]) -> Path:
    """A file of triggers."""
    lines: list[str] = []
    for trigger in triggers:
        lines.append("[[trigger]]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in trigger.items()]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def names_of(records: Sequence[dict[str, Any]], key: str = "pk") -> list[str]:
    """The keys of records."""
    return [record["dynamodb"]["Keys"][key]["S"] for record in records]
