"""Connections to an upstream: how many, how long they are kept, and how many requests wait."""

import asyncio

import pytest

from hashrange.dax.upstream.pool import Pool
from hashrange.errors import DynamoError, Fault
from hashrange.limits.dax import UPSTREAM_IDLE_SECONDS_MAX
from tests.pace import turns
from tests.unit.clocks import Clock
from tests.unit.dax.upstream.endpoints import in_loop


class Connection:
    """A connection of nothing."""

    used_ns = 0

    def __init__(self):
        self.is_usable = True

    def close(self):
        self.is_usable = False


class Connections:
    """Makes connections, or fails."""

    def __init__(self):
        self.made = []
        self.error = None

    async def __call__(self):
        if self.error is not None:
            raise self.error
        self.made.append(Connection())
        return self.made[-1]


@in_loop
async def test_connections_have_a_bound_and_so_has_the_queue():
    pool = Pool(made := Connections(), Clock(), connections_max=2, waiting_max=1)
    async with pool.acquire(), pool.acquire():
        waiting = asyncio.ensure_future(pool.acquire().__aenter__())
        await turns()
        assert (pool.in_use, pool.waiting) == (2, 1)
        with pytest.raises(DynamoError) as raised:
            await pool.acquire().__aenter__()
        assert raised.value.fault is Fault.THROTTLED
    assert await waiting in made.made
    assert len(made.made) == 2
    assert (pool.in_use, pool.waiting) == (1, 0)


@in_loop
async def test_a_connection_that_ended_or_was_idle_is_not_used_again():
    clock = Clock()
    pool = Pool(made := Connections(), clock)
    for _ in range(2):
        async with pool.acquire():
            pass
    assert len(made.made) == 1
    async with pool.acquire() as connection:
        connection.close()
    async with pool.acquire():
        pass
    assert len(made.made) == 2
    clock.later(UPSTREAM_IDLE_SECONDS_MAX + 1)
    pool.sweep()
    assert not made.made[1].is_usable
    async with pool.acquire():
        pass
    assert len(made.made) == 3
    pool.close()
    assert not made.made[2].is_usable


@in_loop
async def test_a_connection_that_cannot_be_made_leaves_its_place():
    pool = Pool(made := Connections(), Clock(), connections_max=1)
    made.error = OSError("gone")
    for _ in range(3):
        with pytest.raises(OSError, match="gone"):
            await pool.acquire().__aenter__()
    made.error = None
    async with pool.acquire():
        assert pool.in_use == 1
    assert pool.in_use == 0
