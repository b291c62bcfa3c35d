"""Lives of one data directory, each ended by a power cut, each begun on what the last one left."""

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from pathlib import Path
from random import Random

from hashrange.settings.kinds import Durability
from hashrange.storage.engine import StorageOpenError
from hashrange.storage.sqlite.directory import LOCK_FILE, DataDirectory
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.page_cipher import PageCipher
from hashrange.storage.sqlite.tuning import Tuning
from hashrange.storage.sqlite.unlocking import taken
from tests.power.clients import Life
from tests.power.disk import Disk
from tests.power.later import Later
from tests.power.model import Model
from tests.power.vfs import Plan, PowerVfs

CUTS_PER_SEED = 8
OPENINGS_MAX = 20
"""Of one life: with faults, a few in a row may fail."""
NEVER = 1 << 30
TURNS_READ = 300
STEP_NS = 10_000_000
"""The clock of an engine goes on by this at each look."""

ORPHANS = "SELECT (SELECT count(*) FROM large_values) - (SELECT count(large) FROM kv)"

_numbers = itertools.count()

Sabotage = Callable[[SqliteEngine], None]
"""Done to each engine after it is opened."""


def no_sabotage(_engine: SqliteEngine) -> None:
    """Leave the engine as it is."""


@dataclass(slots=True)
class Tally:
    """What the lives were made of; a test to which nothing ever happened proves little."""

    cuts: int = 0
    cuts_in_opening: int = 0
    writes: int = 0
    recoveries: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


class TimelessLoop(asyncio.SelectorEventLoop):
    """A loop whose timers go off in the next turn, so that a seed always gives the same run."""

    def call_later(self, delay, callback, *args, context=None):
        return self.call_soon(callback, *args, context=context)


