"""Limits of signed requests; sizes of the caches of signatures."""

from typing import Final

SIGNED_HEADS_MAX: Final = 4096
"""Our own: parsed Authorization headers in the cache."""
SIGNED_HEADS_BYTES_MAX: Final = 1024 * 1024
"""Our own: all cached Authorization headers together."""
SIGNED_HEAD_BYTES_MAX: Final = 1024
"""Our own: longer Authorization headers are not cached."""
QUERY_FIELDS_MAX: Final = 64
"""Our own: parameters of a query string; a presigned request has eight."""
SIGNATURE_SKEW_SECONDS_MAX: Final = 15 * 60
"""Between the clocks of client and server."""
PRESIGNED_SECONDS_MAX: Final = 7 * 24 * 60 * 60
SIGNING_KEYS_MAX: Final = 1024
"""Our own: derived signing keys in the cache, each for an access key, a day and a region."""
SIGNING_KEYS_CHARS_MAX: Final = 256 * 1024
"""Our own: secret keys and scopes of all cached signing keys together."""
SIGNING_KEY_CHARS_MAX: Final = 1024
"""Our own: the signing keys of longer secret keys and scopes are not cached."""
VERIFIED_HEADS_BYTES_MAX: Final = 4 * 1024 * 1024
"""Our own: all cached heads of verified requests together."""
VERIFIED_HEAD_BYTES_MAX: Final = 8192
"""Our own: longer heads, such as those with a long session token, are not cached."""
FAILED_ADDRESSES_MAX: Final = 4096
"""Our own: addresses whose failed signatures are counted; the oldest are forgotten."""
FAILED_SIGNATURES_FREE: Final = 10
"""Our own: failed signatures of an address in a row that are answered at once."""
FAILED_SIGNATURES_PER_SECOND: Final = 10
"""Our own: failed signatures of an address that are answered within a second, after these."""
FAILED_SIGNATURE_SECONDS_MAX: Final = 2
"""Our own: the longest delay of the answer to a failed signature."""
FAILED_SIGNATURES_WAITING_MAX: Final = 1000
"""Our own: answers to failed signatures that are delayed at the same time; more are not."""
ACCESS_KEY_CHARS_MAX: Final = 128
REGION_CHARS_MAX: Final = 63
"""Our own: a region is a label of host names, whose labels have at most 63 characters."""
