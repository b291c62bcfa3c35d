"""The secret of an engine: created once, and the same for all servers."""

import asyncio
import os

import pytest

from hashrange.assembly.engines.trials.contract import ContractEngine
from hashrange.assembly.engines.trials.dict_engine import DictEngine
from hashrange.storage.engine import StorageUnavailableError
from hashrange.tables.catalog.secrets import SECRET_BYTES, stored_secret
from hashrange.tables.verifying.verify import findings
from tests.pace import turns


class Delayed(DictEngine):
    """Reads before any write: each of two servers finds no secret."""

    async def read(self, keys, **options):
        values = await super().read(keys, **options)
        await turns()
        return values


def test_it_is_created_once():
    engine = ContractEngine(DictEngine())
    first, again = (asyncio.run(stored_secret(engine, os.urandom)) for _ in range(2))
    assert len(first) == SECRET_BYTES
    assert again == first
    assert asyncio.run(findings(engine)) == []


def test_servers_that_start_together_agree():
    engine = Delayed()
    created = []

    def random_bytes(count):
        created.append(os.urandom(count))
        return created[-1]

    async def together():
        return await asyncio.gather(*(stored_secret(engine, random_bytes) for _ in range(3)))

    secrets = asyncio.run(together())
    assert len(created) == 3, "each of them found none"
    assert set(secrets) == {created[0]}


def test_a_stored_secret_needs_no_random_bytes_and_no_write():
    engine = DictEngine()
    secret = asyncio.run(stored_secret(engine, os.urandom))

    class ReadOnly(DictEngine):
        async def write(self, *_arguments, **_options):
            pytest.fail("nothing is to be written")

    def unused(_count):
        pytest.fail("no random bytes are needed")

    assert asyncio.run(stored_secret(ReadOnly(engine.pairs), unused)) == secret


# A server must start on a full disk, or nobody can delete what fills it.
def test_a_full_disk_keeps_no_server_from_starting():
    class Full(DictEngine):
        async def write(self, *_arguments, **_options):
            raise StorageUnavailableError("the disk is full: only what deletes is done")

    engine = Full()
    secret = asyncio.run(stored_secret(engine, os.urandom))
    assert len(secret) == SECRET_BYTES
    assert engine.pairs == {}
