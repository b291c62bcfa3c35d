"""Walls that the import contracts cannot see."""

import ast

import pytest

from hashrange.errors import Fault
from tests.house.sources import PACKAGE, SOURCES, TESTS, breaking, nodes

# Who may call an engine's write, and why. Items change in `tables/writing/writer.py` alone.
WRITERS = {
    "src/hashrange/tables/writing/writer.py": "the one writer of items",
    "src/hashrange/tables/catalog/catalog.py": "tables, tags and counters of tables: no items",
    "src/hashrange/tables/catalog/dropped_tables.py": (
        "definitions of tables that are gone: no items"
    ),
    "src/hashrange/tables/opened/building.py": (
        "entries of an index that is built or removed: no items"
    ),
    "src/hashrange/tables/vectors/searches.py": "begins the log of a vector index: no items",
    "src/hashrange/tables/vectors/trimming.py": "logs of vector indexes: no items",
    "src/hashrange/tables/opened/indexes.py": (
        "counters of item collections, before anything is served"
    ),
    "src/hashrange/tables/log/conversion.py": "rows of an older format, before anything is served",
    "src/hashrange/tables/catalog/leases.py": "which server does what one is to do: no items",
    "src/hashrange/tables/writing/replica_lag.py": (
        "notes what others write, and writes it for them"
    ),
    "src/hashrange/tables/catalog/secrets.py": "the secret of an engine, before anything is served",
    "src/hashrange/tables/writing/tokens.py": (
        "tokens of transactions that nobody will ask for again"
    ),
    "src/hashrange/api/admission/own_tables.py": "capacity of tables: no items",
    "src/hashrange/api/admission/shared_tables.py": "capacity that processes share: no items",
    "src/hashrange/backups/directories/claims.py": (
        "which backup of a place is the newest: no items"
    ),
    "src/hashrange/tables/jobs/backups.py": "numbers and descriptions of backups: no items",
    "src/hashrange/tables/jobs/descriptions.py": "descriptions of backups and jobs: no items",
    "src/hashrange/tables/jobs/transfers.py": (
        "items of a table that is imported, which nobody can reach; descriptions of exports"
    ),
    "src/hashrange/tables/jobs/witnesses.py": (
        "witnesses of strong tables, and logs of groups that have ended: no items"
    ),
    "src/hashrange/regions/strong/log_rows.py": "logs of groups of strong tables: no items",
    "src/hashrange/tables/snapshots/snapshots.py": (
        "images of items, for snapshots: no items of tables"
    ),
    "src/hashrange/backups/tables/items.py": "removes those images",
    "src/hashrange/backups/exports/changes.py": (
        "changes of items that are exported: no items of tables"
    ),
    "src/hashrange/backups/tables/making.py": "items of backups, which no table has",
    "src/hashrange/api/audit/anchors.py": "heads of the chains of the audit log: no items",
    "src/hashrange/tables/streams/trimming.py": "change records that are too old: no items",
    "src/hashrange/background/triggers/positions.py": "how far triggers have come: no items",
    "src/hashrange/access/identities/store.py": "users, roles and policies: no items",
    "src/hashrange/server/dax/attribute_lists.py": "lists of attribute names: no items",
    "src/hashrange/regions/replication/positions.py": "how far replicas have come: no items",
    "src/hashrange/tables/kinesis/positions.py": "how far destinations have come: no items",
    "src/hashrange/regions/replication/tombstones.py": "tombstones of items: no items",
    "src/hashrange/background/replicator.py": "removes positions: no items",
    "src/hashrange/api/aws_services/dax_clusters/store.py": "rows of DAX clusters: no items",
    "src/hashrange/tables/jobs/scaling_store.py": "rows of auto scaling: no items",
    "src/hashrange/tables/kinesis/records.py": "records of Kinesis streams: no items",
    "src/hashrange/tables/kinesis/rows.py": "definitions of Kinesis streams: no items",
    "src/hashrange/tables/kinesis/trimming.py": "removes records of Kinesis streams: no items",
    "src/hashrange/tables/writing/checked_values.py": (
        "what others decide, if what they read is sound"
    ),
    "src/hashrange/storage/workers/writer.py": "what those above have decided in other processes",
    "src/hashrange/storage/sqlite/engine.py": "the engine: its queue",
    "src/hashrange/storage/postgres/engine.py": "the engine: its queue",
    "src/hashrange/background/dropper.py": "pages of tables that are gone from the catalog",
    "src/hashrange/tables/series/dashboards.py": "dashboards of metrics",
    "src/hashrange/tables/alarms/store.py": "rows of alarms: no items",
    "src/hashrange/tables/series/contributors.py": "counts of keys: no items",
    "src/hashrange/tables/series/rollup.py": "time series of metrics",
    "src/hashrange/tables/series/store.py": "time series of metrics",
}


