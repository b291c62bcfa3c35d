"""Answers that are held: how long, of which operations, and how many at a time."""

import asyncio
from statistics import quantiles

import pytest

from hashrange.api.requests.disturbances import Latencies, latency_ms
from hashrange.clock import draws
from hashrange.limits.server import LATENCY_MS_MAX
from hashrange.settings.rules import LatencyRule, latency_rules
from hashrange.settings.texts import SettingError
from tests.pace import turns


class Waits:
    """A clock that moves when it is slept on."""

    def __init__(self):
        self.now_ns = 0
        self.slept = []

    def monotonic_ns(self):
        return self.now_ns

    async def pause(self, seconds):
        self.slept.append(seconds)
        self.now_ns += round(seconds * 1e9)


def held(text, waits, draw=lambda: 0.5):
    return Latencies(latency_rules(text), draw, waits.monotonic_ns, waits.pause)


def test_the_distribution_has_its_p50_and_its_p99():
    rule = LatencyRule(operation="*", p50_ms=5, p99_ms=40)
    assert latency_ms(rule, 0.5) == pytest.approx(5)
    assert latency_ms(rule, 0.99) == pytest.approx(40)
    draw = draws(3)
    cuts = quantiles([latency_ms(rule, draw()) for _ in range(20_000)], n=100)
    assert cuts[49] == pytest.approx(5, rel=0.05)
    assert cuts[98] == pytest.approx(40, rel=0.15)


def test_no_draw_takes_forever():
    rule = LatencyRule(operation="*", p50_ms=1, p99_ms=LATENCY_MS_MAX)
    assert 0 < latency_ms(rule, 0.0) < 1
    assert latency_ms(rule, 1 - 1e-16) == pytest.approx(LATENCY_MS_MAX)


def test_the_request_comes_before_the_wait():
    waits = Waits()

    async def perform(request):
        assert waits.slept == []
        waits.now_ns += 2_000_000
        return request

    late = held("GetItem:p50=5ms", waits).wrapped("GetItem", perform)
    assert asyncio.run(late("a")) == "a"
    assert waits.slept == [pytest.approx(0.003)]


def test_a_slow_request_is_not_held_and_a_refusal_is():
    waits = Waits()

    async def slow(_request):
        waits.now_ns += 9_000_000

    async def refuse(_request):
        raise KeyError

    late = held("*:p50=5ms", waits)
    asyncio.run(late.wrapped("GetItem", slow)("a"))
    assert waits.slept == []
    with pytest.raises(KeyError):
        asyncio.run(late.wrapped("GetItem", refuse)("a"))
    assert waits.slept == [pytest.approx(0.005)]


def test_an_operation_has_its_own_rule_or_that_for_all():
    async def perform(_request):
        pass

    waits = Waits()
    late = held("*:p50=9ms;GetItem:p50=5ms;GetItem:p50=7ms", waits)
    asyncio.run(late.wrapped("GetItem", perform)("a"))
    asyncio.run(late.wrapped("PutItem", perform)("a"))
    assert waits.slept == [pytest.approx(0.005), pytest.approx(0.009)]
    assert held("GetItem:p50=5ms", waits).wrapped("PutItem", perform) is perform


# Answers beyond the bound are sent at once, and the places of those that were held become free.
def test_few_answers_are_held_at_a_time():
    released = asyncio.Event()

    async def pause(_seconds):
        await released.wait()

    async def perform(request):
        return request

    async def scenario():
        held = Latencies(latency_rules("*:p50=5ms"), lambda: 0.5, lambda: 0, pause, held_max=3)
        late = held.wrapped("GetItem", perform)
        tasks = [asyncio.create_task(late(number)) for number in range(5)]
        await turns()
        assert [task.done() for task in tasks] == [False, False, False, True, True]
        assert held.held == 3
        released.set()
        assert await asyncio.gather(*tasks) == list(range(5))
        assert held.held == 0

    asyncio.run(scenario())


def test_unknown_operations_are_refused():
    with pytest.raises(SettingError, match="--latency: 'Get' is not an operation"):
        held("Get:p50=5ms", Waits())
