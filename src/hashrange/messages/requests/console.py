"""Texts of the console's routes. Source of all: ours."""


def not_own_page(origin: str) -> str:
    """Status 403: the request is not of a page of the console."""
    return f"The console answers its own pages only, not those of {origin or 'an unknown origin'}"


def read_only(operation: str) -> str:
    """The server has --console read-only."""
    return f"The console of this server is read-only (--console read-only) and refuses {operation}"


def not_signed_in() -> str:
    """Status 401: there is no session."""
    return "Sign in to the console with an access key of this server"


def session_ended(minutes: int, hours: int) -> str:
    """Status 401: the session has expired."""
    return f"The session has ended: {minutes} minutes without a request, or {hours} hours in all"


def session_too_long() -> str:
    """The session token of temporary credentials does not fit into a cookie."""
    return "The session token is too long for the console; sign in with a user's access key"


def sign_in_members() -> str:
    """The body of a sign-in has another form."""
    return "A sign-in has the members accessKey and secretKey, and sessionToken for a session"


def no_such_route(path: str) -> str:
    """Status 404."""
    return f"The console has no {path}; docs/console.md lists its routes"


def no_such_endpoint(name: str) -> str:
    """An endpoint that `--console-endpoint` does not list."""
    return f"There is no endpoint {name}: --console-endpoint {name}=URL lists one"


def endpoint_denied() -> str:
    """Only administrators may use the credentials of the server's environment."""
    return (
        "Other endpoints are reached with the server's own credentials: "
        "a policy must allow hashrange:UseConsoleEndpoint"
    )


def other_api_elsewhere() -> str:
    """Other endpoints are asked for operations of DynamoDB and its streams only."""
    return "The console asks other endpoints for operations of DynamoDB and DynamoDB Streams only"


def malformed_scope() -> str:
    """A region, an account or a service in a header of a request."""
    return "X-Console-Region, X-Console-Account and X-Console-Service have a malformed value"
