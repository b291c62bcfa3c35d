"""Attribute lists in the engine: their numbers are given once and hold for good.

A client keeps what it knows of a list as long as it runs. If a number meant another list after a
restart, items would be stored under wrong names; so lists are durable and shared by all servers.
"""

from hashlib import blake2b
from typing import Final

import msgspec

from hashrange.bounded_cache import BoundedCache
from hashrange.dax.protocol.items import EMPTY_LIST, Encoded, Names
from hashrange.errors import DynamoError, Fault, invalid
from hashrange.limits.dax import (
    DAX_ATTRIBUTE_LIST_BYTES_MAX,
    DAX_ATTRIBUTE_LISTS_MAX,
    DAX_CACHED_LISTS_CHARS_MAX,
    DAX_CACHED_LISTS_MAX,
    DAX_ENCODED_ITEM_BYTES_MAX,
    DAX_ENCODED_ITEMS_BYTES_MAX,
    DAX_ENCODED_ITEMS_MAX,
)
from hashrange.messages.dax import attribute_list_unknown, attribute_lists_full
from hashrange.storage.engine import Changes, Engine
from hashrange.tables.keys.dax_keys import (
    attribute_list_key,
    attribute_list_sequence_key,
    attribute_names_key,
)

_DIGEST_BYTES: Final = 32
_NUMBER_BYTES: Final = 8
_NUMBER_MAX: Final = 2**53 - 1
"""The largest that all clients read exactly."""
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(tuple[str, ...]).decode


class AttributeLists:
    """The attribute lists of one engine.

    Args:
        engine: where they are stored.
        lists_max: how many there may be.
        first: the number of the first list. Lists that are not kept for good begin at another
            number each time, so that no number ever means another list.

    Attributes:
        encoded: items that were encoded with the lists.
    """

    def __init__(
        self,
        engine: Engine,
        lists_max: int = DAX_ATTRIBUTE_LISTS_MAX,
        *,
        first: int = EMPTY_LIST + 1,
    ) -> None:
        self._engine = engine
        self._lists_max = lists_max
        self._first = first
        self.encoded: Encoded = BoundedCache(
            entries_max=DAX_ENCODED_ITEMS_MAX,
            chars_max=DAX_ENCODED_ITEMS_BYTES_MAX,
            entry_chars_max=DAX_ENCODED_ITEM_BYTES_MAX,
        )
        self._names = BoundedCache[tuple[str, int], Names](
            entries_max=DAX_CACHED_LISTS_MAX,
            chars_max=DAX_CACHED_LISTS_CHARS_MAX,
            entry_chars_max=DAX_ATTRIBUTE_LIST_BYTES_MAX,
        )
        self._numbers = BoundedCache[tuple[str, Names], int](
            entries_max=DAX_CACHED_LISTS_MAX,
            chars_max=DAX_CACHED_LISTS_CHARS_MAX,
            entry_chars_max=DAX_ATTRIBUTE_LIST_BYTES_MAX,
        )

    def names(self, scope: str, number: int) -> Names | None:
        """The names of a list that is in memory."""
        return self._names.get((scope, number))

    def number(self, scope: str, names: Names) -> int | None:
        """The number of a list that is in memory."""
        return self._numbers.get((scope, names)) if names else EMPTY_LIST

    async def load(self, scope: str, number: int) -> Names:
        """The names of a list. Raises DynamoError if there is none of that number."""
        if number == EMPTY_LIST:
            return ()
        found = None
        if 0 < number <= _NUMBER_MAX:
            (found,) = await self._engine.read([attribute_list_key(scope, number)])
        if found is None:
            raise invalid(attribute_list_unknown(number))
        names = _decode(found)
        self._keep(scope, number, names)
        return names

    async def define(self, scope: str, names: Names) -> int:
        """The number of a list, which is made if it is new.

        Raises DynamoError if there are too many lists, or too many names.
        """
        if not names:
            return EMPTY_LIST
        content = _encode(names)
        if len(content) > DAX_ATTRIBUTE_LIST_BYTES_MAX:
            raise DynamoError(Fault.LIMIT_EXCEEDED, attribute_lists_full(self._lists_max))
        key = attribute_names_key(scope, blake2b(content, digest_size=_DIGEST_BYTES).digest())
        sequence = attribute_list_sequence_key()

        def decide(stored: list[bytes | None]) -> Changes[int]:
            known, last = stored
            if known is not None:
                return Changes(answer=int.from_bytes(known, "big"))
            number = self._first if last is None else int.from_bytes(last, "big") + 1
            if number - self._first >= self._lists_max - EMPTY_LIST:
                raise DynamoError(Fault.LIMIT_EXCEEDED, attribute_lists_full(self._lists_max))
            encoded = number.to_bytes(_NUMBER_BYTES, "big")
            puts = {key: encoded, sequence: encoded, attribute_list_key(scope, number): content}
            return Changes(answer=number, puts=puts)

        number = await self._engine.write([key, sequence], decide)
        self._keep(scope, number, names)
        return number

    def _keep(self, scope: str, number: int, names: Names) -> None:
        chars = sum(map(len, names))
        self._names.keep((scope, number), names, chars)
        self._numbers.keep((scope, names), number, chars)
