"""Who is answered, and when, if more is asked than can be answered: a server in simulated time.

The clock moves with the work of the server, and when there is none. So each turn of the loop reads
what was sent during the turn before, as from sockets.
"""

import asyncio
import random
import selectors
from collections import Counter

import pytest

from hashrange.server.connection import advance
from hashrange.server.request_queue import NO_QUEUE, RequestQueue
from hashrange.wire.exchange import Peer, Request

REFUSAL_SECONDS = 0.000_03
"""To read a request, and to refuse it."""
PATIENCE_SECONDS = 1.0


class Selector(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout=None):
        self.now += timeout or 0.0
        return []


class World(asyncio.SelectorEventLoop):
    """A server with one queue, and what became of the requests to it."""

    def __init__(self, cost_seconds, **options):
        self._selector = Selector()
        super().__init__(self._selector)
        self.cost_seconds = cost_seconds
        options.setdefault("turn_ms_max", 10)
        self.queue = RequestQueue(self.now_ns, lambda each: each.peer.address, **options)
        self.got = []
        """Owner, outcome, and seconds from sending to the answer, in the order of the answers."""

    def time(self):
        return self._selector.now

    def now_ns(self):
        return int(self._selector.now * 1_000_000_000)

    def work(self, seconds):
        self._selector.now += seconds

    def send(self, owner, done=lambda: None, *, cost_seconds=None):
        """A request, which is read in the next turn; `done` when its client goes on."""
        cost_seconds = cost_seconds or self.cost_seconds
        self.call_soon(self._read, owner, self.time(), cost_seconds, done)

    def _read(self, owner, sent, cost_seconds, done):
        coroutine = self.respond(owner, sent, cost_seconds, done)
        assert advance(coroutine, lambda _: advance(coroutine, None)) in (None, "answered")

    async def respond(self, owner, sent, cost_seconds, done):
        request = Request(b"POST", b"/", b"", {}, b"", Peer(owner, False))
        began_ns = self.now_ns()
        if began_ns >= self.queue.look_ns and await self.queue.is_late(request, began_ns):
            self.work(REFUSAL_SECONDS)
            self.got.append((owner, "refused", self.time() - sent))
        else:
            self.work(cost_seconds)
            self.got.append((owner, "answered", self.time() - sent))
        self.call_soon(done)
        return "answered"

    def page(self):
        """A page, which asks no queue."""
        sent = self.time()
        self.call_soon(lambda: self.got.append(("page", "answered", self.time() - sent)))

    def pass_seconds(self, seconds):
        self.call_later(seconds, self.stop)
        self.run_forever()

    def good(self):
        """Answers in time, by owner."""
        return Counter(
            owner
            for owner, outcome, seconds in self.got
            if outcome == "answered" and seconds <= PATIENCE_SECONDS
        )


@pytest.fixture
def world():
    worlds = []

    def made(*arguments, **options):
        worlds.append(World(*arguments, **options))
        return worlds[-1]

    yield made
    for each in worlds:
        each.close()


def offer(world, per_second, seconds, clients, again=False):
    """Requests of many clients, each with one at a time, that give up and perhaps ask again."""
    chance, free, until = random.Random(7), [clients], world.time() + seconds

    def begin():
        free[0] -= 1
        is_over = []

        def over():
            if not is_over:
                is_over.append(True)
                if again and world.got[-1][1] == "refused":
                    world.call_later(chance.uniform(0, 0.1), begin)
                free[0] += 1

        world.call_later(PATIENCE_SECONDS, over)
        world.send("clients", over)

    def due():
        if world.time() < until:
            world.call_at(next_at[0], due)
        # The loop is late where a turn was long: what was due meanwhile was sent meanwhile.
        while next_at[0] <= world.time():
            if free[0] > 0:
                begin()
            next_at[0] += chance.expovariate(per_second)

    next_at = [world.time()]
    world.call_soon(due)
    world.pass_seconds(seconds)


