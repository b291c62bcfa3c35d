"""TLS: contexts from files of certificates, and handshakes with bounds of time and number.

asyncio reports a connection when its handshake is complete. A client that never completes it would
be in no count, so the server accepts connections itself and looks at their first byte: a client
that speaks plain HTTP gets an answer.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from hashrange.errors import DynamoError, Fault
from hashrange.limits.server import (
    HTTP_LINGER_SECONDS_MAX,
    TLS_HANDSHAKE_SECONDS_MAX,
    TLS_HANDSHAKES_MAX,
)
from hashrange.messages.server import https_expected
from hashrange.wire.answers import JSON_1_0, encode_error

_HANDSHAKE: Final = b"\x16"
"""The first byte of a TLS connection: the type of its first record."""
_RECORD_BYTES_MAX: Final = 16 * 1024
"""Of the plain text in a record of TLS."""
_AT_ONCE_MAX: Final = 64
"""Connections accepted in one turn of the loop."""
_PAUSE_SECONDS: Final = 1.0
"""Pause while the system has no free descriptors or memory."""
_DISCARDED_BYTES: Final = 64 * 1024
_GONE: Final = (BlockingIOError, InterruptedError, ConnectionAbortedError)

_BODY: Final = encode_error(DynamoError(Fault.SERIALIZATION, https_expected()))
_HTTPS_EXPECTED: Final = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: %b\r\nContent-Length: %d\r\n"
    b"Connection: close\r\n\r\n%b" % (JSON_1_0, len(_BODY), _BODY)
)

_log: Final = logging.getLogger(__name__)


class _Connection(ssl.SSLObject):
    """A connection that is cheap to read.

    Event loops ask for 256 KiB at a time, until OpenSSL says that nothing is left. That much memory
    is taken from the system, and given back, for each request; and the error with its text costs as
    much as to decrypt a request.
    """

    incoming: ssl.MemoryBIO

    def read(self, *arguments: Any) -> Any:
        """As `SSLObject.read`, of one record at most."""
        assert len(arguments) <= 1, "protocols that have buffers of their own"
        incoming = self.incoming
        if not (incoming.pending or incoming.eof or self.pending()):
            raise ssl.SSLWantReadError
        return super().read(_RECORD_BYTES_MAX)


class _Context(ssl.SSLContext):
    """A context whose connections are cheap to read."""

    sslobject_class = _Connection

    def wrap_bio(self, incoming: ssl.MemoryBIO, *others: Any, **options: Any) -> ssl.SSLObject:
        """As `SSLContext.wrap_bio`."""
        made = super().wrap_bio(incoming, *others, **options)
        assert isinstance(made, _Connection), "sslobject_class"
        made.incoming = incoming
        return made


class TlsError(ValueError):
    """TLS cannot be used with these files. The text is one line for the operator."""


def context_of(certificate: Path, key: Path, client_ca: Path | None = None) -> ssl.SSLContext:
    """A context of TLS 1.2 and 1.3 for a server.

    Args:
        certificate: a PEM file: the certificate of the server, then those of its issuers.
        key: a PEM file of its private key, without a password.
        client_ca: a PEM file: clients must have a certificate of one of these issuers.

    Raises:
        TlsError: a file cannot be read, or does not fit the others.
    """
    context = _Context(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    for path in (certificate, key, client_ca):
        _check_readable(path)
    try:
        # Without a password here, OpenSSL would ask for it at the terminal.
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError) as error:
        raise TlsError(f"{certificate} and {key} are not a certificate and its key") from error
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except ssl.SSLError as error:
            raise TlsError(f"{client_ca} has no certificates") from error
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def _check_readable(path: Path | None) -> None:
    try:
        if path is not None:
            path.open("rb").close()
    except OSError as error:
        raise TlsError(f"{path}: {error.strerror}") from error


class TlsAcceptor:
    """Accepts connections of sockets and of other processes, and begins TLS on them.

    Args:
        context: for the handshakes from now on; may be replaced.
        protocol: makes the protocol of a connection whose handshake is complete.
        handshakes_max: at a time.
        seconds_max: that a handshake may take.
    """

    def __init__(
        self,
        context: ssl.SSLContext,
        protocol: Callable[[], asyncio.Protocol],
        *,
        handshakes_max: int = TLS_HANDSHAKES_MAX,
        seconds_max: float = TLS_HANDSHAKE_SECONDS_MAX,
    ) -> None:
        self.context = context
        self._handshakes_max = handshakes_max
        self._seconds_max = seconds_max
        self._protocol = protocol
        self._sockets: set[socket.socket] = set()
        self._handshakes: dict[asyncio.Task[None], None] = {}

    def listen(self, listening: socket.socket) -> None:
        """Accept connections of a socket that listens; it is closed by `close`."""
        listening.settimeout(0)
        self._sockets.add(listening)
        asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        for _ in range(_AT_ONCE_MAX):
            try:
                client, _address = listening.accept()
            except _GONE:
                return
            except OSError as error:
                _log.warning("cannot accept connections for now: %s", error.strerror)
                loop = asyncio.get_running_loop()
                loop.remove_reader(listening)
                loop.call_later(_PAUSE_SECONDS, self._resume, listening)
                return
            self.take(client)

    def _resume(self, listening: socket.socket) -> None:
        if listening in self._sockets:
            self.listen(listening)

    def take(self, client: socket.socket) -> None:
        """Begin the handshake of a connection.

        If there are too many handshakes, the oldest is given up: clients that complete theirs do so
        in milliseconds.
        """
        if len(self._handshakes) >= self._handshakes_max:
            oldest = next(iter(self._handshakes))
            del self._handshakes[oldest]
            oldest.cancel()
        client.settimeout(0)
        task = asyncio.get_running_loop().create_task(self._shake(client))
        self._handshakes[task] = None
        task.add_done_callback(lambda ended: self._handshakes.pop(ended, None))

    async def _shake(self, client: socket.socket) -> None:
        # Ended otherwise, the socket is closed; `connect_accepted_socket` closes its transport.
        with contextlib.suppress(OSError, TimeoutError), contextlib.ExitStack() as stack:
            stack.callback(client.close)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            async with asyncio.timeout(self._seconds_max):
                first = await _first_byte(client)
            if first != _HANDSHAKE:
                await _refuse(client, first)
                return
            stack.pop_all()
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocol,
                client,
                ssl=self.context,
                ssl_handshake_timeout=self._seconds_max,
            )

    def close(self) -> None:
        """Stop accepting, and give up the handshakes that are not complete."""
        for listening in self._sockets:
            asyncio.get_running_loop().remove_reader(listening)
            listening.close()
        self._sockets.clear()
        for task in self._handshakes:
            task.cancel()


async def _first_byte(client: socket.socket) -> bytes:
    """The first byte, which stays in the socket's buffer; empty if the client has closed."""
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(client, _found, readable)
    try:
        await readable
    finally:
        loop.remove_reader(client)
    return client.recv(1, socket.MSG_PEEK)


def _found(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


async def _refuse(client: socket.socket, first: bytes) -> None:
    """Answer a client that does not speak TLS."""
    if not first:
        return
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(HTTP_LINGER_SECONDS_MAX):
        await loop.sock_sendall(client, _HTTPS_EXPECTED)
        client.shutdown(socket.SHUT_WR)
        # Closing a socket with unread bytes would reset it, and the client lose its answer.
        while await loop.sock_recv(client, _DISCARDED_BYTES):
            pass
