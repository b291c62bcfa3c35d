"""Trials of several servers for as long as asked: `python -m tests.servers.soak --seconds N`."""

import tempfile
from pathlib import Path
from random import Random

import click

from hashrange.clock import SystemClock
from tests.servers.chaos import Blow, Chaos
from tests.servers.launchers import LAUNCHERS
from tests.servers.recording import record

BLOWS = 6
ANSWERS = 2000
KILLS = 5


@click.command()
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--seed", default=None, type=int, help="Begin with this one.")
def main(seconds: float, seed: int | None) -> None:
    """Let servers and databases go away until the time is over; a failure prints its seed."""
    clock = SystemClock()
    end_ns = clock.monotonic_ns() + int(seconds * 1e9)
    seed = clock.now_ms() if seed is None else seed
    done = answered = trials = 0
    while clock.monotonic_ns() < end_ns:
        click.echo(f"seed {seed}")
        chaos = Chaos(seed)
        chaos.run(Random(seed).choices(list(Blow), k=BLOWS))
        done += chaos.done
        for launch in LAUNCHERS.values():
            with tempfile.TemporaryDirectory() as directory:
                answered += record(launch(Path(directory) / "data"), seed, ANSWERS, kills=KILLS)
        trials += 1
        seed += 1
    click.echo(f"{trials} trials: {done} acknowledged, {answered} in an order; nothing lost")


if __name__ == "__main__":
    main()
