"""Search the worlds of many seeds: python -m tests.simulation --count 1000 --form two."""

import logging
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import click

from hashrange.assembly.assemble import tune_interpreter
from tests.simulation.search import FORMS, digest, judged, searched, shrunk

_AT_ONCE = 20


def _prepare() -> None:
    logging.disable()
    tune_interpreter()


@click.command()
@click.option("--form", type=click.Choice(list(FORMS)), default="one", help="Servers of a world.")
@click.option("--first", default=0, help="The first seed.")
@click.option("--count", default=1000, help="How many seeds.")
@click.option("--seed", type=int, help="One world only, and all that is wrong in it.")
@click.option("--digests", is_flag=True, help="Print a digest of the events of each world.")
@click.option("--until-failure", is_flag=True, help="End with the first world that fails.")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes.")
def main(
    *,
    form: str,
    first: int,
    count: int,
    seed: int | None,
    digests: bool,
    until_failure: bool,
    workers: int,
) -> None:
    """Run simulated worlds, and print the seeds of those in which a promise was broken."""
    plan = FORMS[form]
    if seed is not None:
        smallest = shrunk(seed, plan) if judged(seed, plan)[0] else plan
        faults, outcomes = judged(seed, smallest)
        calls = [call for outcome in outcomes for call in outcome.history]
        for call in sorted(calls, key=lambda each: each.called):
            click.echo(call)
        click.echo("\n".join([str(smallest), f"digest {digest(seed, smallest)}", *faults]))
        sys.exit(bool(faults))
    logging.disable(logging.CRITICAL)
    if digests:
        click.echo("\n".join(digest(each, plan) for each in range(first, first + count)))
        return
    if until_failure:
        for each in range(first, first + count):
            if faults := judged(each, plan)[0]:
                click.echo(f"seed {each}: {faults[0]}")
                sys.exit(1)
        return
    began, failed, happened = time.monotonic(), 0, Counter[str]()
    with ProcessPoolExecutor(workers, initializer=_prepare) as pool:
        parts = [
            pool.submit(searched, at, min(_AT_ONCE, first + count - at), plan)
            for at in range(first, first + count, _AT_ONCE)
        ]
        for part in parts:
            found, here = part.result()
            happened += here
            failed += len(found)
            for number, faults in found.items():
                click.echo(f"seed {number}: {faults[0]}")
    minutes = (time.monotonic() - began) / 60
    click.echo(f"{count} worlds, {failed} failed, {count / minutes:.0f} a minute")
    click.echo(", ".join(f"{kind} {number}" for kind, number in sorted(happened.items())))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
