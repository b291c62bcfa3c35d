"""The bytes of one connection, as a handshake and calls. Calls have no frames: items end them."""

from struct import Struct
from typing import Any, Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.items import Facts
from hashrange.dax.protocol.keys import Schema
from hashrange.dax.protocol.methods import METHODS, Method
from hashrange.dax.protocol.parameters import text_of
from hashrange.limits.dax import (
    DAX_HELLO_BYTES_MAX,
    DAX_READ_BYTES_MAX,
    DAX_READS_BYTES_MAX,
    DAX_READS_MAX,
    DAX_REQUEST_ITEMS_MAX,
    DAX_UNAUTHENTICATED_BYTES_MAX,
    DAX_UNAUTHENTICATED_ITEMS_MAX,
    DAX_WHOLE_BYTES_MAX,
)
from hashrange.wire.cbor.reader import IncompleteError, MalformedError, read_item
from hashrange.wire.cbor.scanner import Scanner

MAGIC: Final = "J7yne5G"
_MAGIC_BYTES_MAX: Final = len(MAGIC) + 9
"""With the longest head of a text."""
_HELLO_ITEMS: Final = 5
_SERVICE: Final = 1
_CALL_ITEMS: Final = 2
_FRAMED: Final = 1
"""The second item of a handshake; of other clients it is 0."""
_END: Final = 1
"""The flag of a frame that is the last of its answer."""
_frame: Final = Struct(">IB3x")
_AGENT: Final = "UserAgent"
_AGENT_CHARS_MAX: Final = 1024


class Hello(msgspec.Struct, frozen=True):
    """The handshake of a client; it has no answer.

    Attributes:
        agent: the name and version of the client.
        is_framed: it expects answers in frames, as the client of Java does. Its calls have none.
    """

    agent: str
    is_framed: bool


class Received:
    """A call as it was received.

    Attributes:
        number: of its method.
        method: None for an unknown number.
        arguments: those of the method.
        known_get: free for the endpoint: what it knows of a get that arrives again.
    """

    __slots__ = ("_read", "arguments", "known_get", "method", "number")

    def __init__(self, number: int, method: Method | None, arguments: list[Any]) -> None:
        self.number = number
        self.method = method
        self.arguments = arguments
        self.known_get: Any = None
        self._read: tuple[Schema | None, str, Call] | None = None

    def __eq__(self, other: object) -> bool:
        """Whether both are the same call."""
        if not isinstance(other, Received):
            return NotImplemented
        return (self.number, self.arguments) == (other.number, other.arguments)

    __hash__ = None  # type: ignore[assignment]

    def call(self, facts: Facts, agent: str) -> Call:
        """The call on items. Raises as `Decode`.

        A read is the same call as long as its table has the same key.
        """
        method = self.method
        assert method is not None, "its number is in the table"
        assert method.decode is not None, "it is about items"
        if not method.is_page_or_get:
            return method.decode(self.arguments, facts, agent)
        schema = facts.schema(text_of(self.arguments[0]))
        read = self._read
        if read is not None and read[0] == schema and read[1] == agent:
            return read[2]
        call = method.decode(self.arguments, facts, agent)
        self._read = (schema, agent, call)
        return call


_reads: Final = BoundedCache[bytes, Received](
    entries_max=DAX_READS_MAX, chars_max=DAX_READS_BYTES_MAX, entry_chars_max=DAX_READ_BYTES_MAX
)
"""Reads that came alone, by their bytes: applications send the same gets again and again."""


