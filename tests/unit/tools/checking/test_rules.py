"""Each kind of error that a model can have is found, and a good model has none."""

import copy

import pytest

from hashrange.tools.checking.checks import found_by_rules
from hashrange.tools.checking.findings import SEVERITIES
from hashrange.tools.models.document import model_of_document
from tests.unit.tools.models.shop import members


def found(shop):
    return [(finding.kind, finding.place) for finding in found_by_rules(model_of_document(shop))]


def test_a_good_model_has_no_findings():
    # The rules of table design warn of local indexes.
    assert found(members()) == [("local-index", "table Shop")]


def at(shop, path):
    node = shop
    for step in path[:-1]:
        node = node[step]
    return node, path[-1]


TABLE = ("tables", 0)
BY_STATUS = (*TABLE, "indexes", 0)
CUSTOMER, ORDER = ("entities", 0), ("entities", 1)
GET, ORDERS, OPEN, LARGE, PUT, SHIP = (("patterns", number) for number in range(6))
OF_SHOP, OF_CUSTOMER, OF_ORDER = "table Shop", "entity Customer", "entity Order"
OF_GET, OF_ORDERS, OF_OPEN = (
    "pattern Customer by id",
    "pattern Orders of a customer",
    "pattern Open orders",
)
OF_LARGE, OF_PUT = "pattern Large orders of a customer", "pattern Place an order"
OF_SHIP = "pattern Ship an order"
FIRST = "entity Order, sample 1"
MANY = [{"name": f"Index{number}", "partition_key": "gsi1pk"} for number in range(21)]

# The path and its new value, or a tuple of several; the kind and the place of the finding.
PLANTED = [
    # Names.
    ((*CUSTOMER, "name"), "Order", "duplicate-entity", OF_ORDER),
    ((*GET, "name"), "Open orders", "duplicate-pattern", OF_OPEN),
    ((*BY_STATUS, "name"), "ByTotal", "duplicate-index", OF_SHOP),
    ((*GET, "entity"), "Client", "unknown-entity", OF_GET),
    ((*GET, "table"), "Shops", "unknown-table", OF_GET),
    ((*ORDER, "table"), "Shops", "unknown-table", OF_ORDER),
    ((*GET, "operation"), "FetchItem", "unknown-operation", OF_GET),
    ((*OPEN, "index"), "ByState", "unknown-index", OF_OPEN),
    # Entities.
    ((*CUSTOMER, "templates"), {"pk": "CUSTOMER#{customerId}"}, "missing-key", OF_CUSTOMER),
    ((*CUSTOMER, "templates", "pk"), "C#{id}", "unknown-attribute", OF_CUSTOMER),
    ((*CUSTOMER, "templates", "pk"), "C#{email}", "optional-key", OF_CUSTOMER),
    ((*CUSTOMER, "attributes", "name"), "TEXT", "unknown-type", OF_CUSTOMER),
    ((*ORDER, "attributes", "total"), "S", "key-type", OF_ORDER),
    ((*ORDER, "templates", "gsi1sk"), "N#{number}", "key-type", OF_ORDER),
    ((*CUSTOMER, "attributes", "expiresAt"), "S", "time-to-live-type", OF_CUSTOMER),
    ((*TABLE, "time_to_live"), "expires", "time-to-live-unused", OF_SHOP),
    ((*ORDER, "item_bytes"), 500_000, "item-too-large", OF_ORDER),
    # Samples.
    ((*ORDER, "samples", 1, "number"), 1, "samples-collide", "entity Order, sample 2"),
    ((*ORDER, "samples", 0), {"total": 1}, "sample-without-key", FIRST),
    ((*ORDER, "samples", 0, "pk"), 7, "sample-key-type", FIRST),
    ((*ORDER, "samples", 0, "pk"), "", "empty-key", FIRST),
    ((*ORDER, "samples", 0, "gsi1pk"), "", "empty-key", FIRST),
    ((*ORDER, "samples", 0, "pk"), "x" * 2049, "key-too-long", FIRST),
    ((*ORDER, "samples", 0, "note"), "x" * 410_000, "item-too-large", FIRST),
    ((*ORDER, "samples", 0, "total"), "ten", "sample-refused", FIRST),
    ((*ORDER, "samples", 0, "status"), 7, "sample-type", FIRST),
    # Tables and indexes.
    ((*TABLE, "indexes"), MANY, "too-many-global-indexes", OF_SHOP),
    ((*OPEN, "index"), "ByTotal", "unread-index", OF_SHOP),
    ((*BY_STATUS, "partition_key"), "state", "index-of-no-items", "index ByStatus of table Shop"),
    ((*ORDER, "items_per_key"), 20_000_000, "collection-full", OF_SHOP),
    (
        (((*TABLE, "time_to_live"), None), ((*PUT, "hottest_key_share"), 1.0)),
        None,
        "collection-growth",
        OF_SHOP,
    ),
    # Keys of patterns.
    ((*ORDERS, "key"), {"email": "a"}, "no-key-serves", OF_ORDERS),
    ((*ORDERS, "key"), {"gsi1pk": "STATUS#open"}, "no-key-serves", OF_ORDERS),
    ((*OPEN, "key"), {"gsi1pk": "S", "total": 1}, "condition-on-no-key", OF_OPEN),
    ((*OPEN, "key"), {"gsi1sk": 1}, "partition-key-missing", OF_OPEN),
    ((*OPEN, "key"), {"gsi1pk": {">": "A"}}, "partition-key-range", OF_OPEN),
    ((*OPEN, "key", "gsi1sk"), {"contains": 1}, "unknown-condition", OF_OPEN),
    ((*OPEN, "key", "gsi1sk"), {"between": [1]}, "unknown-condition", OF_OPEN),
    ((*OPEN, "key", "gsi1sk"), "one", "condition-type", OF_OPEN),
    ((*ORDERS, "key", "pk"), 7, "condition-type", OF_ORDERS),
    ((*ORDERS, "key", "pk"), "", "empty-key", OF_ORDERS),
    ((*OPEN, "key", "gsi1sk"), {"begins_with": 1}, "begins-with-on-number", OF_OPEN),
    ((*ORDERS, "key", "pk"), "C#{id}", "unknown-attribute", OF_ORDERS),
    ((*GET, "key"), {"pk": "CUSTOMER#1"}, "incomplete-key", OF_GET),
    ((*GET, "key"), {"pk": "a", "sk": "b", "id": "1"}, "condition-on-no-key", OF_GET),
    # What is read.
    ((*OPEN, "consistent"), True, "consistent-global-index", OF_OPEN),
    ((*GET, "index"), "ByStatus", "index-not-readable", OF_GET),
    ((*OPEN, "returns"), ["status"], "attribute-not-projected", OF_OPEN),
    ((*OPEN, "filter"), "status = :s", "attribute-not-projected", OF_OPEN),
    ((*LARGE, "returns"), ["status"], "fetched-from-table", OF_LARGE),
    ((*ORDERS, "filter"), "sk = :a", "filter-on-key", OF_ORDERS),
    ((*GET, "operation"), "Scan", "scan", OF_GET),
    ((*ORDERS, "items"), 4000, "several-requests", OF_ORDERS),
    # Keys that an update leaves behind.
    ((*SHIP, "update"), "SET status = :sent", "stale-key", OF_SHIP),
    ((*SHIP, "update"), "SET status.code = :sent REMOVE gsi1sk", "stale-key", OF_SHIP),
    # Loads.
    ((*PUT, "hottest_key_share"), 1.0, "hot-key", OF_PUT),
    ((*GET, "hottest_key_share"), 1.0, "hot-key", OF_GET),
    ((*CUSTOMER, "templates", "pk"), "CUSTOMERS", "hot-key", OF_GET),
    (
        (((*PUT, "operation"), "BatchWriteItem"), ((*PUT, "items"), 26)),
        None,
        "batch-too-large",
        OF_PUT,
    ),
]


