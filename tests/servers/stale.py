"""The search for stale reads: `python -m tests.servers.stale --seconds N`.

A crowd of clients reads what it writes through two workers, while the process that writes stands
still in the middle of commits, and is killed there. With `--late` the counter of commits is moved
after each commit only, which must be found.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from tests.crash.server import verify
from tests.model.linearizability import Call, Read
from tests.servers.crowd import Crowd
from tests.servers.histories import unexplained
from tests.workers.planted import Faults, PlantedServer

ANSWERS = 1500
"""In one round."""
ROUNDS = 40
"""With one server."""
SLEEPS = 0.3
KILLS = 0.003


@dataclass
class Tally:
    """What was seen so far."""

    histories: int = 0
    changes: int = 0
    answers: int = 0
    kills: int = 0
    unexplained: list[list[Call]] = field(default_factory=list)

    def add(self, histories: dict[str, list[Call]]) -> None:
        """The histories of a round."""
        calls = [each for history in histories.values() for each in history]
        self.histories += len(histories)
        self.changes += sum(not isinstance(each.action, Read) for each in calls)
        self.answers += sum(each.returned is not None for each in calls)
        self.unexplained.extend(unexplained(histories).values())

    def __str__(self) -> str:
        return (
            f"{self.histories} histories, {self.answers} answers, {self.changes} of changes, "
            f"{self.kills} kills: {len(self.unexplained)} without an order"
        )


def search(
    faults: Faults,
    seed: int,
    tally: Tally,
    is_over: Callable[[], bool],
    *,
    answers: int = ANSWERS,
) -> None:
    """Let a crowd work on a server, in rounds of so many answers. Raises AssertionError."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place) / "data"
        server = PlantedServer(directory, faults)
        before, writers = tally.kills, set(server.pids("writer"))

        async def work() -> None:
            crowd = Crowd(server.url, seed)
            try:
                while not is_over():
                    tally.add(await crowd.round(answers))
                    writers.update(server.pids("writer"))
                    tally.kills = before + len(writers) - 1
            finally:
                await crowd.close()

        try:
            asyncio.run(work())
        finally:
            code = server.terminate()
        assert code == 0, f"the server ended with code {code}"
        findings = verify(directory)
        assert not findings, findings


@click.command()
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--seed", default=None, type=int, help="Begin with this one.")
@click.option("--late", default=None, type=float, help="Share of commits with the fault.")
def main(seconds: float, seed: int | None, late: float | None) -> None:
    """Search until the time is over, or until a planted fault is found."""
    seed = time.time_ns() if seed is None else seed
    began, tally = time.monotonic(), Tally()

    def is_over() -> bool:
        return bool(tally.unexplained) or time.monotonic() - began > seconds

    while not is_over():
        click.echo(f"seed {seed}")
        # Every other server is not killed: its processes are not busy with starting.
        kills = KILLS if seed % 2 else 0.0
        faults = Faults(sleeps=SLEEPS, kills_before=kills, kills_within=kills, kills_after=kills)
        if late is not None:
            faults = Faults(sleeps=late, is_late=True)
        last = tally.histories + 3 * ROUNDS
        search(faults, seed, tally, lambda: is_over() or tally.histories >= last)  # noqa: B023
        seed += 1
    click.echo(f"{tally}, after {time.monotonic() - began:.0f} s")
    if bool(tally.unexplained) is (late is None):
        raise SystemExit(f"{tally.unexplained[:1]}" if late is None else "the fault was not found")


if __name__ == "__main__":
    main()
