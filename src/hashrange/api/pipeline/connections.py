"""The condition keys of a caller's connection. Pure; the time is an argument."""

from hashrange.access.policies.connections import connection_keys
from hashrange.access.policies.variables import Context
from hashrange.api.pipeline.operation import Caller


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
