"""Limits of the DAX endpoint. Our own."""

from typing import Final

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
DAX_WRITE_BUFFER_BYTES_MAX: Final = 1024 * 1024
"""Of answers that a client has not read; then no further request begins."""
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
