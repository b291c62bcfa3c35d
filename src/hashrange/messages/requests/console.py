"""Texts of the console's routes. Source of all: ours."""

from hashrange.messages.text import Text


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
no_such_route = Text("The console has no {path}; docs/console.md lists its routes")
# An endpoint that `--console-endpoint` does not list.
no_such_endpoint = Text("There is no endpoint {name}: --console-endpoint {name}=URL lists one")
# Only administrators may use the credentials of the server's environment.
endpoint_denied = Text("Other endpoints are reached with the server's own credentials: a policy must allow hashrange:UseConsoleEndpoint")
# Other endpoints are asked for operations of DynamoDB and its streams only.
other_api_elsewhere = Text("The console asks other endpoints for operations of DynamoDB and DynamoDB Streams only")
# A simulation of a load that no workload can have.
no_simulation = Text("This load cannot be simulated: {reason}")
# The body of a request to a route has another form.
unreadable_request = Text("The request cannot be read: {reason}; docs/console.md lists the members")
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
