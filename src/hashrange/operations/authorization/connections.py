"""The condition keys of a caller's connection. Pure; the time is an argument."""

from hashrange.operations.pipeline.operation import Caller
from hashrange.policies.connections import connection_keys
from hashrange.policies.variables import Context


def keys_of_connection(caller: Caller, now_ms: int) -> Context:
    """The global condition keys of a request, but for those of its principal."""
    connection = caller.connection
    assert connection is not None, "callers with a subject have a connection"
    return connection_keys(
        region=caller.region,
        source_ip=connection.source_ip,
        is_secure=connection.is_secure,
        user_agent=connection.user_agent,
        now_ms=now_ms,
    )
