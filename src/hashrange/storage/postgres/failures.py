"""Errors of the driver: which mean that the database does not answer, and their texts."""

from typing import Final

import asyncpg

BROKEN: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # the server stops, has crashed, or starts
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)


def why(error: BaseException) -> str:
    """The reason of an error, for the operator."""
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return f"access denied ({error})"
        case asyncpg.InvalidCatalogNameError():
            return f"the database does not exist ({error})"
        case asyncpg.TooManyConnectionsError():
            return f"too many connections ({error})"
        case TimeoutError():
            return "no answer in time"
        case ConnectionRefusedError():
            return "connection refused"
        case _:
            return str(error) or type(error).__name__
