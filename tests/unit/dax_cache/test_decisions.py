"""Every operation that DAX serves has a row."""

import pytest

from hashrange.dax_cache.decisions import DECISIONS, Leaves, Source


def test_the_operations_are_those_of_dax():
    assert set(DECISIONS) == {
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    }


@pytest.mark.parametrize("name", sorted(DECISIONS))
def test_strongly_consistent_reads_are_of_the_table(name):
    assert DECISIONS[name].source(consistent=True) is Source.TABLE


@pytest.mark.parametrize("name", sorted(DECISIONS))
def test_what_writes_has_no_source_but_the_table_and_changes_the_item_cache(name):
    decision = DECISIONS[name]
    assert decision.writes == (decision.leaves in {Leaves.IMAGE, Leaves.REFRESHED})
    assert not decision.writes or decision.eventual is Source.TABLE
