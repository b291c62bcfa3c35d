"""What is asked of each peer: the rows of `make bench`, larger reads, and a mix of two."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from bench import bodies, rows
from bench.asking import Ask, Sent, encoded

_ZIPF_EXPONENT: Final = 0.99
"""As YCSB has it: of 5,000 keys the hottest gets a tenth of the requests."""
_READS_PERCENT: Final = 80
_MIXED: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One row of the comparison; `proofs` are answered rightly before it is measured."""

    name: str
    requests: Callable[[], list[Sent]]
    proofs: tuple[rows.Row, ...]
    prepare: Callable[[Ask], None] | None = None


def _mixed() -> list[Sent]:
    """Gets and puts of keys of which few are asked for often, always the same."""
    chance = random.Random("mixed")
    keys = list(range(bodies.KEYS))
    chance.shuffle(keys)
    weights = [1 / (rank + 1) ** _ZIPF_EXPONENT for rank in range(bodies.KEYS)]
    chosen = chance.choices(keys, weights, k=_MIXED)
    sent = []
    turns = dict.fromkeys(keys, 0)
    for key in chosen:
        row, number = rows.GET, key
        if chance.randrange(100) >= _READS_PERCENT:
            row, number = rows.PUT, key + turns[key] * bodies.KEYS
            turns[key] = 1 - turns[key]
        sent.append(Sent(row.target, encoded(row.body(number))))
    return sent


def _of(row: rows.Row, prepare: Callable[[Ask], None] | None = None) -> Workload:
    return Workload(
        name=row.name, requests=partial(rows.requests, row), proofs=(row,), prepare=prepare
    )


# In this order: what one has put, the next ones read; transactions add items to partitions.
WORKLOADS: Final = (
    _of(rows.PUT),
    _of(rows.PUT_STREAMED, rows.prepare_stream),
    _of(rows.GET),
    _of(rows.UPDATE),
    _of(rows.QUERY),
    _of(rows.QUERY_10),
    _of(rows.QUERY_100),
    _of(rows.SCAN),
    _of(rows.BATCH_WRITE),
    _of(rows.BATCH_GET),
    Workload(name="mixed 80/20, Zipf", requests=_mixed, proofs=(rows.PUT,)),
    _of(rows.TRANSACT),
)
OPEN_LOOP: Final = ("put", "get", "mixed 80/20, Zipf")
"""Those that are measured with an open loop too."""
