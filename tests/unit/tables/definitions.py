"""Tables as the catalog keeps them, for tests that need one of any kind."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from hashrange.clock import SystemClock
from hashrange.model.table import KeyAttribute, Table, Throughput
from hashrange.tables.writing import writer
from hashrange.tables.writing.store import Store
from hashrange.tables.writing.write_plans import ItemWrite

PK, SK = KeyAttribute("pk", "S"), KeyAttribute("sk", "N")
NOON_MS = 1_767_268_800_000
"""2026-01-01T12:00:00Z."""
HOUR_MS = 60 * 60 * 1000


def definition(**changes: Any) -> Table:
    """A provisioned table with a partition key, but for `changes`."""
    members: dict[str, Any] = {
        "number": 1,
        "id": "5be1c7f0-0000-4000-8000-000000000001",
        "name": "a-table",
        "account": "000000000000",
        "region": "us-east-1",
        "created_ms": NOON_MS,
        "attributes": (PK,),
        "partition": PK,
        "sort": None,
        "billing_mode": "PROVISIONED",
        "throughput": Throughput(read_units=5, write_units=5),
    }
    return Table(**{**members, **changes})


def on_demand(**changes: Any) -> Table:
    """A table that was made on demand."""
    return definition(
        billing_mode="PAY_PER_REQUEST",
        throughput=Throughput(),
        billing_switched_ms=NOON_MS,
        **changes,
    )


def store_of(engine):
    """A store on the engine, at the machine's time."""
    return Store(engine, SystemClock())


@dataclass(frozen=True)
class Told:
    """A plan of one write that answers what became of it."""

    write: ItemWrite
    to_outcome: Callable[[Any], Any] = field(default=lambda done: done)

    def __getattr__(self, name):
        return getattr(self.write, name)


def write_item(store, write):
    """The writer's, which tells what was done."""
    return writer.write_item(Told(write), SimpleNamespace(store=store))
