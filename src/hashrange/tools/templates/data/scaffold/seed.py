"""Makes items: python seed.py --items 1000 --seed 1 | hashrange load {{table}} -."""

import argparse
import json
from itertools import islice
from random import Random

import fields
import patterns


def main() -> None:
    """Print items as lines of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000, help="how many items (1000)")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other items (1)")
    options = parser.parse_args()
    for entity, attributes in islice(fields.items(Random(options.seed)), options.items):
        print(json.dumps(patterns.ITEMS[entity](attributes), ensure_ascii=False))


if __name__ == "__main__":
    main()
