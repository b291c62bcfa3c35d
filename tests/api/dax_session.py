"""One connection to a node of DAX, with the few calls that tests of clusters make."""

import socket
from datetime import UTC, datetime
from hashlib import sha256
from hmac import new as hmac

from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from hashrange.wire.cbor.reader import IncompleteError, read_item
from tests.pace import seconds

GET_ITEM, PUT_ITEM, ENDPOINTS, AUTHORIZE = 263244906, -2106490455, 455855874, 1489122155
NO_ATTRIBUTES = b"\x01"
_EMPTY = sha256(b"").hexdigest()
_CANONICAL = "POST\n/\n\nhost:dax.amazonaws.com\nx-amz-date:{0}\n\nhost;x-amz-date\n" + _EMPTY


def _digest(key, text):
    return hmac(key, text.encode(), sha256).digest()


def signature(secret, region="us-east-1"):
    """The text that is signed now, and its signature."""
    date = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{date[:8]}/{region}/dax/aws4_request"
    canonical = sha256(_CANONICAL.format(date).encode()).hexdigest()
    signed = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{canonical}"
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = _digest(key, part)
    return signed, _digest(key, signed).hex()


class DaxSession:
    """A connection."""

    def __init__(self, host, port, aws_access_key_id="local", aws_secret_access_key="local"):
        self._socket = socket.create_connection((host, port), timeout=seconds(30))
        self._data = b""
        agent = cbor.mapping([(cbor.text("UserAgent"), cbor.text("test"))])
        hello = [cbor.text("J7yne5G"), b"\x00", cbor.byte_string(b"\x01"), agent, b"\x00"]
        self._socket.sendall(b"".join(hello))
        signed, hexadecimal = signature(aws_secret_access_key)
        self._send(
            AUTHORIZE,
            cbor.text(aws_access_key_id),
            cbor.text(hexadecimal),
            cbor.byte_string(signed.encode()),
            cbor.NULL,
            cbor.NULL,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def get(self, table, key):
        """The answer to getItem of a table whose only key attribute is a string."""
        return self.call(GET_ITEM, _bytes(table), _bytes(key), cbor.EMPTY_MAP)

    def put(self, table, key):
        """The answer to putItem of an item that is its key."""
        return self.call(
            PUT_ITEM, _bytes(table), _bytes(key), cbor.byte_string(NO_ATTRIBUTES), cbor.EMPTY_MAP
        )

    def endpoints(self):
        """The nodes: their numbers, ports and roles."""
        return [(node[0], node[3], node[4]) for node in self.call(ENDPOINTS)]

    def call(self, number, *arguments):
        """The answer to a call; of an error its codes and its text."""
        codes, *items = self.call_for(1, number, *arguments)
        return (codes, items[0]) if codes else items[0]

    def call_for(self, count, number, *arguments):
        """The codes of an answer, and so many items; of an error the codes and the text."""
        self._send(number, *arguments)
        codes = self._item()
        if codes:
            text, _ = self._item(), self._item()
            return [codes, text]
        return [codes, *[self._item() for _ in range(count)]]

    def _send(self, number, *arguments):
        self._socket.sendall(b"\x01" + encode_integer(number) + b"".join(arguments))

    def _item(self):
        while True:
            try:
                item, end = read_item(self._data, 0)
            except IncompleteError:
                received = self._socket.recv(65_536)
                if not received:
                    raise ConnectionResetError("the node has closed the connection") from None
                self._data += received
            else:
                self._data = self._data[end:]
                return item


def _bytes(text):
    return cbor.byte_string(text.encode())
