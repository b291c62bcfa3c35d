"""kill -9 rounds for as long as asked: `python -m tests.crash.soak --seconds N [--seed S]`."""

import tempfile
from pathlib import Path

import click

from hashrange.clock import SystemClock
from tests.crash.rounds import Rounds
from tests.crash.transfers import Transfers

ROUNDS_A_DIRECTORY = 50
TRANSFERS_A_DIRECTORY = 20


@click.command()
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--seed", default=None, type=int, help="Begin with this one.")
def main(seconds: float, seed: int | None) -> None:
    """Kill servers until the time is over; a failure prints the seed that shows it."""
    clock = SystemClock()
    end_ns = clock.monotonic_ns() + int(seconds * 1e9)
    seed = clock.now_ms() if seed is None else seed
    kills = acknowledged = 0
    while clock.monotonic_ns() < end_ns:
        click.echo(f"seed {seed}")
        with tempfile.TemporaryDirectory() as directory:
            rounds = Rounds(Path(directory) / "data", seed)
            while rounds.kills < ROUNDS_A_DIRECTORY and clock.monotonic_ns() < end_ns:
                rounds.run()
            rounds.close()
            transfers = Transfers(Path(directory) / "transfers", seed)
            while transfers.kills < TRANSFERS_A_DIRECTORY and clock.monotonic_ns() < end_ns:
                transfers.run()
        kills += rounds.kills + transfers.kills
        acknowledged += rounds.acknowledged + transfers.done
        seed += 1
    click.echo(f"{kills} kills, {acknowledged} acknowledged writes, none lost")


if __name__ == "__main__":
    main()
