"""The stamps of records when the clock is set back."""

import asyncio

import pytest

from hashrange.storage.engine import Changes
from hashrange.storage.sqlite.engine import SqliteEngine


# A clock that is corrected must not order the records of two logs the other way round; one that was
# wrong by days must not be followed for days.
@pytest.mark.parametrize(
    ("set_back_ms", "second"), [(1, 1_000_000), (60_000, 1_000_000), (60_001, 939_999)]
)
def test_stamps_after_the_clock_was_set_back(set_back_ms: int, second: int):
    times = iter([1_000_000, 1_000_000 - set_back_ms, 1_000_000 - set_back_ms])
    engine = SqliteEngine.open(None, now_ms=lambda: next(times))

    def appended(*logs: bytes) -> list[int]:
        asyncio.run(
            engine.write(
                [b"x"], lambda _: Changes(answer=None, appends=[(log, b"") for log in logs])
            )
        )
        keys = [log + number.to_bytes(8) for log in (b"a", b"b") for number in (1, 2)]
        return [
            int.from_bytes(found) for found in asyncio.run(engine.read(keys)) if found is not None
        ]

    assert appended(b"a") == [1_000_000]
    assert appended(b"b") == [1_000_000, second]
    assert appended(b"a", b"b") == [1_000_000, 1_000_000, second, 1_000_000]
    engine.close()