class Session:
    """Reads one connection.

    Its requests are small until it is trusted.
    """

    def __init__(self) -> None:
        self._bytes_max = DAX_UNAUTHENTICATED_BYTES_MAX
        self._has_handshake = self._is_trusted = False
        self._data: bytes | bytearray = b""
        self._scanner: Scanner | None = None
        self._method: Method | None = None

    def trust(self, bytes_max: int) -> None:
        """Read requests of up to so many bytes: the client is authorised, or need not be."""
        self._is_trusted, self._bytes_max = True, bytes_max

    @property
    def is_receiving(self) -> bool:
        """Whether a handshake or a part of a request has arrived, or the handshake is awaited."""
        return bool(self._data) or not self._has_handshake

    @property
    def is_at_call(self) -> bool:
        """Whether a part of a call has arrived."""
        return self._has_handshake and bool(self._data)

    @property
    def unread_bytes(self) -> int:
        """Bytes that belong to no request that was returned."""
        return len(self._data)

    def known(self, data: bytes) -> Received | None:
        """A read that has arrived alone, if it is known; otherwise the data are to be fed."""
        return None if self._data or not self._has_handshake else _reads.get(data)

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        if not self._data:
            self._data = data
        elif isinstance(self._data, bytearray):
            self._data += data
        else:
            self._data = bytearray(self._data + data)

    def next(self) -> Hello | Received | None:
        """The next handshake or call; None if it is not complete.

        Raises MalformedError: the connection cannot be read any more.
        """
        if not self._data:
            return None
        if self._reads_whole and self._scanner is None and len(self._data) <= DAX_WHOLE_BYTES_MAX:
            data = bytes(self._data)
            known = _reads.get(data)
            if known is not None:
                self._data = b""
                return known
            try:
                return self._take(data)
            except IncompleteError:
                pass
        end = self._find_end()
        if end is None:
            return None
        whole = bytes(self._data[:end])
        rest = self._data[end:]
        self._scanner = None
        frame = self._take(whole)
        assert not self._data, "the end was found"
        self._data = rest
        return frame

    @property
    def _reads_whole(self) -> bool:
        """Whether a request is read without its items having been counted."""
        return self._is_trusted and self._has_handshake

    def _take(self, data: bytes) -> Hello | Received:
        """Read a frame and keep what follows it. Raises IncompleteError, MalformedError."""
        frame: Hello | Received
        if self._has_handshake:
            frame, end = self._call(data)
            if end == len(data) and frame.method is not None and frame.method.is_page_or_get:
                _reads.keep(data, frame, end)
        else:
            frame, end = _hello(data)
            self._has_handshake = True
        self._data = data[end:]
        return frame

    def _call(self, data: bytes) -> tuple[Received, int]:
        number, method, at = _method(data)
        arguments = []
        for _ in range(0 if method is None else method.arguments):
            argument, at = read_item(data, at)
            arguments.append(argument)
        return Received(number, method, arguments), at

    def _find_end(self) -> int | None:
        """Where the frame ends; None if that has not arrived. Raises MalformedError."""
        data, scanner = self._data, self._scanner
        if scanner is None:
            count, items_max = _HELLO_ITEMS, DAX_UNAUTHENTICATED_ITEMS_MAX
            if self._has_handshake:
                count = _CALL_ITEMS
            else:
                _check_magic(data)
            if self._reads_whole:
                items_max = DAX_REQUEST_ITEMS_MAX
            scanner = self._scanner = Scanner(0, count, items_max)
            self._method = None
        end = scanner.find_end(data)
        if end is not None and self._has_handshake and self._method is None:
            _, method, _ = _method(bytes(data[:end]))
            if method is not None:
                self._method = method
                scanner.extend(method.arguments)
                end = scanner.find_end(data)
        bytes_max = self._bytes_max if self._has_handshake else DAX_HELLO_BYTES_MAX
        if (scanner.needed if end is None else end) > bytes_max:
            raise MalformedError("a request is too large")
        return end


def _check_magic(data: bytes | bytearray) -> None:
    """Raise MalformedError if a handshake begins with another item, as far as it has arrived."""
    try:
        magic, _ = read_item(bytes(data[:_MAGIC_BYTES_MAX]), 0, 0)
    except IncompleteError:
        return
    if magic != MAGIC:
        raise MalformedError("the client does not speak the protocol")


def _hello(data: bytes) -> tuple[Hello, int]:
    items, at = [], 0
    for _ in range(_HELLO_ITEMS):
        item, at = read_item(data, at)
        items.append(item)
    if items[0] != MAGIC:
        raise MalformedError("the client does not speak the protocol")
    headers = items[3]
    agent = headers.get(_AGENT, "") if isinstance(headers, dict) else ""
    if not isinstance(agent, str):
        agent = ""  # whatever else it is, its text may be long
    return Hello(agent[:_AGENT_CHARS_MAX], items[1] == _FRAMED), at


def framed(answer: bytes) -> bytes:
    """An answer as one frame: its length with that of the header, then that nothing follows."""
    return _frame.pack(len(answer) + _frame.size, _END) + answer


def _method(data: bytes) -> tuple[int, Method | None, int]:
    service, at = read_item(data, 0, 0)
    number, at = read_item(data, at, 0)
    if service != _SERVICE or type(number) is not int:
        raise MalformedError("a call has no service and method")
    return number, METHODS.get(number), at
