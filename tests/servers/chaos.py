"""One trial from its beginning to its end: what goes away when, and the looks at the end."""

import signal
from collections.abc import Sequence
from enum import Enum, auto
from random import Random
from typing import assert_never

from tests.api.conftest import client_of
from tests.api.streams import arn_of, changes_of
from tests.crash.server import verify
from tests.engines.postgres_server import PostgresServer
from tests.pace import until
from tests.servers.balancer import Balancer
from tests.servers.fleet import Fleet
from tests.servers.trial import TABLE, Trial

SERVERS = 3
OPTIONS = ("--stream-shards", "2", "--stream-shard-seconds", "2")
DONE_BETWEEN = 100


class Blow(Enum):
    """What happens to servers and database."""

    KILL_LEADER = auto()
    KILL_ANY = auto()
    STOP_ANY = auto()
    CRASH_DATABASE = auto()
    PAUSE_LEADER = auto()


class Chaos:
    """A database of its own, three servers, a balancer, and clients."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._seed = seed
        self.done = 0

    def run(self, blows: Sequence[Blow]) -> None:
        """Let all work, let the blows come, and look at what is there. Raises AssertionError."""
        database = PostgresServer()
        try:
            fleet = Fleet(database.url, SERVERS, *OPTIONS)
            try:
                with Balancer(lambda: fleet.urls, self._seed) as balancer:
                    trial = Trial(balancer.url, self._seed)
                    trial.begin()
                    try:
                        self._strike(trial, fleet, database, blows)
                    finally:
                        trial.end()
                    self._look(trial)
            finally:
                fleet.end()
            findings = verify(database.url)
            assert not findings, findings
        finally:
            database.remove()

    def _strike(
        self, trial: Trial, fleet: Fleet, database: PostgresServer, blows: Sequence[Blow]
    ) -> None:
        self._further(trial)
        for number, blow in enumerate(blows):
            self._deal(blow, trial, fleet, database)
            if number == 0:
                trial.add_index()
            self._further(trial)

    def _further(self, trial: Trial) -> None:
        count = self._random.randint(DONE_BETWEEN // 2, DONE_BETWEEN)
        trial.further(count)
        self.done += count

    def _deal(self, blow: Blow, trial: Trial, fleet: Fleet, database: PostgresServer) -> None:
        match blow:
            case Blow.KILL_LEADER:
                fleet.kill(fleet.await_leader())
                fleet.start()
            case Blow.KILL_ANY:
                fleet.kill(self._random.choice(fleet.servers))
                fleet.start()
            case Blow.STOP_ANY:
                server = self._random.choice(fleet.servers)
                fleet.servers.remove(server)
                server.terminate()
                fleet.start()
            case Blow.CRASH_DATABASE:
                before = trial.given_up
                database.stop(signal.SIGQUIT)
                until(lambda: trial.given_up >= before + 3)
                database.start()
            case Blow.PAUSE_LEADER:
                self._pause(fleet)
            case _:
                assert_never(blow)

    def _pause(self, fleet: Fleet) -> None:
        """Until another one leads; the balancer has noticed meanwhile that it does not answer."""
        leader = fleet.await_leader()
        fleet.servers.remove(leader)
        leader.pause()
        try:
            fleet.await_leader()
        finally:
            leader.resume()
            fleet.servers.append(leader)

    def _look(self, trial: Trial) -> None:
        trial.check_transfers()
        until(trial.is_settled)
        streams = client_of(trial.url, "dynamodbstreams")
        arn = arn_of(client_of(trial.url), TABLE)
        trial.check_items(changes_of(streams, arn))
