"""Texts of refusals of the HTTP server before the operation is known, of its pages, and of failures.

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
too_late = Text("The server has more requests to answer than it can answer soon; try again later")
# Status 503. Source: ours.
shutting_down = Text("The server is shutting down")
# Status 503, as --fault makes it. Source: API reference, "Common errors".
temporarily_unavailable = Text("The request has failed due to a temporary failure of the server.")


def not_own_page(origin: str) -> str:
    """Status 403: the request is not of a page of the console."""
    return f"The console answers its own pages only, not those of {origin or 'an unknown origin'}"


# The server has --console read-only.
read_only = Text("The console of this server is read-only (--console read-only) and refuses {operation}")
# Status 401: there is no session.
not_signed_in = Text("Sign in to the console with an access key of this server")
# Status 401: the session has expired.
session_ended = Text("The session has ended: {minutes} minutes without a request, or {hours} hours in all")
# The session token of temporary credentials does not fit into a cookie.
session_too_long = Text("The session token is too long for the console; sign in with a user's access key")
# The body of a sign-in has another form.
sign_in_members = Text("A sign-in has the members accessKey and secretKey, and sessionToken for a session")
# Status 404.
no_such_route = Text("The console has no {path}; docs/internals/console.md lists its routes")
# An endpoint that `--console-endpoint` does not list.
no_such_endpoint = Text("There is no endpoint {name}: --console-endpoint {name}=URL lists one")
# Only administrators may use the credentials of the server's environment.
endpoint_denied = Text("Other endpoints are reached with the server's own credentials: a policy must allow hashrange:UseConsoleEndpoint")
# A simulation of a load that no workload can have.
no_simulation = Text("This load cannot be simulated: {reason}")
# The body of a request to a route has another form.
unreadable_request = Text("The request cannot be read: {reason}; docs/internals/console.md lists the members")
# A region, an account or a service in a header of a request.
malformed_scope = Text("X-Console-Region, X-Console-Account and X-Console-Service have a malformed value")
# The size of a table at a time that its point-in-time recovery does not reach.
no_past = Text("The state of {table} at this time is not kept: point-in-time recovery does not reach it")
# A model that is longer than a page may send.
model_too_long = Text("The model is longer than {bytes_max} bytes")
# The process that reads a model was killed.
model_takes_long = Text("The model takes longer than {seconds} seconds to read, and was given up")
# The process that reads a model has failed, or its answer is too large.
no_inspection = Text("The model cannot be inspected here: it is too large, or takes too long. The commands hashrange check and hashrange model read it")
# A user or role that is not there, or of another account.
no_such_principal = Text("There is no user or role {principal} in your account")
# An action that no service on the port has.
no_such_action = Text("This server has no action {action}")
# Signatures are not verified.
no_identities = Text("This server has no users: start it with --auth required")

# `POST /verify` on a server in memory, or on PostgreSQL.
no_directory_to_verify = Text("This server has no data directory to verify. For data on PostgreSQL, stop its servers and run: hashrange verify postgresql://...")
# One verification at a time.
verified_for_another = Text("The server verifies its data for another command")
# The server was started anew meanwhile, or another verification has begun since.
no_verification = Text("There is no verification {id}: it was withdrawn, or the server was started anew")
# The body of `POST /verify` has another form.
verification_unreadable = Text('{reason}; the body is {{}} or {{"id": "..."}}')


# The body of a request is not JSON, or has other members.
body_unreadable = Text('{reason}; the body is JSON like {{"days": 2, "hours": 1, "settle": true}} or {{"reset": true}}')


def nothing_to_do() -> str:
    """Neither a unit of time nor `reset`."""
    return body_unreadable("The body names neither a unit of time nor reset")


def reset_with_units() -> str:
    """`reset` beside a unit of time."""
    return body_unreadable("reset and a unit of time exclude each other")


# The sum of the units is negative.
backward = Text('The clock only moves forward; {"reset": true} sets it to the time of the machine')
# The sum of all moves exceeds OFFSET_MS_MAX.
too_far = Text("The clock can be at most 36525 days (100 years) ahead of the machine's")
# The clock was moved, and the storage failed in the work that was due.
storage_failed = Text("The clock has been moved, but the storage failed during the work that was due")
# The process that moves the clock has ended, or is being replaced.
writer_gone = Text("The writer process is being replaced; whether the clock has been moved is not known")


# The body of a request is not JSON, or has other members.
snapshot_body_unreadable = Text('{reason}; the body is JSON like {{"save": "NAME"}}, {{"load": …}} or {{"delete": …}}')
# The storage failed; a load was done as a whole or not at all.
snapshot_storage_failed = Text("The storage failed: {reason}")
# The process that saves and loads has ended, or is being replaced.
snapshot_writer_gone = Text("The writer process is being replaced; whether the snapshot was loaded is not known")
