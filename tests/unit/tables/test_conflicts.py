"""Single writes on items that a transaction has taken: refused, and only those."""

import asyncio

import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError, Fault
from hashrange.messages.items.operations import conflict
from hashrange.tables.items.images import Image
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import Decision, ItemWrite
from tests.unit.tables.definitions import definition, store_of, write_item

TABLE = OpenTable(definition(), {})


# Whether the transaction writes the item or only checks it: it may not change meanwhile.
@pytest.mark.parametrize("written", [True, False])
def test_a_write_of_an_item_in_flight_is_refused(written):
    store = store_of(DictEngine())
    store.in_flight[b"taken"] = written

    def write(key):
        image = Image(2, b"{}")
        return asyncio.run(write_item(store, ItemWrite(TABLE, key, lambda _: Decision(image, 7))))

    with pytest.raises(DynamoError) as refused:
        write(b"taken")
    assert (refused.value.fault, refused.value.message) == (Fault.TRANSACTION_CONFLICT, conflict())
    assert write(b"free").answer == 7
    assert b"taken" not in store.engine.pairs
