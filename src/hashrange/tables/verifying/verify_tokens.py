"""Verifies that the tokens of transactions can be read."""

from hashrange.storage.engine import Engine
from hashrange.tables.keys import system_keys
from hashrange.tables.keys.paging import pairs
from hashrange.tables.writing.tokens import is_token


async def token_findings(engine: Engine) -> list[str]:
    """The tokens that cannot be read."""
    return [
        f"catalog: the token at {key.hex()} cannot be read"
        async for key, row in pairs(engine, system_keys.tokens_range())
        if not is_token(row)
    ]
