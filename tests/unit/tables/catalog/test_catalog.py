"""The catalog on an engine: numbers, names, and what is kept in memory."""

import asyncio
from functools import partial

import msgspec
import pytest

from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.errors import DynamoError, Fault
from hashrange.storage.engine import StaleFenceError, StorageOpenError
from hashrange.tables.catalog.catalog import Bounds, Catalog, check_namespaces
from hashrange.tables.catalog.dropped_tables import is_at
from hashrange.tables.keys import system_keys
from tests.unit.tables.definitions import NOON_MS, definition


@pytest.fixture
def engine():
    return DictEngine()


def bounded(**bounds):
    """A catalog with small bounds, for an engine."""

    class BoundedCatalog(Catalog):
        BOUNDS = Bounds(**bounds)

    return BoundedCatalog


def created(catalog, name):
    return asyncio.run(catalog.create(lambda number: definition(number=number, name=name), name))


def dropped(catalog, name):
    return asyncio.run(catalog.drop(name, NOON_MS, lambda _: None))


def opened(catalog, name):
    return asyncio.run(catalog.open(name))


# Rows of a dropped table are cleared later, so its number must never begin another table's keys.
def test_numbers_are_never_used_again(engine):
    assert [created(Catalog(engine), name).number for name in ("one", "two")] == [1, 2]
    dropped(Catalog(engine), "two")
    assert created(Catalog(engine), "two").number == 3


def test_name_is_taken(engine):
    created(Catalog(engine), "one")
    with pytest.raises(DynamoError, match=r"^Table already exists: one$") as refused:
        created(Catalog(engine), "one")
    assert refused.value.fault is Fault.RESOURCE_IN_USE
    assert created(Catalog(engine), "two").number == 2, "a refusal takes no number"


def test_table_is_kept_once_opened(engine):
    catalog = Catalog(engine)
    created(catalog, "one")
    assert catalog.cached("one") is None
    table = opened(catalog, "one")
    assert catalog.cached("one") is table
    assert table.table == definition(number=1, name="one")


def test_no_table(engine):
    assert opened(Catalog(engine), "one") is None


# What another process changed is noticed by the fence, and read anew.
def test_table_that_another_process_changed(engine):
    catalog = Catalog(engine)
    created(catalog, "one")
    before = opened(catalog, "one")
    protected = msgspec.structs.replace(before.table, deletion_protection=True)
    asyncio.run(Catalog(engine).change("one", lambda _: protected))
    with pytest.raises(StaleFenceError):
        asyncio.run(engine.read([], fences=catalog.cached("one").fences))
    after = opened(catalog, "one")
    assert after.table == protected
    assert asyncio.run(engine.read([], fences=after.fences)) == []


def test_table_that_another_process_dropped(engine):
    catalog = Catalog(engine)
    created(catalog, "one")
    opened(catalog, "one")
    dropped(Catalog(engine), "one")
    assert opened(catalog, "one") is None
    assert catalog.cached("one") is None


# Whoever changes a table does not go on with what it was.
def test_own_changes_are_not_kept(engine):
    catalog = Catalog(engine)
    created(catalog, "one")
    opened(catalog, "one")
    asyncio.run(catalog.change("one", lambda table: table))
    assert catalog.cached("one") is None
    opened(catalog, "one")
    dropped(catalog, "one")
    assert catalog.cached("one") is None


# The memory for opened tables has a bound, whatever names clients ask for.
def test_memory_has_a_bound(engine):
    catalog = bounded(open_tables=2)(engine)
    names = ("one", "two", "three")
    for name in names:
        created(catalog, name)
        opened(catalog, name)
    assert [name for name in names if catalog.cached(name)] == ["three"]


def test_no_table_to_change(engine):
    catalog = Catalog(engine)
    not_found = r"^Requested resource not found: Table: one not found$"
    with pytest.raises(DynamoError, match=not_found):
        dropped(catalog, "one")
    with pytest.raises(DynamoError, match=not_found):
        asyncio.run(catalog.change("one", lambda table: table))


# What the caller refuses is not done, and nobody is told of it.
def test_drop_is_refused(engine):
    catalog = Catalog(engine)
    catalog.on_drop = pytest.fail
    created(catalog, "one")

    def refuse(_):
        raise DynamoError(Fault.VALIDATION, "no")

    with pytest.raises(DynamoError, match=r"^no$"):
        asyncio.run(catalog.drop("one", NOON_MS, refuse))
    assert opened(catalog, "one") is not None
    assert asyncio.run(catalog.dropped.tables()) == []


def test_drop(engine):
    catalog, told = Catalog(engine), []
    catalog.on_drop = told.append
    created(catalog, "one")
    table = dropped(catalog, "one")
    assert table == definition(number=1, name="one", deleted_ms=NOON_MS)
    assert asyncio.run(catalog.dropped.tables()) == [table]
    assert told == ["one"]


