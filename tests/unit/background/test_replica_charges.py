"""What replicated writes cost, as auto scaling counts it."""

import asyncio

from hashrange.api.admission.consumption import ScaledUnits
from hashrange.background.replica_charges import WriteCharges
from hashrange.model.table import Index, KeyAttribute
from hashrange.tables.keys.keyspace import partition_prefix
from hashrange.tables.keys.system_keys import catalog_key
from hashrange.tables.opened.open_table import OpenTable
from hashrange.tables.writing.write_plans import WriteResult
from tests.unit.tables.definitions import NOON_MS, definition

BY_N = Index(name="by-n", number=1, partition=(KeyAttribute("n", "N"),), projection="ALL")
SCOPE = "000000000000:eu-west-1"


def charges_of(scaled):
    table = definition(number=1, name="t", region="eu-west-1", indexes=(BY_N,))
    key = catalog_key(f"{SCOPE}:t")
    opened = OpenTable(table, {}, catalog_key=key)
    return asyncio.run(WriteCharges(None, scaled, lambda: NOON_MS).of(opened))


def test_units_of_table_and_indexes_are_counted():
    scaled = ScaledUnits()
    scaled.follow({(SCOPE, ("t",)), (SCOPE, ("t", "by-n"))})
    charges = charges_of(scaled)
    keys = [partition_prefix(1, {"S": each}) for each in "ab"]
    assert asyncio.run(charges.takes(keys[0]))
    # A write that loses has no size; it costs one unit all the same.
    results = [WriteResult(None, 2500, {"by-n": 2.0}), WriteResult(None, 0)]
    charges.charge(keys, results)
    assert scaled.totals == {(SCOPE, ("t",)): (0.0, 4.0), (SCOPE, ("t", "by-n")): (0.0, 2.0)}


def test_nothing_is_counted_that_nobody_follows():
    scaled = ScaledUnits()
    scaled.follow({(SCOPE, ("another",))})
    assert charges_of(scaled) is None
