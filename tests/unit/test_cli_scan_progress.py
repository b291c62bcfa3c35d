"""What people see of a scan while it runs."""

import pytest

from hashrange.cli.scan_progress import LINE_SECONDS, ScanProgress
from hashrange.tools.scanning.jobs import Totals
from tests.unit.clocks import Clock


def ran(**how):
    clock = Clock()
    progress = ScanProgress(clock, **{"is_quiet": False, "is_live": False, **how})
    progress.begins("orders", 1000)
    for scanned in (0, 250, 300, 500):
        progress.moved(Totals(items=scanned // 10, scanned=scanned, units=scanned / 4))
        clock.later(LINE_SECONDS / 2)
    progress.note("the end")
    progress.close()


def test_lines_come_now_and_then(capsys):
    ran()
    printed = capsys.readouterr()
    assert printed.out == "", "it may be the items"
    assert printed.err == ("30 items, 300 scanned, 75.0 units, $0.0000, 23 s left\nthe end\n")


def test_quiet_is_quiet(capsys):
    ran(is_quiet=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("figure", ["50 items", "500 scanned", "125.0 units", "$0.0000", "orders"])
def test_terminal_has_a_bar(capsys, process_environment, figure):
    process_environment(FORCE_COLOR="1", COLUMNS="120")
    ran(is_live=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert figure in printed.err
