"""Power cuts for as long as asked: `python -m tests.power.soak --seconds 3600`.

Prints the seed of a failure and ends with 1.
"""

# ruff: noqa: T201 - what it prints is what it is for

import argparse
import itertools
import random
import sys
import time

from tests.power.cuts import CUTS_PER_SEED, Tally, run_seeds

SEEDS_PER_LINE = 200


def main() -> int:
    parser = argparse.ArgumentParser(description="Cut the power of the SQLite engine.")
    parser.add_argument("--seconds", type=float, required=True, help="how long to go on")
    parser.add_argument("--seed", type=int, help="the first seed; random by default")
    asked = parser.parse_args()
    first = random.randrange(1 << 40) if asked.seed is None else asked.seed
    end = time.monotonic() + asked.seconds
    total = Tally()
    for seed in itertools.count(first):
        if time.monotonic() >= end:
            break
        try:
            total += run_seeds([seed], cuts=CUTS_PER_SEED)
        except Exception:
            print(f"seed {seed} fails: python -m tests.power.soak --seconds 1 --seed {seed}")
            raise
        if (seed - first) % SEEDS_PER_LINE == SEEDS_PER_LINE - 1:
            print(f"seeds {first} to {seed}: {total}", flush=True)
    print(f"all held: {total}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
