"""Requests to the pages that a server has with `--testing`."""

import json
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from hashrange.settings.sources import client_endpoint

_SECONDS_MAX: Final = 300.0
"""Timeout of an answer: a move of the clock can expire very many items."""
_OK: Final = 200
_NOT_FOUND: Final = 404


def answer_of(
    endpoint: str | None,
    path: str,
    request: tuple[str, Mapping[str, object] | None],
    error_of: Callable[[str], Exception],
    *,
    absent: str,
) -> dict[str, Any]:
    """The answer of a page.

    Args:
        endpoint: the server's URL; if None, AWS_ENDPOINT_URL_DYNAMODB, or http://127.0.0.1:8000.
        path: of the page.
        request: method and body.
        error_of: makes the error of a text.
        absent: what is said of a server without the page.

    Raises:
        OSError: the server does not answer.
    """
    endpoint = client_endpoint() if endpoint is None else endpoint
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or parts.hostname is None:
        raise error_of(f"{endpoint!r} is not a URL like http://127.0.0.1:8000")
    method, body = request
    # urllib.request would use a proxy. Closed after each call, since tests count open sockets.
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_SECONDS_MAX)
    try:
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        text = response.read()
    except HTTPException as error:
        raise error_of(f"{endpoint} does not answer in HTTP") from error
    finally:
        connection.close()
    if response.status == _NOT_FOUND:
        raise error_of(f"{endpoint} {absent}")
    try:
        answer: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise error_of(f"{endpoint} answers {response.status} and no JSON") from error
    if response.status != _OK:
        raise error_of(f"{endpoint}: {answer.get('message')}")
    return answer
