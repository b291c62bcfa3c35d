"""Texts of refusals of the HTTP server, before the operation is known, and of failures.

No text of DynamoDB's front end has been captured for most of them. These texts are our own, and
name the limit.
"""

from hashrange.messages.text import Text

# The server failed. Source: captures of the service by an emulator, not verified.
internal_server_error = Text("The request processing has failed because of an unknown error, exception or failure.")
# An operation of DynamoDB that this server does not have. Source: ours. For a name that is not an
# operation, the service sends no text.
operation_not_supported = Text("hashrange does not support {operation} yet")
# AccessDeniedException, status 403. Source: ours; on the service every origin is allowed.
origin_not_allowed = Text("Web pages of the origin {origin} may not use this server: to allow them, add the origin to the setting --cors (HASHRANGE_CORS)")
# AccessDeniedException, status 403, of the header Host. Source: ours.
host_not_allowed = Text("The server does not answer to the name {host}: to allow it, add the name without its port to the setting --hosts (HASHRANGE_HOSTS)")
# Status 400: plain HTTP on a port of TLS. Source: ours.
https_expected = Text("This port expects HTTPS: use a URL that begins with https://")
# Status 413. Source: ours; the service takes such a body. A body that is too large as it is sent is
# answered with 413 and no text, as by the service.
decoded_body_too_large = Text("The request body must not be larger than {bytes_max} bytes once it is decompressed")
# Status 400. Source: ours.
request_line_too_long = Text("The request line must not be longer than {bytes_max} bytes")
# Status 400. Source: ours.
headers_too_large = Text("The request headers must not be larger than {bytes_max} bytes")
# Status 408. Source: ours.
request_too_slow = Text("The request did not arrive within {seconds_max} seconds")
# Status 415. Source: ours.
unknown_content_encoding = Text("Content-Encoding must be gzip, deflate or identity")
# Status 501. Source: ours; RFC 9112, section 6.1.
unknown_transfer_encoding = Text("Transfer-Encoding must be chunked")
# Status 417. Source: ours.
unknown_expectation = Text("Expect must be 100-continue")
# Status 503. Source: ours.
too_many_connections = Text("The server has {connections_max} open connections, its maximum")
# Status 503. Source: ours.
no_room = Text("The server handles as many long requests as its memory allows")
# Status 503, of the setting `connections_per_address_max`. Source: ours.
too_many_of_address = Text("This address has {connections_max} open connections, its maximum")
# Source: ours; a limit of the engine, not of DynamoDB.
stored_key_too_long = Text("hashrange cannot store a key of more than {bytes_max} bytes on this engine: the key attributes of an item or of its index entry are too long together")
# Status 503. Source: ours.
too_many_writes = Text("The server has more writes to do than it can do soon; try again later")
# Status 503. Source: ours.
shutting_down = Text("The server is shutting down")
# Status 503, as --fault makes it. Source: API reference, "Common errors".
temporarily_unavailable = Text("The request has failed due to a temporary failure of the server.")
