"""One signed request of a command to a server, for what is no operation of DynamoDB."""

# ruff: noqa: PLC0415 - a command imports its modules when it runs
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from hashrange.cli.refusals import Misuse

if TYPE_CHECKING:
    from hashrange.access.signatures.signing import Credentials

_TIMEOUT_SECONDS: Final = 30.0


def posted(
    endpoint: str, path: str, content: tuple[str, bytes], signer: "Credentials"
) -> tuple[int, bytes]:
    """The status and the body of the answer. Raises OSError, Misuse.

    Args:
        endpoint: the URL of the server.
        path: of letters and slashes.
        content: the type of the body, and the body.
        signer: the keys.
    """
    import ssl
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    from hashrange.access.signatures.signing import signed_headers
    from hashrange.clock import SystemClock
    from hashrange.settings.texts import ca_bundle

    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise Misuse(f"{endpoint!r} is not a URL like http://127.0.0.1:8000")
    kind, body = content
    headers = {"Host": parts.netloc, "Content-Type": kind}
    headers = signed_headers(headers, body, signer, SystemClock().now_ms(), path=path)
    connection = HTTPConnection(parts.hostname, parts.port, timeout=_TIMEOUT_SECONDS)
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=ca_bundle())
        connection = HTTPSConnection(
            parts.hostname, parts.port, timeout=_TIMEOUT_SECONDS, context=context
        )
    try:
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    except HTTPException as error:
        raise OSError("the answer is not HTTP") from error
    finally:
        connection.close()