@pytest.mark.parametrize(("path", "value", "kind", "place"), PLANTED)
def test_a_planted_error_is_found(path, value, kind, place):
    shop = copy.deepcopy(members())
    shop["patterns"][0]["rate"] = 4000
    shop["patterns"][4]["rate"] = 2000
    for each, planted in [(path, value)] if isinstance(path[0], str) else path:
        node, step = at(shop, each)
        node[step] = planted
    shop = without_nulls(shop)
    assert (kind, place) in found(shop)


def without_nulls(node):
    if isinstance(node, dict):
        return {name: without_nulls(each) for name, each in node.items() if each is not None}
    return [without_nulls(each) for each in node] if isinstance(node, list) else node


def test_loads_of_the_planted_model_are_no_error_themselves():
    shop = members()
    shop["patterns"][0]["rate"] = 4000
    shop["patterns"][4]["rate"] = 2000
    assert found(shop) == [("local-index", OF_SHOP)]


def test_enough_kinds_are_planted():
    kinds = {kind for *_, kind, _place in PLANTED}
    assert kinds <= SEVERITIES.keys()
    assert len(kinds) >= 40


# 50 orders a second are written; those of 5 KB cost 4 more units each in an index with ALL.
@pytest.mark.parametrize(
    ("entity", "warned"), [(CUSTOMER, []), (ORDER, [("wide-projection", OF_SHOP)])]
)
def test_projections_are_judged_by_the_items_of_the_index(entity, warned):
    shop = members()
    node, name = at(shop, (*BY_STATUS, "projection"))
    node[name] = "ALL"
    node, name = at(shop, (*OPEN, "rate"))
    node[name] = 1
    node, name = at(shop, (*entity, "item_bytes"))
    node[name] = 5000
    assert [each for each in found(shop) if each[0] == "wide-projection"] == warned


# An upsert writes the attributes that its key is made of; they are those of the key.
def test_attributes_that_repeat_the_key_leave_nothing_stale():
    shop = members()
    ship = shop["patterns"][5]
    ship["update"] = "SET customerId = :customer"
    ship["values"] = {":customer": "{customerId}"}
    assert ("stale-key", OF_SHIP) not in found(shop)
    ship["values"] = {":customer": "another"}
    assert ("stale-key", OF_SHIP) in found(shop)
    ship["update"], ship["values"] = "SET status = :status", {":status": "{status}"}
    assert ("stale-key", OF_SHIP) in found(shop)
