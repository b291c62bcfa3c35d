"""Walls that the import contracts cannot see."""

import ast

import pytest

from hashrange.errors import Fault
from tests.house.sources import PACKAGE, SOURCES, TESTS, breaking, nodes

# Who may call an engine's write, and why. Items change in tables/writer.py and nowhere else.
WRITERS = {
    "src/hashrange/tables/writer.py": "the one writer of items",
    "src/hashrange/tables/replacements.py": "items of plain tables, as the writer does",
    "src/hashrange/tables/catalog.py": "tables, tags and counters of tables: no items",
    "src/hashrange/tables/dropped_tables.py": "definitions of tables that are gone: no items",
    "src/hashrange/tables/building.py": "entries of an index that is built or removed: no items",
    "src/hashrange/tables/counting.py": "counters of item collections, before anything is served",
    "src/hashrange/tables/conversion.py": "rows of an older format, before anything is served",
    "src/hashrange/tables/leases.py": "which server does what one is to do: no items",
    "src/hashrange/tables/replica_lag.py": "notes what others write, and writes it for them",
    "src/hashrange/tables/secrets.py": "the secret of an engine, before anything is served",
    "src/hashrange/tables/tokens.py": "tokens of transactions that nobody will ask for again",
    "src/hashrange/admission/own_tables.py": "capacity of tables: no items",
    "src/hashrange/admission/shared_tables.py": "capacity that processes share: no items",
    "src/hashrange/tables/backup_claims.py": "which backup of a place is the newest: no items",
    "src/hashrange/tables/backups.py": "numbers and descriptions of backups: no items",
    "src/hashrange/tables/descriptions.py": "descriptions of backups and jobs: no items",
    "src/hashrange/tables/bulk.py": "items of a table that is imported, which nobody can reach",
    "src/hashrange/tables/import_jobs.py": "descriptions of imports and bulk operations: no items",
    "src/hashrange/tables/consensus_ends.py": "logs of groups that have ended: no items",
    "src/hashrange/tables/witnesses.py": "witnesses of strong tables: no items",
    "src/hashrange/tables/consensus_rows.py": "logs of groups of strong tables: no items",
    "src/hashrange/tables/snapshots.py": "images of items, for snapshots: no items of tables",
    "src/hashrange/backups/items.py": "removes those images",
    "src/hashrange/tables/export_jobs.py": "descriptions of exports: no items",
    "src/hashrange/exports/changes.py": "changes of items that are exported: no items of tables",
    "src/hashrange/backups/making.py": "items of backups, which no table has",
    "src/hashrange/audit/anchors.py": "heads of the chains of the audit log: no items",
    "src/hashrange/streams/trimming.py": "change records that are too old: no items",
    "src/hashrange/triggers/positions.py": "how far triggers have come: no items",
    "src/hashrange/identities/store.py": "users, roles and policies: no items",
    "src/hashrange/server/dax/attribute_lists.py": "lists of attribute names: no items",
    "src/hashrange/replication/positions.py": "how far replicas have come: no items",
    "src/hashrange/replication/tombstone_removal.py": "tombstones of items: no items",
    "src/hashrange/background/replicator.py": "removes positions: no items",
    "src/hashrange/dax_clusters/store.py": "rows of DAX clusters: no items",
    "src/hashrange/scaling/store.py": "rows of auto scaling: no items",
    "src/hashrange/tables/checked_values.py": "what others decide, if what they read is sound",
    "src/hashrange/storage/workers/writer.py": "what those above have decided in other processes",
    "src/hashrange/storage/sqlite/engine.py": "the engine: its queue",
    "src/hashrange/storage/postgres/engine.py": "the engine: its queue",
    "src/hashrange/background/dropper.py": "pages of tables that are gone from the catalog",
}


QUEUES = {"LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"}

# Whether an engine keeps its contract is tried on data of nobody.
TRIALS = "src/hashrange/engine_trials/"


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
