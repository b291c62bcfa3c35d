"""What clients see of single items, on several servers that are killed meanwhile, has an order."""

from pathlib import Path

import pytest

from tests.effort import effort
from tests.servers.launchers import LAUNCHERS
from tests.servers.recording import record

SEED = 20261121
KILLS = effort(2, 3)
ANSWERS = effort(150, 200)


@pytest.mark.parametrize(
    "launch",
    [pytest.param(launch, id=name) for name, launch in LAUNCHERS.items()],
)
def test_each_item_has_an_order_across_kills(launch, tmp_path: Path) -> None:
    print(f"seed {SEED}")  # noqa: T201 - the way to see it again
    answers = record(launch(tmp_path / "data"), SEED, ANSWERS, kills=KILLS)
    assert answers >= (KILLS + 1) * ANSWERS
