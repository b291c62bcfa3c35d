"""A connection over which a test sends bytes that no client would send."""

import socket
import zlib

from tests.pace import seconds


class Talk:
    """One connection; a test that waits long has found a hang."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=seconds(60))
        self._file = self._socket.makefile("rb")

    def send(self, data):
        self._socket.sendall(data)

    def answer(self, *, bodiless=False):
        """Status and body of the next answer, and whether the connection stays; None at the end."""
        line = self._file.readline()
        if not line:
            return None
        headers = {}
        while (field := self._file.readline()) != b"\r\n":
            name, _, value = field.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = b"" if bodiless else self._file.read(int(headers["content-length"]))
        if not bodiless:
            assert headers["x-amz-crc32"] == str(zlib.crc32(body))
        assert len(headers["x-amzn-requestid"]) == 52
        return int(line.split()[1]), body, headers["connection"] == "keep-alive"

    def close(self):
        self._file.close()
        self._socket.close()
