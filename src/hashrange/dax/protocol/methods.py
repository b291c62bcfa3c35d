"""The table of methods: a row is a method's number, its arguments and, of items, its decoder."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec

from hashrange.dax.protocol.batches import batch_get_item, batch_write_item
from hashrange.dax.protocol.calls import Call
from hashrange.dax.protocol.items import Facts
from hashrange.dax.protocol.pages import query, scan
from hashrange.dax.protocol.single_items import delete_item, get_item, put_item, update_item
from hashrange.dax.protocol.transactions import transact_get_items, transact_write_items

Decode: TypeAlias = Callable[[list[Any], Facts, str], Call]
"""A call, of its arguments, the facts and the agent of the client.

Raises DynamoError for arguments that make no request, UnknownFactError.
"""


class Method(msgspec.Struct, frozen=True):
    """A method.

    Attributes:
        name: as in the clients.
        arguments: how many items follow its number.
        decode: None for methods that are about the connection and not about items.
        is_page_or_get: it is getItem, query or scan, whose call depends on nothing but the key
            of the table.
    """

    name: str
    arguments: int
    decode: Decode | None = None
    is_page_or_get: bool = False

    @property
    def operation(self) -> str:
        """The name in the API of a method on items."""
        return self.name[0].upper() + self.name[1:]


AUTHORIZE: Final = Method("authorizeConnection", 5)
"""It has no answer."""
ENDPOINTS: Final = Method("endpoints", 0)
DEFINE_KEY_SCHEMA: Final = Method("defineKeySchema", 1)
DEFINE_ATTRIBUTE_LIST_ID: Final = Method("defineAttributeListId", 1)
DEFINE_ATTRIBUTE_LIST: Final = Method("defineAttributeList", 1)

METHODS: Final = {
    1489122155: AUTHORIZE,
    455855874: ENDPOINTS,
    -742646399: DEFINE_KEY_SCHEMA,
    -1230579644: DEFINE_ATTRIBUTE_LIST_ID,
    670678385: DEFINE_ATTRIBUTE_LIST,
    263244906: Method("getItem", 3, get_item, is_page_or_get=True),
    -2106490455: Method("putItem", 4, put_item),
    1013539361: Method("deleteItem", 3, delete_item),
    1425579023: Method("updateItem", 3, update_item),
    -931250863: Method("query", 3, query, is_page_or_get=True),
    -1875390620: Method("scan", 2, scan, is_page_or_get=True),
    -697851100: Method("batchGetItem", 2, batch_get_item),
    116217951: Method("batchWriteItem", 2, batch_write_item),
    1866287579: Method("transactGetItems", 4, transact_get_items),
    -1160037738: Method("transactWriteItems", 9, transact_write_items),
}
"""By number. Of all others the number of arguments is not known: they end their connection."""
