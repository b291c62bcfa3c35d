"""What people see of a load or a dump; what they do is tested in tests/copying."""

import pytest

from hashrange.cli.seeding import LINE_SECONDS, LIVE_SECONDS, Progress
from tests.unit.clocks import Clock


def ran(capsys, seconds, **how):
    clock = Clock()
    progress = Progress(clock, **{"is_quiet": False, "is_live": False, **how})
    for each in seconds:
        clock.later(each)
        progress.moved(500)
    progress.ends("all: 2,000 items")
    progress.close()
    printed = capsys.readouterr()
    assert printed.out == "", "it may be the dump"
    return printed.err


def test_lines_come_now_and_then(capsys):
    seconds = (1, LINE_SECONDS, 1, LINE_SECONDS - 1)
    assert ran(capsys, seconds) == "1,000 items\n2,000 items\nall: 2,000 items\n"


def test_terminal_has_one_line_that_changes(capsys):
    seconds = (0, LIVE_SECONDS, 0, LIVE_SECONDS)
    expected = f"\r1,000 items\r2,000 items\r{' ' * 40}\rall: 2,000 items\n"
    assert ran(capsys, seconds, is_live=True) == expected


@pytest.mark.parametrize("is_live", [True, False])
def test_quiet_is_quiet(capsys, is_live):
    assert ran(capsys, [60], is_quiet=True, is_live=is_live) == ""
