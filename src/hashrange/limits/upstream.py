"""Limits of `hashrange dax`, the caches in front of another endpoint. Our own."""

from typing import Final

UPSTREAM_CONNECTIONS_MAX: Final = 64
"""Connections to the endpoint, each with one request at a time."""
UPSTREAM_WAITING_MAX: Final = 2_000
"""Requests that wait for a connection; more are throttled."""
UPSTREAM_IDLE_SECONDS_MAX: Final = 5.0
"""A connection that was idle for longer is not used again: its other end may be about to close."""
UPSTREAM_CONNECT_SECONDS_MAX: Final = 5.0
"""To connect, the handshake of TLS included."""
UPSTREAM_REQUEST_SECONDS_MAX: Final = 20.0
"""Of one operation, all attempts and waits included."""
UPSTREAM_TRIES_MAX: Final = 4
UPSTREAM_RETRY_SECONDS_FIRST: Final = 0.05
"""Bound of the random pause before the first retry; it doubles with each."""
UPSTREAM_CREDENTIALS_AGAIN_SECONDS: Final = 5.0
"""Refused credentials let their file be read again, so often at most, though it has not changed."""
UPSTREAM_CREDENTIALS_BYTES_MAX: Final = 1024 * 1024
"""Of that file."""
UPSTREAM_ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
"""Of one answer: 16 MB of items are less, whatever their JSON looks like."""
UPSTREAM_HEADER_BYTES_MAX: Final = 64 * 1024
"""Of the headers of an answer."""
UPSTREAM_TABLES_MAX: Final = 10_000
"""Tables whose keys are remembered."""
UPSTREAM_DOUBT_MS: Final = 1_000
"""A refused request lets the key of its table be asked for again, so often at most."""
UPSTREAM_RECENT_MS: Final = 10_000
"""So long after a write its item is read strongly consistent: other reads may not have it yet."""
UPSTREAM_RECENT_WRITES_MAX: Final = 50_000
"""Writes that are remembered for that."""
UPSTREAM_RECENT_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of their keys."""
