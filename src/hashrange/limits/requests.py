"""Limits of requests to tables: bodies, batches, transactions, pages of answers."""

from typing import Final

ENDPOINT_CACHE_MINUTES: Final = 1440
BATCH_GET_KEYS_MAX: Final = 100
BATCH_WRITE_ITEMS_MAX: Final = 25
BATCH_GET_BYTES_MAX: Final = 16 * 1024 * 1024
TRANSACTION_ACTIONS_MAX: Final = 100
TRANSACTION_BYTES_MAX: Final = 4 * 1024 * 1024
"""Items that TransactGetItems reads; items, keys and values of a TransactWriteItems request."""
CLIENT_TOKEN_CHARS_MAX: Final = 36
CLIENT_TOKEN_SECONDS: Final = 600
"""How long a token is remembered after its transaction is complete."""
PAGE_BYTES_MAX: Final = 1024 * 1024
"""Query and Scan: bytes of items evaluated before a page ends."""
LIMIT_MIN: Final = 1
"""Smallest Limit of Query and Scan."""
SEGMENTS_MAX: Final = 1_000_000
REQUEST_BODY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Also after decompression."""
JSON_DEPTH_MAX: Final = 300
"""Our own: levels of objects and arrays in a request; valid requests have less than 80."""
VIOLATIONS_MAX: Final = 10
"""Violations of the model's constraints that one answer lists."""
ECHO_CHARS_MAX: Final = 64 * 1024
"""Our own: longer values are cut off where an error echoes them."""
