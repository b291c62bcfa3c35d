"""Identities in an engine: changes are in one order, and every process sees them."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashrange.access.identities.roster import Roster
from hashrange.access.identities.store import Edit, IdentityStore
from hashrange.assembly.engines.trials.contract import ContractEngine
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.limits.access import IDENTITY_CHANGES_MAX
from tests.pace import turns
from tests.unit.access.identities.entities import ACCOUNT, policy, put, role, user


def names(store):
    return sorted(each.name for each in store.roster.users(ACCOUNT))


def refreshed(store):
    asyncio.run(store.refresh())
    return store


def test_a_change_is_seen_at_once_where_it_is_made_and_elsewhere_after_a_refresh():
    engine = ContractEngine(DictEngine())
    one, other = IdentityStore(engine), IdentityStore(engine)
    put(one, user("alice"))
    assert names(one) == ["alice"]
    assert names(other) == []
    assert names(refreshed(other)) == ["alice"]
    put(other, delete=[user("alice")])
    assert names(refreshed(one)) == []
    assert (one.epoch, other.epoch) == (2, 2)


def test_a_refresh_without_changes_reads_one_key():
    class Counted(DictEngine):
        reads = 0

        async def read(self, keys, **options):
            self.reads += len(keys)
            return await super().read(keys, **options)

    engine = Counted()
    store = IdentityStore(engine)
    put(store, user())
    engine.reads = 0
    refreshed(store)
    assert engine.reads == 1


def test_changes_are_decided_on_the_newest_identities():
    engine = DictEngine()
    one, other = IdentityStore(engine), IdentityStore(engine)
    put(one, user("alice"))
    seen = []

    def decide(roster):
        seen.append(roster.user(ACCOUNT, "ALICE"))
        return Edit(None)

    asyncio.run(other.change(decide))
    assert seen == [user("alice")]


class Delayed(DictEngine):
    """Another change may come between a read and the write that follows it."""

    async def read(self, keys, **options):
        values = await super().read(keys, **options)
        await turns()
        return values

    async def write(self, keys, decide, **options):
        await turns()
        answer = await super().write(keys, decide, **options)
        await turns()
        return answer


# The bound of two keys, of 5,000 users and the like are decided on the roster: two changes must
# not be decided on the same one.
def test_concurrent_changes_are_in_one_order():
    engine = Delayed()
    stores = [IdentityStore(engine) for _ in range(3)]

    def add(index):
        def decide(roster):
            count = sum(1 for _ in roster.users(ACCOUNT))
            return Edit(count, [user(f"user{index}")])

        return decide

    async def together():
        changes = (stores[index % 3].change(add(index)) for index in range(30))
        counts = await asyncio.gather(*changes)
        await asyncio.gather(*(store.refresh() for store in stores))
        return counts

    assert sorted(asyncio.run(together())) == list(range(30))
    assert [len(names(store)) for store in stores] == [30, 30, 30]
    assert {store.roster.revision for store in stores} == {30}


def test_a_process_that_has_missed_many_changes_reads_all():
    engine = DictEngine()
    one, other = IdentityStore(engine), IdentityStore(engine)
    put(one, user("first"))
    refreshed(other)
    put(one, delete=[user("first")])
    for _ in range(IDENTITY_CHANGES_MAX + 1):
        put(one, user("again"))
    assert names(refreshed(other)) == ["again"]
    assert other.roster.revision == one.roster.revision


def test_an_error_changes_nothing():
    store = IdentityStore(DictEngine())

    def refuse(_roster):
        raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(store.change(refuse))
    assert store.roster.revision == 0


_entities = st.builds(
    lambda make, name, path: make(name, path=path),
    st.sampled_from([user, role, policy]),
    st.sampled_from(["a", "A", "b"]),
    st.sampled_from(["/", "/x/"]),
)


# A roster that was changed row by row is the one that is read at once.
@given(st.lists(st.tuples(_entities, st.booleans()), max_size=12), st.integers(0, 12))
def test_a_roster_is_what_is_stored(changes, looks_after):
    engine = DictEngine()
    writer, reader = IdentityStore(engine), IdentityStore(engine)
    for index, (entity, is_put) in enumerate(changes):
        put(writer, *([entity] if is_put else []), delete=[] if is_put else [entity])
        if index == looks_after:
            refreshed(reader)
    for store in (refreshed(reader), refreshed(IdentityStore(engine))):
        assert everything(store.roster) == everything(writer.roster)


def everything(roster: Roster):
    found = [*roster.users(ACCOUNT), *roster.roles(ACCOUNT), *roster.policies(ACCOUNT)]
    return sorted(found, key=lambda each: each.row_key)
