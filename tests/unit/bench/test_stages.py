"""The stages of a request are measured by calls of the pipeline's own functions."""

import pytest

from bench import rows, stages
from bench.in_process import InProcess
from hashrange.clock import SystemClock


@pytest.fixture
def server():
    server = InProcess(SystemClock())
    rows.prepare(server.ask)
    yield server
    server.close()


@pytest.mark.parametrize(("row", "module"), [*stages.READS, *stages.WRITES])
def test_each_stage_has_its_time(server, row, module):
    rows.prove(server.ask, row)
    found = stages.budget(server, row, module, runs=stages.GROUP)
    assert {"decode", "check", "fit to the schema", "all"} <= found.keys()
    assert found["all"] > 0
