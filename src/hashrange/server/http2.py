"""HTTP/2 without TLS, for clients that begin with its preface: each stream is a connection.

Kinesis's client of JavaScript speaks nothing else unless it has another request handler. A stream
is read and answered as one request of HTTP/1.1 that closes its connection, so all limits, timeouts
and refusals are those of `Connection`. The package h2 reads and writes the frames.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from h2 import events
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

from hashrange.limits.server import HTTP2_RESETS_MAX, HTTP2_STREAMS_MAX
from hashrange.server.listener_state import ListenerState
from hashrange.server.peers import peer_of

_OF_CONNECTIONS: Final = frozenset(
    (b"connection", b"expect", b"host", b"keep-alive", b"te", b"transfer-encoding", b"upgrade")
)
"""Headers that are not passed on; the host is the authority."""
_END: Final = b"\r\n\r\n"
_FORBIDDEN: Final = frozenset(b"\r\n\0")

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]


class Http2Connection(asyncio.Protocol):
    """A client of HTTP/2.

    Args:
        state: of the listener.
        transport: of the client.
        new_connection: makes the connection of a stream.
    """

    def __init__(
        self,
        state: ListenerState,
        transport: asyncio.Transport,
        new_connection: Callable[[], asyncio.Protocol],
    ) -> None:
        self._state = state
        self.transport = transport
        self._new_connection = new_connection
        self._streams: dict[int, _StreamTransport] = {}
        self._address = peer_of(transport).address
        self._since_s = state.now_s
        self._resets = 0
        self._is_ending = state.is_draining
        self.frames: H2Connection = H2Connection(
            H2Configuration(client_side=False, header_encoding=None)
        )
        self.frames.initiate_connection()
        self.frames.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: HTTP2_STREAMS_MAX})
        state.count(self, self._address)

    def begin(self, data: bytes) -> None:
        """Take the first bytes of the client, which begin with the preface."""
        self.transport.set_protocol(self)
        self.transport.resume_reading()
        self._read(data)

    def data_received(self, data: bytes) -> None:
        """Handle the frames that arrived."""
        self._state.traffic.bytes_received += len(data)
        self._read(data)

    def _read(self, data: bytes) -> None:
        try:
            events = self.frames.receive_data(data)
            for event in events:
                self._handle(event)
        except ProtocolError:
            self._end()
            return
        self._since_s = self._state.now_s
        self.flush()

    def _handle(self, event: Any) -> None:
        match event:
            case events.RequestReceived(stream_id=number, headers=headers):
                self._open(number, headers, has_body=event.stream_ended is None)
            case events.DataReceived(stream_id=number):
                self._feed(number, event.data, event.flow_controlled_length)
            case events.StreamEnded(stream_id=number) if number in self._streams:
                self._streams[number].end()
            case events.StreamReset(stream_id=number):
                self._forget(number)
                self._resets += 1
                if self._resets > HTTP2_RESETS_MAX:
                    self.transport.abort()
            case events.WindowUpdated() | events.RemoteSettingsChanged():
                for stream in list(self._streams.values()):
                    stream.flush()
            case events.ConnectionTerminated():
                self._end()
            case _:
                pass

    def _open(self, number: int, headers: Headers, *, has_body: bool) -> None:
        head = _as_http1(headers, has_body=has_body)
        if head is None or self._is_ending:
            code = ErrorCodes.PROTOCOL_ERROR if head is None else ErrorCodes.REFUSED_STREAM
            self.frames.reset_stream(number, code)
            return
        connection = self._new_connection()
        is_chunked = b"\r\ntransfer-encoding: chunked\r\n" in head
        stream = _StreamTransport(self, number, connection, is_chunked=is_chunked)
        self._streams[number] = stream
        connection.connection_made(stream)
        if not stream.is_closing():
            connection.data_received(head)

    def _feed(self, number: int, data: bytes, size: int) -> None:
        stream = self._streams.get(number)
        if stream is None:  # it was answered before its body was whole
            self.frames.acknowledge_received_data(size, number)
        else:
            stream.feed(data, size)

    def _forget(self, number: int) -> None:
        stream = self._streams.pop(number, None)
        if stream is not None:
            stream.lose()
        self._end_if_idle()

    def ended(self, number: int) -> None:
        """Forget a stream that was answered, or given up."""
        asyncio.get_running_loop().call_soon(self._forget, number)

    def _end_if_idle(self) -> None:
        if self._is_ending and not self._streams and not self.transport.is_closing():
            self.frames.close_connection()
            self.flush()
            self.transport.close()

    def _end(self) -> None:
        """Close at once: no frame can be sent any more but what is due."""
        self.flush()
        self.transport.close()
        for number in list(self._streams):
            self._forget(number)

    def flush(self) -> None:
        """Send the frames that are due."""
        data = self.frames.data_to_send()
        if data and not self.transport.is_closing():
            self._state.traffic.bytes_sent += len(data)
            self.transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - no reason is of use
        """Release all streams. Suspended handlers run on."""
        for number in list(self._streams):
            self._forget(number)
        self._state.remove(self, self._address)

    def pause_writing(self) -> None:
        """Read no more until the client reads: it may ask for answers of frames without end."""
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self.transport.resume_reading()

    def check(self) -> None:
        """Close the connection if it is idle, or has to be closed; streams check themselves."""
        state = self._state
        idle_s = state.now_s - self._since_s
        if state.is_over:
            self.transport.abort()
        elif self._is_ending:
            self._end_if_idle()
        elif not self._streams and idle_s > state.limits.idle_seconds_max:
            self.drain()
        elif idle_s > state.limits.request_seconds_max and self.transport.get_write_buffer_size():
            self.transport.abort()

    def drain(self) -> None:
        """Begin no further streams, and close once those that have begun are answered."""
        self._is_ending = True
        self._end_if_idle()

    def leave(self) -> None:
        """Close if there is no stream."""
        if not self._streams:
            self.drain()

    def refuse_body(self) -> None:
        """Do nothing: bodies are those of streams."""

    def abort(self) -> None:
        """Close at once."""
        self.transport.abort()


class _StreamTransport(asyncio.Transport):
    """One stream, as the transport of a connection of HTTP/1.1."""

    def __init__(
        self,
        client: Http2Connection,
        number: int,
        connection: asyncio.Protocol,
        *,
        is_chunked: bool,
    ) -> None:
        super().__init__()
        self.connection = connection
        self._client = client
        self._number = number
        self._is_chunked = is_chunked
        self._unread = 0
        self._is_paused = self._is_closing = self._is_blocked = False
        self._has_head = self._is_over = False
        self._written = bytearray()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """A fact of the client's transport."""
        return self._client.transport.get_extra_info(name, default)

    def lose(self) -> None:
        """Write and read nothing more."""
        self._is_closing = self._is_over = True
        self._written.clear()
        self.connection.connection_lost(None)

    def feed(self, data: bytes, size: int) -> None:
        """Pass on a part of the body; the client may send more once it is wanted."""
        self._unread += size
        if data and not self._is_over:
            self.connection.data_received(
                b"%x\r\n%b\r\n" % (len(data), data) if self._is_chunked else data
            )
        self._acknowledge()

    def end(self) -> None:
        """Pass on the end of the body."""
        if self._is_chunked and not self._is_over:
            self.connection.data_received(b"0\r\n\r\n")

    def pause_reading(self) -> None:
        """Let the client send no more than its window."""
        self._is_paused = True

    def resume_reading(self) -> None:
        """Let the client go on."""
        self._is_paused = False
        self._acknowledge()
        self._client.flush()

    def is_reading(self) -> bool:
        """Whether the client may go on."""
        return not self._is_paused

    def _acknowledge(self) -> None:
        if self._unread and not self._is_paused:
            self._client.frames.acknowledge_received_data(self._unread, self._number)
            self._unread = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send a part of the answer, whose head comes in one piece."""
        if self._is_over:
            return
        self._written += data
        while not self._has_head and (size := self._written.find(_END)) >= 0:
            status, headers = _as_http2(bytes(self._written[:size]))
            del self._written[: size + len(_END)]
            if status >= b"200":
                self._client.frames.send_headers(self._number, headers)
                self._has_head = True
        self.flush()

    def flush(self) -> None:
        """Send as much of the answer as the client takes."""
        if self._is_over or not self._has_head:
            return
        frames, number = self._client.frames, self._number
        while self._written:
            room = min(frames.local_flow_control_window(number), frames.max_outbound_frame_size)
            if room <= 0:
                break
            frames.send_data(number, bytes(self._written[:room]))
            del self._written[:room]
        if bool(self._written) is not self._is_blocked:
            self._is_blocked = not self._is_blocked
            # Answers that are not read are counted, and given up, as those of other connections.
            (
                self.connection.pause_writing
                if self._is_blocked
                else self.connection.resume_writing
            )()
        if self._is_closing and not self._written and not self._is_over:
            frames.end_stream(number)
            self._finish()
        self._client.flush()

    def _finish(self) -> None:
        self._is_over = True
        self._written.clear()
        if self._unread:  # of a body that was refused
            self._is_paused = False
            self._acknowledge()
        self._client.ended(self._number)

    def close(self) -> None:
        """End the stream when the answer is sent."""
        self._is_closing = True
        if self._has_head:
            self.flush()
        elif not self._is_over:
            self.abort()

    def abort(self) -> None:
        """End the stream at once."""
        self._is_closing = True
        if not self._is_over:
            self._client.frames.reset_stream(self._number, ErrorCodes.INTERNAL_ERROR)
            self._finish()
            self._client.flush()

    def is_closing(self) -> bool:
        """Whether nothing more is written."""
        return self._is_closing

    def can_write_eof(self) -> bool:
        """Answers end with their streams."""
        return False

    def get_write_buffer_size(self) -> int:
        """Bytes of the answer that the client does not take yet."""
        return len(self._written)


def _as_http1(headers: Headers, *, has_body: bool) -> bytes | None:
    """The head of a request; None if it cannot be one of HTTP/1.1."""
    pseudo = {name: value for name, value in headers if name[:1] == b":"}
    others = [each for each in headers if each[0][:1] != b":" and each[0] not in _OF_CONNECTIONS]
    method, path = pseudo.get(b":method", b""), pseudo.get(b":path", b"")
    authority = pseudo.get(b":authority") or dict(headers).get(b"host", b"")
    texts = [method, path, authority, *(text for each in others for text in each)]
    if not (method and path) or any(_FORBIDDEN & {*text} for text in texts):
        return None
    if b" " in method or b" " in path:
        return None
    lines = [b"%b %b HTTP/1.1" % (method, path), b"host: %b" % authority, b"connection: close"]
    if has_body and not any(name == b"content-length" for name, _ in others):
        lines.append(b"transfer-encoding: chunked")
    lines += [b"%b: %b" % each for each in others]
    return b"\r\n".join(lines) + _END


def _as_http2(head: bytes) -> tuple[bytes, Headers]:
    """The status and the headers of an answer."""
    line, *lines = head.split(b"\r\n")
    status = line.split(b" ")[1]
    parts = [each.partition(b":") for each in lines]
    found = [(name.lower(), value.strip()) for name, _, value in parts]
    kept = [each for each in found if each[0] not in _OF_CONNECTIONS]
    return status, [(b":status", status), *kept]