class Lives:
    """All lives of one seed.

    Args:
        seed: of everything random.
        root: an empty directory.
        vfs: registered.
        cipher: of the pages; None if they are not encrypted.
        runner: of the clients.
        tally: added to.
    """

    def __init__(
        self,
        seed: int,
        root: Path,
        *,
        vfs: PowerVfs,
        cipher: PageCipher | None,
        runner: asyncio.Runner,
        tally: Tally,
    ) -> None:
        self._rng = rng = Random(seed)
        self._root = root
        self._vfs = vfs
        self._cipher = cipher
        self._runner = runner
        self._tally = tally
        self._faults = seed % 3 == 0
        self._durability = Durability.RELAXED if seed % 5 == 4 else Durability.FULL
        # The sync in the commit, after it, after it beside the loop, and there only for several
        # callers.
        self._tuning = Tuning(
            vfs=vfs.name,
            sync_apart=seed % 4 != 0,
            inline_sync_ns_max=1 << 62 if seed % 4 == 1 else 0,
            lone_sync_ns_max=1 << 62 if seed % 4 == 2 else -1,
            aside=lambda: Later(rng),
            page_bytes=rng.choice([512, 1024, 4096]),
            cache_bytes=rng.choice([8 << 10, 1 << 20]),
            group_works_max=rng.choice([1, 3, 100]),
            group_bytes_max=rng.choice([500, 5000, 1 << 20]),
            checkpoint_pages=rng.choice([2, 8, 30, 200]),
            vacuum_pages_min=rng.choice([0, 4, 100]),
            vacuum_pages_step=3,
            wal_bytes_max=rng.choice([0, 1 << 14]),
            reserve_bytes=0,
        )
        self._model = Model()
        self._now_ns = 0

    def run(self, cuts: int, sabotage: Sabotage) -> None:
        """Live and be cut `cuts` times, then look at what is left."""
        image: dict[str, bytes] = {}
        for index in range(cuts + 1):
            image = self._live(index, image, sabotage, self._plan(last=index == cuts))
        self._tally.cuts += cuts

    def _plan(self, *, last: bool) -> Plan:
        if last:
            return Plan(calls_until_cut=NEVER)
        rng = self._rng
        return Plan(
            calls_until_cut=rng.choice([rng.randrange(40), rng.randrange(400), 1000]),
            fault_odds=rng.choice([0.0, 0.02]) if self._faults else 0.0,
        )

    def _live(
        self, index: int, image: dict[str, bytes], sabotage: Sabotage, plan: Plan
    ) -> dict[str, bytes]:
        directory = self._root / str(index)
        directory.mkdir()
        for name, content in image.items():
            (directory / name).write_bytes(content)
        disk = Disk({name: content for name, content in image.items() if name != LOCK_FILE})
        self._vfs.plug_in(disk, self._rng, plan)
        engine = self._open(directory)
        if engine is None:
            self._tally.cuts_in_opening += 1
        else:
            try:
                self._use(engine, sabotage)
            finally:
                self._vfs.pull()
                engine.close()
        # Each note in it is synced before the next step.
        lock = (directory / LOCK_FILE).read_bytes()
        shutil.rmtree(directory)
        return {**disk.cut(self._rng), LOCK_FILE: lock}

    def _open(self, directory: Path) -> SqliteEngine | None:
        """None if the power was cut meanwhile."""
        for _ in range(OPENINGS_MAX):
            try:
                return SqliteEngine.open(
                    self._taken(directory),
                    durability=self._durability,
                    monotonic_ns=self._monotonic_ns,
                    now_ms=lambda: 0,
                    tuning=self._tuning,
                )
            except StorageOpenError:
                if self._vfs.is_off:
                    return None
                if not self._vfs.plan.fault_odds:
                    raise
        raise AssertionError("it does not open any more")

    def _taken(self, directory: Path) -> DataDirectory:
        """A directory whose names are synced before a note, as those of the real one are."""
        found = taken(directory, lambda _: self._cipher)
        note = found.note_serving

        def note_serving(wal: int | None) -> None:
            if not self._vfs.is_off:
                self._vfs.disk.sync_names()
            note(wal)

        found.note_serving = note_serving
        return found

    def _monotonic_ns(self) -> int:
        self._now_ns += STEP_NS
        return self._now_ns

    def _use(self, engine: SqliteEngine, sabotage: Sabotage) -> None:
        rng, model = self._rng, self._model
        tells = self._durability is Durability.FULL
        life = Life(engine=engine, model=model, rng=rng, tells=tells)
        assert engine.database.write("PRAGMA integrity_check").get == "ok"
        assert engine.database.write(ORPHANS).get == 0, "large values of no key"
        life.check()
        written = model.count
        sabotage(engine)
        clients, steps = rng.choice([1, 4, 12]), rng.randrange(30)
        self._runner.run(_gather(life, clients=clients, steps=steps))
        self._tally.writes += model.count - written
        self._tally.recoveries += engine.stats().recoveries
        if rng.random() < 0.3:
            engine.close()
            if not self._vfs.is_off and not self._vfs.plan.fault_odds:
                model.told(model.count)


async def _gather(life: Life, *, clients: int, steps: int) -> None:
    reader = life.reader(life.rng.choice([0, TURNS_READ]))
    await asyncio.gather(reader, *(life.client(steps) for _ in range(clients)))


def run_seeds(
    seeds: Iterable[int],
    *,
    cuts: int,
    sabotage: Sabotage = no_sabotage,
    cipher: PageCipher | None = None,
) -> Tally:
    """Run seeds one after the other, each for `cuts` cuts.

    Raises AssertionError, with the seed in its notes, if anything is lost or made up.
    """
    tally = Tally()
    memory = Path("/dev/shm")
    # The VFS that encrypts keeps a pointer to this one, and is found again by its name.
    vfs = PowerVfs(f"power-{next(_numbers)}")
    try:
        with asyncio.Runner(loop_factory=TimelessLoop) as runner:
            for seed in seeds:
                with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as root:
                    lives = Lives(
                        seed, Path(root), vfs=vfs, cipher=cipher, runner=runner, tally=tally
                    )
                    try:
                        lives.run(cuts, sabotage)
                    except BaseException as error:
                        error.add_note(f"power-cut seed {seed}")
                        raise
    finally:
        vfs.unregister()
    return tally
