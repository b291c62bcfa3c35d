"""What clients see of failovers: conditional writes and strong reads through two servers, judged.

`python -m tests.servers.failovers` prints the seconds without answers of each failure, for the
table in docs/high-availability.md; `--ttl`, `--loop-wait` and `--retry-timeout` are Patroni's.
"""

import contextlib
import http.client
import itertools
import operator
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import click

from tests.crash.server import Client
from tests.pace import seconds, until
from tests.servers import debian_packages, patroni_cluster
from tests.servers.fleet import Fleet
from tests.servers.patroni_cluster import FAILURES, POSTMASTER_KILLED, Node, PatroniCluster

TABLE = "counters"
KEYS = 4
"""Each has one client that writes it; another reads all of them."""
PAUSE_SECONDS = 0.02
ANSWERS = 50
"""To each client that writes, before a failure, and after it."""
FAILURE_SECONDS_MAX = seconds(120)
PATRONI = {"ttl": 30, "loop_wait": 10, "retry_timeout": 10}
"""Its defaults."""
_NO_ANSWER = (OSError, http.client.HTTPException, ValueError)


class Caller:
    """Calls one server after the other, as a load balancer does that knows nothing."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = itertools.cycle(urls)
        self._clients: dict[str, Client] = {}

    def call(self, operation: str, **request: object) -> dict[str, object] | None:
        """The answer; None for an error of the server, or none in time.

        Raises RuntimeError: a refusal by a condition.
        """
        url = next(self._urls)
        client = self._clients.pop(url, None) or Client(url)
        try:
            answer = client.call(operation, TableName=TABLE, **request)
        except RuntimeError as error:
            self._clients[url] = client
            if "ConditionalCheckFailed" in str(error):
                raise
            return None
        except _NO_ANSWER:
            client.close()
            return None
        self._clients[url] = client
        return answer

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            client.close()


@dataclass
class Load:
    """Clients of two servers until `end`, and what they found.

    Attributes:
        acknowledged: the number that each key has at least.
        lost: acknowledged numbers that a read or a condition did not find.
        stale: strong reads that were older than a write acknowledged before they began.
        answers: times at which writes were acknowledged, and at which reads were answered.
    """

    urls: Sequence[str]
    acknowledged: list[int] = field(default_factory=lambda: [0] * KEYS)
    lost: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    answers: dict[str, list[float]] = field(default_factory=lambda: {"write": [], "read": []})
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def begin(self) -> None:
        """Start the clients."""
        for key in range(KEYS):
            self._threads.append(threading.Thread(target=self._write, args=(key,), daemon=True))
        for _ in range(2):
            self._threads.append(threading.Thread(target=self._read, daemon=True))
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Wait for the last answers."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    @property
    def writes(self) -> int:
        """The number of acknowledged writes."""
        return sum(self.acknowledged)

    def gap(self, kind: str, since: float) -> float:
        """The longest time without an answer, of those that end after `since`."""
        times = self.answers[kind]
        return max(
            (after - before for before, after in itertools.pairwise(times) if after > since),
            default=0.0,
        )

    def check(self) -> None:
        """Read all keys back at each server."""
        for url in self.urls:
            caller = Caller([url])
            for key, least in enumerate(self.acknowledged):
                found = _until_read(caller, key)
                if found < least:
                    self.lost.append(f"{key} is {found} and not {least} at {url}")
            caller.close()

    def _write(self, key: int) -> None:
        """Count up, each number once: on the condition that the one before is there."""
        caller, number = Caller(self.urls), self.acknowledged[key]
        while not self._over.wait(PAUSE_SECONDS):
            item = {"pk": {"S": str(key)}, "n": {"N": str(number + 1)}}
            try:
                answer = caller.call(
                    "PutItem",
                    Item=item,
                    ConditionExpression="n = :n" if number else "attribute_not_exists(n)",
                    **({"ExpressionAttributeValues": {":n": {"N": str(number)}}} if number else {}),
                )
                if answer is None:
                    continue  # perhaps it took place: the condition shows it
                number += 1
            except RuntimeError:
                found = _read(caller, key)
                if found is None:
                    continue
                if found != number + 1:
                    self.lost.append(f"{key} is {found}, and not {number} or one more")
                number = found
            self.acknowledged[key] = number
            self.answers["write"].append(time.monotonic())
        caller.close()

    def _read(self) -> None:
        caller = Caller(self.urls)
        for key in itertools.cycle(range(KEYS)):
            if self._over.wait(PAUSE_SECONDS / 4):
                break
            least = self.acknowledged[key]
            found = _read(caller, key)
            if found is not None:
                self.answers["read"].append(time.monotonic())
                if found < least:
                    self.stale.append(f"{key} was {found} and not {least}")
        caller.close()


def _read(caller: Caller, key: int) -> int | None:
    answer = caller.call("GetItem", Key={"pk": {"S": str(key)}}, ConsistentRead=True)
    if answer is None:
        return None
    item = answer.get("Item", {"n": {"N": "0"}})
    assert isinstance(item, dict)
    return int(item["n"]["N"])


def read_back(url: str, key: int) -> int | None:
    """The number that a key has at a server; None if it has no table yet."""
    caller = Caller([url])
    try:
        return _read(caller, key)
    finally:
        caller.close()


def _until_read(caller: Caller, key: int) -> int:
    return until(lambda: (found := _read(caller, key)) is not None and (found,))[0]


@dataclass
class Outcome:
    """What clients saw of a failure."""

    load: Load
    write_seconds: float
    """Without an acknowledged write."""
    read_seconds: float
    """Without an answer to a strong read."""

    def __str__(self) -> str:
        load = self.load
        return (
            f"{self.write_seconds:.1f} s without writes, {self.read_seconds:.1f} s without reads; "
            f"{load.writes} writes acknowledged, {len(load.lost)} lost; "
            f"{len(load.answers['read'])} strong reads, {len(load.stale)} stale"
        )


@contextlib.contextmanager
def _loaded(fleet: Fleet) -> Iterator[Load]:
    load = Load(fleet.urls)
    load.begin()
    try:
        yield load
    finally:
        load.end()


def fail(cluster: PatroniCluster, failure: str, form: str) -> Outcome:
    """Let the primary fail under load, and heal it afterwards.

    Args:
        cluster: whole.
        failure: of FAILURES.
        form: `hosts`, the primary first in the URL, or `proxy`.
    """
    primary = cluster.whole()
    begin, heal = FAILURES[failure]
    url = cluster.url_of(primary) if form == "hosts" else cluster.proxy_url
    schema = f"f{time.monotonic_ns()}"
    fleet = Fleet(f"{url}{'&' if '?' in url else '?'}schema={schema}", 2)
    try:
        fleet.create(TABLE)
        with _loaded(fleet) as load:
            _await_answers(load, time.monotonic())
            began, is_over = time.monotonic(), has_ended(cluster, primary, failure)
            begin(cluster, primary)
            try:
                until(is_over, seconds_max=FAILURE_SECONDS_MAX)
                _await_answers(load, time.monotonic())
            finally:
                if heal is not None:
                    heal(primary)
            _await_answers(load, time.monotonic())
        load.check()
        return Outcome(load, load.gap("write", began), load.gap("read", began))
    finally:
        fleet.end()


def has_ended(cluster: PatroniCluster, primary: Node, failure: str) -> Callable[[], bool]:
    """Whether Patroni has done its part: another node leads, or the postmaster is another one."""
    if failure == POSTMASTER_KILLED:
        killed = primary.postmaster
        return lambda: primary.postmaster not in {None, killed}
    return lambda: cluster.leader() not in {None, primary}


def _await_answers(load: Load, moment: float) -> None:
    """Wait for answers to all clients after a moment."""
    writes = [number + ANSWERS for number in load.acknowledged]
    until(
        lambda: (
            all(map(operator.ge, load.acknowledged, writes))
            and load.answers["read"][-1:] > [moment]
        ),
        seconds_max=FAILURE_SECONDS_MAX,
    )


@click.command()
@click.option("--ttl", default=PATRONI["ttl"], show_default=True)
@click.option("--loop-wait", default=PATRONI["loop_wait"], show_default=True)
@click.option("--retry-timeout", default=PATRONI["retry_timeout"], show_default=True)
def main(ttl: int, loop_wait: int, retry_timeout: int) -> None:
    """Print what each failure costs."""
    settings = {"ttl": ttl, "loop_wait": loop_wait, "retry_timeout": retry_timeout}
    try:
        with patroni_cluster.running(debian_packages.programs(), settings) as cluster:
            for failure, form in itertools.product(FAILURES, ("hosts", "proxy")):
                click.echo(f"{failure}, {form}: {fail(cluster, failure, form)}")
    finally:
        debian_packages.remove()


if __name__ == "__main__":
    main()