# Cheap and dear requests; a third of a second of them, or six seconds.
@pytest.mark.parametrize(
    ("cost_seconds", "clients", "factors"),
    [
        (0.000_1, 64, (1, 3)),
        (0.000_1, 1000, (0.5, 1, 2, 3)),
        (0.002, 512, (0.5, 1, 2)),
        (0.005, 64, (2,)),
        (0.005, 512, (0.5, 1, 1.5, 2, 3)),
        (0.005, 1000, (1.5, 2, 3)),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_at_any_load_most_of_the_possible_is_answered_in_time(
    world, cost_seconds, clients, factors, again
):
    for factor in factors:
        server = world(cost_seconds)
        seconds = min(6, 3000 * cost_seconds)
        offer(server, factor / cost_seconds, seconds, clients, again)
        possible = min(factor, 1) * seconds / cost_seconds
        assert server.good()["clients"] >= 0.8 * possible, (factor, server.good())


# What the queue is for: without it all wait, and nearly all get their answers too late.
def test_without_a_limit_nearly_all_are_late(world):
    server = world(0.005, waiting_ms_max=0)
    offer(server, 2 / 0.005, 6, 512)
    assert server.good()["clients"] < 0.4 * 6 / 0.005
    assert server.queue.refused == {"waited": 0, "share": 0}


def test_a_load_that_is_possible_never_waits(world):
    server = world(0.000_1)
    for _ in range(50):
        server.send("one")
    server.pass_seconds(0.1)
    assert [outcome for _, outcome, _ in server.got] == ["answered"] * 50
    assert server.queue.waiting == 0


def test_late_requests_are_refused_in_their_order_and_soon(world):
    server = world(0.01, waiting_ms_max=100)
    for _ in range(100):
        server.send("one")
    server.pass_seconds(2)
    outcomes = [outcome for _, outcome, _ in server.got]
    # One in the turn that read them, and a burst of 200 ms. After it nobody was in time.
    assert outcomes == ["answered"] * 21 + ["refused"] * 79
    assert max(seconds for *_, seconds in server.got) < 0.22
    assert server.queue.refused == {"waited": 79, "share": 0}
    assert server.queue.waiting == 0


def test_a_process_that_was_stopped_is_not_overloaded(world):
    server = world(0.01, waiting_ms_max=100)
    for _ in range(15):
        server.send("one")
    server.call_later(0.05, server.work, 2)
    server.pass_seconds(3)
    assert [outcome for _, outcome, _ in server.got] == ["answered"] * 15


def test_refusals_end_with_the_queue(world):
    server = world(0.01, waiting_ms_max=100)
    for _ in range(100):
        server.send("one")
    server.pass_seconds(2)
    server.got.clear()
    for _ in range(15):
        server.send("one")
    server.pass_seconds(1)
    assert [outcome for _, outcome, _ in server.got] == ["answered"] * 15


def test_pages_are_answered_between_the_parts_of_the_work(world):
    server = world(0.005)
    for each in range(500):
        server.send("one")
        server.call_later(each * 0.004, server.page)
    server.pass_seconds(3)
    pages = [seconds for owner, _, seconds in server.got if owner == "page"]
    assert len(pages) == 500
    assert max(pages) <= 0.02


def at_full_speed(world, owner, connections, cost_seconds=None, until=3.0):
    """Connections that ask again as soon as they are answered."""

    def again():
        if world.time() < until:
            world.send(owner, again, cost_seconds=cost_seconds)

    for _ in range(connections):
        again()


def test_a_noisy_owner_leaves_the_others_their_shares(world):
    server = world(0.001, turn_ms_max=1)
    at_full_speed(server, "noisy", 64)
    for each in range(4):
        at_full_speed(server, f"quiet{each}", 2)
    server.pass_seconds(3)
    good = server.good()
    for each in range(4):
        assert good[f"quiet{each}"] >= 0.8 * sum(good.values()) / 5, good


def test_dear_requests_have_no_larger_share_than_cheap_ones(world):
    server = world(0.001, turn_ms_max=1)
    at_full_speed(server, "dear", 64, 0.02)
    at_full_speed(server, "cheap", 4, 0.000_5)
    server.pass_seconds(3)
    good = server.good()
    assert good["cheap"] * 0.000_5 >= 0.4 * 3, good


# One connection never has a second request waiting; what its last one took is remembered.
def test_one_dear_request_at_a_time_has_no_larger_share_either(world):
    server = world(0.001, turn_ms_max=1)
    at_full_speed(server, "dear", 1, 0.02)
    at_full_speed(server, "cheap", 16, 0.000_5)
    server.pass_seconds(3)
    good = server.good()
    assert good["cheap"] * 0.000_5 >= 0.4 * 3, good


# An owner that asks for less than its share waits for one request of another at most.
def test_only_those_above_their_share_are_refused(world):
    server = world(0.01, waiting_ms_max=100, turn_ms_max=1)
    at_full_speed(server, "noisy", 64)
    for each in range(60):
        server.call_later(each * 0.05, server.send, "quiet")
    server.pass_seconds(3)
    outcomes = Counter((owner, outcome) for owner, outcome, _ in server.got)
    assert outcomes["quiet", "answered"] >= 59
    assert outcomes["noisy", "refused"] > 100
    assert server.queue.refused["share"] > 100
    assert ("quiet", "refused") not in outcomes
    assert max(seconds for owner, _, seconds in server.got if owner == "quiet") < 0.035


# Whoever comes back after a pause has no credit of it, and no debt.
def test_a_pause_earns_nothing(world):
    server = world(0.001, turn_ms_max=1)
    at_full_speed(server, "first", 8)
    server.call_later(1, at_full_speed, server, "second", 8)
    server.pass_seconds(1.2)
    before = server.good()["second"]
    assert 80 <= before <= 120


# Owners are remembered only as long as that can matter.
def test_owners_that_come_and_go_take_no_memory(world):
    server = world(0.000_1, turn_ms_max=1)
    at_full_speed(server, "noisy", 64, until=2.0)
    for each in range(5000):
        server.call_later(each * 0.000_3, server.send, f"owner{each}")
    server.pass_seconds(1.6)
    assert len(server.queue.done_ns) <= 1000
    server.pass_seconds(2)
    assert not server.queue.done_ns
    assert sum(owner.startswith("owner") for owner, *_ in server.got) == 5000


# Handlers of some engines run in Tasks, whose requests the loop resumes later.
def test_requests_in_tasks_wait_as_well(world):
    server = world(0.01, waiting_ms_max=100)
    tasks = [server.create_task(server.respond("one", 0.0, 0.01, lambda: None)) for _ in range(100)]
    server.pass_seconds(2)
    assert all(task.done() for task in tasks)
    assert {outcome for _, outcome, _ in server.got} == {"answered", "refused"}
    assert server.queue.waiting == 0


# How long they take is known from those before them.
def test_pages_are_answered_between_tasks(world):
    server = world(0.01)
    for _ in range(200):
        server.create_task(server.respond("one", 0.0, 0.01, lambda: None))
    for each in range(50):
        server.call_later(0.5 + each * 0.01, server.page)
    server.pass_seconds(2)
    pages = [seconds for owner, _, seconds in server.got if owner == "page"]
    assert len(pages) == 50
    assert max(pages) <= 0.03


def test_a_task_that_is_cancelled_leaves_the_queue(world):
    server = world(0.01)
    tasks = [server.create_task(server.respond("one", 0.0, 0.01, lambda: None)) for _ in range(5)]
    server.call_soon(tasks[3].cancel)
    server.pass_seconds(1)
    assert tasks[3].cancelled()
    assert len(server.got) == 4
    assert server.queue.waiting == 0


# A server that is started again in another loop has nothing of the one before.
def test_another_loop_begins_anew():
    queue = RequestQueue(lambda: 10**9)
    request = Request(b"POST", b"/", b"", {}, b"")

    async def two():
        assert not await queue.is_late(request, 0)
        second = queue.is_late(request, 10**9)
        assert second.send(None) is not None
        assert queue.waiting == 1
        second.close()

    for _ in range(3):
        asyncio.run(two())


def test_no_queue_is_never_asked():
    assert NO_QUEUE.look_ns > 2**62
