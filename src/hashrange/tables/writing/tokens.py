"""Client tokens of transactions, by which a request that is sent again is recognized.

A token is written in the same write as the changes of its transaction, so it is that of a completed
one exactly if they exist. A transaction that was cancelled leaves a token, too: it may be tried
again, but no other request with its token. Its key has the period of ten minutes in which it was
written; reading three periods finds it, even if this server's clock is behind. If the clock was set
meanwhile, those around the time that has run are read as well. Older periods are deleted in the
background, page by page.

Its row has the sizes of the items, by which a transaction that is sent again is charged, if it was
completed.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from hashrange.clock import Times
from hashrange.errors import DynamoError, Fault
from hashrange.limits.requests import CLIENT_TOKEN_SECONDS
from hashrange.messages.items import operations as messages
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys import system_keys
from hashrange.tables.opened.open_table import OpenTable

IDENTITY_BYTES: Final = 16
"""The bytes of a digest of a request."""
_WITHOUT_SIZES: Final = b"\x01"
"""The format of tokens that were written before there were sizes."""
_FORMAT: Final = b"\x02"
_CANCELLED: Final = b"\x03"
"""The format of tokens of transactions that were cancelled; they have no sizes."""
_TIME_BYTES: Final = 8
_SIZE_BYTES: Final = 4
_VALID_MS: Final = CLIENT_TOKEN_SECONDS * 1000
_KEPT_PERIODS: Final = 2
"""Periods before the present one; servers whose clocks are behind still read the older one."""
_PAGE_ROWS: Final = 250
_PAGE_BYTES: Final = 1024 * 1024


class EarlierUse(msgspec.Struct, frozen=True):
    """An earlier request with the same token that was the same request."""

    sizes: Sequence[int] | None
    """Of the items, if it was completed; none if an earlier version of the server completed it."""


class Token(msgspec.Struct, frozen=True):
    """A ClientRequestToken with the digest of its request.

    `identity` is a digest of all parts of the request that must be equal if it is sent again.
    """

    name: str
    identity: bytes

    def running_key(self) -> bytes:
        """The key of the token in `Store.in_flight`."""
        return system_keys.token_key(0, self.name)

    def keys(self, times: Times) -> list[bytes]:
        """The keys at which it may be stored; the first is the one for writing."""
        now_ms, kept_ms, latest_ms = times
        name = self.name.encode()
        present, before, after = _near(now_ms // _VALID_MS)
        keys = [present + name, before + name, after + name]
        if kept_ms != latest_ms:  # the clock was set
            others = (*_near(kept_ms // _VALID_MS), *_near(latest_ms // _VALID_MS))
            keys = [*dict.fromkeys((*keys, *(period + name for period in others)))]
        return keys

    def row(self, now_ms: int, sizes: Iterable[int]) -> bytes:
        """The value that is written with the changes of the transaction; `sizes` are its bytes."""
        parts = [size.to_bytes(_SIZE_BYTES, "big") for size in sizes]
        return b"".join([_FORMAT, now_ms.to_bytes(_TIME_BYTES, "big"), self.identity, *parts])

    def row_of_cancelled(self, now_ms: int) -> bytes:
        """The value that is written if the transaction is cancelled."""
        return b"".join([_CANCELLED, now_ms.to_bytes(_TIME_BYTES, "big"), self.identity])

    def earlier_use(self, rows: Iterable[bytes | None], times: Times) -> EarlierUse | None:
        """The record of an earlier request; the completed one, if there are several.

        Args:
            rows: the values at `keys`.
            times: tokens older than ten minutes are ignored, by the earlier of the clock's time and
                that which has run.

        Raises:
            DynamoError: IdempotentParameterMismatchException, the token was used with another
                request.
        """
        found = None
        for row in rows:
            if row is None:
                continue
            oldest_ms = min(times) - _VALID_MS
            assert is_token(row), "a token of an unknown format"
            begun, end = 1 + _TIME_BYTES, 1 + _TIME_BYTES + IDENTITY_BYTES
            if int.from_bytes(row[1:begun], "big") <= oldest_ms:
                continue
            if row[begun:end] != self.identity:
                raise DynamoError(
                    Fault.IDEMPOTENT_PARAMETER_MISMATCH, messages.token_of_another_request()
                )
            if row[:1] == _CANCELLED:
                found = EarlierUse(None)
                continue
            starts = range(end, len(row), _SIZE_BYTES)
            return EarlierUse(
                [int.from_bytes(row[start : start + _SIZE_BYTES], "big") for start in starts]
            )
        return found


@lru_cache(maxsize=8)
def _near(period: int) -> tuple[bytes, ...]:
    """The beginnings of keys of a period, and of those before and after it."""
    return tuple(system_keys.token_key(each, "") for each in (period, period - 1, period + 1))


def is_token(row: bytes) -> bool:
    """Whether a value has a form that `Token` writes, or that of earlier versions."""
    rest = len(row) - 1 - _TIME_BYTES - IDENTITY_BYTES
    if row[:1] in {_WITHOUT_SIZES, _CANCELLED}:
        return rest == 0
    return row[:1] == _FORMAT and rest > 0 and rest % _SIZE_BYTES == 0


def token_name(table: OpenTable, token: str) -> str:
    """The token with the namespace of a table, since other accounts may use the same token."""
    namespace = system_keys.name_of_catalog_key(table.catalog_key).rpartition(":")[0]
    return f"{namespace}:{token}"


async def forget_page(engine: Engine, now_ms: int) -> bool:
    """Delete a page of tokens that are too old to be used; whether there may be more."""
    start, end = system_keys.tokens_range(max(0, now_ms // _VALID_MS - _KEPT_PERIODS))
    pairs = await engine.scan(start, end, limit=_PAGE_ROWS, bytes_max=_PAGE_BYTES)
    keys = [key for key, _ in pairs]
    if keys:
        await engine.write(keys, lambda _: Changes(answer=None, deletes=keys))
    return len(keys) == _PAGE_ROWS


async def newest_token_ms(engine: Engine) -> int:
    """A time that the clock has shown: the period of the newest token; 0 for none."""
    start, end = system_keys.tokens_range()
    found = await engine.scan(start, end, limit=1, bytes_max=1, reverse=True)
    return max((int.from_bytes(row[1 : 1 + _TIME_BYTES], "big") for _, row in found), default=0)