# Who makes stored items, and why: rows of items are put by the writer, and by nobody else.
ITEM_MAKERS = {
    "src/hashrange/tables/writing/write_decisions.py": "the changes of plans, for the writer",
    "src/hashrange/tables/opened/index_entries.py": (
        "entries of indexes, which are written with items"
    ),
    "src/hashrange/tables/opened/building.py": "entries of an index that is built: no items",
    "src/hashrange/tables/snapshots/snapshots.py": (
        "images of items before changes: no items of tables"
    ),
    "src/hashrange/backups/imports/filling.py": (
        "items of a table that is imported, which nobody can reach"
    ),
    "src/hashrange/dax/cached/writes.py": "items in the caches of DAX: no items of tables",
}

QUEUES = {"LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"}

# Whether an engine keeps its contract is tried on data of nobody.
TRIALS = "src/hashrange/assembly/engines/trials/"


def _engine_writes(path):
    for node in nodes(path):
        match node:
            case ast.Call(func=ast.Attribute(attr="write", value=receiver)):
                if "engine" in ast.unparse(receiver).lower():
                    yield node.lineno
            case ast.Call(func=ast.Name(id="PendingWrite")):  # in the queue of an engine
                yield node.lineno


def test_items_change_in_one_place():
    found = breaking(SOURCES, _engine_writes)
    assert [name for name in found if name not in WRITERS and not name.startswith(TRIALS)] == []


def test_listed_writers_write():
    idle = [name for name in WRITERS if not any(_engine_writes(PACKAGE.parents[1] / name))]
    assert idle == []


def _made_items(path):
    for node in nodes(path):
        match node:
            case ast.ImportFrom(module="hashrange.tables.items.images", names=names):
                yield from (alias.name for alias in names if alias.name == "stored")
            case ast.Attribute(value=ast.Name(id="images"), attr="stored"):
                yield node.lineno
            case ast.Call(func=ast.Name(id="ItemChanges")):
                yield node.lineno


def test_only_the_writer_puts_rows_of_items():
    assert breaking(SOURCES, _made_items).keys() == ITEM_MAKERS.keys()


def _opened_files(path):
    for node in nodes(path):
        match node:
            case ast.Call(func=ast.Attribute(attr="Connection", value=ast.Name(id="apsw"))):
                if "':memory:'" not in (call := ast.unparse(node)):
                    yield call


# A connection that is made elsewhere would have no key, and write plain pages.
def test_data_files_are_opened_in_one_place():
    assert list(breaking(SOURCES, _opened_files)) == ["src/hashrange/storage/sqlite/page_cipher.py"]


def _named_faults(paths):
    for path in paths:
        for node in nodes(path):
            match node:
                case ast.Attribute(value=ast.Name(id="Fault"), attr=name):
                    yield name


# A row that nobody raises is a promise that nobody keeps.
def test_each_fault_is_raised():
    sources = [path for path in SOURCES if path != PACKAGE / "errors.py"]
    raised = {"VALIDATION", *_named_faults([*sources, *TESTS])}
    assert {fault.name for fault in Fault} == raised


def _unbounded_queues(path):
    for node in nodes(path):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[], keywords=[]):
                if name in QUEUES:
                    yield node.lineno


def test_queues_have_a_size():
    assert breaking(SOURCES, _unbounded_queues) == {}


def _private_names(within):
    """Lines that import or replace a private name of hashrange; ruff finds those that read one."""
    for node in within:
        match node:
            case ast.ImportFrom(module=str(place), names=names) if place.startswith("hashrange"):
                named = [alias.name for alias in names]
            case ast.Call(func=ast.Attribute(attr="setattr"), args=[*places, _]):
                texts = [place for place in places if isinstance(place, ast.Constant)]
                named = [str(text.value).rpartition(".")[2] for text in texts]
            case _:
                continue
        if any(name.startswith("_") and not name.endswith("__") for name in named):
            yield node.lineno


# A test that names what is private holds up changes that break nothing.
def test_tests_use_public_names():
    assert breaking(TESTS, lambda path: _private_names(nodes(path))) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from hashrange.clock import _now", [1]),
        ("patch.setattr(clock, '_now', 1)", [1]),
        ("patch.setattr('hashrange.clock._now', 1)", [1]),
        ("from hashrange import __version__", []),
        ("patch.setattr(clock, 'now', 1)", []),
    ],
)
def test_the_rule_finds_private_names(text, found):
    assert list(_private_names(ast.walk(ast.parse(text)))) == found
