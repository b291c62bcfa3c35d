"""What the APIs of JSON 1.1 beside DynamoDB's have in common: their answers, and who may ask."""

from typing import Final

from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.connections import connection_keys
from hashrange.policies.decisions import Decisions, GovernedResource, denial
from hashrange.server.exchange import Request, Response
from hashrange.wire.answers import encode

JSON_1_1: Final = b"application/x-amz-json-1.1"


def response(status: int, answer: object) -> Response:
    """An answer in JSON."""
    return Response(status, encode(answer), JSON_1_1)


def operation_of(request: Request) -> str:
    """The name of the operation: X-Amz-Target after its last dot."""
    return request.headers[b"x-amz-target"].rpartition(b".")[2].decode("latin-1")


def denied(
    decisions: Decisions, caller: Caller, action: str, resource: GovernedResource, *, now_ms: int
) -> str | None:
    """The text of the refusal of an action; None if the caller's policies allow it.

    Callers whose signatures are not verified may do everything.
    """
    subject, connection = caller.subject, caller.connection
    if subject is None:
        return None
    assert connection is not None, "callers with a subject have a connection"
    context = connection_keys(
        region=caller.region,
        source_ip=connection.source_ip,
        is_secure=connection.is_secure,
        user_agent=connection.user_agent,
        now_ms=now_ms,
    )
    decision = decisions.decide(subject, action, resource, context)
    return None if decision.allowed else denial(decision, subject, action, resource)
