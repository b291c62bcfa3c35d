"""Limits of connections, processes, metrics and the console."""

from typing import Final

# Connections, TLS, the lines and headers of requests. The sizes of request line and headers are as
# users of the service have measured them; all others are our own.
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
HTTP_ACCEPTED_MAX: Final = 64
"""Connections that an overloaded server accepts in a turn of the loop."""
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
HTTP2_STREAMS_MAX: Final = 100
"""Requests at a time on one connection of HTTP/2."""
HTTP2_RESETS_MAX: Final = 1000
"""Requests that a client of HTTP/2 may give up before its connection is closed."""
GZIP_MEMBERS_MAX: Final = 1000
"""Members of one gzip body: bounds the cost of tiny members."""

TURN_MS_MAX: Final = 10
"""How long requests are answered as they are read; what a turn of the loop brings after that waits,
and pages are answered meanwhile. 128 connections that only read stay below it."""
FAIR_TURN_MS_MAX: Final = 1
"""The same where signatures are verified, so that principals get equal shares sooner."""
WAITING_MS_MAX: Final = 500
"""How long a request waits before it is refused: clients of DynamoDB wait for a second or more."""

# Processes and engines, all our own.
WAITING_WRITES_MAX: Final = 10_000
"""Writes in the queue of an engine: half a second of work on a slow disk; further writes are
refused and may be retried."""
COMPARED_BYTES_MAX: Final = 8 * 1024 * 1024
"""Memory of the rows that a process remembers as compared: some 60,000 keys of 40 bytes."""
WORKERS_MAX: Final = 64
"""Processes that answer requests; one writer cannot keep so many busy."""

# What the metrics count, all our own.
PRINCIPAL_RATES_MAX: Final = 4096
"""Our own: principals whose requests are counted; the oldest are forgotten."""
METRIC_TABLES_MAX: Final = 1000
METRIC_PARTITIONS_MAX: Final = 500
"""Partitions that are shown one by one."""
CAPACITY_VIEW_TABLES_MAX: Final = 50
"""Tables whose partitions are shown."""
METRIC_INDEXES_MAX: Final = 100
"""Names of global indexes of a table; those after them count for the table."""
METRIC_OPERATIONS_MAX: Final = 100
METRIC_THROTTLES_MAX: Final = 10_000
"""Throttle events with their tables and indexes."""
METRIC_CODES_MAX: Final = 100
"""Codes of the faults of one operation."""

# The console; all are our own.
CONSOLE_IDLE_SECONDS_MAX: Final = 30 * 60
"""Between two requests of a session."""
CONSOLE_SESSION_SECONDS_MAX: Final = 12 * 60 * 60
"""From sign-in to the end of a session, however busy it is."""
CONSOLE_RENEWAL_SECONDS_MIN: Final = 60
"""Between two renewals of a session's cookie."""
CONSOLE_COOKIE_CHARS_MAX: Final = 4000
"""Browsers refuse cookies of more than 4096 bytes."""
CONSOLE_SIGN_IN_BYTES_MAX: Final = 16 * 1024
CONSOLE_REQUEST_BYTES_MAX: Final = 16 * 1024
"""Of a request that names a table."""
CONSOLE_PAST_RECORDS_MAX: Final = 50_000
"""Records of a table's log that are read to find its size at a time; some seconds of work."""
CONSOLE_POLICY_BYTES_MAX: Final = 64 * 1024
"""Of a request with a policy; the longest policy of IAM has 20,480 characters."""
CONSOLE_MODEL_BYTES_MAX: Final = 1024 * 1024
"""Of the text of a model."""
CONSOLE_MODEL_REQUEST_BYTES_MAX: Final = 3 * 1024 * 1024
"""Of a request with a model, whose text may be longer in JSON."""
CONSOLE_DESIGN_CPU_SECONDS_MAX: Final = 20
"""Of a processor, of the process that reads a model."""
CONSOLE_DESIGN_SECONDS_MAX: Final = 60
"""Until that process is killed."""
CONSOLE_DESIGN_ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Of its answer: templates can make a short model long."""
CONSOLE_DESIGN_MEMORY_BYTES_MAX: Final = 768 * 1024 * 1024
"""Of its address space."""
CONSOLE_TABLES_MAX: Final = 50
"""Of one request about several."""
CONSOLE_SIGN_OUTS_MAX: Final = 4096
"""Sessions that ended by sign-out and are remembered until they would have expired."""
CONSOLE_SIGN_OUT_CHARS_MAX: Final = 64
CONSOLE_ENDPOINTS_MAX: Final = 20
CONSOLE_ENDPOINT_SECONDS_MAX: Final = 60
"""Of one request to another endpoint, all attempts included."""

# Errors, latencies and lags that tests ask for, all our own.
REALISM_RULES_MAX: Final = 100
"""Rules of faults, and of latencies."""
LATENCY_MS_MAX: Final = 60_000
"""The longest time for which an answer is held."""
HELD_ANSWERS_MAX: Final = 10_000
"""Answers that are held at a time, of each process; further ones are sent at once."""
REPLICA_LAG_MS_MAX: Final = 60 * 60 * 1000
LAGGED_VALUES_MAX: Final = 100_000
"""Old values of items and index entries; beyond it the oldest are no longer shown."""
LAGGED_BYTES_MAX: Final = 256 * 1024**2
"""Bytes of these values."""
