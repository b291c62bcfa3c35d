"""Each space of keys has a row, and `verify` does with it what the row says."""

import asyncio

import pytest

from hashrange.access.identities.verify import identity_findings
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.model.replication import Replication
from hashrange.model.table import Index, KeyAttribute, Vector
from hashrange.model.table_features import Restore
from hashrange.regions.strong.log_rows import log_row_findings
from hashrange.tables.catalog.catalog import Catalog
from hashrange.tables.jobs.backups import BACKUPS
from hashrange.tables.jobs.transfers import EXPORTS
from hashrange.tables.keys import key_spaces, keyspace, system_keys
from hashrange.tables.keys.alarm_keys import alarm_key
from hashrange.tables.keys.backup_keys import before_key
from hashrange.tables.keys.consensus_keys import state_key, witness_key
from hashrange.tables.keys.dax_keys import attribute_list_sequence_key
from hashrange.tables.keys.identity_keys import IdentityKind, audit_key, identity_key
from hashrange.tables.keys.key_spaces import SYSTEM_SPACES, TABLE_SPACES
from hashrange.tables.keys.kinesis_keys import stream_key
from hashrange.tables.keys.log_keys import record_key
from hashrange.tables.keys.metric_keys import metric_key
from hashrange.tables.keys.replication_keys import position_key
from hashrange.tables.keys.scaling_keys import COUNTERS_KEY, capacity_key
from hashrange.tables.log.tombstones import tombstone_key
from hashrange.tables.verifying.verify import findings, ranges_of_system, ranges_of_table
from tests.unit.tables.definitions import NOON_MS, definition

PK, SK, AT = KeyAttribute("pk", "S"), KeyAttribute("sk", "S"), KeyAttribute("at", "N")
TABLE = definition(
    attributes=(PK, SK, AT),
    sort=SK,
    indexes=(
        Index(name="local", number=1, is_local=True, partition=(PK,), sort=(AT,), projection="ALL"),
    ),
    vectors=(
        Index(
            name="vectors",
            number=2,
            partition=(),
            projection="ALL",
            vector=Vector(attribute="v", dimensions=2, distance="COSINE"),
        ),
    ),
    counts_collections=True,
    replication=Replication(regions=("us-east-1", "eu-west-1")),
    restore=Restore(source_arn="an-arn", time_ms=NOON_MS),
)
ITEM = keyspace.item_key(TABLE.number, {"S": "p"}, {"S": "s"})
# The key of a row of each space.
SYSTEM_KEYS = {
    key_spaces.CATALOG: system_keys.catalog_key("a-name"),
    key_spaces.SEQUENCE: system_keys.sequence_key(),
    key_spaces.DROPPED: system_keys.dropped_key(7),
    key_spaces.TOKEN: system_keys.token_key(1, "a-token"),
    key_spaces.TRIGGER: system_keys.trigger_key(TABLE.number, 1, "a-trigger"),
    key_spaces.LEASE: system_keys.lease_key("some-work"),
    key_spaces.CHANGES: system_keys.changes_key(),
    key_spaces.FORMAT: system_keys.format_key(),
    key_spaces.SECRET: system_keys.secret_key(),
    key_spaces.IDENTITIES: identity_key(IdentityKind.USER, "0" * 12, "somebody"),
    key_spaces.SCALING: COUNTERS_KEY,
    key_spaces.BACKUP: BACKUPS.key("an-arn"),
    key_spaces.JOB: EXPORTS.key("an-arn"),
    key_spaces.DAX: attribute_list_sequence_key(),
    key_spaces.REPLICATION: position_key(1, 2, 3),
    key_spaces.AUDIT: audit_key("a-chain"),
    key_spaces.WITNESS: witness_key("a-group"),
    key_spaces.KINESIS: stream_key("", "a-stream"),
    key_spaces.METRICS: metric_key("", "AWS/DynamoDB", "UserErrors", b""),
    key_spaces.ALARMS: alarm_key("", "an-alarm"),
}
TABLE_KEYS = {
    key_spaces.ITEMS: ITEM,
    key_spaces.INDEX: keyspace.index_range(TABLE.number, 1)[0] + b"an-entry",
    key_spaces.COUNTERS: keyspace.bytes_key(TABLE.number),
    key_spaces.LOG: record_key(keyspace.log_key(TABLE.number, 1), 1),
    key_spaces.BUILDING: keyspace.building_key(TABLE.number, 1),
    key_spaces.COLLECTION: keyspace.collection_key(ITEM),
    key_spaces.CAPACITY: capacity_key(TABLE.number),
    key_spaces.BEFORE: before_key(TABLE.number, ITEM),
    key_spaces.TOMBSTONE: tombstone_key(ITEM),
    key_spaces.CONSENSUS: state_key(TABLE.number),
    key_spaces.VECTOR_LOG: record_key(keyspace.vector_log_key(TABLE.number, 2), 1),
}
KEYS = [*SYSTEM_KEYS.items(), *TABLE_KEYS.items()]


async def found_with(rows):
    """What is found in a sound engine with one table, after some rows are written over."""
    engine = DictEngine()
    await Catalog(engine).create(lambda _: TABLE, TABLE.name)
    assert await findings(engine) == []
    engine.pairs |= rows
    return [
        *await findings(engine),
        *await identity_findings(engine),
        *await log_row_findings(engine),
    ]


def test_each_space_has_a_code_of_its_own_ranges_and_a_key_here():
    for spaces, ranges, keys in (
        (SYSTEM_SPACES, ranges_of_system(), SYSTEM_KEYS),
        (TABLE_SPACES, ranges_of_table(TABLE), TABLE_KEYS),
    ):
        assert [each.code for each in spaces] == list(range(1, len(spaces) + 1))
        assert [*ranges] == [*keys] == [*spaces], "in their order: gaps are looked for between them"


@pytest.mark.parametrize(("space", "key"), KEYS, ids=[space.name for space, _ in KEYS])
def test_a_key_is_in_the_ranges_of_its_space(space, key):
    is_system = space in SYSTEM_SPACES
    known = ranges_of_system() if is_system else ranges_of_table(TABLE)
    whole = space.range(key_spaces.SYSTEM if is_system else TABLE.number)
    assert all(whole[0] <= start < end <= whole[1] for start, end in known[space])
    assert [start <= key < end for start, end in known[space]].count(True) == 1


# Four bytes are no value of most spaces; where they are, they are a wrong one.
@pytest.mark.parametrize(("space", "key"), KEYS, ids=[space.name for space, _ in KEYS])
def test_damaged_values_are_found_where_they_are_verified(space, key):
    assert bool(asyncio.run(found_with({key: b"\x00\x00\x00\x01"}))) is space.is_verified


@pytest.mark.parametrize("space", SYSTEM_SPACES, ids=lambda space: space.name)
def test_each_space_is_in_the_layout_of_keys(space):
    assert f"0x{space.code:02X} {space.name}" in " ".join(system_keys.__doc__.split())


@pytest.mark.parametrize("space", TABLE_SPACES, ids=lambda space: space.name)
def test_each_space_of_tables_is_in_the_layout_of_keys(space):
    assert f"0x{space.code:02X} {space.name}" in " ".join(keyspace.__doc__.split())