# More names and more dropped tables than an engine gives at once.
def test_lists_go_over_pages(engine):
    catalog = bounded(page_bytes=1)(engine)
    names = [f"table-{number}" for number in range(5)]
    for name in reversed(names):
        created(catalog, name)
    assert asyncio.run(catalog.names(None, 9)) == names
    assert asyncio.run(catalog.names("table-1", 2)) == names[2:4]
    assert asyncio.run(catalog.names("table-", 5)) == names
    assert asyncio.run(catalog.names(names[-1], 5)) == []
    for name in names:
        dropped(catalog, name)
    assert [table.number for table in asyncio.run(catalog.dropped.tables())] == [1, 2, 3, 4, 5]
    assert asyncio.run(catalog.names(None, 9)) == []


# A name is a prefix of another: each has its own entry, and the list both.
def test_name_that_begins_another(engine):
    catalog = Catalog(engine)
    for name in ("abc", "abcd"):
        created(catalog, name)
    assert asyncio.run(catalog.names("abc", 9)) == ["abcd"]
    assert system_keys.catalog_key("abc") in engine.pairs


def mine(catalog, name, *, account="111111111111", region="eu-west-1"):
    """A table in a namespace, which is that of its account and region."""
    view = catalog.within(account, region)
    draft = partial(definition, name=name, account=account, region=region)
    asyncio.run(view.create(lambda number: draft(number=number), name))
    return view


def test_namespaces_do_not_see_each_other(engine):
    catalog = Catalog(engine)
    one = mine(catalog, "a-table")
    other = mine(catalog, "a-table", region="eu-west-10")
    mine(catalog, "b-table", account="222222222222")
    assert opened(one, "a-table").table.region == "eu-west-1"
    assert opened(other, "a-table").table.region == "eu-west-10"
    assert one.cached("a-table") is not other.cached("a-table")
    assert opened(one, "b-table") is None
    assert asyncio.run(one.names(None, 9)) == ["a-table"]
    assert asyncio.run(one.names("a-table", 9)) == []
    dropped(one, "a-table")
    assert opened(one, "a-table") is None
    assert [table.region for table in asyncio.run(one.dropped.tables())] == ["eu-west-1"]
    assert asyncio.run(other.dropped.tables()) == []
    assert opened(other, "a-table") is not None


# What works in the background works on the tables of all.
def test_whole_catalog_knows_all_namespaces(engine):
    catalog, told = Catalog(engine), []
    catalog.on_change = catalog.on_drop = told.append
    one, other = mine(catalog, "one"), mine(catalog, "other", account="222222222222")
    names = asyncio.run(catalog.names(None, 9))
    assert [opened(catalog, name).table.name for name in names] == ["one", "other"]
    asyncio.run(one.change("one", lambda table: table))
    dropped(other, "other")
    assert told == [*names, *names], "created, then changed and dropped"
    assert [table.name for table in asyncio.run(catalog.dropped.tables())] == ["other"]
    assert asyncio.run(catalog.change(names[0], lambda table: table)).name == "one"
    # Whoever changes it through one catalog is not answered from what another kept.
    opened(one, "one")
    asyncio.run(catalog.change(names[0], lambda table: table))
    assert one.cached("one") is None


# A test suite makes a namespace for each of its tests.
def test_namespaces_in_memory_have_a_bound(engine):
    catalog = bounded(namespaces=2)(engine)
    views = [mine(catalog, "one", account=f"{number:012}") for number in range(3)]
    assert catalog.within("000000000002", "eu-west-1") is views[2]
    assert catalog.within("000000000000", "eu-west-1") is not views[0]
    assert opened(catalog.within("000000000000", "eu-west-1"), "one") is not None


# Whoever starts it the other way would find none of the tables, and make them anew.
@pytest.mark.parametrize("separate", [False, True])
def test_data_made_with_other_namespaces_are_refused(engine, separate):
    asyncio.run(check_namespaces(engine, separate=not separate))
    if separate:
        mine(Catalog(engine), "one")
    else:
        created(Catalog(engine), "one")
    asyncio.run(check_namespaces(engine, separate=separate))
    with pytest.raises(StorageOpenError, match="--namespaces"):
        asyncio.run(check_namespaces(engine, separate=not separate))


def test_entry_stands_under_its_name_or_in_its_namespace():
    table = definition(name="one", account="111111111111", region="eu-west-1")
    assert is_at(table, system_keys.catalog_key("one"))
    assert is_at(table, system_keys.catalog_key("111111111111:eu-west-1:one"))
    assert not is_at(table, system_keys.catalog_key("111111111111:eu-west-2:one"))
    assert not is_at(table, system_keys.catalog_key("two"))
