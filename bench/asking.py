"""Requests as the AWS SDKs send them, one at a time."""

import http.client
import json
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Answer = dict[str, object]
Ask: TypeAlias = Callable[[str, Answer], Answer]
"""Sends one request to a server: the operation's name and the body."""


class Sent(NamedTuple):
    """A request: the operation's name and the body; and its own signature, if that is verified."""

    target: str
    body: bytes
    authorization: str = ""


def encoded(body: Answer) -> bytes:
    """The User-Agent of an AWS SDK."""
    return json.dumps(body).encode()


def target_header(target: str) -> str:
    """X-Amz-Target for an operation of DynamoDB, or of another API if it is there already."""
    return target if "." in target else f"DynamoDB_20120810.{target}"


def headers() -> dict[str, str]:
    """The headers of an SDK's requests; the signature has the right form only."""
    return {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Date": "20260101T000000Z",
        "Authorization": (
            "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
            f"SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={'0' * 64}"
        ),
    }


class RefusedError(Exception):
    """An answer that is not 200."""


def ask(
    port: int, target: str, body: Answer, sign: Callable[[Sent], dict[str, str]] | None = None
) -> Answer:
    """Send a request. Raises RefusedError unless it is answered with 200.

    `sign` makes the headers of a signature that is verified.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        sent = {**headers(), "X-Amz-Target": target_header(target)}
        if sign is not None:
            sent |= sign(Sent(target, encoded(body)))
        connection.request("POST", "/", encoded(body), sent)
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK:
        raise RefusedError(f"{target} {answer.status}: {text.decode('utf-8', 'replace')[:200]}")
    return json.loads(text)


def asker(port: int) -> Ask:
    """`ask` of one server."""
    return lambda target, body: ask(port, target, body)
