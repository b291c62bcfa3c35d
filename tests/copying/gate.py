"""Stands before a server and lets so many Scans through; the others wait until it opens."""

import socket
import threading
from urllib.parse import urlsplit

_SCAN = b"x-amz-target: dynamodb_20120810.scan\r\n"


class Gate:
    """A port that leads to that of a server.

    Args:
        url: of the server.
        scans: that come through.
        alters: bytes of requests that are replaced on the way, and by which, as many.

    Attributes:
        url: to be used instead of the server's.
        closed: set once a Scan waits.
        alters: as given.
    """

    def __init__(
        self, url: str, *, scans: int = 1_000_000, alters: tuple[bytes, bytes] = (b"", b"")
    ) -> None:
        parts = urlsplit(url)
        self._to = (parts.hostname, parts.port)
        self._left = scans
        self.alters = alters
        self._opened = threading.Event()
        self._lock = threading.Lock()
        self.closed = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def open(self) -> None:
        """Let all through."""
        self._opened.set()

    def close(self) -> None:
        """Take no connections any more."""
        self.open()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self._to)
            except OSError:
                near.close()
                return
            threading.Thread(target=self._pump, args=(near, far), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(1 << 16):
                # A request without its body is one piece: the client sends it so.
                if _SCAN in data.lower():
                    self._wait()
                other.sendall(data.replace(*self.alters) if self.alters[0] else data)
        except OSError:
            pass
        finally:
            one.close()
            other.close()

    def _wait(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left >= 0:
                return
        self.closed.set()
        self._opened.wait()
