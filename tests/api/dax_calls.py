"""Calls of DAX as tests write them: single items of a table whose key is a string, and batches."""

from hashrange.dax.protocol.methods import METHODS
from hashrange.wire.cbor import encoding as cbor
from hashrange.wire.cbor.encoding import encode_integer
from tests.api.dax_session import NO_ATTRIBUTES

NUMBERS = {method.name: number for number, method in METHODS.items()}
ITEMS = 7
PUT = 2
ALL_NEW = encode_integer(4)
FALSE = b"\xf4"


def data(text):
    return cbor.byte_string(text.encode())


def put(session, table, key, attributes=NO_ATTRIBUTES):
    return session.call(
        NUMBERS["putItem"], data(table), data(key), cbor.byte_string(attributes), cbor.NULL
    )


def delete(session, table, key):
    return session.call(NUMBERS["deleteItem"], data(table), data(key), cbor.NULL)


def update(session, table, key, value, returned=b""):
    """SET v = value; `returned` is the number of a ReturnValues."""
    # The tree of SET with a path and a variable, and then the values.
    expression = bytes.fromhex("83 01 81 83 13 82 12 61 76 82 11 00 81")
    expression += encode_integer(value)
    members = [(b"\x08", cbor.byte_string(expression))]
    if returned:
        members.append((b"\x07", returned))
    return session.call(NUMBERS["updateItem"], data(table), data(key), cbor.mapping(members))


def scanned(session, table, parameters=cbor.NULL):
    return session.call(NUMBERS["scan"], data(table), parameters)[ITEMS]


def transact_put(session, table, key, attributes=NO_ATTRIBUTES):
    one = [cbor.NULL]
    columns = [
        cbor.array([encode_integer(PUT)]),
        cbor.array([data(table)]),
        cbor.array([data(key)]),
        cbor.array([cbor.byte_string(attributes)]),
        cbor.NULL,
        cbor.array([encode_integer(1)]),
        cbor.array(one),
        cbor.array(one),
        cbor.NULL,
    ]
    return session.call(NUMBERS["transactWriteItems"], *columns)


class Batches:
    """The two batches of a session, whose answers have several items."""

    def __init__(self, session):
        self._session = session

    def get(self, table, *keys):
        """The attributes of the items by key, and the keys that were not processed."""
        part = [FALSE, cbor.NULL, cbor.array([data(key) for key in keys])]
        gets = cbor.mapping([(cbor.text(table), cbor.array(part))])
        _, (found, left), _ = self._session.call_for(2, NUMBERS["batchGetItem"], gets, cbor.NULL)
        pairs = found.get(table, [])
        return dict(zip(pairs[::2], pairs[1::2], strict=True)), left.get(table, [])

    def put(self, table, items):
        """What was not processed."""
        flat = [each for key, item in items.items() for each in (data(key), cbor.byte_string(item))]
        puts = cbor.mapping([(cbor.text(table), cbor.array(flat))])
        _, left, *_ = self._session.call_for(3, NUMBERS["batchWriteItem"], puts, cbor.NULL)
        return left
