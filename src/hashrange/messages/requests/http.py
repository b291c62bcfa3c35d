"""Texts of refusals of the HTTP server, before the operation is known, and of failures.

No text of DynamoDB's front end has been captured for most of them. These texts are our own, and
name the limit.
"""


def internal_server_error() -> str:
    """The server failed. Source: captures of the service by an emulator, not verified."""
    return "The request processing has failed because of an unknown error, exception or failure."


def operation_not_supported(operation: str) -> str:
    """An operation of DynamoDB that this server does not have. Source: ours.

    For a name that is not an operation, the service sends no text.
    """
    return f"hashrange does not support {operation} yet"


def origin_not_allowed(origin: str) -> str:
    """AccessDeniedException, status 403. Source: ours; on the service every origin is allowed."""
    return (
        f"Web pages of the origin {origin} may not use this server: to allow them, add the origin "
        "to the setting --cors (HASHRANGE_CORS)"
    )


def host_not_allowed(host: str) -> str:
    """AccessDeniedException, status 403, of the header Host. Source: ours."""
    return (
        f"The server does not answer to the name {host}: to allow it, add the name without its "
        "port to the setting --hosts (HASHRANGE_HOSTS)"
    )


def https_expected() -> str:
    """Status 400: plain HTTP on a port of TLS. Source: ours."""
    return "This port expects HTTPS: use a URL that begins with https://"


def decoded_body_too_large(bytes_max: int) -> str:
    """Status 413. Source: ours; the service takes such a body.

    A body that is too large as it is sent is answered with 413 and no text, as by the service.
    """
    return f"The request body must not be larger than {bytes_max} bytes once it is decompressed"


def request_line_too_long(bytes_max: int) -> str:
    """Status 400. Source: ours."""
    return f"The request line must not be longer than {bytes_max} bytes"


def headers_too_large(bytes_max: int) -> str:
    """Status 400. Source: ours."""
    return f"The request headers must not be larger than {bytes_max} bytes"


def request_too_slow(seconds_max: int) -> str:
    """Status 408. Source: ours."""
    return f"The request did not arrive within {seconds_max} seconds"


def unknown_content_encoding() -> str:
    """Status 415. Source: ours."""
    return "Content-Encoding must be gzip, deflate or identity"


def unknown_transfer_encoding() -> str:
    """Status 501. Source: ours; RFC 9112, section 6.1."""
    return "Transfer-Encoding must be chunked"


def unknown_expectation() -> str:
    """Status 417. Source: ours."""
    return "Expect must be 100-continue"


def too_many_connections(connections_max: int) -> str:
    """Status 503. Source: ours."""
    return f"The server has {connections_max} open connections, its maximum"


def no_room() -> str:
    """Status 503. Source: ours."""
    return "The server handles as many long requests as its memory allows"


def too_many_of_address(connections_max: int) -> str:
    """Status 503, of the setting `connections_per_address_max`. Source: ours."""
    return f"This address has {connections_max} open connections, its maximum"


def stored_key_too_long(bytes_max: int) -> str:
    """Source: ours; a limit of the engine, not of DynamoDB."""
    return (
        f"hashrange cannot store a key of more than {bytes_max} bytes on this engine: "
        "the key attributes of an item or of its index entry are too long together"
    )


def too_many_writes() -> str:
    """Status 503. Source: ours."""
    return "The server has more writes to do than it can do soon; try again later"


def shutting_down() -> str:
    """Status 503. Source: ours."""
    return "The server is shutting down"


def temporarily_unavailable() -> str:
    """Status 503, as --fault makes it. Source: API reference, "Common errors"."""
    return "The request has failed due to a temporary failure of the server."
