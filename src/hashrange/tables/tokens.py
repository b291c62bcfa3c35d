"""Tokens of transactions: who sends a request twice is told that it was done, and it is not redone.

A token is written with the changes of its transaction, so it is known exactly if they are there.
It stands under the period of ten minutes in which it was written: a look into three periods finds
it, also for a clock that is behind, and what is older than those goes page by page, in the
background, in the order of the keys.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from hashrange.errors import DynamoError, Fault
from hashrange.limits import CLIENT_TOKEN_SECONDS
from hashrange.messages.items import transactions as messages
from hashrange.storage.engine import Changes, Engine
from hashrange.tables import keyspace
from hashrange.tables.opened import OpenTable

IDENTITY_BYTES: Final = 16
"""Of what stands for a request."""
_FORMAT: Final = b"\x01"
_TIME_BYTES: Final = 8
_VALID_MS: Final = CLIENT_TOKEN_SECONDS * 1000
_KEPT_PERIODS: Final = 2
"""Before the present one; the older of the two is still looked at by a clock that is behind."""
_PAGE_ROWS: Final = 250
_PAGE_BYTES: Final = 1024 * 1024


class Token(msgspec.Struct, frozen=True):
    """A ClientRequestToken and what it was sent with.

    `identity` stands for everything of the request that must be the same if it is sent again.
    """

    name: str
    identity: bytes

    def running_key(self) -> bytes:
        """What stands for it among the transactions that are in flight."""
        return keyspace.token_key(0, self.name)

    def keys(self, now_ms: int) -> list[bytes]:
        """Where it may stand; the first is where it is written."""
        period = now_ms // _VALID_MS
        near = (period, period - 1, period + 1)
        return [keyspace.token_key(each, self.name) for each in near]

    def row(self, now_ms: int) -> bytes:
        """What is written once the transaction is complete."""
        return _FORMAT + now_ms.to_bytes(_TIME_BYTES, "big") + self.identity

    def is_known(self, rows: Iterable[bytes | None], now_ms: int) -> bool:
        """Whether its transaction is complete.

        Args:
            rows: what stands at `keys`.
            now_ms: the time; what is older than ten minutes is forgotten.

        Raises:
            DynamoError: IdempotentParameterMismatchException, it was sent with another request.
        """
        for row in rows:
            if row is None:
                continue
            assert row[:1] == _FORMAT, "a token of an unknown format"
            begun = len(_FORMAT) + _TIME_BYTES
            if int.from_bytes(row[len(_FORMAT) : begun], "big") + _VALID_MS <= now_ms:
                continue
            if row[begun:] != self.identity:
                raise DynamoError(
                    Fault.IDEMPOTENT_PARAMETER_MISMATCH, messages.token_of_another_request()
                )
            return True
        return False


def is_token(row: bytes) -> bool:
    """Whether it is what `Token.row` makes."""
    return row[:1] == _FORMAT and len(row) == len(_FORMAT) + _TIME_BYTES + IDENTITY_BYTES


def token_name(table: OpenTable, token: str) -> str:
    """The token in the namespace of a table: another account may use the same."""
    namespace = keyspace.name_of_catalog_key(table.catalog_key).rpartition(":")[0]
    return f"{namespace}:{token}"


async def forget_page(engine: Engine, now_ms: int) -> bool:
    """Remove some of the tokens that nobody will ask for; whether there may be more."""
    start, end = keyspace.tokens_range(max(0, now_ms // _VALID_MS - _KEPT_PERIODS))
    pairs = await engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES)
    keys = [key for key, _ in pairs]
    if keys:
        await engine.write(keys, lambda _: Changes(answer=None, deletes=keys))
    return len(keys) == _PAGE_ROWS
