"""Limits of the DAX endpoint, of its clusters and of `hashrange dax`."""

from typing import Final

# The DAX endpoint. Our own.
DAX_LEVELS_MAX: Final = 96
"""Containers within containers of one item of the protocol; attribute values have 32."""
DAX_EXPRESSION_LEVELS_MAX: Final = 340
"""The same of an expression: a chain of 300 operators is nested as deeply."""
DAX_REQUEST_BYTES_MAX: Final = 20 * 1024 * 1024
"""25 puts of 400 KB with their conditions and keys are less."""
DAX_REQUEST_ITEMS_MAX: Final = 500_000
"""CBOR items of one request; byte strings that contain others count as one."""
DAX_UNAUTHENTICATED_BYTES_MAX: Final = 64 * 1024
"""Bytes that a connection may send before its first signature."""
DAX_UNAUTHENTICATED_ITEMS_MAX: Final = 64
"""CBOR items of a handshake, and of a request before the first signature: the clients of AWS send
ten."""
DAX_WHOLE_BYTES_MAX: Final = 64 * 1024
"""A request of so many bytes is read without having been scanned, since it is usually whole."""
DAX_BIGNUM_BYTES_MAX: Final = 512
"""Of a number; DynamoDB's have 53 at most."""
DAX_ATTRIBUTE_LISTS_MAX: Final = 2_000_000
"""Lists of attribute names in the engine; DAX has no bound."""
DAX_ATTRIBUTE_LIST_BYTES_MAX: Final = 400 * 1024
"""Names of one list: those of the largest item."""
DAX_CACHED_LISTS_MAX: Final = 10_000
"""Lists of attribute names in memory, by id and by names."""
DAX_CACHED_LISTS_CHARS_MAX: Final = 16_000_000
"""Characters of all of them."""
DAX_HELLO_BYTES_MAX: Final = 16 * 1024
DAX_AUTHORIZED_SECONDS: Final = 15 * 60
"""How long a signature authorises a connection; clients sign every five minutes at most."""
DAX_READS_MAX: Final = 4096
"""Reads that are kept as they were received, and decoded once."""
DAX_READ_BYTES_MAX: Final = 1024
"""Bytes of one of them."""
DAX_READS_BYTES_MAX: Final = 1024 * 1024
"""Bytes of all of them."""
DAX_ENCODED_ITEMS_MAX: Final = 10_000
"""Items that are kept as they were encoded."""
DAX_ENCODED_ITEM_BYTES_MAX: Final = 16 * 1024
"""Bytes of one of them, in both encodings."""
DAX_ENCODED_ITEMS_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of all of them."""
DAX_REFRESHES_MAX: Final = 100
"""Reads of what transactions have written that are under way; more are not begun."""

# The control plane. Source: the service quotas, the API's model.
CLUSTER_NAME_CHARS_MAX: Final = 20
GROUP_NAME_CHARS_MAX: Final = 255
DESCRIPTION_CHARS_MAX: Final = 255
ARN_CHARS_MAX: Final = 1283
CLUSTER_NODES_MAX: Final = 10
"""As the API's model has it; the quotas page says 11."""
ACCOUNT_NODES_MAX: Final = 50
SERVER_NODES_MAX: Final = 200
"""Of all accounts and regions; our own: each is a port, and each cluster has caches."""
PARAMETER_GROUPS_MAX: Final = 20
SUBNET_GROUPS_MAX: Final = 50
SUBNETS_MAX: Final = 20
PARAMETERS_MAX: Final = 20
"""In one UpdateParameterGroup."""
PAGE_MIN: Final = 20
PAGE_MAX: Final = 100
TTL_MS_MAX: Final = 2**53 - 1
TTL_MS_DEFAULT: Final = 300_000
"""Of items and of pages, unless a parameter group or a setting says otherwise."""
EVENTS_DAYS: Final = 14
EVENTS_MAX: Final = 500
"""Of all clusters and groups of an account and region; our own."""
EVENTS_DEFAULT_MINUTES: Final = 24 * 60

# `hashrange dax`, the caches in front of another endpoint. Our own.
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
