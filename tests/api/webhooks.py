"""A receiver of webhooks on this machine."""

import queue
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

from tests.pace import seconds


class Receiver:
    """What has arrived; answers come from `statuses` until there is none left, then 200."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}/hook?a=b"
        self.statuses = []
        self.arrived = queue.Queue()

    def next(self):
        """The next notification: its headers, its body."""
        return self.arrived.get(timeout=seconds(20))

    def message(self):
        """The message of the next notification."""
        return msgspec.json.decode(self.next()[1]["Message"])


@contextmanager
def receiving():
    """A receiver, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            found.arrived.put((headers, msgspec.json.decode(body)))
            self.send_response(found.statuses.pop(0) if found.statuses else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        found = Receiver(listener.server_port)
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        try:
            yield found
        finally:
            listener.shutdown()
