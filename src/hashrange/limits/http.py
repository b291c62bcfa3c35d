"""Limits of connections, of TLS, and of the lines and headers of requests.

The sizes of request line and headers are as users of the service have measured them; all others are
our own.
"""

from typing import Final

REQUEST_LINE_BYTES_MAX: Final = 16 * 1024
REQUEST_HEADERS_BYTES_MAX: Final = 16 * 1024
PAGE_SECONDS_MIN: Final = 1
"""Between two copies of a page of counts."""
COMPRESSED_ANSWER_BYTES_MIN: Final = 4096
"""Larger bodies are compressed if the client accepts it."""
REQUEST_HEADS_MAX: Final = 1024
"""Parsed heads in the cache, each for a client, an operation and a second."""
REQUEST_HEADS_BYTES_MAX: Final = 1024 * 1024
"""All cached heads together."""
REQUEST_HEAD_BYTES_MAX: Final = 2048
"""Longer heads are not cached."""
HTTP_CONNECTIONS_MAX: Final = 1000
HTTP_REQUEST_SECONDS_MAX: Final = 30
HTTP_IDLE_SECONDS_MAX: Final = 120
DRAIN_IDLE_SECONDS_MAX: Final = 1
"""How long a server that stops waits for a next request on a connection, to answer it."""
HTTP_BACKLOG_MAX: Final = 1024
"""Connections that wait to be accepted."""
HTTP_REFUSALS_MAX: Final = 100
"""Connections beyond the maximum that get a refusal at the same time; others are aborted."""
HTTP_REFUSALS_PER_ADDRESS_MAX: Final = 10
"""Likewise of one address, beyond its maximum of connections."""
HTTP_LINGER_SECONDS_MAX: Final = 5
"""How long bytes of a refused client are discarded, so that it can read its answer."""
TLS_HANDSHAKE_SECONDS_MAX: Final = 10
"""To the first byte of a handshake, and then to its end."""
TLS_HANDSHAKES_MAX: Final = 256
"""Handshakes at a time, of each process; beyond it the oldest is given up."""
LONG_BODY_BYTES_MIN: Final = 256 * 1024
"""Longer bodies share `BODIES_BYTES_MAX`; the event loop reads no more at a time."""
WEIGHED_BODY_BYTES_MIN: Final = 16 * 1024
"""Likewise, where the address space is limited: then bodies count with all that is made of them."""
BODIES_BYTES_MAX: Final = 256 * 1024 * 1024
"""Long bodies that one endpoint receives and handles at a time; beyond it those are refused that
began first."""
ANSWERS_BYTES_MAX: Final = 512 * 1024 * 1024
"""Answers of one endpoint that clients do not read; beyond it the oldest of them are given up."""
HTTP_PIECE_BYTES_MAX: Final = 16 * 1024
"""Bytes parsed at a time: bounds the requests of a connection that are parsed and not begun."""
GZIP_MEMBERS_MAX: Final = 1000
"""Members of one gzip body: bounds the cost of tiny members."""
