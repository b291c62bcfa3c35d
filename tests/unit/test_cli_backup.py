"""How far a backup is, and how long the rest will take."""

import pytest

from hashrange.backups.directories.job import size_text
from hashrange.cli.backup import BackupProgress


# A small backup must not look empty.
@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 KB"),
        (45_056, "45.1 KB"),
        (1_000_000, "1.0 MB"),
        (2_345_678_901, "2,345.7 MB"),
    ],
)
def test_sizes_have_the_unit_in_which_they_can_be_read(count, text):
    assert size_text(count) == text


def lines(*told):
    """The lines of a progress that hears of a second, the chunks done and all chunks."""
    times = iter([int(second * 1e9) for second, _, _ in told])
    progress = BackupProgress("chunks", lambda: next(times))
    return [progress.line(done, total) for _, done, total in told]


@pytest.mark.parametrize(
    ("total", "left"), [(1_001, "1 s"), (2_000, "10 s"), (61_000, "10 min"), (1_081_000, "3 h")]
)
def test_the_rate_so_far_tells_how_long_the_rest_takes(total, left):
    _, line = lines((5, 0, total), (15, 1_000, total))
    assert line == f"1,000 of {total:,} chunks, {left} left"


# What a restore finds in place at its start says nothing about its rate.
def test_chunks_that_were_there_are_not_in_the_rate():
    _, line = lines((0, 900, 1_000), (10, 950, 1_000))
    assert line.endswith(", 10 s left")


def test_nothing_is_told_that_is_not_known():
    assert lines((0, 1, 9), (1.9, 5, 9)) == ["1 of 9 chunks", "5 of 9 chunks"]
    assert lines((0, 5, 5), (9, 10, 10)) == ["5 chunks", "10 chunks"]
    assert lines((0, 5, 9), (9, 5, 9))[-1] == "5 of 9 chunks"


def test_a_shorter_line_covers_the_one_before():
    _, line, end = lines((0, 0, 9), (4, 8, 9), (5, 9, 9))
    assert (end.rstrip(), len(end)) == ("9 chunks", len(line))
