"""Makes the golden directory of a format: `python -m tests.golden.make_rows tests/golden/format-N`.

Run once, with the first build of format N. The directory is kept, and every later build must
read it; to make it again would prove nothing.
"""

import asyncio
import json
import sys
from pathlib import Path
from random import Random

from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.directory import LOCK_FILE
from hashrange.storage.sqlite.engine import SqliteEngine
from hashrange.storage.sqlite.tuning import Tuning

SIZES = [0, 1, 20, 300, 300, 300, 690, 700, 710, 3000]
LOG = b"log\x00"


async def fill(engine: SqliteEngine) -> None:
    """Values of all kinds: small, large, replaced, deleted; counters; a log that was trimmed."""
    rng = Random(1)
    keys = [rng.randbytes(rng.choice([1, 8, 40, 40, 400, 1500])) for _ in range(36)]
    for turn in range(2):
        for key in rng.sample(keys, 28):
            value = rng.randbytes(rng.choice(SIZES))
            change = Changes(answer=None, puts={key: value}, adds={b"sum": turn - 1, b"count": 1})
            await engine.write([key], lambda _, change=change: change)
    for key in rng.sample(keys, 6):
        await engine.write([key], lambda _, key=key: Changes(answer=None, deletes=[key]))
    records = [(LOG, b"record %d" % index) for index in range(12)]
    await engine.write([b"x"], lambda _: Changes(answer=None, appends=records))
    trimmed = [LOG + number.to_bytes(8) for number in (1, 2, 3, 12)]
    await engine.write(trimmed, lambda _: Changes(answer=None, deletes=trimmed))


def main() -> None:
    directory = Path(sys.argv[1])
    engine = SqliteEngine.open(directory, tuning=Tuning(reserve_bytes=0))
    asyncio.run(fill(engine))
    pairs = asyncio.run(engine.scan(b"\0", b"\xff" * 4097, limit=10_000, bytes_max=1 << 30))
    engine.close()
    (directory / LOCK_FILE).unlink()
    content = {key.hex(): value.hex() for key, value in pairs}
    (directory.parent / f"{directory.name}.json").write_text(json.dumps(content, indent=0) + "\n")


if __name__ == "__main__":
    main()
